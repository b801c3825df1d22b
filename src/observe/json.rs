//! An observation as JSON (`observe --json`, `detail: full`). Uses the types.

use serde_json::{Value, json};

use super::compact::View;
use super::{Changes, Observation};

impl Observation {
    /// One JSON document; frames in points.
    pub fn to_json(&self, view: &View) -> Value {
        let marks: Vec<&crate::mark::Mark> =
            self.marks.iter().filter(|m| m.confidence >= view.min_confidence).take(view.limit).collect();
        json!({
            "observation": self.id.to_string(),
            "screen": {
                "width": self.screen.points.width,
                "height": self.screen.points.height,
                "pixels": self.screen.pixels,
                "scale": self.screen.scale_x(),
                "orientation": self.screen.rotation,
            },
            "settled": self.settled,
            "settle_ms": millis(self.settle_time),
            "app": self.app,
            "alert": self.alert,
            "keyboard": self.keyboard,
            "focused": self.focused,
            "furniture": self.furniture,
            "marks": marks,
            "left_out": self.left_out(view),
            "provenance": self.provenance,
        })
    }
}

impl Changes {
    pub fn to_json(&self) -> Value {
        json!({
            "appeared": self.appeared,
            "disappeared": self.disappeared,
            "updated": self.updated,
            "moved": self.moved,
        })
    }
}

/// Whole milliseconds, rounded to a tenth.
fn millis(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}
