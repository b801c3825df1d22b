//! Looking: at the device of a session, or at a picture.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::frame::Frame;
use crate::mark::Source;
use crate::observe::{
    ModelVision, Observation, ObservationId, ObserveError, ObserveOptions, Sources, View, observe_image,
};
use crate::operation::{Call, Context, OperationError, Outcome, Picture, Run};
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

/// How much is told of each mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Detail {
    Compact,
    Full,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Observe {
    session: Option<String>,
    /// Default annotated
    image: Option<Image>,
    /// Pixels a point, default 1
    #[schemars(range(min = 0.1, max = 4))]
    image_scale: Option<f64>,
    /// full adds frames, states and sources
    detail: Option<Detail>,
    /// Observation id, such as o3: only what changed since
    since: Option<String>,
    sources: Option<Vec<Source>>,
    #[schemars(range(min = 0, max = 1))]
    min_confidence: Option<f64>,
    /// The most marks told
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
    #[schemars(range(min = 0, max = 60_000))]
    settle_timeout_ms: Option<u64>,
}

impl Run for Observe {
    fn deadline(&self) -> Duration {
        Duration::from_secs(60) + Duration::from_millis(self.settle_timeout_ms.unwrap_or(3_000))
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let (_, session) = context.sessions.get(self.session.as_deref())?;
        let since = self.since.as_deref().map(observation_id).transpose()?;
        let options = self.options();
        let total = options.settle_timeout.as_secs_f64();
        // looking can be left at any moment
        let observation = tokio::select! {
            seen = call.telling("looking", Some(total), session.observe(&options)) => seen?,
            () = call.cancellation.cancelled() => return Err(OperationError::cancelled("observe")),
        };
        let presentation = self.presentation();
        let mut outcome = present(observation.clone(), presentation).await?;
        if let Some(since) = since {
            let changes = session.changes_since(since, &observation)?;
            outcome.text = observation.compact_changes(&changes, &presentation.view);
            if let Value::Object(facts) = &mut outcome.facts {
                facts.remove("marks");
                facts.insert("changes".into(), changes.to_json());
            }
        }
        Ok(outcome)
    }
}

impl Observe {
    fn options(&self) -> ObserveOptions {
        let sources = Sources::of(self.sources.as_deref().unwrap_or_default());
        let mut options = ObserveOptions { sources, ..ObserveOptions::default() };
        if let Some(timeout) = self.settle_timeout_ms {
            options.settle_timeout = Duration::from_millis(timeout);
        }
        options
    }

    fn presentation(&self) -> Presentation {
        let view = View::default();
        Presentation {
            image: self.image.unwrap_or_default(),
            scale: self.image_scale.unwrap_or(1.0),
            view: View {
                min_confidence: self.min_confidence.map_or(view.min_confidence, |least| least as f32),
                limit: self.limit.map_or(view.limit, |most| most as usize),
                full: self.detail == Some(Detail::Full),
            },
        }
    }
}

/// `o12`, or only its number.
fn observation_id(text: &str) -> Result<ObservationId, OperationError> {
    let number = text.trim().trim_start_matches('o').parse();
    number.map(ObservationId).map_err(|_| {
        OperationError::invalid(format!("`since` must be an observation id such as o3; got {text:?}"))
            .with_detail("argument", "since")
    })
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
