//! Filming the screen: where the file goes, and what is told of it. Uses `session`.

use std::path::{Path, PathBuf};

use chrono::Local;
use serde_json::json;

use crate::home::home;
use crate::operation::{Context, OperationError, Outcome};
use crate::session::Session;

/// What a video's name may end with; without an ending it gets the first.
const ENDINGS: [&str; 2] = ["mp4", "mov"];

/// Into this file, or one of its own among simdrive's videos.
pub async fn start(
    context: &Context,
    session: &Session,
    path: Option<PathBuf>,
) -> Result<Outcome, OperationError> {
    let file = match path {
        Some(path) => named(&path)?,
        None => own(session),
    };
    context.policy.admit_path(&file)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .map_err(|e| OperationError::invalid(format!("{} can't be made: {e}", folder.display())))?;
    session.start_video(&file).await?;
    Ok(Outcome::new(format!("the screen is being filmed into {}", file.display()), json!({"video": file})))
}

pub async fn stop(session: &Session) -> Result<Outcome, OperationError> {
    let file = session.stop_video().await?;
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let told = format!("the video is {} ({} KB)", file.display(), bytes.div_ceil(1024));
    Ok(Outcome::new(told, json!({"video": file, "bytes": bytes})))
}

fn own(session: &Session) -> PathBuf {
    let filmed = session.app().map_or(&session.description().name, |app| &app.bundle_id);
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
    let name: String = filmed.chars().map(plain).collect();
    home().join("videos").join(format!("{name}-{}.mp4", Local::now().format("%Y%m%d-%H%M%S%.3f")))
}

/// # Errors
/// It is no name for a video, or there is a file already.
fn named(path: &Path) -> Result<PathBuf, OperationError> {
    let wrong = |what: String| OperationError::invalid(format!("{}: {what}", path.display()));
    let mut file = std::path::absolute(path).map_err(|e| wrong(e.to_string()))?;
    match file.extension() {
        None => {
            file.set_extension(ENDINGS[0]);
        }
        Some(ending) if ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)) => {}
        Some(_) => return Err(wrong(format!("a video ends with .{}", ENDINGS.join(" or .")))),
    }
    match file.exists() {
        true => Err(wrong("there is such a file already; choose another name".to_owned())),
        false => Ok(file),
    }
}
