//! A line by line diff of two texts, for people. Uses nothing of this crate.

/// Unchanged lines that are shown around what changed.
const CONTEXT: usize = 3;
/// Above so many pairs of lines the middle is told as replaced whole.
const MOST_PAIRS: usize = 4_000_000;

#[derive(Clone, Copy, PartialEq)]
enum Line<'a> {
    Kept(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// The diff in unified form; empty where the texts are equal.
pub(super) fn unified(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    let lines = compare(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    let changed: Vec<usize> = (0..lines.len()).filter(|i| !matches!(lines[*i], Line::Kept(_))).collect();
    let Some(first) = changed.first() else { return String::new() };
    let mut out = format!("--- {old_name}\n+++ {new_name}\n");
    let mut start = first.saturating_sub(CONTEXT);
    for (i, at) in changed.iter().enumerate() {
        let next = changed.get(i + 1).copied();
        // two changes whose context meets are one piece
        if next.is_none_or(|next| next - at > 2 * CONTEXT) {
            out += &piece(&lines, start, (at + CONTEXT + 1).min(lines.len()));
            start = next.unwrap_or_default().saturating_sub(CONTEXT);
        }
    }
    out
}

fn piece(lines: &[Line], start: usize, end: usize) -> String {
    let count = |lines: &[Line]| {
        lines.iter().fold((0, 0), |(old, new), line| match line {
            Line::Kept(_) => (old + 1, new + 1),
            Line::Gone(_) => (old + 1, new),
            Line::New(_) => (old, new + 1),
        })
    };
    let ((old, new), (old_count, new_count)) = (count(&lines[..start]), count(&lines[start..end]));
    let mut out = format!("@@ -{},{old_count} +{},{new_count} @@\n", old + 1, new + 1);
    for line in &lines[start..end] {
        let (sign, text) = match line {
            Line::Kept(text) => (' ', text),
            Line::Gone(text) => ('-', text),
            Line::New(text) => ('+', text),
        };
        out.push(sign);
        out += text;
        out.push('\n');
    }
    out
}

/// The longest common subsequence, by the table of its lengths.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        let gone = old.iter().map(|line| Line::Gone(line));
        return gone.chain(new.iter().map(|line| Line::New(line))).collect();
    }
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            longest[i * width + j] = if a == b {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(Line::Kept(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || (i < old.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        {
            lines.push(Line::Gone(old[i]));
            i += 1;
        } else {
            lines.push(Line::New(new[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_with_the_lines_around_them() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        let new = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n";
        let expected =
            "--- o\n+++ n\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -10,3 +10,4 @@\n j\n k\n l\n+m\n";
        assert_eq!(unified("o", "n", old, new), expected);
        assert_eq!(unified("o", "n", old, old), "");
        assert_eq!(unified("o", "n", "", "x\n"), "--- o\n+++ n\n@@ -1,0 +1,1 @@\n+x\n");
    }
}
