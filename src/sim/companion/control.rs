//! The simulator's own service: what the companion's protocol lacks, and what tests ask. Uses `live`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tonic::{Request, Response, Status};

use crate::device::idb::protocol::control as wire;
use crate::device::idb::protocol::control::simulator_control_server::SimulatorControl;
use crate::device::{Appearance, ContentSize};
use crate::sim::companion::live::Live;
use crate::sim::companion::service::refused;
use crate::sim::records::{TouchPhase, TruthElement};

/// The longest that the clock is moved at once.
const LONGEST_ADVANCE: Duration = Duration::from_secs(24 * 3600);

/// The control service over one simulator.
#[derive(Clone)]
pub struct Control {
    live: Arc<Live>,
}

type Answer<T> = Result<Response<T>, Status>;

impl Control {
    pub fn new(live: Arc<Live>) -> Self {
        Self { live }
    }

    fn appearance(&self) -> wire::AppearanceState {
        let (appearance, size) = self.live.with(|s| (s.options().appearance, s.options().content_size));
        wire::AppearanceState { appearance: name_of(&appearance), content_size: name_of(&size) }
    }

    fn clock(&self) -> wire::Clock {
        wire::Clock { unix_milliseconds: self.live.with(|s| s.now()).timestamp_millis() }
    }
}

#[tonic::async_trait]
impl SimulatorControl for Control {
    async fn describe(&self, _: Request<wire::DescribeRequest>) -> Answer<wire::SimulatorDescription> {
        let bundle_id = self.live.with(|s| s.default_app().to_owned());
        let virtual_clock = self.live.is_virtual();
        Ok(Response::new(wire::SimulatorDescription { bundle_id, virtual_clock }))
    }

    async fn get_appearance(&self, _: Request<wire::GetAppearanceRequest>) -> Answer<wire::AppearanceState> {
        Ok(Response::new(self.appearance()))
    }

    async fn set_appearance(&self, request: Request<wire::AppearanceState>) -> Answer<wire::AppearanceState> {
        let wire::AppearanceState { appearance, content_size } = request.into_inner();
        let appearance: Option<Appearance> = appearance.map(|name| named(&name, "appearance")).transpose()?;
        let size: Option<ContentSize> = content_size.map(|name| named(&name, "content size")).transpose()?;
        self.live.with(|s| s.set_appearance(appearance, size));
        Ok(Response::new(self.appearance()))
    }

    async fn get_pasteboard(&self, _: Request<wire::GetPasteboardRequest>) -> Answer<wire::Pasteboard> {
        Ok(Response::new(wire::Pasteboard { text: self.live.with(|s| s.pasteboard().to_owned()) }))
    }

    async fn set_pasteboard(&self, request: Request<wire::Pasteboard>) -> Answer<wire::Pasteboard> {
        let pasteboard = request.into_inner();
        self.live.with(|s| s.set_pasteboard(&pasteboard.text));
        Ok(Response::new(pasteboard))
    }

    async fn reset(&self, request: Request<wire::ResetRequest>) -> Answer<wire::ResetResponse> {
        self.live.with(|s| s.reset(&request.into_inner().bundle_id)).map_err(refused)?;
        Ok(Response::new(wire::ResetResponse {}))
    }

    async fn measure(&self, request: Request<wire::MeasureRequest>) -> Answer<wire::Measurement> {
        let measured = self.live.with(|s| s.measure(&request.into_inner().bundle_id)).map_err(refused)?;
        let region =
            |(category, bytes): (&str, u64)| wire::MemoryRegion { category: category.to_owned(), bytes };
        Ok(Response::new(wire::Measurement {
            cpu_percent: measured.cpu_percent,
            threads: measured.threads,
            peak_bytes: measured.peak_bytes,
            regions: measured.regions.into_iter().map(region).collect(),
        }))
    }

    async fn advance_clock(&self, request: Request<wire::AdvanceClockRequest>) -> Answer<wire::Clock> {
        let by = Duration::from_millis(request.into_inner().milliseconds);
        if by > LONGEST_ADVANCE {
            return Err(Status::invalid_argument("the clock moves a day at most at once"));
        }
        self.live.pass(by);
        Ok(Response::new(self.clock()))
    }

    async fn set_latency(&self, request: Request<wire::Latency>) -> Answer<wire::Latency> {
        let latency = request.into_inner();
        if latency.min_milliseconds > latency.max_milliseconds {
            return Err(Status::invalid_argument("the shortest latency is above the longest"));
        }
        let milliseconds = |ms: u32| Duration::from_millis(ms.into());
        self.live.set_latency(milliseconds(latency.min_milliseconds), milliseconds(latency.max_milliseconds));
        Ok(Response::new(latency))
    }

    async fn layout(&self, _: Request<wire::LayoutRequest>) -> Answer<wire::LayoutResponse> {
        let truth = self.live.with(|s| s.truth());
        let elements: Vec<_> = truth.iter().map(element).collect();
        Ok(Response::new(wire::LayoutResponse { json: json!({ "elements": elements }).to_string() }))
    }

    async fn touches(&self, request: Request<wire::TouchesRequest>) -> Answer<wire::TouchLog> {
        let after = usize::try_from(request.into_inner().after).unwrap_or(usize::MAX);
        let touches = self.live.with(|simulator| {
            let numbered = simulator.touches().iter().zip(1..).skip(after);
            numbered
                .map(|(touch, sequence)| wire::TouchRecord {
                    sequence,
                    x: touch.panel.x,
                    y: touch.panel.y,
                    up: touch.phase == TouchPhase::Up,
                    at_unix_milliseconds: touch.at.timestamp_millis(),
                })
                .collect()
        });
        Ok(Response::new(wire::TouchLog { touches }))
    }
}

fn element(truth: &TruthElement) -> serde_json::Value {
    json!({
        "role": truth.role,
        "label": truth.label,
        "value": truth.value,
        "identifier": truth.identifier,
        "frame": truth.frame,
        "enabled": truth.enabled,
        "selected": truth.selected,
        "visible": truth.visible,
        "covered": truth.covered,
    })
}

fn name_of(value: &impl serde::Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}

fn named<T: serde::de::DeserializeOwned>(name: &str, what: &str) -> Result<T, Status> {
    serde_json::from_value(name.into())
        .map_err(|e| Status::invalid_argument(format!("`{name}` is no {what}: {e}")))
}
