//! What a running app uses. Uses nothing of this crate.

use serde::{Deserialize, Serialize};

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Of one core; more than 100 where several work.
    pub cpu_percent: f64,
    pub memory_bytes: u64,
    pub threads: u32,
}

/// Memory of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryRegion {
    /// Such as `MALLOC_SMALL` or `IOSurface`.
    pub category: String,
    pub bytes: u64,
}

/// What the memory of an app is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Footprint {
    pub total_bytes: u64,
    /// The most since its launch, where the platform tells.
    pub peak_bytes: Option<u64>,
    /// The largest first; empty where the platform gives no breakdown.
    pub regions: Vec<MemoryRegion>,
}

impl Footprint {
    /// The sum of these regions, put in order.
    pub fn of(mut regions: Vec<MemoryRegion>, peak_bytes: Option<u64>) -> Self {
        regions.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.category.cmp(&b.category)));
        Self { total_bytes: regions.iter().map(|region| region.bytes).sum(), peak_bytes, regions }
    }
}
