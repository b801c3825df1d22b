//! The command line: one file a subcommand, each only translating. Uses `operation` and below.

mod compare;
mod config;
mod devices;
mod doctor;
mod export;
mod gate;
mod governed;
mod instruct;
mod journey;
mod lint;
mod migrate;
mod observe;
mod output;
mod policy;
mod recordings;
mod replay;
mod report;
mod review;
mod schema;
mod serve;
mod settings;
pub mod sim;
mod version;

use std::io::IsTerminal;
use std::sync::Arc;

use clap::{Parser, Subcommand};

use crate::config::{self as configuration, Config};
use crate::device::process::{self, Sweep};
use crate::exit::Exit;
use crate::operation::OperationError;
use crate::server;
use governed::{PolicyArgs, governed};
pub use settings::Settings;

/// The eyes and hands of coding agents on iOS. Without a command: an MCP server on stdin and stdout.
#[derive(Debug, Parser)]
#[command(name = "simdrive", version, args_conflicts_with_subcommands = true)]
struct CommandLine {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Look at a device, or at a picture, and print the marks
    Observe(observe::ObserveArgs),
    /// Do what plain words say, in English or Spanish
    Instruct(instruct::InstructArgs),
    /// Compare two screenshots
    Compare(compare::CompareArgs),
    /// Find what is wrong with recordings, or may go wrong, and fix what is safe
    Lint(lint::LintArgs),
    /// List recordings; show, check, trim, rename or delete one
    Recordings(recordings::RecordingsArgs),
    /// Replay recordings, and fail where the screen is not as recorded
    Replay(replay::ReplayArgs),
    /// Work with what `replay --report` wrote
    Report(report::ReportArgs),
    /// Accept or reject what `replay --update` proposed
    Review(review::ReviewArgs),
    /// Bring recordings of older versions, and of the original SimDrive, up to this version
    Migrate(migrate::MigrateArgs),
    /// Say a recording in the words of another tool
    Export(export::ExportArgs),
    /// Show what simdrive goes by, and where each value comes from
    Config(config::ConfigArgs),
    /// Check journeys, and verify on a device what one is to reach
    Journey(journey::JourneyArgs),
    /// Ask what clients may do
    Policy(policy::PolicyCommand),
    /// Print the JSON Schema of a file format
    Schema(schema::SchemaArgs),
    /// Serve MCP over HTTP, to several clients
    Serve(serve::ServeArgs),
    /// Serve the embedded simulator as an idb companion
    Sim(sim::SimArgs),
    /// List the devices that can be named
    Devices(devices::DevicesArgs),
    /// Check what simdrive needs on this machine
    Doctor(doctor::DoctorArgs),
    /// Print the version
    Version(version::VersionArgs),
}

/// Threads at a time that work through pictures, or wait for files. A server of many clients is no faster by more, and
/// each keeps memory for pictures of its own.
const BLOCKING: usize = 8;

/// Reads the command line, does what it says, and tells how it went.
pub fn run() -> Exit {
    // dropped last of all, also where something panics
    let _children = Sweep;
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(refused) => {
            // nobody is left to tell where this can't be written
            let _ = refused.print();
            return if refused.use_stderr() { Exit::Invalid } else { Exit::Success };
        }
    };
    log_to_stderr();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(BLOCKING)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(e) => return output::failed(&OperationError::internal(format!("no runtime: {e}")), false),
    };
    let exit = runtime.block_on(dispatch(line));
    // what is still running has been told to end; a blocked thread must not keep the process
    runtime.shutdown_background();
    exit
}

async fn dispatch(line: CommandLine) -> Exit {
    let Some(command) = line.command else {
        if std::io::stdin().is_terminal() {
            eprintln!("simdrive speaks MCP on stdin and stdout; `simdrive --help` lists its commands");
        }
        let context = line.policy.config(line.settings, Vec::new()).and_then(|config| governed(&config));
        return match context {
            Ok(context) => server::serve_stdio(Arc::new(context)).await,
            Err(error) => output::failed(&error, false),
        };
    };
    match command {
        // these stop in their own way
        Command::Sim(args) => sim::run(args).await,
        Command::Serve(args) => serve::run(args).await,
        command => tokio::select! {
            exit = command.run() => exit,
            exit = async {
                let exit = server::stopped().await;
                // before what was under way is dropped: a video is finished then, and not killed
                process::terminate_all();
                exit
            } => exit,
        },
    }
}

impl Command {
    async fn run(self) -> Exit {
        match self {
            Self::Sim(args) => sim::run(args).await,
            Self::Serve(args) => serve::run(args).await,
            Self::Compare(args) => compare::run(args),
            Self::Observe(args) => observe::run(args).await,
            Self::Lint(args) => lint::run(args).await,
            Self::Instruct(args) => instruct::run(args).await,
            Self::Recordings(args) => recordings::run(args).await,
            Self::Replay(args) => replay::run(args).await,
            Self::Report(args) => report::run(&args),
            Self::Review(args) => review::run(&args),
            Self::Migrate(args) => migrate::run(args).await,
            Self::Export(args) => export::run(args),
            Self::Config(args) => config::run(args),
            Self::Policy(args) => policy::run(args),
            Self::Journey(args) => journey::run(args).await,
            Self::Schema(args) => schema::run(&args),
            Self::Devices(args) => devices::run(args).await,
            Self::Doctor(args) => doctor::run(args).await,
            Self::Version(args) => version::run(args).await,
        }
    }
}

/// What is told is told on standard error.
fn log_to_stderr() {
    // what is wrong with the configuration, the command says
    let said = Config::load(&[]).ok().and_then(|config| config.values.log);
    let filter =
        configuration::log_filter(said.as_deref().unwrap_or(configuration::DEFAULT_LOG)).unwrap_or_default();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // a companion goes on when whoever read its standard error is gone
        .log_internal_errors(false);
    // a second subscriber can only be one of a test
    let _ = subscriber.try_init();
}
