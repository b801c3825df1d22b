//! Links in a sentence: words in a tint among words without one. Uses `evidence`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::blobs;
use super::colour::{chroma, difference, is_red};
use super::evidence::{Evidence, Line};
use super::grid::Colour;
use super::scene::{Draft, Found};

/// Between two words, of the font's size; letters are closer.
const GAP: f64 = 0.17;
/// So far from grey a link is at least, and what it stands among at most.
const TINT: u8 = 70;
const PLAIN: u8 = 40;

pub(super) fn find(draft: &mut Draft) {
    let evidence = draft.evidence;
    for (i, line) in evidence.lines.iter().enumerate() {
        if draft.line_taken[i] || draft.is_taken(&line.rect) {
            continue;
        }
        for (rect, words) in links(evidence, line) {
            draft.add(Found::new(Role::Link, rect, 0.7).worded(words));
            // what is left of the line is no action
            draft.line_taken[i] = true;
        }
    }
}

/// A word as it is drawn.
struct Word<'a> {
    text: &'a str,
    rect: Rect,
    ink: Colour,
}

/// Places and words of the links of a line. Where the words that are drawn are not those that were read, or a colour
/// changes within a word, as in code, there are none.
fn links(evidence: &Evidence, line: &Line) -> Vec<(Rect, String)> {
    let Some(words) = words(evidence, line) else { return Vec::new() };
    let is_tinted = |word: &Word| chroma(word.ink) >= TINT && !is_red(word.ink);
    let all_told = words.iter().all(|word| is_tinted(word) || chroma(word.ink) <= PLAIN);
    let count = words.iter().filter(|word| is_tinted(word)).count();
    if !all_told
        || count == 0
        || count == words.len()
        || words.iter().any(|word| is_mixed(evidence, line, word))
    {
        return Vec::new();
    }
    let runs = words.chunk_by(|a, b| is_tinted(a) && is_tinted(b) && difference(a.ink, b.ink) < 48);
    let link = |run: &[Word]| {
        let rect = run.iter().map(|word| word.rect).reduce(|a, b| a.union(&b))?;
        let text = run.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        let text = text.trim_end_matches([',', '.', ';', ':']);
        (is_tinted(&run[0]) && text.chars().any(char::is_alphanumeric)).then(|| (rect, text.to_owned()))
    };
    runs.filter_map(link).collect()
}

/// The words that were read, each where it is drawn; none where their numbers differ.
fn words<'a>(evidence: &Evidence, line: &Line<'a>) -> Option<Vec<Word<'a>>> {
    let texts: Vec<&str> = line.text.split_whitespace().collect();
    if texts.len() < 2 || line.size > 30.0 {
        return None;
    }
    let step = 1.0 / evidence.grid.density;
    let columns = (line.rect.width / step) as usize;
    let is_inked = |column: usize| {
        let x = line.rect.x + (column as f64 + 0.5) * step;
        let rows = (line.rect.height / step) as usize;
        (0..rows).any(|row| {
            let at = evidence.grid.at(x, line.rect.y + (row as f64 + 0.5) * step);
            at.is_some_and(|colour| difference(colour, line.ground) >= 40)
        })
    };
    let gap = ((GAP * line.size / step).ceil() as usize).max(2);
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for column in (0..columns).filter(|column| is_inked(*column)) {
        match spans.last_mut() {
            Some((_, end)) if column - *end < gap => *end = column + 1,
            _ => spans.push((column, column + 1)),
        }
    }
    if spans.len() != texts.len() {
        return None;
    }
    let word = |((start, end), text): ((usize, usize), &'a str)| {
        let (x, width) = (line.rect.x + start as f64 * step, (end - start) as f64 * step);
        let rect = Rect::new(x, line.rect.y, width, line.rect.height);
        Word { text, rect, ink: blobs::farthest_colour(&evidence.grid, &rect, line.ground) }
    };
    Some(spans.into_iter().zip(texts).map(word).collect())
}

/// Whether the halves of a longer word have different inks.
fn is_mixed(evidence: &Evidence, line: &Line, word: &Word) -> bool {
    let half = word.rect.width / 2.0;
    if word.text.chars().count() < 4 {
        return false;
    }
    let ink = |x: f64| {
        let rect = Rect::new(x, word.rect.y, half, word.rect.height);
        chroma(blobs::farthest_colour(&evidence.grid, &rect, line.ground))
    };
    (ink(word.rect.x) >= TINT) != (ink(word.rect.x + half) >= TINT)
}
