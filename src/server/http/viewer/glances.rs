//! The pictures that people who look on are shown, made so that agents are not disturbed: at most one screenshot a
//! second and session, only while somebody asks, and only where the device is idle. Uses `session`, `vision`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::frame::Frame;
use crate::geometry::Screen;
use crate::observe::Observation;
use crate::operation::watch;
use crate::session::Session;
use crate::vision::annotate::{fit_scale, jpeg, plain};

/// Between two screenshots of one session.
const PACE: Duration = Duration::from_secs(1);
/// Pixels a point.
const SCALE: f64 = 2.0;
const MAX_BYTES: usize = 300 << 10;
/// Characters of a hash that name a picture.
const NAME: usize = 16;

/// What is shown of each session. Only the latest picture of one is kept.
#[derive(Default)]
pub struct Glances(Mutex<HashMap<String, Glance>>);

struct Glance {
    at: Instant,
    frame: Frame,
    screen: Screen,
    /// Made when it is first asked for.
    picture: Option<Vec<u8>>,
}

impl Glances {
    /// The screen of a session, with the marks of the last look; `current` says whether the screen is still the one
    /// that was looked at.
    pub async fn look(&self, id: &str, session: &Session) -> Value {
        let Some(seen) = session.last() else { return json!({"session": id}) };
        if self.is_due(id)
            && let Some(frame) = session.glance().await
        {
            self.keep(id, frame, seen.screen);
        }
        let picture = self.shown(id, &seen);
        json!({
            "session": id,
            "look": watch::look(&seen),
            "picture": picture,
            "current": picture == name(&seen.frame),
        })
    }

    /// The name of the picture to be shown: the glance, or the last look where that is newer.
    fn shown(&self, id: &str, seen: &Observation) -> String {
        let mut glances = self.locked();
        match glances.get(id) {
            // while an agent acts there is no glance: what it saw is then the newest
            Some(glance) if glance.at.elapsed() < PACE * 2 => name(&glance.frame),
            Some(glance) if glance.frame.hash() == seen.frame.hash() => name(&glance.frame),
            earlier => {
                let at = earlier.map_or_else(Instant::now, |glance| glance.at);
                let glance = Glance { at, frame: seen.frame.clone(), screen: seen.screen, picture: None };
                glances.insert(id.to_owned(), glance);
                name(&seen.frame)
            }
        }
    }

    fn is_due(&self, id: &str) -> bool {
        self.locked().get(id).is_none_or(|glance| glance.at.elapsed() >= PACE)
    }

    fn keep(&self, id: &str, frame: Frame, screen: Screen) {
        let mut glances = self.locked();
        let picture = glances
            .remove(id)
            .filter(|known| known.frame.hash() == frame.hash())
            .and_then(|known| known.picture);
        glances.insert(id.to_owned(), Glance { at: Instant::now(), frame, screen, picture });
    }

    /// A picture as JPEG, where it is still the one that is shown.
    pub async fn picture(&self, id: &str, wanted: &str) -> Option<Vec<u8>> {
        let (frame, screen) = {
            let glances = self.locked();
            let glance = glances.get(id).filter(|glance| name(&glance.frame) == wanted)?;
            if let Some(picture) = &glance.picture {
                return Some(picture.clone());
            }
            (glance.frame.clone(), glance.screen)
        };
        let drawn = tokio::task::spawn_blocking(move || {
            let scale = fit_scale(&screen, SCALE);
            jpeg(&plain(&frame, &screen, scale), MAX_BYTES)
        });
        let drawn = drawn.await.ok()?;
        if let Some(glance) = self.locked().get_mut(id).filter(|glance| name(&glance.frame) == wanted) {
            glance.picture = Some(drawn.clone());
        }
        Some(drawn)
    }

    /// Nothing is kept of sessions that ended.
    pub fn forget_all_but(&self, open: &[(String, Arc<Session>)]) {
        self.locked().retain(|id, _| open.iter().any(|(known, _)| known == id));
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, Glance>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name(frame: &Frame) -> String {
    frame.hash().chars().take(NAME).collect()
}
