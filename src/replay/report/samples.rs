//! Outcomes for the tests of reporters.

use std::sync::Arc;

use crate::code::ErrorCode;
use crate::geometry::{PixelRect, Rect};
use crate::recording::Side;
use crate::replay::events::Event;
use crate::replay::outcome::{
    GateReport, Measured, RecordingReport, RecordingVerdict, RegionReport, RunReport, StepReport, StepVerdict,
};
use crate::vision::gate::Rule;

/// A recording of one step that went so.
pub fn recording(name: &str, verdict: StepVerdict) -> RecordingReport {
    let drifted = verdict == StepVerdict::Drifted;
    let step = StepReport {
        step: 1,
        action: "tap".into(),
        description: "tap button “<Sign & In>”".into(),
        verdict,
        code: drifted.then_some(ErrorCode::ReplayDrift),
        message: None,
        suggestion: None,
        gates: vec![gate(!drifted)],
        targets: vec![Rect::new(1.0, 2.0, 30.0, 40.0)],
        settled_ms: 5,
        duration_ms: 70,
    };
    RecordingReport {
        name: name.into(),
        path: format!("/recordings/{name}").into(),
        device: "sim:shop".into(),
        verdict: if drifted { RecordingVerdict::Drifted } else { RecordingVerdict::Passed },
        code: drifted.then_some(ErrorCode::ReplayDrift),
        message: drifted.then(|| "step 1".into()),
        forced: false,
        attempts: 1,
        steps: vec![step],
        warnings: Vec::new(),
        duration_ms: 90,
        own_ms: 20,
    }
}

fn gate(matched: bool) -> GateReport {
    let region = RegionReport {
        pixels: PixelRect::new(3, 6, 9, 12),
        points: Rect::new(1.0, 2.0, 3.0, 4.0),
        rule: Rule::Structure,
        changed_pixels: 20,
        nearest: Some("text “$3.40”".into()),
    };
    GateReport {
        frame: Side::Before,
        measured: Measured {
            matched,
            rule: (!matched).then_some(Rule::Structure),
            measure: Rule::Structure,
            score: if matched { 0.0 } else { 20.0 },
            limit: 12.0,
            unit: Rule::Structure.unit().into(),
            margin: if matched { 1.0 } else { -0.67 },
            mean_ssim: Some(0.999),
            lowest_ssim: Some(0.1),
            scale: 3.0,
        },
        regions: if matched { Vec::new() } else { vec![region] },
        masked: vec![PixelRect::new(0, 0, 40, 5)],
        waited_ms: 0,
        looks: 1,
        expected: "/nowhere/frame.png".into(),
        actual: None,
        difference: None,
    }
}

/// What reporters hear of these recordings.
pub fn events(recordings: Vec<RecordingReport>) -> Vec<Event> {
    let steps = recordings.iter().map(|r| r.steps.len()).sum();
    let mut events = vec![Event::RunStarted { recordings: recordings.len(), steps }];
    for (run, recording) in recordings.iter().enumerate() {
        let (name, path, device) = (recording.name.clone(), recording.path.clone(), recording.device.clone());
        let steps = recording.steps.len();
        events.push(Event::RecordingStarted { run, name, path, device, steps, attempt: 1 });
        for step in &recording.steps {
            let (name, step) = (recording.name.clone(), Arc::new(step.clone()));
            events.push(Event::StepFinished { run, name, attempt: 1, step });
        }
        events.push(Event::RecordingFinished { run, recording: Arc::new(recording.clone()) });
    }
    events.push(Event::RunFinished { report: Arc::new(RunReport::new(recordings, 90)) });
    events
}
