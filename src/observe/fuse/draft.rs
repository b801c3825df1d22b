//! A mark before it has an identity. Uses `geometry`, `mark`, `role`.

use crate::geometry::Rect;
use crate::mark::Source;
use crate::role::Role;

use super::text::fold;

/// What vision or the tree found, in interface points.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub role: Role,
    pub label: String,
    pub value: Option<String>,
    pub frame: Rect,
    pub enabled: bool,
    pub selected: Option<bool>,
    pub identifier: Option<String>,
    pub confidence: f32,
    /// Sorted, without repeats.
    pub sources: Vec<Source>,
    pub text_unread: bool,
}

impl Draft {
    pub fn add_source(&mut self, source: Source) {
        if let Err(at) = self.sources.binary_search(&source) {
            self.sources.insert(at, source);
        }
    }

    pub fn folded(&self) -> String {
        fold(&self.label)
    }
}

/// Sorts rows from top to bottom and each row from left to right.
pub fn reading_order(drafts: &mut [Draft]) {
    drafts.sort_by(|a, b| a.frame.y.total_cmp(&b.frame.y));
    let mut start = 0;
    while start < drafts.len() {
        let row = drafts[start].frame;
        // what begins above the middle of the row's first stands beside it
        let middle = row.y + row.height.min(60.0) / 2.0;
        let end = start + drafts[start..].iter().take_while(|d| d.frame.y <= middle).count().max(1);
        drafts[start..end]
            .sort_by(|a, b| a.frame.x.total_cmp(&b.frame.x).then(a.frame.y.total_cmp(&b.frame.y)));
        start = end;
    }
}
