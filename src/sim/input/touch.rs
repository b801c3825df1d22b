//! What a finger does to what it touches.

use serde_json::Value;

use super::gesture::{Gesture, Mode};
use crate::geometry::{PanelPoint, Point};
use crate::sim::app::expression::number_value;
use crate::sim::layout::{Element, KeyCap, Touch};
use crate::sim::motion::Scroll;
use crate::sim::process::{FieldRef, Process};
use crate::sim::records::{TouchPhase, TouchRecord};
use crate::sim::simulator::Simulator;

/// A sheet that was dragged so far, or thrown, goes.
const SHEET_DRAG: f64 = 120.0;
const SHEET_THROW: f64 = 900.0;
const BACK_DRAG: f64 = 80.0;
/// A swipe from below the screen's edge goes home.
const HOME_DRAG: f64 = 100.0;

impl Simulator {
    /// A finger comes down, or moves where it is down already.
    pub fn touch_down(&mut self, at: PanelPoint) {
        let phase = if self.gesture.is_some() { TouchPhase::Moved } else { TouchPhase::Down };
        self.touches.push(TouchRecord { at: self.now(), panel: at, phase });
        let point = self.to_interface(at);
        match self.gesture.take() {
            Some(mut gesture) => {
                gesture.moved(point, at, self.system.elapsed);
                self.drag(&mut gesture);
                self.gesture = Some(gesture);
            }
            None => self.gesture = Some(self.press(point, at)),
        }
    }

    pub fn touch_up(&mut self, at: PanelPoint) {
        self.touches.push(TouchRecord { at: self.now(), panel: at, phase: TouchPhase::Up });
        let Some(mut gesture) = self.gesture.take() else { return };
        let point = self.to_interface(at);
        if gesture.last() != point {
            gesture.moved(point, at, self.system.elapsed);
            self.drag(&mut gesture);
        }
        self.lift(gesture);
        self.after_input();
    }

    fn press(&mut self, point: Point, panel: PanelPoint) -> Gesture {
        let now = self.system.elapsed;
        let scene = self.scene();
        let target = element_at(&scene.elements, point).map(|i| (i, scene.elements[i].clone()));
        let mut gesture = Gesture::new(point, panel, now, target);
        // bars and footers stand beside the list and take their taps while it glides
        let on_list =
            gesture.target.as_ref().is_some_and(|(i, _)| *i >= scene.modal_from) && scene.is_in_list(point);
        if let Some(page) = self.front_process_mut().and_then(Process::front_page_mut)
            && page.scroll.is_moving()
            && on_list
        {
            // a touch stops a moving list and presses nothing, but may drag it on
            page.scroll = Scroll::at(page.scroll.offset(now));
            gesture.target = None;
        }
        if let Some((_, Element { touch: Some(Touch::Slide { .. }), .. })) = gesture.target {
            gesture.mode = Mode::Slider;
            self.slide_to(&gesture);
        }
        gesture
    }

    fn drag(&mut self, gesture: &mut Gesture) {
        if gesture.mode == Mode::Press && gesture.is_beyond_slop() {
            gesture.mode = self.recognise(gesture);
        }
        let (_, dy) = gesture.travel();
        match gesture.mode {
            Mode::Slider => self.slide_to(gesture),
            Mode::Scroll { from } => {
                let max = self.scene().scroll.map_or(0.0, |s| s.max);
                if let Some(page) = self.front_process_mut().and_then(Process::front_page_mut) {
                    page.scroll = Scroll::at(beyond(from - dy, max));
                }
            }
            Mode::Sheet => {
                if let Some(sheet) = self.front_process_mut().and_then(|p| p.sheets.last_mut()) {
                    sheet.dragged = dy.max(0.0);
                }
            }
            Mode::Press | Mode::Edge | Mode::Spent => {}
        }
    }

    /// What a finger that has moved is about to do.
    fn recognise(&mut self, gesture: &Gesture) -> Mode {
        let now = self.system.elapsed;
        let scene = self.scene();
        let (_, dy) = gesture.travel();
        let page_top = scene.page_top;
        let Some(process) = self.front_process_mut() else { return Mode::Spent };
        if !process.alerts.is_empty() || process.slide.is_some() {
            return Mode::Spent;
        }
        if gesture.is_from_left_edge() && !gesture.is_vertical() {
            return if process.front_stack().len() > 1 { Mode::Edge } else { Mode::Spent };
        }
        if matches!(gesture.target, Some((_, Element { touch: Some(Touch::Key(_)), .. }))) {
            return Mode::Spent;
        }
        let offset = process.front_page().map_or(0.0, |p| p.scroll.offset(now));
        let on_bar = gesture.start.y < page_top + 58.0;
        if !process.sheets.is_empty() && gesture.is_vertical() && dy > 0.0 && (on_bar || offset <= 0.0) {
            return Mode::Sheet;
        }
        let inside = scene.is_in_list(gesture.start);
        if gesture.is_vertical() && inside { Mode::Scroll { from: offset } } else { Mode::Spent }
    }

    fn lift(&mut self, gesture: Gesture) {
        let now = self.system.elapsed;
        let (dx, dy) = gesture.travel();
        let velocity = gesture.velocity(now);
        if self.is_home_swipe(&gesture) {
            self.go_home();
            return;
        }
        match gesture.mode {
            Mode::Press => {
                let Some((_, element)) = gesture.target else { return };
                if element.enabled
                    && element.hit.contains(gesture_end(gesture.start, dx, dy))
                    && let Some(touch) = element.touch
                {
                    self.fire(touch);
                }
            }
            Mode::Scroll { from } => {
                let max = self.scene().scroll.map_or(0.0, |s| s.max);
                if let Some(page) = self.front_process_mut().and_then(Process::front_page_mut) {
                    page.scroll.release(beyond(from - dy, max), -velocity, max, now);
                }
            }
            Mode::Sheet => {
                let goes = dy > SHEET_DRAG || velocity > SHEET_THROW;
                self.with_front(|process, system| {
                    if goes {
                        process.dismiss_sheet(system);
                    } else if let Some(sheet) = process.sheets.last_mut() {
                        sheet.dragged = 0.0;
                    }
                });
            }
            Mode::Edge if dx > BACK_DRAG => {
                self.with_front(|process, system| process.pop(false, system));
            }
            Mode::Slider | Mode::Edge | Mode::Spent => {}
        }
    }

    fn is_home_swipe(&self, gesture: &Gesture) -> bool {
        let height = self.screen().points.height;
        gesture.start.y > height - 14.0 && gesture.travel().1 < -HOME_DRAG
    }

    /// Moves a slider's knob to the finger.
    fn slide_to(&mut self, gesture: &Gesture) {
        let Some((_, Element { touch: Some(touch), .. })) = &gesture.target else { return };
        let Touch::Slide { bind, track, min, max, step, on_change, locals } = touch.clone() else { return };
        let part = ((gesture.last().x - track.x) / track.width).clamp(0.0, 1.0);
        let mut value = min + (max - min) * part;
        if let Some(step) = step.filter(|s| *s > 0.0) {
            value = min + ((value - min) / step).round() * step;
        }
        let value = number_value((value * 1_000.0).round() / 1_000.0);
        self.with_front(|process, system| process.store(&bind, value, &on_change, locals, system));
    }

    /// Does what a touch on an element does.
    fn fire(&mut self, touch: Touch) {
        match touch {
            Touch::Nothing | Touch::Slide { .. } => {}
            Touch::Launch(bundle) => {
                // what stands on the home screen is installed
                let _ = self.bring_to_front(&bundle);
            }
            Touch::Banner => {
                if let Some(banner) = self.banner.take() {
                    let _ = self.bring_to_front(&banner.content.bundle);
                }
            }
            other => self.with_front(|process, system| match other {
                Touch::Act { actions, locals } => process.respond(&actions, locals, system),
                Touch::Store { bind, value, on_change, locals } => {
                    process.store(&bind, value, &on_change, locals, system);
                }
                Touch::Focus(field) => process.focus_on(field, system),
                Touch::ClearField(field) => clear(process, field, system),
                Touch::CancelSearch => {
                    if let Some(focus) = process.focus.clone() {
                        process.unfocus(system);
                        store_empty(process, focus.field, system);
                    }
                }
                Touch::Back => process.pop(false, system),
                Touch::Tab(index) => process.select_tab(index, system),
                Touch::Alert(button) => process.answer_alert(button, system),
                Touch::DismissSheet => process.dismiss_sheet(system),
                Touch::Key(KeyCap::Edit(edit)) => process.edit(&edit, system),
                Touch::Key(KeyCap::Shift) => process.keyboard.shift = !process.keyboard.shift,
                Touch::Key(KeyCap::Plane(plane)) => process.keyboard.plane = plane,
                Touch::Nothing | Touch::Slide { .. } | Touch::Launch(_) | Touch::Banner => {}
            }),
        }
    }
}

fn gesture_end(start: Point, dx: f64, dy: f64) -> Point {
    Point::new(start.x + dx, start.y + dy)
}

fn clear(process: &mut Process, field: FieldRef, system: &mut crate::sim::system::System) {
    if process.focus.is_some() {
        process.focus_on(field.clone(), system);
    }
    store_empty(process, field, system);
}

fn store_empty(process: &mut Process, field: FieldRef, system: &mut crate::sim::system::System) {
    if let Some(focus) = &mut process.focus {
        focus.caret = 0;
    }
    process.store(&field.bind, Value::String(String::new()), &field.on_change, field.locals, system);
}

/// Beyond its end a list follows a finger at half the pace; above its start the layout does the same.
fn beyond(offset: f64, max: f64) -> f64 {
    if offset > max { max + (offset - max) * 0.5 } else { offset }
}

/// The element that gets a touch: the topmost that it lies in, before the topmost that it is close to.
pub fn element_at(elements: &[Element], point: Point) -> Option<usize> {
    let mut close = None;
    for (i, element) in elements.iter().enumerate().rev() {
        if element.touch.is_none() || !element.hit.contains(point) {
            continue;
        }
        if element.frame.contains(point) {
            return if element.is_shield() { close.or(Some(i)) } else { Some(i) };
        }
        close = close.or(Some(i));
    }
    close
}
