//! How a simulator is set up: `device=…&appearance=…` behind `sim:APP?`, and flags of `simdrive sim`.
//! Uses `geometry`, the device types and `profiles`.

use std::ops::RangeInclusive;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::error::{SimError, closest};
use super::profiles::{PROFILES, Profile};
use crate::device::{Appearance, ContentSize};
use crate::geometry::Orientation;

#[derive(Clone, Debug, PartialEq)]
pub struct SimulatorOptions {
    pub profile: &'static Profile,
    pub appearance: Appearance,
    pub content_size: ContentSize,
    pub orientation: Orientation,
    pub clock: Clock,
    pub seed: u64,
    /// How long an app takes to answer a touch, in milliseconds; drawn anew for each, from the seed.
    pub latency_ms: RangeInclusive<u64>,
    pub locale: String,
}

/// Where the simulator's time begins. It moves only by `Simulator::advance`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clock {
    /// At the time of day of the machine.
    Real,
    At(DateTime<Utc>),
}

impl Clock {
    pub fn start(self) -> DateTime<Utc> {
        match self {
            Self::Real => Utc::now(),
            Self::At(time) => time,
        }
    }
}

impl Default for SimulatorOptions {
    fn default() -> Self {
        Self {
            profile: &PROFILES[0],
            appearance: Appearance::Light,
            content_size: ContentSize::Large,
            orientation: Orientation::Portrait,
            clock: Clock::Real,
            seed: 0,
            latency_ms: 0..=0,
            locale: "en_US".to_owned(),
        }
    }
}

const KEYS: [&str; 8] =
    ["device", "appearance", "text_size", "orientation", "latency_ms", "clock", "seed", "locale"];

const TEXT_SIZES: [(&str, ContentSize); 12] = [
    ("xs", ContentSize::ExtraSmall),
    ("s", ContentSize::Small),
    ("m", ContentSize::Medium),
    ("l", ContentSize::Large),
    ("xl", ContentSize::ExtraLarge),
    ("xxl", ContentSize::ExtraExtraLarge),
    ("xxxl", ContentSize::ExtraExtraExtraLarge),
    ("ax1", ContentSize::AccessibilityMedium),
    ("ax2", ContentSize::AccessibilityLarge),
    ("ax3", ContentSize::AccessibilityExtraLarge),
    ("ax4", ContentSize::AccessibilityExtraExtraLarge),
    ("ax5", ContentSize::AccessibilityExtraExtraExtraLarge),
];

const ORIENTATIONS: [(&str, Orientation); 5] = [
    ("portrait", Orientation::Portrait),
    ("portrait_upside_down", Orientation::PortraitUpsideDown),
    ("landscape", Orientation::LandscapeLeft),
    ("landscape_left", Orientation::LandscapeLeft),
    ("landscape_right", Orientation::LandscapeRight),
];

impl SimulatorOptions {
    /// Reads `key=value&key=value`; an empty query gives the defaults.
    ///
    /// # Errors
    /// Names the wrong key with the known ones, or the wrong value with what is expected.
    pub fn parse(query: &str) -> Result<Self, SimError> {
        let mut options = Self::default();
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            options.set(key, value)?;
        }
        Ok(options)
    }

    /// Sets one option by its name.
    ///
    /// # Errors
    /// As [`SimulatorOptions::parse`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SimError> {
        let invalid = |expected: String| SimError::InvalidOption {
            key: key.to_owned(),
            value: value.to_owned(),
            expected,
        };
        match key {
            "device" => {
                let names: Vec<_> = PROFILES.iter().map(|p| p.name).collect();
                self.profile = Profile::named(value)
                    .ok_or_else(|| invalid(format!("expected one of {}", names.join(", "))))?;
            }
            "appearance" => {
                let table = [("light", Appearance::Light), ("dark", Appearance::Dark)];
                self.appearance = one_of(value, &table).map_err(invalid)?;
            }
            "text_size" => {
                self.content_size = match ContentSize::from_simctl(value) {
                    Some(size) => size,
                    None => one_of(value, &TEXT_SIZES).map_err(invalid)?,
                };
            }
            "orientation" => self.orientation = one_of(value, &ORIENTATIONS).map_err(invalid)?,
            "latency_ms" => {
                self.latency_ms = latency(value)
                    .ok_or_else(|| invalid("expected milliseconds such as 200 or 0..800".to_owned()))?;
            }
            "clock" if value == "real" => self.clock = Clock::Real,
            "clock" => {
                let time = DateTime::parse_from_rfc3339(value).map_err(|_| {
                    invalid("expected `real` or a time such as 2026-01-01T09:41:00Z".to_owned())
                })?;
                self.clock = Clock::At(time.to_utc());
            }
            "seed" => {
                self.seed = value.parse().map_err(|_| invalid("expected a whole number".to_owned()))?;
            }
            "locale" if !value.is_empty() => self.locale = value.to_owned(),
            "locale" => return Err(invalid("expected a locale such as en_US".to_owned())),
            _ => {
                return Err(SimError::UnknownOption {
                    key: key.to_owned(),
                    nearest: closest(key, KEYS),
                    known: KEYS.map(str::to_owned).to_vec(),
                });
            }
        }
        Ok(())
    }

    /// A time within the range, as a random number says.
    pub(crate) fn latency_for(&self, random: u64) -> Duration {
        let (low, high) = (*self.latency_ms.start(), *self.latency_ms.end());
        Duration::from_millis(low + random % (high - low + 1))
    }
}

fn one_of<T: Copy>(value: &str, table: &[(&str, T)]) -> Result<T, String> {
    table.iter().find(|(name, _)| *name == value).map(|(_, v)| *v).ok_or_else(|| {
        let names: Vec<_> = table.iter().map(|(name, _)| *name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// `200`, `0..800` or `0..=800`: both ends count.
fn latency(value: &str) -> Option<RangeInclusive<u64>> {
    const LONGEST: u64 = 60_000;
    let range = match value.split_once("..") {
        Some((low, high)) => low.parse().ok()?..=high.trim_start_matches('=').parse().ok()?,
        None => {
            let fixed = value.parse().ok()?;
            fixed..=fixed
        }
    };
    (!range.is_empty() && *range.end() <= LONGEST).then_some(range)
}

impl ContentSize {
    /// The size that simctl calls so, such as `extra-large`.
    pub fn from_simctl(name: &str) -> Option<Self> {
        serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_the_selector_is_read() {
        let options = SimulatorOptions::parse(
            "device=iphone-mini&appearance=dark&text_size=xl&orientation=landscape&latency_ms=0..800&clock=2026-01-01T09:41:00Z&seed=7",
        )
        .unwrap();
        assert_eq!(options.profile.name, "iphone-mini");
        assert_eq!(options.appearance, Appearance::Dark);
        assert_eq!(options.content_size, ContentSize::ExtraLarge);
        assert!(options.orientation.is_landscape());
        assert_eq!(options.latency_ms, 0..=800);
        assert_eq!(options.seed, 7);
        assert_eq!(options.clock.start().to_rfc3339(), "2026-01-01T09:41:00+00:00");
    }

    #[test]
    fn a_wrong_key_is_named_with_the_nearest_and_the_known() {
        let error = SimulatorOptions::parse("apearance=dark").unwrap_err().to_string();
        assert!(error.contains("`apearance`") && error.contains("did you mean `appearance`"), "{error}");
        assert!(error.contains("latency_ms"), "{error}");
    }

    #[test]
    fn a_wrong_value_says_what_is_expected() {
        for query in ["device=nokia", "seed=x", "latency_ms=9..2", "clock=noon", "text_size=huge", "locale="]
        {
            let error = SimulatorOptions::parse(query).unwrap_err().to_string();
            assert!(error.contains("expected"), "{error}");
        }
    }
}
