//! `simdrive review`: a person accepts or rejects what `replay --update` proposed.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::{Settings, output};
use crate::exit::Exit;
use crate::home::home;
use crate::operation::OperationError;
use crate::recording::{Change, ChangeTo, Loaded, Pending};
use crate::replay::proposals;
use crate::replay::report::save_review;
use crate::replay::selection::choose;

#[derive(Debug, clap::Args)]
pub struct ReviewArgs {
    /// Recordings: folders, folders of them, or names
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Accept everything that is proposed
    #[arg(long, conflicts_with_all = ["reject_all", "list"])]
    accept_all: bool,
    /// Reject everything that is proposed
    #[arg(long, conflicts_with = "list")]
    reject_all: bool,
    /// Write a page that shows recorded and proposed screens beside each other here
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Don't open that page beside the terminal
    #[arg(long)]
    no_open: bool,
    /// Print what is proposed, and stop
    #[arg(long)]
    list: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Folder of recordings that names are looked for in
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
}

/// What is to become of one change.
enum Answer {
    Accept,
    Reject,
    Leave,
    Quit,
}

/// How many were accepted, rejected and left.
#[derive(Default)]
struct Tally {
    accepted: usize,
    rejected: usize,
    left: usize,
}

pub fn run(args: &ReviewArgs) -> Exit {
    match review(args) {
        Ok(exit) => exit,
        Err(error) => output::failed(&error, args.json),
    }
}

fn review(args: &ReviewArgs) -> Result<Exit, OperationError> {
    let settings = Settings { recordings: args.recordings.clone(), ..Settings::default() };
    let store = settings.context()?.store;
    let mut reviewed = Vec::new();
    for chosen in choose(&args.paths, &store, &[])? {
        let loaded = chosen.loaded?;
        let pending = Pending::load(&loaded.dir)?;
        if !pending.changes.is_empty() {
            reviewed.push((loaded, pending));
        }
    }
    let asks = !args.accept_all && !args.reject_all && !args.list && !reviewed.is_empty();
    if asks && !io::stdin().is_terminal() {
        let message = "there is no terminal to ask on; give --accept-all, --reject-all or --list";
        return Err(OperationError::invalid(message));
    }
    let folder = args.report.clone().or_else(|| asks.then(|| home().join("review")));
    if let Some(folder) = folder.filter(|_| !reviewed.is_empty()) {
        let page = show(&reviewed, &folder)?;
        eprintln!("recorded and proposed screens are shown in {}", page.display());
        if asks && !args.no_open && can_show_pages() {
            // the page's path is told, so it can be opened by hand
            let _ = open::that_detached(&page);
        }
    }
    if args.list {
        return Ok(list(&reviewed, args.json));
    }
    let mut tally = Tally::default();
    for (mut loaded, mut pending) in reviewed {
        let goes_on = settle(&mut loaded, &mut pending, args, &mut tally)?;
        tally.left += pending.changes.len();
        if !goes_on {
            break;
        }
    }
    let Tally { accepted, rejected, left } = tally;
    if args.json {
        output::print_json(&json!({"accepted": accepted, "rejected": rejected, "left": left}));
    } else {
        output::print_line(&format!("{accepted} accepted, {rejected} rejected, {left} left"));
    }
    Ok(Exit::Success)
}

/// Whether there is a desktop beside the terminal; without one, opening a page may start a browser within it.
fn can_show_pages() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_remote = is_set("SSH_CONNECTION");
    !is_remote && (cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
}

/// Writes the page, to be open beside the terminal.
fn show(reviewed: &[(Loaded, Pending)], folder: &Path) -> Result<PathBuf, OperationError> {
    let waiting = reviewed.iter().map(|(loaded, pending)| (loaded, pending));
    let proposals = proposals(waiting, &folder.join("pictures"))
        .map_err(|refusal| OperationError::new(refusal.code, refusal.message))?;
    save_review(folder, &proposals)
        .map_err(|e| OperationError::invalid(format!("`--report {}`: {e}", folder.display())))
}

fn list(reviewed: &[(Loaded, Pending)], json: bool) -> Exit {
    if json {
        let one =
            |(loaded, pending): &(Loaded, Pending)| json!({"path": loaded.dir, "changes": pending.changes});
        output::print_json(&json!({"recordings": reviewed.iter().map(one).collect::<Vec<_>>()}));
    } else {
        for (loaded, pending) in reviewed {
            pending.changes.iter().for_each(|c| output::print_line(&describe(loaded, pending, c)));
        }
    }
    Exit::Success
}

/// Goes through the changes of one recording; false where the person wants no more.
fn settle(
    loaded: &mut Loaded,
    pending: &mut Pending,
    args: &ReviewArgs,
    tally: &mut Tally,
) -> Result<bool, OperationError> {
    let mut at = 0;
    while at < pending.changes.len() {
        let answer = match (args.accept_all, args.reject_all) {
            (true, _) => Answer::Accept,
            (_, true) => Answer::Reject,
            _ => ask(&describe(loaded, pending, &pending.changes[at]))?,
        };
        match answer {
            Answer::Accept => {
                pending.accept(at, loaded)?;
                tally.accepted += 1;
            }
            Answer::Reject => {
                pending.reject(at)?;
                tally.rejected += 1;
            }
            Answer::Leave => at += 1,
            Answer::Quit => return Ok(false),
        }
    }
    Ok(true)
}

fn describe(loaded: &Loaded, pending: &Pending, change: &Change) -> String {
    let name = &loaded.recording.name;
    let step = change.step;
    match &change.to {
        ChangeTo::Frame { side, was, now, .. } => format!(
            "{name} step {step}, frame {}:\n  recorded {}\n  today    {}",
            side.as_str(),
            loaded.frames().path(was).display(),
            pending.frames().path(now).display()
        ),
        ChangeTo::Target { was, now } => {
            format!("{name} step {step}, target:\n  recorded {was}\n  today    {now}")
        }
    }
}

fn ask(what: &str) -> Result<Answer, OperationError> {
    let failed = |e: io::Error| OperationError::internal(format!("the terminal can't be asked: {e}"));
    loop {
        eprint!("{what}\n[a]ccept, [r]eject, [l]eave, [q]uit? ");
        io::stderr().flush().map_err(failed)?;
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).map_err(failed)? == 0 {
            return Ok(Answer::Quit);
        }
        match line.trim() {
            "a" | "y" => return Ok(Answer::Accept),
            "r" | "n" => return Ok(Answer::Reject),
            "l" | "" => return Ok(Answer::Leave),
            "q" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}
