//! How much an app uses, measured several times, and whether that is more than it was. Uses `device`.
//!
//! One measurement says little: a comparison counts only what lies outside the spread of both sides.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::device::{Device, DeviceError, Metrics};

/// Between two measurements.
pub const INTERVAL: Duration = Duration::from_millis(200);

/// The middle of several values, and between which they lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// What an app uses, over several measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub samples: usize,
    /// Of one core.
    pub cpu_percent: Spread,
    pub memory_mb: Spread,
    pub threads: Spread,
}

/// Measures once more.
///
/// # Errors
/// The app does not run, or the device can't measure.
pub async fn sample(device: &dyn Device, app: &str) -> Result<Metrics, DeviceError> {
    device.metrics(app).await
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let at = |i: usize| values.get(i).copied().unwrap_or_default();
        let half = values.len() / 2;
        let median = if values.len() % 2 == 1 {
            at(half)
        } else {
            f64::midpoint(at(half.saturating_sub(1)), at(half))
        };
        Self { median, low: at(0), high: at(values.len().saturating_sub(1)) }
    }
}

impl Profile {
    pub fn of(measured: &[Metrics]) -> Self {
        Self {
            samples: measured.len(),
            cpu_percent: Spread::of(measured.iter().map(|m| m.cpu_percent)),
            memory_mb: Spread::of(measured.iter().map(|m| m.memory_bytes as f64 / f64::from(1 << 20))),
            threads: Spread::of(measured.iter().map(|m| f64::from(m.threads))),
        }
    }

    /// A line for each figure.
    pub fn told(&self) -> String {
        let line = |name: &str, unit: &str, s: &Spread| {
            format!("{name}: {:.1}{unit} ({:.1} to {:.1})", s.median, s.low, s.high)
        };
        let lines = [
            line("cpu", " %", &self.cpu_percent),
            line("memory", " MB", &self.memory_mb),
            line("threads", "", &self.threads),
        ];
        format!("{}\nmedian and range of {} samples", lines.join("\n"), self.samples)
    }
}

/// How much worse a figure has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Not worse, or not more than the spread and the floor allow.
    None,
    Minor,
    Major,
    Critical,
}

/// The rules of [`compare`], in words.
pub const RULES: &str = "worse by at least 10 % minor, 25 % major, 50 % critical; counted only where the ranges do not \
                         overlap and the medians differ by at least 5 % cpu, 5 MB, 3 threads";

/// One figure then and now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    pub figure: &'static str,
    pub before: f64,
    pub now: f64,
    /// Of `before`; `None` where that was nothing.
    pub percent: Option<f64>,
    pub severity: Severity,
}

/// Compares each figure by [`RULES`].
pub fn compare(before: &Profile, now: &Profile) -> Vec<Difference> {
    let figures = [
        ("cpu", 5.0, &before.cpu_percent, &now.cpu_percent),
        ("memory", 5.0, &before.memory_mb, &now.memory_mb),
        ("threads", 3.0, &before.threads, &now.threads),
    ];
    let difference = |(figure, floor, before, now): (&'static str, f64, &Spread, &Spread)| {
        let grown = now.median - before.median;
        let percent = (before.median > 0.0).then(|| 100.0 * grown / before.median);
        let counts = grown >= floor && now.low > before.high;
        let severity = match percent.unwrap_or(f64::INFINITY) {
            _ if !counts => Severity::None,
            p if p >= 50.0 => Severity::Critical,
            p if p >= 25.0 => Severity::Major,
            p if p >= 10.0 => Severity::Minor,
            _ => Severity::None,
        };
        Difference { figure, before: before.median, now: now.median, percent, severity }
    };
    figures.into_iter().map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(cpu: &[f64], memory_mb: u64) -> Profile {
        let one = |cpu: &f64| Metrics { cpu_percent: *cpu, memory_bytes: memory_mb << 20, threads: 10 };
        Profile::of(&cpu.iter().map(one).collect::<Vec<_>>())
    }

    #[test]
    fn noise_is_no_regression_and_growth_is_graded() {
        let before = profile(&[10.0, 12.0, 30.0], 100);
        for (cpu, memory, expected) in [
            // inside the range of before
            (&[25.0, 26.0, 29.0][..], 100, [Severity::None, Severity::None]),
            (&[31.0, 32.0, 33.0], 104, [Severity::Critical, Severity::None]),
            // one sample reaches into the range of before
            (&[29.0, 60.0, 60.0], 111, [Severity::None, Severity::Minor]),
            (&[1.0, 1.0, 1.0], 130, [Severity::None, Severity::Major]),
            (&[10.0], 160, [Severity::None, Severity::Critical]),
            (&[10.0], 40, [Severity::None, Severity::None]),
        ] {
            let found = compare(&before, &profile(cpu, memory));
            assert_eq!([found[0].severity, found[1].severity], expected, "{cpu:?} {memory}");
        }
        let idle = profile(&[0.0], 0);
        assert_eq!(compare(&idle, &profile(&[40.0], 0))[0].severity, Severity::Critical);
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0].into_iter()), Spread { median: 2.0, low: 1.0, high: 3.0 });
        assert_eq!(Spread::of([1.0, 2.0].into_iter()).median, 1.5);
        assert_eq!(profile(&[2.0], 10).told().lines().next(), Some("cpu: 2.0 % (2.0 to 2.0)"));
    }
}
