//! Reads the body of a request: up to a size, and within a time.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Incoming};

/// The largest body, in bytes: calls carry words, not pictures.
pub const LARGEST: usize = 1024 * 1024;
/// So much of a larger one is read and thrown away, so that its sender gets to hear the answer.
const DRAINED: usize = 8 * LARGEST;
/// How long a body may take to come in.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a body was not had.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    #[error("the body is larger than {LARGEST} bytes")]
    TooLarge,
    #[error("the body did not come in within {} s", PATIENCE.as_secs())]
    TooSlow,
    #[error("the body broke off")]
    Broken,
}

impl BodyError {
    pub fn status(&self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Broken => StatusCode::BAD_REQUEST,
        }
    }
}

/// The whole of a body.
///
/// # Errors
/// It is too large, too slow, or not whole.
pub async fn read(body: Incoming) -> Result<Bytes, BodyError> {
    if body.size_hint().lower() > DRAINED as u64 {
        return Err(BodyError::TooLarge);
    }
    tokio::time::timeout(PATIENCE, collect(body)).await.unwrap_or(Err(BodyError::TooSlow))
}

async fn collect(mut body: Incoming) -> Result<Bytes, BodyError> {
    let (mut kept, mut length) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyError::Broken)?;
        let Some(data) = frame.data_ref() else { continue };
        length = length.saturating_add(data.len());
        if length > DRAINED {
            break;
        }
        if length <= LARGEST {
            kept.extend_from_slice(data);
        }
    }
    if length > LARGEST { Err(BodyError::TooLarge) } else { Ok(kept.into()) }
}
