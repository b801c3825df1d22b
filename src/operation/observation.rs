//! Looking: at the device of a session, or at a picture.

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::frame::Frame;
use crate::observe::{ModelVision, Observation, ObserveError, Sources, View, observe_image};
use crate::operation::{OperationError, Outcome, Picture};
use crate::vision::annotate::{annotated, fit_scale, jpeg, plain};

/// What one picture may cost, in bytes.
const MAX_PICTURE: usize = 150 << 10;

/// Which picture comes with an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Image {
    #[default]
    Annotated,
    Plain,
    None,
}

/// How an observation is told.
#[derive(Clone, Copy, Debug)]
pub struct Presentation {
    pub image: Image,
    /// Pixels of the picture a point.
    pub scale: f64,
    pub view: View,
}

impl Default for Presentation {
    fn default() -> Self {
        Self { image: Image::Annotated, scale: 1.0, view: View::default() }
    }
}

/// The observation as text, JSON and picture.
pub async fn present(
    observation: Arc<Observation>,
    presentation: Presentation,
) -> Result<Outcome, OperationError> {
    let mut facts = observation.to_json(&presentation.view);
    let mut text = observation.compact(&presentation.view);
    let picture = match presentation.image {
        Image::None => None,
        image => {
            let scale = fit_scale(&observation.screen, presentation.scale);
            if let Value::Object(facts) = &mut facts {
                facts.insert("image_scale".into(), scale.into());
            }
            text.push_str(&if (scale - 1.0).abs() < 1e-9 {
                "picture: 1 px a point\n".to_owned()
            } else {
                format!("picture: {scale:.3} px a point; divide by it for points\n")
            });
            Some(picture(observation, image, scale).await?)
        }
    };
    Ok(Outcome { picture, ..Outcome::new(text, facts) })
}

async fn picture(observation: Arc<Observation>, image: Image, scale: f64) -> Result<Picture, OperationError> {
    let drawn = tokio::task::spawn_blocking(move || {
        let Observation { frame, screen, marks, .. } = &*observation;
        let picture = match image {
            Image::Annotated => annotated(frame, screen, marks, scale),
            Image::Plain | Image::None => plain(frame, screen, scale),
        };
        jpeg(&picture, MAX_PICTURE)
    });
    let bytes = drawn.await.map_err(|e| OperationError::internal(e.to_string()))?;
    Ok(Picture { bytes, media_type: "image/jpeg" })
}

/// What is seen in a picture file of `scale` pixels a point.
///
/// # Errors
/// `invalid_argument` where the file is no picture, or the scale none.
pub async fn look_at_picture(
    file: &Path,
    scale: f64,
    sources: Sources,
) -> Result<Arc<Observation>, OperationError> {
    let unreadable = |reason: String| ObserveError::Picture(format!("{}: {reason}", file.display()));
    let bytes = tokio::fs::read(file).await.map_err(|e| unreadable(e.to_string()))?;
    let seen = tokio::task::spawn_blocking(move || {
        let frame = Frame::decode(&bytes).map_err(|e| ObserveError::Picture(e.to_string()))?;
        observe_image(frame, scale, sources, &mut ModelVision::new()?)
    });
    let seen = seen.await.map_err(|e| OperationError::internal(e.to_string()))?;
    Ok(Arc::new(seen.map_err(|e| match e {
        ObserveError::Picture(reason) => unreadable(reason),
        other => other,
    })?))
}
