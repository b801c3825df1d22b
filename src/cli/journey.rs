//! `simdrive journey`: goals and criteria, checked without a device and verified on one.

use std::path::PathBuf;

use clap::Subcommand;

use crate::cli::{Settings, output};
use crate::exit::Exit;
use crate::home;
use crate::operation::OperationError;
use crate::operation::journey::{VerifyOn, check, verify};
use crate::session::KeptSessions;

#[derive(Debug, clap::Args)]
pub struct JourneyArgs {
    #[command(subcommand)]
    command: JourneyCommand,
}

#[derive(Debug, Subcommand)]
enum JourneyCommand {
    /// Check that journeys can be read
    Check {
        /// Files, or folders of them
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Say of every criterion whether it holds on the screen as it is now; the app is started only where it doesn't run
    Verify {
        #[command(flatten)]
        settings: Settings,
        journey: PathBuf,
        /// A session that a killed server left, to look at as it was
        #[arg(long, value_name = "ID", conflicts_with = "device")]
        session: Option<String>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

pub async fn run(args: JourneyArgs) -> Exit {
    match args.command {
        JourneyCommand::Check { paths, json } => match check(&paths) {
            Ok(outcome) if outcome.failed => {
                output::finished(&outcome, json);
                Exit::Invalid
            }
            Ok(outcome) => output::finished(&outcome, json),
            Err(error) => output::failed(&error, json),
        },
        JourneyCommand::Verify { settings, journey, session, json } => {
            match verified(settings, journey, session).await {
                Ok(outcome) => output::finished(&outcome, json),
                Err(error) => output::failed(&error, json),
            }
        }
    }
}

async fn verified(
    settings: Settings,
    journey: PathBuf,
    session: Option<String>,
) -> Result<crate::operation::Outcome, OperationError> {
    let context = settings.context()?;
    match session {
        Some(id) => {
            let context = context.keeping(KeptSessions::at(home::home().join("sessions")));
            verify(&context, &journey, VerifyOn::Session(id)).await
        }
        None => {
            let device = context.device.clone();
            verify(&context, &journey, VerifyOn::Device(device)).await
        }
    }
}
