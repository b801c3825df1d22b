//! What can be seen of a simulator: pixels, the accessibility tree, the true layout.

use std::sync::Arc;

use image::RgbaImage;

use super::input::element_at;
use super::layout::{self, Element, Scene, Stage, Touch};
use super::motion::{Moment, Scroll, TRANSITION};
use super::process::FieldRef;
use super::profiles::Profile;
use super::records::TruthElement;
use super::render::{Renderer, TextEngine};
use super::simulator::Simulator;
use crate::device::AccessibilityNode;
use crate::geometry::{Orientation, PixelSize, Point, Rect};
use crate::role::Role;

/// What is kept between two looks.
pub struct View {
    text: TextEngine,
    renderer: Option<Renderer>,
    framebuffer: Option<(Orientation, Arc<RgbaImage>)>,
    generation: u64,
}

impl View {
    pub fn new(profile: &Profile) -> Self {
        Self { text: TextEngine::new(profile.scale()), renderer: None, framebuffer: None, generation: 0 }
    }
}

/// The process of the home screen and of the system's alerts.
const SPRINGBOARD: u64 = 1;

impl Simulator {
    pub(super) fn scene(&self) -> Scene {
        self.scene_at(self.system.elapsed)
    }

    fn scene_at(&self, now: Moment) -> Scene {
        let home = if self.front.is_none() { self.home_apps() } else { Vec::new() };
        layout::build(&Stage {
            system: &self.system,
            now,
            text: &self.view.text,
            process: self.front_process(),
            home: &home,
            banner: self.banner.as_ref().map(|b| (&b.content, b.presence)),
            pressed: self.gesture.as_ref().and_then(super::input::Gesture::pressed),
            size: self.screen().points,
            scale: self.options().profile.scale(),
        })
    }

    /// The framebuffer: panel-native portrait, whatever the orientation. The same `Arc` while nothing changed.
    pub fn render(&mut self) -> Arc<RgbaImage> {
        let scene = self.scene();
        let (size, orientation) = (self.screen().pixels, self.orientation());
        let scale = self.options().profile.scale();
        let view = &mut self.view;
        let renderer = match &mut view.renderer {
            Some(renderer) if renderer.size() == size => renderer,
            other => other.insert(Renderer::new(size, scale)),
        };
        let changed = renderer.paint(scene.items, &view.text);
        match &view.framebuffer {
            Some((held, image)) if !changed && *held == orientation => Arc::clone(image),
            _ => {
                let image = Arc::new(panel_native(renderer.pixels(), size, orientation));
                view.generation += 1;
                view.framebuffer = Some((orientation, Arc::clone(&image)));
                image
            }
        }
    }

    /// Counts the pictures that [`Simulator::render`] has given, each different from the one before.
    pub fn generation(&self) -> u64 {
        self.view.generation
    }

    /// The app in front as accessibility sees it, in interface points; `None` where its screen tells nothing.
    pub fn accessibility(&self) -> Option<AccessibilityNode> {
        let scene = self.scene();
        if scene.silent {
            return None;
        }
        let mut root = self.application_node();
        let pid = if self.asks_for_permission() { Some(SPRINGBOARD) } else { root.pid };
        let elements = scene.elements.get(scene.modal_from..).unwrap_or_default();
        let seen = elements.iter().filter(|e| e.accessible && e.shown.is_some());
        let mut group: Option<&str> = None;
        for element in seen {
            let node = node(element, pid);
            match element.group {
                None => root.children.push(node),
                Some(name) => {
                    if group != Some(name) || root.children.is_empty() {
                        root.children.push(group_node(name, pid));
                    }
                    if let Some(parent) = root.children.last_mut() {
                        parent.frame = match (parent.frame, node.frame) {
                            (Some(a), Some(b)) => Some(a.union(&b)),
                            (a, b) => a.or(b),
                        };
                        parent.children.push(node);
                    }
                }
            }
            group = element.group;
        }
        Some(root)
    }

    /// The alert in front is the system's, not the app's.
    fn asks_for_permission(&self) -> bool {
        self.front_process().and_then(|p| p.alerts.first()).is_some_and(|alert| alert.permission.is_some())
    }

    /// The root of every tree: the application in front, without children.
    pub fn application_node(&self) -> AccessibilityNode {
        let size = self.screen().points;
        let front = self.front_process().map(|p| (p.app.name.clone(), p.pid));
        let (label, pid) = front.unwrap_or_else(|| ("SpringBoard".to_owned(), SPRINGBOARD));
        AccessibilityNode {
            kind: "Application".to_owned(),
            label: Some(label),
            enabled: Some(true),
            frame: Some(Rect::new(0.0, 0.0, size.width, size.height)),
            pid: Some(pid),
            ..AccessibilityNode::default()
        }
    }

    /// The true layout of what is shown now, with what is scrolled out of view.
    pub fn truth(&self) -> Vec<TruthElement> {
        let scene = self.scene();
        let covers = |i: usize, at: Point| {
            let later = scene.elements.iter().enumerate().skip(i + 1);
            later.into_iter().any(|(_, e)| e.touch.is_some() && e.frame.contains(at))
        };
        scene
            .elements
            .iter()
            .enumerate()
            .filter(|(_, e)| !e.is_shield())
            .map(|(i, e)| TruthElement {
                role: e.role,
                label: e.label.clone(),
                value: e.value.clone(),
                identifier: e.identifier.clone(),
                frame: e.frame,
                enabled: e.enabled,
                selected: e.selected,
                visible: e.shown.is_some(),
                covered: e.role != Role::Alert && e.shown.is_some_and(|shown| covers(i, shown.center())),
            })
            .collect()
    }

    /// After something happened: focus that was asked for, the caret in view, no empty space below a list.
    pub(super) fn after_input(&mut self) {
        if let Some(id) = self.front_process_mut().and_then(|p| p.wanted_focus.take()) {
            let field = self.fields().into_iter().find(|f| f.id.as_deref() == Some(&id));
            if let Some(field) = field {
                self.with_front(|process, system| process.focus_on(field, system));
            }
        }
        let now = self.system.elapsed;
        let later = self.scene_at(now + TRANSITION);
        let Some(space) = later.scroll else { return };
        let page_top = later.page_top;
        let finger = self.gesture.is_some();
        let Some(process) = self.front_process_mut() else { return };
        let reveal = process.focus.as_mut().is_some_and(|f| std::mem::take(&mut f.reveal));
        let Some(page) = process.front_page_mut().filter(|p| p.id == space.page) else { return };
        let offset = page.scroll.offset(now);
        if reveal && let Some(field) = later.elements.iter().find(|e| e.focused) {
            let free = Rect { y: space.viewport.y + page_top, ..space.viewport };
            let below = field.frame.bottom() + 12.0 - free.bottom();
            let above = free.y + 12.0 - field.frame.y;
            if below > 0.0 {
                page.scroll.ease_to((offset + below).min(space.max.max(offset)), now);
            } else if above > 0.0 {
                page.scroll.ease_to((offset - above).max(0.0), now);
            }
        } else if !finger && !page.scroll.is_moving() && offset > space.max {
            page.scroll = Scroll::at(space.max);
        }
    }

    /// The fields on the screen, in order.
    fn fields(&self) -> Vec<FieldRef> {
        let field = |e: Element| match e.touch {
            Some(Touch::Focus(field)) if e.enabled => Some(field),
            _ => None,
        };
        let scene = self.scene();
        scene.elements.into_iter().skip(scene.modal_from).filter_map(field).collect()
    }

    /// The tab key: the next field, or the one before.
    pub(super) fn focus_next(&mut self, forward: bool) {
        let fields = self.fields();
        let Some(focus) = self.front_process().and_then(|p| p.focus.as_ref()) else { return };
        let at = fields.iter().position(|f| f.page == focus.field.page && f.bind == focus.field.bind);
        let Some(at) = at else { return };
        let count = fields.len();
        let next = fields[(at + if forward { 1 } else { count - 1 }) % count].clone();
        self.with_front(|process, system| process.focus_on(next, system));
    }

    /// The element that a touch at a point of the interface would reach, by its label.
    pub fn hit(&self, at: Point) -> Option<String> {
        let scene = self.scene();
        element_at(&scene.elements, at).map(|i| scene.elements[i].label.clone())
    }
}

fn node(element: &Element, pid: Option<u64>) -> AccessibilityNode {
    AccessibilityNode {
        kind: element.kind.to_owned(),
        role: Some(element.role).filter(|r| *r != Role::Other),
        label: Some(element.label.clone()).filter(|l| !l.is_empty()),
        value: element.value.clone(),
        identifier: element.identifier.clone(),
        placeholder: element.placeholder.clone(),
        enabled: Some(element.enabled),
        selected: Some(element.selected),
        focused: Some(element.focused),
        frame: Some(element.frame),
        pid,
        traits: element.traits.iter().map(|t| (*t).to_owned()).collect(),
        children: Vec::new(),
    }
}

fn group_node(name: &str, pid: Option<u64>) -> AccessibilityNode {
    let traits = match name {
        "Tab Bar" => vec!["TabBar".to_owned()],
        _ => Vec::new(),
    };
    AccessibilityNode {
        kind: "Group".to_owned(),
        label: Some(name.to_owned()),
        enabled: Some(true),
        pid,
        traits,
        ..AccessibilityNode::default()
    }
}

/// Turns upright pixels the way the panel holds them.
fn panel_native(pixels: &[u8], size: PixelSize, orientation: Orientation) -> RgbaImage {
    let (w, h) = (size.width as usize, size.height as usize);
    let turned =
        |panel_width: usize, panel_height: usize, source: &dyn Fn(usize, usize) -> (usize, usize)| {
            let mut out = Vec::with_capacity(pixels.len());
            for y in 0..panel_height {
                for x in 0..panel_width {
                    let (sx, sy) = source(x, y);
                    let at = (sy * w + sx) * 4;
                    out.extend_from_slice(&pixels[at..at + 4]);
                }
            }
            RgbaImage::from_raw(panel_width as u32, panel_height as u32, out)
        };
    let image = match orientation {
        Orientation::Portrait => RgbaImage::from_raw(size.width, size.height, pixels.to_vec()),
        Orientation::PortraitUpsideDown => turned(w, h, &|x, y| (w - 1 - x, h - 1 - y)),
        Orientation::LandscapeLeft => turned(h, w, &|x, y| (w - 1 - y, x)),
        Orientation::LandscapeRight => turned(h, w, &|x, y| (y, h - 1 - x)),
    };
    image.unwrap_or_default()
}
