//! Pictures: large ink that is no control. Uses `evidence`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::scene::{Draft, Found};

/// Smaller ink is an icon, in points.
const SMALLEST: f64 = 44.0;

pub(super) fn find(draft: &mut Draft) {
    let evidence = draft.evidence;
    let window = evidence.window;
    let large = |rect: &Rect| {
        rect.width.min(rect.height) >= SMALLEST
            && rect.width * rect.height < 0.6 * window.width * window.height
    };
    let pictures: Vec<Rect> =
        evidence.blobs.iter().filter(|blob| blob.fill > 0.3).map(|blob| blob.rect).filter(large).collect();
    for rect in pictures {
        if !draft.is_taken(&rect) && !draft.holds_control(&rect) && draft.free_lines(&rect).is_empty() {
            draft.add(Found::new(Role::Image, rect, 0.5));
        }
    }
}
