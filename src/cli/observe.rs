//! `simdrive observe`: looks at a device or a picture, and prints the marks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::output;
use crate::exit::Exit;
use crate::observe::{Observation, Sources, View};
use crate::operation::OperationError;
use crate::operation::observation::{Image, Presentation, look_at_picture, present};
use crate::vision::annotate::{annotated, fit_scale, plain, png};

#[derive(Debug, clap::Args)]
pub struct ObserveArgs {
    /// Look at this PNG or JPEG instead of a device
    #[arg(long, value_name = "FILE")]
    image: PathBuf,
    /// Pixels a point of that picture
    #[arg(long, value_name = "N", default_value_t = 3.0)]
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
    match look(&args).await {
        Ok(exit) => exit,
        Err(error) => output::failed(&error, args.json),
    }
}

async fn look(args: &ObserveArgs) -> Result<Exit, OperationError> {
    let observation = look_at_picture(&args.image, args.scale, Sources::default()).await?;
    if let Some(file) = &args.out {
        write_picture(file, observation.clone(), args.plain, args.out_scale).await?;
    }
    let view = View { limit: usize::MAX, ..View::default() };
    let presentation = Presentation { image: Image::None, view, ..Presentation::default() };
    Ok(output::finished(&present(observation, presentation).await?, args.json))
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
