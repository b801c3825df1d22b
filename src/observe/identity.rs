//! Names that last: `stable_id`s by what an element is, `MarkId`s that stay with it within a session.
//! Uses the types and the drafts of `fuse`.

use std::collections::{HashMap, HashSet, VecDeque};

use sha2::{Digest, Sha256};

use crate::frame::hex;
use crate::geometry::Rect;
use crate::mark::{Mark, MarkId, Source, StableId};
use crate::role::Role;

use super::fuse::Draft;
use super::fuse::text::{fold, reads_like};

/// Identities kept in a session; an older one is stale.
pub const KEPT: usize = 4_096;
/// Digits of a stable id.
const STABLE_DIGITS: usize = 12;

/// Remembers who is who in a session.
#[derive(Debug, Default)]
pub struct Identities {
    next: u32,
    by_stable: HashMap<StableId, MarkId>,
    /// Least recently seen first; may hold an identity more than once, the last counts.
    order: VecDeque<(StableId, u64)>,
    seen: HashMap<StableId, u64>,
    look: u64,
}

/// What tells an element from its equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    /// There are none.
    Alone,
    ByOwner,
    /// Nothing but its place in the order.
    ByOrdinal,
}

impl Identities {
    /// The highest number given so far.
    pub fn given(&self) -> u32 {
        self.next
    }

    /// Numbers up to this one count as given.
    pub fn go_on_from(&mut self, given: u32) {
        self.next = self.next.max(given);
    }

    /// Whether this number was ever given to a mark.
    pub fn was_given(&self, id: MarkId) -> bool {
        id.0 >= 1 && id.0 <= self.next
    }

    /// Gives every draft its identities; `before` are the marks of the last look.
    pub fn name(&mut self, mut drafts: Vec<Draft>, before: &[Mark]) -> Vec<Mark> {
        keep_the_names_of_fields(&mut drafts, before);
        let named = stable_ids(&drafts);
        let mut ids: Vec<Option<MarkId>> = vec![None; drafts.len()];
        let mut used = HashSet::new();
        // an element that is told from its equals by nothing but the order is known by its place first
        for (i, draft) in drafts.iter().enumerate() {
            if named[i].1 == Apart::ByOrdinal {
                let same = before.iter().find(|m| is_same_in_place(m, draft) && !used.contains(&m.id));
                ids[i] = same.map(|m| m.id).filter(|id| used.insert(*id));
            }
        }
        for (i, (stable, apart)) in named.iter().enumerate() {
            if ids[i].is_none() && *apart != Apart::ByOrdinal {
                ids[i] = self.by_stable.get(stable).copied().filter(|id| used.insert(*id));
            }
        }
        for (i, draft) in drafts.iter().enumerate() {
            if ids[i].is_none() {
                let known = before.iter().find(|m| {
                    !used.contains(&m.id) && (is_same_in_place(m, draft) || is_misread_in_place(m, draft))
                });
                ids[i] = known.map(|m| m.id).or_else(|| self.by_stable.get(&named[i].0).copied());
                ids[i] = ids[i].filter(|id| used.insert(*id));
            }
        }
        self.look += 1;
        let marks: Vec<Mark> = drafts
            .into_iter()
            .zip(named)
            .zip(ids)
            .map(|((draft, (stable, _)), id)| {
                let id = id.unwrap_or_else(|| {
                    self.next += 1;
                    MarkId(self.next)
                });
                self.remember(&stable, id);
                mark(draft, id, stable)
            })
            .collect();
        self.forget_the_oldest();
        marks
    }

    fn remember(&mut self, stable: &StableId, id: MarkId) {
        self.by_stable.insert(stable.clone(), id);
        self.seen.insert(stable.clone(), self.look);
        self.order.push_back((stable.clone(), self.look));
    }

    fn forget_the_oldest(&mut self) {
        let seen = &self.seen;
        let current = |(stable, look): &(StableId, u64)| seen.get(stable) == Some(look);
        if self.order.len() > 4 * KEPT {
            self.order.retain(current);
        }
        while self.by_stable.len() > KEPT {
            let Some((stable, look)) = self.order.pop_front() else { break };
            if self.seen.get(&stable) == Some(&look) {
                self.by_stable.remove(&stable);
                self.seen.remove(&stable);
            }
        }
    }
}

/// A field whose only name was its placeholder keeps that name when something is typed: what stands at its place
/// is its value then. Only on the same screen: most of what else was named is there still.
fn keep_the_names_of_fields(drafts: &mut [Draft], before: &[Mark]) {
    let named: Vec<(Role, String)> = drafts.iter().map(|d| (d.role, d.folded())).collect();
    let others =
        || before.iter().filter(|m| !m.role.is_field() && m.role != Role::KeyboardKey && !m.label.is_empty());
    let there = others().filter(|m| named.contains(&(m.role, fold(&m.label)))).count();
    if there * 2 < others().count() {
        return;
    }
    for draft in drafts.iter_mut().filter(|d| d.role.is_field()) {
        let was = before.iter().find(|m| m.role.is_field() && overlap(&m.frame, &draft.frame) > 0.9);
        let Some(was) = was.filter(|m| !m.label.is_empty() && fold(&m.label) != draft.folded()) else {
            continue;
        };
        if draft.label.is_empty() {
            draft.label.clone_from(&was.label);
        } else if draft.value.is_none() && !draft.sources.contains(&Source::Accessibility) {
            draft.value = Some(std::mem::replace(&mut draft.label, was.label.clone()));
        }
    }
}

fn mark(draft: Draft, id: MarkId, stable_id: StableId) -> Mark {
    Mark {
        id,
        stable_id,
        role: draft.role,
        label: draft.label,
        value: draft.value,
        frame: draft.frame,
        enabled: draft.enabled,
        selected: draft.selected,
        identifier: draft.identifier,
        confidence: draft.confidence.clamp(0.0, 1.0),
        sources: draft.sources,
        text_unread: draft.text_unread,
    }
}

fn is_same_in_place(mark: &Mark, draft: &Draft) -> bool {
    mark.role == draft.role && overlap(&mark.frame, &draft.frame) > 0.8 && fold(&mark.label) == draft.folded()
}

/// The same element whose text was read a little differently.
fn is_misread_in_place(mark: &Mark, draft: &Draft) -> bool {
    mark.role == draft.role
        && overlap(&mark.frame, &draft.frame) > 0.9
        && reads_like(&fold(&mark.label), &draft.folded())
}

/// Intersection over union.
fn overlap(a: &Rect, b: &Rect) -> f64 {
    let common = a.intersection(b).map_or(0.0, |c| c.area());
    common / (a.area() + b.area() - common).max(f64::MIN_POSITIVE)
}

/// The stable id of each draft, and what tells it from its equals.
fn stable_ids(drafts: &[Draft]) -> Vec<(StableId, Apart)> {
    let keys: Vec<(Role, String)> = drafts.iter().map(|d| (d.role, d.folded())).collect();
    let mut equals: HashMap<&(Role, String), Vec<usize>> = HashMap::new();
    for (i, key) in keys.iter().enumerate() {
        equals.entry(key).or_default().push(i);
    }
    let mut ids: Vec<(StableId, Apart)> =
        keys.iter().map(|key| (hash(key, None, None), Apart::Alone)).collect();
    for (key, group) in equals.into_iter().filter(|(_, group)| group.len() > 1) {
        let owners: Vec<Option<String>> = group.iter().map(|&i| owner(drafts, i)).collect();
        let mut ordinals: HashMap<&Option<String>, u32> = HashMap::new();
        for (&i, owner) in group.iter().zip(&owners) {
            let of_one_owner = owners.iter().filter(|o| *o == owner).count();
            let ordinal = ordinals.entry(owner).or_default();
            *ordinal += 1;
            ids[i] = if of_one_owner == 1 {
                (hash(key, owner.as_deref(), None), Apart::ByOwner)
            } else {
                (hash(key, owner.as_deref(), Some(*ordinal)), Apart::ByOrdinal)
            };
        }
    }
    ids
}

fn hash(key: &(Role, String), owner: Option<&str>, ordinal: Option<u32>) -> StableId {
    let mut sha = Sha256::new();
    sha.update(key.0.as_str());
    sha.update([0]);
    sha.update(&key.1);
    if let Some(owner) = owner {
        sha.update([1]);
        sha.update(owner);
    }
    if let Some(ordinal) = ordinal {
        sha.update([2]);
        sha.update(ordinal.to_le_bytes());
    }
    StableId(hex(&sha.finalize()).chars().take(STABLE_DIGITS).collect())
}

/// The label of the row, cell or section that owns a draft, folded: the cell around it, else what is written at
/// the left in its row, else what is written above.
fn owner(drafts: &[Draft], i: usize) -> Option<String> {
    let own = &drafts[i];
    let own_label = own.folded();
    let others = || {
        drafts
            .iter()
            .enumerate()
            .filter(|(j, d)| *j != i && !d.label.is_empty() && d.folded() != own_label)
            .map(|(_, d)| d)
    };
    let center = own.frame.center();
    let around = others()
        .filter(|d| d.role == Role::Cell && d.frame.contains(center))
        .min_by(|a, b| a.frame.area().total_cmp(&b.frame.area()));
    let in_the_row = || {
        others()
            .filter(|d| {
                let middle = d.frame.center();
                let beside = (own.frame.y..own.frame.bottom()).contains(&middle.y)
                    || (d.frame.y..d.frame.bottom()).contains(&center.y);
                beside && d.frame.right() <= own.frame.x + 1.0
            })
            .min_by(|a, b| a.frame.y.total_cmp(&b.frame.y).then(a.frame.x.total_cmp(&b.frame.x)))
    };
    let above = || {
        others().filter(|d| d.role == Role::Text && d.frame.bottom() <= own.frame.y + 1.0).max_by(|a, b| {
            a.frame.bottom().total_cmp(&b.frame.bottom()).then(b.frame.x.total_cmp(&a.frame.x))
        })
    };
    around.or_else(in_the_row).or_else(above).map(Draft::folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(role: Role, label: &str, x: f64, y: f64) -> Draft {
        Draft {
            role,
            label: label.into(),
            value: None,
            frame: Rect::new(x, y, 100.0, 40.0),
            enabled: true,
            selected: None,
            identifier: None,
            confidence: 0.9,
            sources: vec![Source::Text],
            text_unread: false,
        }
    }

    fn continues(places: &[f64]) -> Vec<Draft> {
        places.iter().map(|&y| draft(Role::Button, "Continue", 20.0, y)).collect()
    }

    #[test]
    fn a_scrolled_list_keeps_its_numbers_and_stable_ids() {
        let rows = ["Apple", "Pear", "Plum"];
        let list = |shift: f64| -> Vec<Draft> {
            let row = |(i, name): (usize, &&str)| {
                let y = 100.0 + 60.0 * i as f64 - shift;
                [draft(Role::Text, name, 16.0, y), draft(Role::Button, "Add", 280.0, y)]
            };
            rows.iter().enumerate().flat_map(row).collect()
        };
        let mut identities = Identities::default();
        let before = identities.name(list(0.0), &[]);
        let after = identities.name(list(60.0), &before);
        let names = |marks: &[Mark]| marks.iter().map(|m| (m.id, m.stable_id.clone())).collect::<Vec<_>>();
        assert_eq!(names(&before), names(&after));
        assert_eq!(before.iter().map(|m| &m.stable_id).collect::<HashSet<_>>().len(), 6);
    }

    #[test]
    fn a_number_is_never_given_to_another_element() {
        let mut identities = Identities::default();
        let first = identities.name(vec![draft(Role::Button, "Next", 0.0, 0.0)], &[]);
        let second = identities.name(vec![draft(Role::Button, "Done", 0.0, 0.0)], &first);
        let third = identities.name(vec![draft(Role::Button, "Next", 0.0, 0.0)], &second);
        assert_eq!([first[0].id.0, second[0].id.0, third[0].id.0], [1, 2, 1]);
    }

    #[test]
    fn of_two_equals_the_one_that_stays_keeps_its_number() {
        let mut identities = Identities::default();
        let both = identities.name(continues(&[100.0, 200.0]), &[]);
        let one = identities.name(continues(&[200.0]), &both);
        assert_eq!(one[0].id, both[1].id);
    }

    #[test]
    fn a_misread_letter_does_not_make_a_new_element() {
        let mut identities = Identities::default();
        let a = identities.name(vec![draft(Role::Button, "Add to cart", 0.0, 0.0)], &[]);
        let b = identities.name(vec![draft(Role::Button, "Add to carf", 0.0, 0.0)], &a);
        assert_eq!(a[0].id, b[0].id);
    }

    #[test]
    fn a_field_keeps_its_name_and_number_when_its_placeholder_is_typed_over() {
        let screen = |text: &str| {
            vec![draft(Role::Text, "Sign in", 0.0, 0.0), draft(Role::TextField, text, 0.0, 100.0)]
        };
        let mut identities = Identities::default();
        let empty = identities.name(screen("Email"), &[]);
        let typed = identities.name(screen("ann@example.com"), &empty);
        assert_eq!((typed[1].id, typed[1].label.as_str()), (empty[1].id, "Email"));
        assert_eq!(typed[1].value.as_deref(), Some("ann@example.com"));
        let elsewhere =
            vec![draft(Role::Text, "Search", 0.0, 0.0), draft(Role::TextField, "Anything", 0.0, 100.0)];
        assert_eq!(identities.name(elsewhere, &typed)[1].label, "Anything");
    }

    #[test]
    fn the_oldest_identities_are_forgotten_and_their_numbers_not_reused() {
        let mut identities = Identities::default();
        let first = identities.name(vec![draft(Role::Text, "first", 0.0, 0.0)], &[]);
        for i in 0..KEPT {
            identities.name(vec![draft(Role::Text, &format!("line {i}"), 0.0, 0.0)], &[]);
        }
        assert!(identities.by_stable.len() <= KEPT);
        let again = identities.name(vec![draft(Role::Text, "first", 0.0, 0.0)], &[]);
        assert!(again[0].id > first[0].id && identities.was_given(first[0].id));
    }
}
