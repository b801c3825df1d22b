//! From class probabilities over time to text (greedy CTC). Uses nothing of this crate.

/// What a network read in one line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) text: String,
    /// Mean probability of the characters, 0 to 1; 0 where there are none.
    pub(super) mean: f32,
    /// Probability of the least sure character.
    pub(super) least: f32,
    /// The step at which each character was seen first.
    pub(super) steps: Vec<usize>,
}

/// Takes the likeliest class of each step; repeats are one character, class 0 parts them.
/// `steps`: rows of `classes` probabilities.
pub(super) fn decode(steps: &[f32], classes: usize, characters: &[String]) -> Reading {
    let mut text = String::new();
    let mut seen = Vec::new();
    let (mut sum, mut count, mut least) = (0f32, 0u32, 1f32);
    let mut last = 0;
    // the surest step of a character speaks for it
    let mut best = 0f32;
    let mut close = |best: f32| {
        sum += best;
        count += 1;
        least = least.min(best);
    };
    for (step, row) in steps.chunks_exact(classes).enumerate() {
        let (class, probability) = likeliest(row);
        if class != last {
            if last != 0 {
                close(best);
            }
            best = probability;
            if let Some(character) = characters.get(class) {
                text.push_str(character);
                seen.extend(character.chars().map(|_| step));
            }
        } else {
            best = best.max(probability);
        }
        last = class;
    }
    if last != 0 {
        close(best);
    }
    if count == 0 {
        return Reading { text, mean: 0.0, least: 0.0, steps: seen };
    }
    Reading { text, mean: sum / count as f32, least, steps: seen }
}

fn likeliest(row: &[f32]) -> (usize, f32) {
    // the blank wins most steps: look there first
    if row[0] > 0.5 {
        return (0, row[0]);
    }
    row.iter().copied().enumerate().fold((0, f32::MIN), |best, now| if now.1 > best.1 { now } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_join_and_blanks_part() {
        let characters: Vec<String> = ["", "a", "b"].map(String::from).to_vec();
        let row = |class: usize, p: f32| {
            let mut row = [(1.0 - p) / 2.0; 3];
            row[class] = p;
            row
        };
        let steps = [row(1, 0.6), row(1, 0.9), row(0, 0.9), row(1, 0.8), row(2, 0.7)].concat();
        let read = decode(&steps, 3, &characters);
        assert_eq!((read.text.as_str(), read.steps.as_slice()), ("aab", &[0, 3, 4][..]));
        assert!((read.mean - 0.8).abs() < 1e-6 && (read.least - 0.7).abs() < 1e-6);
        assert_eq!(decode(&[1.0, 0.0, 0.0], 3, &characters).mean, 0.0);
    }
}
