//! One session's eyes: what it saw last, and how the next look uses it. Uses `device`, `vision` and the types.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::device::{AccessibilityTree, Device, DeviceDescription};
use crate::frame::Frame;
use crate::geometry::{PixelRect, Screen, Size};
use crate::role::Role;

use super::fuse::{self, Fused, Inputs};
use super::identity::Identities;
use super::observation::{FrontApp, Provenance};
use super::settle::{Camera, Restless, Shot};
use super::{Observation, ObservationId, ObserveError, ObserveOptions, Sight, Sources, Vision, upright};
use crate::mark::MarkId;

/// The app that the session started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppInFront {
    pub bundle_id: String,
    pub pid: Option<u64>,
}

/// How many marks and looks were numbered so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbering {
    pub marks: u32,
    pub looks: u64,
}

/// Looks at one device, and remembers.
pub struct Observer {
    description: DeviceDescription,
    vision: Arc<Mutex<Box<dyn Vision>>>,
    camera: Camera,
    /// Of looks that are not observations: they leave no trace in those.
    aside: Camera,
    identities: Identities,
    looks: u64,
    app: Option<AppInFront>,
    /// Size of the interface as last told by a tree that fitted, for looks without one.
    interface: Option<Size>,
    last: Option<Last>,
    own_time: Duration,
}

/// What the next look can use again.
struct Last {
    observation: Arc<Observation>,
    sight: Arc<Sight>,
    tree: Option<AccessibilityTree>,
    sources: Sources,
    app: Option<AppInFront>,
}

/// The tree, what it cost, and why there is none.
struct Told {
    tree: Option<AccessibilityTree>,
    time: Duration,
    note: Option<String>,
}

impl Observer {
    pub fn new(description: DeviceDescription, vision: Box<dyn Vision>) -> Self {
        Self {
            description,
            vision: Arc::new(Mutex::new(vision)),
            camera: Camera::default(),
            aside: Camera::default(),
            identities: Identities::default(),
            looks: 0,
            app: None,
            interface: None,
            last: None,
            own_time: Duration::ZERO,
        }
    }

    /// Says which app the session started, so that another in front is noticed.
    pub fn set_app(&mut self, app: Option<AppInFront>) {
        self.app = app;
    }

    /// How far the numbers have come.
    pub fn numbering(&self) -> Numbering {
        Numbering { marks: self.identities.given(), looks: self.looks }
    }

    /// Gives only numbers beyond these: what an earlier observer numbered is not taken for something else.
    pub fn go_on_from(&mut self, numbering: Numbering) {
        self.identities.go_on_from(numbering.marks);
        self.looks = self.looks.max(numbering.looks);
    }

    pub fn last(&self) -> Option<&Arc<Observation>> {
        self.last.as_ref().map(|last| &last.observation)
    }

    /// The screen as it is at this moment, upright; no observation, and nothing is remembered of it.
    ///
    /// # Errors
    /// The device gives no picture.
    pub async fn glance(&mut self, device: &dyn Device) -> Result<Frame, ObserveError> {
        self.aside.take(device).await.map(|(frame, _)| frame)
    }

    /// Time spent so far in decoding, comparing and reading, which is ours and not the device's.
    pub fn own_time(&self) -> Duration {
        self.own_time
    }

    /// Whether this number was ever given to a mark.
    pub fn was_given(&self, id: MarkId) -> bool {
        self.identities.was_given(id)
    }

    /// One look: settled, read, joined and named.
    ///
    /// # Errors
    /// The device gives no picture, or vision fails. A tree that can't be had is a note.
    pub async fn observe(
        &mut self,
        device: &dyn Device,
        options: &ObserveOptions,
    ) -> Result<Arc<Observation>, ObserveError> {
        let captured = Instant::now();
        let shot = self.camera.settle(device, options.settle_timeout, &self.restless()).await?;
        let capture_time = captured.elapsed().saturating_sub(shot.own_time);
        let (sight, told) = tokio::join!(self.look(&shot.frame), tell(device, options.sources.accessibility));
        let (sight, is_reused, looked) = sight?;
        self.own_time += shot.own_time + looked;
        let provenance = Provenance {
            capture_ms: millis(capture_time),
            decode_ms: millis(shot.own_time),
            accessibility_ms: millis(told.time),
            text_ms: if is_reused { 0.0 } else { millis(sight.text_time) },
            shapes_ms: if is_reused { 0.0 } else { millis(sight.shapes_time) },
            text_lines: sight.lines.len(),
            text_reused: if is_reused { sight.lines.len() } else { sight.text_reused },
            shapes: sight.scene.shapes.len(),
            ..Provenance::default()
        };
        Ok(self.conclude(shot, sight, is_reused, told, options.sources, provenance))
    }

    /// What vision sees, whether that is known already, and the time it took: an unchanged frame is not looked at
    /// again.
    async fn look(&self, frame: &Frame) -> Result<(Arc<Sight>, bool, Duration), ObserveError> {
        let started = Instant::now();
        if let Some(last) = &self.last
            && is_same(&last.observation.frame, frame)
        {
            return Ok((last.sight.clone(), true, started.elapsed()));
        }
        let scale = f64::from(frame.size().width) / self.points_of(frame).width;
        let (vision, frame) = (self.vision.clone(), frame.clone());
        let seen = tokio::task::spawn_blocking(move || {
            vision.lock().unwrap_or_else(PoisonError::into_inner).see(&frame, scale)
        });
        let sight = seen.await.map_err(|e| ObserveError::Vision(e.to_string()))??;
        Ok((Arc::new(sight), false, started.elapsed()))
    }

    /// The size of the interface before this look's tree is known.
    fn points_of(&self, frame: &Frame) -> Size {
        upright::measure(frame, None, &self.description, self.interface).0.points
    }

    fn conclude(
        &mut self,
        shot: Shot,
        sight: Arc<Sight>,
        is_reused: bool,
        told: Told,
        sources: Sources,
        mut provenance: Provenance,
    ) -> Arc<Observation> {
        let started = Instant::now();
        let root = told.tree.as_ref().and_then(AccessibilityTree::size);
        let (screen, note) =
            upright::measure(&shot.frame, shot.orientation, &self.description, root.or(self.interface));
        if root.is_some_and(|root| root == screen.points) {
            self.interface = root;
        }
        provenance.notes.extend(note.into_iter().chain(told.note.clone()));
        self.looks += 1;
        let id = ObservationId(self.looks);
        let again = self.last.as_ref().filter(|last| {
            is_reused
                && last.tree == told.tree
                && last.sources == sources
                && last.app == self.app
                && last.observation.screen == screen
        });
        let mut observation = match again {
            Some(last) => {
                let kept = &last.observation.provenance;
                provenance.accessibility_nodes = kept.accessibility_nodes;
                provenance.notes.clone_from(&kept.notes);
                Observation { id, provenance, ..(*last.observation).clone() }
            }
            None => self.compose(id, &shot, &screen, &sight, told.tree.as_ref(), sources, provenance),
        };
        // the same picture as before is two captures alike
        observation.settled = shot.settled || is_reused;
        observation.settle_time = shot.settle_time;
        // a look at once has not watched what moves
        let watched = shot.settle_time > Duration::ZERO && shot.settled;
        observation.furniture.moving = if watched {
            shot.moving.iter().map(|place| screen.to_points(*place)).collect()
        } else {
            self.last.as_ref().map(|last| last.observation.furniture.moving.clone()).unwrap_or_default()
        };
        let took = started.elapsed();
        self.own_time += took;
        observation.provenance.fuse_ms = millis(took);
        let observation = Arc::new(observation);
        self.last = Some(Last {
            observation: observation.clone(),
            sight,
            tree: told.tree,
            sources,
            app: self.app.clone(),
        });
        observation
    }

    #[expect(clippy::too_many_arguments, reason = "one call, where the parts of a look meet")]
    fn compose(
        &mut self,
        id: ObservationId,
        shot: &Shot,
        screen: &Screen,
        sight: &Sight,
        tree: Option<&AccessibilityTree>,
        sources: Sources,
        mut provenance: Provenance,
    ) -> Observation {
        let app_pid = self.app.as_ref().and_then(|app| app.pid);
        let fused = fuse::fuse(&Inputs { frame: &shot.frame, screen, sight, tree, sources, app_pid });
        let before = self.last.as_ref().map(|last| last.observation.marks.as_slice()).unwrap_or_default();
        let Fused { drafts, alert, keyboard, furniture, focused, hidden, accessibility_nodes, notes } = fused;
        let marks = self.identities.name(drafts, before);
        let app = tree.and_then(|tree| self.front_app(tree));
        provenance.accessibility_nodes = accessibility_nodes;
        provenance.notes.extend(notes);
        if let (Some(front), Some(ours)) = (&app, &self.app)
            && let (Some(pid), Some(expected)) = (front.pid, ours.pid)
            && pid != expected
        {
            provenance.notes.push(format!("in front is {:?}, not {}", front.name, ours.bundle_id));
        }
        Observation {
            id,
            frame: shot.frame.clone(),
            screen: *screen,
            focused: focused.and_then(|i| marks.get(i)).map(|mark| mark.id),
            marks,
            alert,
            keyboard,
            app,
            furniture,
            hidden,
            settled: shot.settled,
            settle_time: shot.settle_time,
            provenance,
        }
    }

    fn front_app(&self, tree: &AccessibilityTree) -> Option<FrontApp> {
        let root = &tree.root;
        let name = root.label.clone().filter(|_| root.kind == "Application")?;
        let ours = self.app.as_ref().filter(|app| root.pid.is_some() && app.pid == root.pid);
        Some(FrontApp { bundle_id: ours.map(|app| app.bundle_id.clone()), name, pid: root.pid })
    }

    /// What moved without meaning when last seen.
    fn restless(&self) -> Restless {
        let Some(last) = &self.last else {
            return Restless { places: Vec::new(), scale: self.device_scale() };
        };
        Restless::of(&last.observation)
    }

    fn device_scale(&self) -> f64 {
        f64::from(self.description.panel_pixels.width) / self.description.panel_points.width.max(1.0)
    }
}

impl Restless {
    /// Status bar, caret and spinners of a look.
    pub fn of(observation: &Observation) -> Self {
        let furniture = &observation.furniture;
        let spinners = observation.marks.iter().filter(|m| m.role == Role::Progress).map(|m| m.frame);
        let places: Vec<PixelRect> = furniture
            .status_bar
            .into_iter()
            .chain(furniture.caret)
            .chain(furniture.moving.iter().copied())
            .chain(spinners)
            .filter_map(|rect| observation.screen.to_pixels(rect))
            .collect();
        Self { places, scale: observation.screen.scale_x() }
    }
}

async fn tell(device: &dyn Device, wanted: bool) -> Told {
    let started = Instant::now();
    let (tree, note) = if wanted {
        match device.accessibility().await {
            Ok(Some(tree)) => (Some(tree), None),
            Ok(None) => (None, Some("the device gave no accessibility tree".to_owned())),
            Err(error) => (None, Some(format!("no accessibility tree: {error}"))),
        }
    } else {
        (None, None)
    };
    Told { tree, time: started.elapsed(), note }
}

/// Whether two frames have the very same pixels.
fn is_same(a: &Frame, b: &Frame) -> bool {
    std::ptr::eq(a.pixels(), b.pixels()) || a.pixels() == b.pixels()
}

/// Milliseconds, to a hundredth.
fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 100_000.0).round() / 100.0
}
