//! `simdrive observe`: looks at a device or a picture, and prints the marks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Map;

use crate::cli::{Settings, output};
use crate::exit::Exit;
use crate::observe::{Observation, ObserveOptions, Sources, View};
use crate::operation::observation::{Image, Presentation, look_at_picture, present};
use crate::operation::{Call, Operation, OperationError};
use crate::vision::annotate::{annotated, fit_scale, plain, png};

#[derive(Debug, clap::Args)]
pub struct ObserveArgs {
    #[command(flatten)]
    settings: Settings,
    /// Bundle id of the app to launch and look at
    #[arg(long, value_name = "BUNDLE", conflicts_with = "image")]
    app: Option<String>,
    /// Look at this PNG or JPEG instead of a device
    #[arg(long, value_name = "FILE", conflicts_with = "device")]
    image: Option<PathBuf>,
    /// Pixels a point of that picture
    #[arg(long, value_name = "N", default_value_t = 3.0, requires = "image")]
    scale: f64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write the picture with numbered marks here, as PNG
    #[arg(long, value_name = "PNG")]
    out: Option<PathBuf>,
    /// Leave the marks out of that picture
    #[arg(long, requires = "out")]
    plain: bool,
    /// Pixels a point of the written picture
    #[arg(long, value_name = "N", default_value_t = 1.0, requires = "out")]
    out_scale: f64,
}

pub async fn run(args: ObserveArgs) -> Exit {
    let json = args.json;
    match look(args).await {
        Ok(exit) => exit,
        Err(error) => output::failed(&error, json),
    }
}

async fn look(args: ObserveArgs) -> Result<Exit, OperationError> {
    let observation = match &args.image {
        Some(file) => {
            // the text models are chosen with it
            args.settings.clone().context()?;
            look_at_picture(file, args.scale, Sources::default()).await?
        }
        None => look_at_device(args.settings, args.app).await?,
    };
    if let Some(file) = &args.out {
        write_picture(file, observation.clone(), args.plain, args.out_scale).await?;
    }
    let view = View { limit: usize::MAX, ..View::default() };
    let presentation = Presentation { image: Image::None, view, ..Presentation::default() };
    Ok(output::finished(&present(observation, presentation).await?, args.json))
}

/// One look at a device in a session of its own.
async fn look_at_device(settings: Settings, app: Option<String>) -> Result<Arc<Observation>, OperationError> {
    let context = settings.context()?;
    let mut arguments = Map::new();
    arguments.extend(app.map(|app| ("app".to_owned(), app.into())));
    let started = Operation::parse("session_start", arguments)?.run(&context, &Call::default()).await?;
    if let Some(note) = started.facts["note"].as_str() {
        eprintln!("note: {note}");
    }
    let (_, session) = context.sessions.get(None)?;
    let seen = session.observe(&ObserveOptions::default()).await;
    context.close().await;
    Ok(seen?)
}

async fn write_picture(
    file: &Path,
    observation: Arc<Observation>,
    is_plain: bool,
    scale: f64,
) -> Result<(), OperationError> {
    let drawn = tokio::task::spawn_blocking(move || {
        let Observation { frame, screen, marks, .. } = &*observation;
        let scale = fit_scale(screen, scale);
        png(&if is_plain { plain(frame, screen, scale) } else { annotated(frame, screen, marks, scale) })
    });
    let bytes = drawn.await.map_err(|e| OperationError::internal(e.to_string()))?;
    tokio::fs::write(file, bytes)
        .await
        .map_err(|e| OperationError::invalid(format!("{} can't be written: {e}", file.display())))
}
