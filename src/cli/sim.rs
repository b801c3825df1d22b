//! `simdrive sim`: serves the embedded simulator as an idb companion until it is asked to stop.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;
use crate::sim::companion::{self, Listen, StartError};
use crate::sim::{SimError, SimulatorOptions};

/// The port of a companion that is told none.
const DEFAULT_PORT: u16 = 10_882;

/// Serve the embedded simulator as an idb companion.
#[derive(Args, Debug)]
pub struct SimArgs {
    /// The app: demo, shop, settings, chaos, or the path of a YAML file
    #[arg(long, default_value = "demo")]
    app: String,
    /// Listen on this port of the loopback interface; 0 for a free one [default: 10882]
    #[arg(long, value_name = "N", conflicts_with = "socket")]
    port: Option<u16>,
    /// Listen on this unix socket
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// The device: iphone, iphone-mini, iphone-max, ipad
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// light or dark
    #[arg(long)]
    appearance: Option<String>,
    /// Dynamic Type size: xs to xxxl, ax1 to ax5
    #[arg(long, value_name = "SIZE")]
    text_size: Option<String>,
    /// portrait, landscape_left, …
    #[arg(long)]
    orientation: Option<String>,
    /// How long an app takes to answer a touch, such as 200 or 0..800
    #[arg(long, value_name = "MS")]
    latency_ms: Option<String>,
    /// `real`, or a time at which the clock stands still, such as 2026-01-01T09:41:00Z
    #[arg(long, value_name = "TIME")]
    clock: Option<String>,
    /// Makes what is random repeatable
    #[arg(long, value_name = "N")]
    seed: Option<String>,
    /// Such as en_US
    #[arg(long)]
    locale: Option<String>,
}

impl SimArgs {
    fn options(&self) -> Result<SimulatorOptions, SimError> {
        let given = [
            ("device", &self.device),
            ("appearance", &self.appearance),
            ("text_size", &self.text_size),
            ("orientation", &self.orientation),
            ("latency_ms", &self.latency_ms),
            ("clock", &self.clock),
            ("seed", &self.seed),
            ("locale", &self.locale),
        ];
        let mut options = SimulatorOptions::default();
        for (key, value) in given {
            if let Some(value) = value {
                options.set(key, value)?;
            }
        }
        Ok(options)
    }

    fn listen(&self) -> Listen {
        match &self.socket {
            Some(path) => Listen::Socket(path.clone()),
            None => Listen::Port(self.port.unwrap_or(DEFAULT_PORT)),
        }
    }
}

/// Serves until SIGINT or SIGTERM; the end of standard input means nothing to a companion.
pub async fn run(args: SimArgs) -> Exit {
    let started = match args.options() {
        Ok(options) => companion::start(&args.app, options, args.listen()).await,
        Err(error) => Err(error.into()),
    };
    let companion = match started {
        Ok(companion) => companion,
        Err(error) => {
            eprintln!("simdrive sim: {error}");
            return match error {
                StartError::App(_) => Exit::Invalid,
                StartError::Listen { .. } => Exit::NoDevice,
            };
        }
    };
    let (Ok(interrupt), Ok(terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        eprintln!("simdrive sim: signals can't be received here");
        return Exit::Internal;
    };
    // one line only, ever: whoever started us may be gone, and its pipe closed
    let line = format!("{}\n", companion.start_up_line());
    if let Err(error) = std::io::stdout().write_all(line.as_bytes()).and_then(|()| std::io::stdout().flush())
    {
        eprintln!("simdrive sim: the start-up line can't be written: {error}");
        return Exit::Internal;
    }
    let exit = first_of(interrupt, terminate).await;
    companion.stop().await;
    exit
}

async fn first_of(mut interrupt: Signal, mut terminate: Signal) -> Exit {
    tokio::select! {
        _ = interrupt.recv() => Exit::Interrupted,
        _ = terminate.recv() => Exit::Terminated,
    }
}
