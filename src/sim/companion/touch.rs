//! Runs HID events on the simulator as they arrive. Uses the protocol's messages and `live`.

use std::time::Duration;

use tonic::Status;

use crate::device::HardwareButton;
use crate::device::idb::protocol::companion as wire;
use crate::device::idb::protocol::companion::hid_event::{Button, Direction, Event};
use crate::device::idb::protocol::companion::hid_event::{Press, Swipe, press_action::Action};
use crate::geometry::{Orientation, PanelPoint};
use crate::sim::companion::live::Live;

/// Points a step where a swipe says nothing.
const DEFAULT_DELTA: f64 = 10.0;
/// Seconds of a pinch that says nothing.
const DEFAULT_PINCH: f64 = 0.5;
/// More steps than any screen has points.
const MOST_STEPS: f64 = 10_000.0;
const LONGEST: Duration = Duration::from_secs(60);

/// Runs one event; what was pressed before stays pressed after an error.
///
/// # Errors
/// INVALID_ARGUMENT for what no companion takes.
pub async fn run(live: &Live, event: wire::HidEvent) -> Result<(), Status> {
    match event.event.ok_or_else(|| Status::invalid_argument("an HID event without event"))? {
        Event::Press(event) => press(live, event)?,
        Event::Swipe(event) => swipe(live, event).await?,
        Event::Delay(event) => live.wait(seconds(event.duration)?).await,
        Event::Pinch(event) => {
            // no app of the simulator zooms; the gesture takes its time and changes nothing
            panel_point(event.center)?;
            let duration = if event.duration == 0.0 { DEFAULT_PINCH } else { event.duration };
            live.wait(seconds(duration)?).await;
        }
        Event::Orientation(event) => {
            let orientation = interface_orientation(event.orientation)?;
            live.with(|simulator| simulator.set_orientation(orientation));
        }
        Event::Shake(_) => live.with(|simulator| simulator.shake()),
    }
    Ok(())
}

fn press(live: &Live, press: Press) -> Result<(), Status> {
    let down = press.direction() == Direction::Down;
    let action = press.action.and_then(|action| action.action);
    match action.ok_or_else(|| Status::invalid_argument("a press of nothing"))? {
        Action::Touch(touch) => {
            let at = panel_point(touch.point)?;
            live.with(|s| if down { s.touch_down(at) } else { s.touch_up(at) });
        }
        Action::Button(press) => {
            let code = Button::try_from(press.button)
                .map_err(|_| Status::invalid_argument(format!("unknown button {}", press.button)))?;
            // the others exist on no device simulated here
            if let Some(button) = hardware_button(code) {
                live.with(|s| s.button(button, down));
            }
        }
        Action::Key(key) => {
            let usage = u16::try_from(key.keycode)
                .map_err(|_| Status::invalid_argument(format!("unknown key code {}", key.keycode)))?;
            live.with(|s| s.key(usage, down));
        }
    }
    Ok(())
}

/// A finger drawn along a line in steps, held a moment at its end, which kills inertia, and lifted.
async fn swipe(live: &Live, swipe: Swipe) -> Result<(), Status> {
    let (from, to) = (panel_point(swipe.start)?, panel_point(swipe.end)?);
    let duration = seconds(swipe.duration)?;
    let delta = if swipe.delta == 0.0 { DEFAULT_DELTA } else { swipe.delta };
    if !(delta.is_finite() && delta > 0.0) {
        return Err(Status::invalid_argument("the delta of a swipe must be above 0"));
    }
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let steps = (dx.hypot(dy) / delta).floor().clamp(1.0, MOST_STEPS) as u32;
    let pause = duration / (steps + 2);
    for step in 0..=steps {
        let part = f64::from(step) / f64::from(steps);
        let at = PanelPoint { x: from.x + dx * part, y: from.y + dy * part };
        live.with(|s| s.touch_down(at));
        live.wait(pause).await;
    }
    live.with(|s| s.touch_down(to));
    live.wait(pause).await;
    live.with(|s| s.touch_up(to));
    Ok(())
}

fn hardware_button(button: Button) -> Option<HardwareButton> {
    match button {
        Button::Home => Some(HardwareButton::Home),
        Button::Lock | Button::SideButton => Some(HardwareButton::Lock),
        Button::Siri => Some(HardwareButton::Siri),
        Button::VolumeUp => Some(HardwareButton::VolumeUp),
        Button::VolumeDown => Some(HardwareButton::VolumeDown),
        Button::ApplePay | Button::PlayPause | Button::Eject => None,
    }
}

/// # Errors
/// INVALID_ARGUMENT where it is missing or not finite.
pub fn panel_point(point: Option<wire::Point>) -> Result<PanelPoint, Status> {
    match point {
        Some(wire::Point { x, y }) if x.is_finite() && y.is_finite() => Ok(PanelPoint { x, y }),
        Some(_) => Err(Status::invalid_argument("a point that is not finite")),
        // proto3 leaves a message out only where it was never set
        None => Err(Status::invalid_argument("a touch without point")),
    }
}

fn seconds(value: f64) -> Result<Duration, Status> {
    Duration::try_from_secs_f64(value).ok().filter(|d| *d <= LONGEST).ok_or_else(|| {
        Status::invalid_argument(format!(
            "a duration of {value} s; from 0 to {} are taken",
            LONGEST.as_secs()
        ))
    })
}

/// The orientation of an HID event, which is named as the interface is.
pub fn interface_orientation(code: i32) -> Result<Orientation, Status> {
    use wire::InterfaceOrientation as Code;
    match Code::try_from(code) {
        Ok(Code::Portrait) => Ok(Orientation::Portrait),
        Ok(Code::PortraitUpsideDown) => Ok(Orientation::PortraitUpsideDown),
        Ok(Code::LandscapeLeft) => Ok(Orientation::LandscapeLeft),
        Ok(Code::LandscapeRight) => Ok(Orientation::LandscapeRight),
        Err(_) => Err(Status::invalid_argument(format!("unknown orientation {code}"))),
    }
}

/// The orientation of `set_orientation`, which is named as the device is held: the other way round.
pub fn held_orientation(code: i32) -> Result<Orientation, Status> {
    Ok(match interface_orientation(code)? {
        Orientation::LandscapeLeft => Orientation::LandscapeRight,
        Orientation::LandscapeRight => Orientation::LandscapeLeft,
        upright => upright,
    })
}
