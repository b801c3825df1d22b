//! `simdrive replay`: replays recordings without a model, and says what is not as recorded.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use crate::cli::gate::GateArgs;
use crate::cli::{Settings, output};
use crate::device::{DeviceError, Selector};
use crate::exit::Exit;
use crate::operation::{Context, OperationError};
use crate::recording::Variables;
use crate::replay::events::Reporter;
use crate::replay::report::{Folder, JUnit, JsonLines, Terminal};
use crate::replay::selection::{Shard, choose, share};
use crate::replay::{OnDrift, ReplayOptions, RunOptions, run as replay};
use crate::vision::gate::GateOptions;
use crate::vision::mask;

#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// Recordings: folders, folders of them, or names
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Replay on this device instead of the recorded one; may be given several times
    #[arg(long, value_name = "SELECTOR")]
    device: Vec<String>,
    /// JSON file: what the sessions of WebDriver servers named by --device are to be capable of
    #[arg(long, value_name = "FILE", requires = "device")]
    capabilities: Option<PathBuf>,
    /// Where the screen is not as recorded: stop, go on and fail, or go on and pass
    #[arg(long, value_enum, default_value_t)]
    on_drift: OnDrift,
    /// Go on with targets that are found by other means than the recorded ones
    #[arg(long)]
    heal: bool,
    /// Keep today's frames and healed targets beside the recording, for `simdrive review`
    #[arg(long)]
    update: bool,
    /// Write pictures of what drifted and a page that shows them here
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Write JUnit XML here
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write events here as they happen, one JSON object a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Replay one of N shares, such as 2/4 [default: what the CI system says]
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Recordings that run side by side
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: usize,
    /// Try a recording that did not pass again, this often, in a fresh session
    #[arg(long, value_name = "N", default_value_t = 0)]
    retries: u32,
    /// Start no further recording once one has failed
    #[arg(long)]
    fail_fast: bool,
    /// Only recordings with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// A value for ${NAME} and for secrets; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// Leave this out as well: status-bar, caret, keyboard, label=TEXT, role=ROLE, content=number:PATTERN,
    /// X,Y,WIDTH,HEIGHT; `none` clears the default masks. May be given several times
    #[arg(long, value_name = "MASK", allow_hyphen_values = true)]
    mask: Vec<String>,
    /// How long a gate waits for the recorded screen, in milliseconds
    #[arg(long, value_name = "MS")]
    gate_timeout: Option<u64>,
    #[command(flatten)]
    gate: GateArgs,
    /// Do the steps before this one, counted from 1, without their gates
    #[arg(long, value_name = "STEP", default_value_t = 1)]
    resume_from: usize,
    /// On a screen of another size than the recorded one, check each step by its target alone, and say so
    #[arg(long)]
    other_screens: bool,
    /// Print what would be replayed, and stop
    #[arg(long)]
    list: bool,
    /// Print one JSON document with every step's verdict, scores and regions
    #[arg(long)]
    json: bool,
    /// Folder of recordings that names are looked for in
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
}

pub async fn run(args: ReplayArgs) -> Exit {
    let json = args.json;
    match replay_all(args).await {
        Ok(exit) => exit,
        Err(error) => output::failed(&error, json),
    }
}

async fn replay_all(args: ReplayArgs) -> Result<Exit, OperationError> {
    let settings = Settings { recordings: args.recordings.clone(), ..Settings::default() };
    let context = settings.context()?;
    let store = context.store.clone();
    let chosen = choose(&args.paths, &store, &args.tag)?;
    let shard = args.shard.or_else(|| Shard::from_ci(|name| std::env::var(name).ok()));
    let chosen = share(chosen, shard);
    if args.list {
        chosen.iter().for_each(|one| output::print_line(&one.path.display().to_string()));
        return Ok(Exit::Success);
    }
    if args.resume_from > 1 && chosen.len() > 1 {
        let message = format!("`--resume-from` names a step of one recording; {} were chosen", chosen.len());
        return Err(OperationError::invalid(message));
    }
    let (options, reporters) = (run_options(&args, context)?, reporters(&args)?);
    let report = replay(chosen, options, reporters)
        .await
        .map_err(|e| OperationError::internal(format!("a report can't be written: {e}")))?;
    if args.json {
        let document = serde_json::to_value(&report).map_err(|e| OperationError::internal(e.to_string()))?;
        output::print_json(&document);
    }
    Ok(report.exit())
}

/// The devices that were named, with their capabilities.
fn devices(args: &ReplayArgs, context: &Context) -> Result<Vec<String>, OperationError> {
    let capabilities = args.capabilities.as_deref().or(context.capabilities.as_deref());
    let named = args.device.iter().map(|named| {
        let selector: Selector = named.parse()?;
        Ok(selector.with_capabilities(capabilities).to_string())
    });
    named.collect::<Result<_, DeviceError>>().map_err(OperationError::from)
}

fn run_options(args: &ReplayArgs, context: Context) -> Result<RunOptions, OperationError> {
    let variables = Variables::parse(args.var.iter().map(String::as_str))
        .map_err(|wrong| OperationError::invalid(format!("`--var {wrong}` is not NAME=VALUE")))?;
    let given = GateOptions { timeout_ms: args.gate_timeout, ..args.gate.options() };
    let masks =
        mask::from_arguments(&args.mask).map_err(|e| OperationError::invalid(format!("`--mask`: {e}")))?;
    let replay = ReplayOptions {
        on_drift: args.on_drift,
        heal: args.heal,
        update: args.update,
        gate: given.over(context.project.gate),
        masks: [masks, context.project.masks.clone()].concat(),
        variables,
        pictures: None,
        resume_from: args.resume_from,
        other_screens: args.other_screens,
    };
    Ok(RunOptions {
        replay,
        devices: devices(args, &context)?,
        workers: args.workers,
        retries: args.retries,
        fail_fast: args.fail_fast,
        report: args.report.clone(),
    })
}

fn reporters(args: &ReplayArgs) -> Result<Vec<Box<dyn Reporter>>, OperationError> {
    let mut reporters: Vec<Box<dyn Reporter>> = Vec::new();
    // where stdout is data, people's lines go beside it
    if args.json {
        reporters.push(Box::new(Terminal::stderr()));
    } else {
        reporters.push(Box::new(Terminal::stdout()));
    }
    if let Some(path) = &args.events {
        let file = File::create(path)
            .map_err(|e| OperationError::invalid(format!("`--events {}`: {e}", path.display())))?;
        reporters.push(Box::new(JsonLines::new(BufWriter::new(file))));
    }
    if let Some(folder) = &args.report {
        reporters.push(Box::new(Folder::new(folder)));
    }
    if let Some(path) = &args.junit {
        reporters.push(Box::new(JUnit::new(path)));
    }
    Ok(reporters)
}
