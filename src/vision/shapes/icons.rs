//! What a small icon shows, told by comparing its ink with strokes; only where that is sure. Uses `evidence`.

use super::blobs::Blob;
use super::colour::difference;
use super::evidence::Evidence;

/// Icons are compared at this many cells a side.
const SIDE: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Icon {
    ChevronLeft,
    ChevronRight,
    ChevronDown,
    ChevronUp,
    ChevronUpDown,
    Close,
    Plus,
    Minus,
    Checkmark,
    More,
    Menu,
    Search,
    ArrowLeft,
    Share,
    Trash,
    Settings,
    Spinner,
}

impl Icon {
    /// What an icon button with it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChevronLeft | Self::ArrowLeft => "Back",
            Self::ChevronRight => "Forward",
            Self::ChevronDown => "Expand",
            Self::ChevronUp => "Collapse",
            Self::ChevronUpDown => "Choose",
            Self::Close => "Close",
            Self::Plus => "Add",
            Self::Minus => "Remove",
            Self::Checkmark => "Confirm",
            Self::More => "More",
            Self::Menu => "Menu",
            Self::Search => "Search",
            Self::Share => "Share",
            Self::Trash => "Delete",
            Self::Settings => "Settings",
            Self::Spinner => "Loading",
        }
    }

    pub fn is_back(self) -> bool {
        matches!(self, Self::ChevronLeft | Self::ArrowLeft)
    }
}

/// The ink of an icon, stretched to a square, with the shape of its bounds kept aside.
struct Bitmap {
    ink: [[bool; SIDE]; SIDE],
    /// Width over height.
    aspect: f64,
}

/// One drawing: strokes in a unit square that fill the icon's bounds, and which shapes of bounds it may have.
struct Drawing {
    icon: Icon,
    aspect: (f64, f64),
    /// How far ink may lie from the strokes, in cells.
    reach: f64,
    strokes: &'static [&'static [(f64, f64)]],
}

const DRAWINGS: &[Drawing] = &[
    Drawing {
        icon: Icon::ChevronRight,
        aspect: (0.4, 0.85),
        reach: 4.6,
        strokes: &[&[(0.1, 0.05), (0.9, 0.5), (0.1, 0.95)]],
    },
    Drawing {
        icon: Icon::ChevronLeft,
        aspect: (0.4, 0.85),
        reach: 4.6,
        strokes: &[&[(0.9, 0.05), (0.1, 0.5), (0.9, 0.95)]],
    },
    Drawing {
        icon: Icon::ChevronDown,
        aspect: (1.2, 2.5),
        reach: 4.6,
        strokes: &[&[(0.05, 0.1), (0.5, 0.9), (0.95, 0.1)]],
    },
    Drawing {
        icon: Icon::ChevronUp,
        aspect: (1.2, 2.5),
        reach: 4.6,
        strokes: &[&[(0.05, 0.9), (0.5, 0.1), (0.95, 0.9)]],
    },
    Drawing {
        icon: Icon::ChevronUpDown,
        aspect: (0.45, 0.95),
        reach: 3.6,
        strokes: &[&[(0.07, 0.35), (0.5, 0.05), (0.93, 0.35)], &[(0.07, 0.65), (0.5, 0.95), (0.93, 0.65)]],
    },
    Drawing {
        icon: Icon::Close,
        aspect: (0.85, 1.18),
        reach: 3.4,
        strokes: &[&[(0.06, 0.06), (0.94, 0.94)], &[(0.94, 0.06), (0.06, 0.94)]],
    },
    Drawing {
        icon: Icon::Plus,
        aspect: (0.85, 1.18),
        reach: 2.8,
        strokes: &[&[(0.5, 0.03), (0.5, 0.97)], &[(0.03, 0.5), (0.97, 0.5)]],
    },
    Drawing {
        icon: Icon::Checkmark,
        aspect: (0.85, 1.6),
        reach: 3.4,
        strokes: &[&[(0.06, 0.58), (0.36, 0.93), (0.95, 0.06)]],
    },
    Drawing {
        icon: Icon::Checkmark,
        aspect: (0.85, 1.6),
        reach: 3.4,
        strokes: &[&[(0.06, 0.66), (0.40, 0.93), (0.95, 0.06)]],
    },
    Drawing {
        icon: Icon::Menu,
        aspect: (0.95, 1.9),
        reach: 2.6,
        strokes: &[&[(0.02, 0.07), (0.98, 0.07)], &[(0.02, 0.5), (0.98, 0.5)], &[(0.02, 0.93), (0.98, 0.93)]],
    },
    Drawing {
        icon: Icon::ArrowLeft,
        aspect: (0.9, 1.6),
        reach: 3.2,
        strokes: &[&[(0.05, 0.5), (0.97, 0.5)], &[(0.45, 0.06), (0.05, 0.5), (0.45, 0.94)]],
    },
];

/// What a blob shows, where that is sure.
pub(super) fn classify(evidence: &Evidence, blob: &Blob) -> Option<Icon> {
    *blob.icon.get_or_init(|| recognise(evidence, blob))
}

fn recognise(evidence: &Evidence, blob: &Blob) -> Option<Icon> {
    let rect = blob.rect;
    if rect.width.max(rect.height) > 48.0 || rect.width.max(rect.height) < 4.0 {
        return None;
    }
    if rect.height <= 3.6
        && rect.width / rect.height.max(0.5) >= 3.0
        && blob.fill > 0.75
        && rect.width <= 24.0
    {
        return Some(Icon::Minus);
    }
    let bitmap = bitmap(evidence, blob, 0.4)?;
    if is_more(&bitmap) {
        return Some(Icon::More);
    }
    let drawn = DRAWINGS
        .iter()
        .filter(|d| d.aspect.0 <= bitmap.aspect && bitmap.aspect <= d.aspect.1)
        .map(|d| (d.icon, likeness(&bitmap, d)))
        .filter(|(_, likeness)| *likeness >= 0.9)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(icon, _)| icon);
    drawn
        .or_else(|| round_icon(&bitmap))
        .or_else(|| boxed_icon(&bitmap))
        // the spokes of a spinner fade away
        .or_else(|| self::bitmap(evidence, blob, 0.1).filter(is_spinner).map(|_| Icon::Spinner))
}

/// The ink on the frame's own pixels: what is at least the share `least` of the way from ground to ink.
fn bitmap(evidence: &Evidence, blob: &Blob, least: f64) -> Option<Bitmap> {
    let bounds = evidence.pixels(&blob.rect);
    if bounds.width < 6 || bounds.height < 6 {
        return None;
    }
    let pixels = evidence.frame.pixels();
    let threshold = f64::from(difference(blob.ink, blob.ground)) * least;
    let mut ink = [[false; SIDE]; SIDE];
    let mut tight: Option<[u32; 4]> = None;
    let is_ink = |x: u32, y: u32| {
        let [r, g, b, _] = pixels.get_pixel(x, y).0;
        f64::from(difference([r, g, b], blob.ground)) > threshold
    };
    for y in bounds.y..bounds.bottom() {
        for x in bounds.x..bounds.right() {
            if is_ink(x, y) {
                let [x0, y0, x1, y1] = tight.unwrap_or([x, y, x, y]);
                tight = Some([x0.min(x), y0.min(y), x1.max(x), y1.max(y)]);
            }
        }
    }
    let [x0, y0, x1, y1] = tight?;
    let (width, height) = (f64::from(x1 - x0 + 1), f64::from(y1 - y0 + 1));
    for (j, row) in ink.iter_mut().enumerate() {
        for (i, cell) in row.iter_mut().enumerate() {
            let at = |k: usize, size: f64| ((k as f64 + 0.5) / SIDE as f64 * size) as u32;
            *cell = is_ink(x0 + at(i, width), y0 + at(j, height));
        }
    }
    Some(Bitmap { ink, aspect: width / height })
}

/// The lesser of: how much of the strokes is inked, how much of the ink lies near strokes.
fn likeness(bitmap: &Bitmap, drawing: &Drawing) -> f64 {
    let side = SIDE as f64;
    let mut along = (0, 0);
    for stroke in drawing.strokes {
        for ends in stroke.windows(2) {
            let ((ax, ay), (bx, by)) = (ends[0], ends[1]);
            for step in 0..=16 {
                let t = f64::from(step) / 16.0;
                let (x, y) = ((ax + (bx - ax) * t) * side, (ay + (by - ay) * t) * side);
                along.0 += u32::from(near_ink(bitmap, x, y));
                along.1 += 1;
            }
        }
    }
    let mut inked = (0, 0);
    for (j, row) in bitmap.ink.iter().enumerate() {
        for (i, _) in row.iter().enumerate().filter(|(_, ink)| **ink) {
            let at = ((i as f64 + 0.5), (j as f64 + 0.5));
            inked.0 += u32::from(distance(at, drawing.strokes) <= drawing.reach);
            inked.1 += 1;
        }
    }
    let covers = f64::from(along.0) / f64::from(along.1.max(1));
    let stays = f64::from(inked.0) / f64::from(inked.1.max(1));
    // a filled box lies near any strokes that fill it
    let solid = f64::from(inked.1) / (side * side) > 0.72;
    if solid { 0.0 } else { covers.min(stays) }
}

fn near_ink(bitmap: &Bitmap, x: f64, y: f64) -> bool {
    let range = |v: f64| ((v - 1.3).max(0.0) as usize)..=((v + 1.3).min(SIDE as f64 - 1.0) as usize);
    range(y).any(|j| range(x).any(|i| bitmap.ink[j][i]))
}

fn distance(at: (f64, f64), strokes: &[&[(f64, f64)]]) -> f64 {
    let side = SIDE as f64;
    let mut nearest = f64::MAX;
    for ends in strokes.iter().flat_map(|stroke| stroke.windows(2)) {
        let (a, b) = ((ends[0].0 * side, ends[0].1 * side), (ends[1].0 * side, ends[1].1 * side));
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let along = ((at.0 - a.0) * dx + (at.1 - a.1) * dy) / (dx * dx + dy * dy).max(1e-9);
        let t = along.clamp(0.0, 1.0);
        nearest = nearest.min((at.0 - a.0 - dx * t).hypot(at.1 - a.1 - dy * t));
    }
    nearest
}

/// Three dots in a row or a column.
fn is_more(bitmap: &Bitmap) -> bool {
    let lying = (2.6..=7.0).contains(&bitmap.aspect);
    let standing = (2.6..=7.0).contains(&(1.0 / bitmap.aspect));
    if !lying && !standing {
        return false;
    }
    let middle = |k: usize| if lying { bitmap.ink[SIDE / 2][k] } else { bitmap.ink[k][SIDE / 2] };
    let starts = (0..SIDE).filter(|k| middle(*k) && (*k == 0 || !middle(k - 1))).count();
    let share = (0..SIDE).filter(|k| middle(*k)).count();
    starts == 3 && share <= SIDE * 3 / 4
}

/// Search and settings: told by what a walk round the centre meets.
fn round_icon(bitmap: &Bitmap) -> Option<Icon> {
    if !(0.85..=1.18).contains(&bitmap.aspect) {
        return None;
    }
    if is_search(bitmap) {
        return Some(Icon::Search);
    }
    let center = SIDE as f64 / 2.0;
    let empty_center = !near_center(bitmap, center, center, 0.12);
    let walk = |radius: f64| walk(bitmap, center, center, radius * SIDE as f64);
    let inner = walk(0.3);
    let ring = inner.iter().filter(|ink| **ink).count() * 10 >= inner.len() * 9;
    let teeth = changes(&walk(0.475));
    (empty_center && ring && (6..=10).contains(&teeth)).then_some(Icon::Settings)
}

/// Spokes round an empty centre.
fn is_spinner(bitmap: &Bitmap) -> bool {
    let center = SIDE as f64 / 2.0;
    let spokes = |share: f64| changes(&walk(bitmap, center, center, share * SIDE as f64));
    let round = (0.85..=1.18).contains(&bitmap.aspect) && !near_center(bitmap, center, center, 0.1);
    round && (7..=13).contains(&spokes(0.36)) && spokes(0.36).abs_diff(spokes(0.42)) <= 2
}

/// A ring in the upper left with a handle to the lower right, or mirrored.
fn is_search(bitmap: &Bitmap) -> bool {
    let side = SIDE as f64;
    // where the ring's centre is and how large it is, in shares of the icon
    let rings = [(0.41, 0.37), (0.38, 0.33), (0.43, 0.39), (0.36, 0.31)];
    rings.into_iter().flat_map(|ring| [(ring, false), (ring, true)]).any(|((center, radius), mirrored)| {
        let at = |x: f64| if mirrored { 1.0 - x } else { x };
        let ring = walk(bitmap, at(center) * side, center * side, radius * side);
        let on_ring = ring.iter().filter(|ink| **ink).count() * 100 >= ring.len() * 84;
        let hole = !near_center(bitmap, at(center) * side, center * side, 0.16);
        let handle =
            [0.74, 0.82, 0.9, 0.95].iter().filter(|t| near_ink(bitmap, at(**t) * side, *t * side)).count()
                >= 4;
        let bare = |x: f64, y: f64| !near_ink(bitmap, at(x) * side, y * side);
        on_ring && hole && handle && bare(0.95, 0.6) && bare(0.6, 0.96) && bare(0.08, 0.92)
    })
}

fn near_center(bitmap: &Bitmap, x: f64, y: f64, share: f64) -> bool {
    let reach = share * SIDE as f64;
    let cells =
        |v: f64| ((v - reach).max(0.0) as usize)..=((v + reach - 0.01).min(SIDE as f64 - 1.0) as usize);
    cells(y).any(|j| cells(x).any(|i| bitmap.ink[j][i]))
}

fn walk(bitmap: &Bitmap, x: f64, y: f64, radius: f64) -> Vec<bool> {
    const STEPS: usize = 96;
    (0..STEPS)
        .map(|step| {
            let angle = step as f64 / STEPS as f64 * std::f64::consts::TAU;
            let cell = |v: f64| (v.max(0.0) as usize).min(SIDE - 1);
            bitmap.ink[cell(y + radius * angle.sin())][cell(x + radius * angle.cos())]
        })
        .collect()
}

/// How often a closed walk goes from bare to ink.
fn changes(walk: &[bool]) -> usize {
    (0..walk.len()).filter(|i| walk[*i] && !walk[(i + walk.len() - 1) % walk.len()]).count()
}

/// Share (a box open at the top with an arrow) and delete (a bin with its lid).
fn boxed_icon(bitmap: &Bitmap) -> Option<Icon> {
    if !(0.6..=0.98).contains(&bitmap.aspect) {
        return None;
    }
    let side = SIDE as f64;
    let ink = |x: f64, y: f64| near_ink(bitmap, x * side, y * side);
    let sides = [0.55, 0.7, 0.85].iter().all(|y| ink(0.06, *y) && ink(0.94, *y));
    let floor = [0.2, 0.35, 0.5, 0.65, 0.8].iter().all(|x| ink(*x, 0.96));
    let shaft = [0.08, 0.2, 0.35, 0.5].iter().all(|y| ink(0.5, *y));
    let gap = !ink(0.28, 0.62) && !ink(0.72, 0.62) && !ink(0.06, 0.1) && !ink(0.94, 0.1);
    if sides && floor && shaft && gap {
        return Some(Icon::Share);
    }
    let lid = [0.05, 0.2, 0.5, 0.8, 0.95].iter().all(|x| ink(*x, 0.16));
    let walls = [0.35, 0.6, 0.85]
        .iter()
        .all(|y| (ink(0.13, *y) || ink(0.18, *y)) && (ink(0.87, *y) || ink(0.82, *y)));
    let bare = !ink(0.02, 0.6) && !ink(0.98, 0.6) && !ink(0.02, 0.92) && !ink(0.98, 0.92);
    (lid && walls && bare && floor_of_bin(bitmap)).then_some(Icon::Trash)
}

fn floor_of_bin(bitmap: &Bitmap) -> bool {
    let side = SIDE as f64;
    [0.35, 0.5, 0.65].iter().all(|x| near_ink(bitmap, x * side, 0.96 * side))
}
