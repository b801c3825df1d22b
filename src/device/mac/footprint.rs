//! What the memory of a process is made of, as macOS's `footprint` prints it. Uses `device::process`.

use std::time::Duration;

use crate::device::metrics::{Footprint, MemoryRegion};
use crate::device::process::Command;

const DEADLINE: Duration = Duration::from_secs(20);

/// Asks for the footprint of a process.
///
/// # Errors
/// The tool is not there, or says nothing readable; in words.
pub async fn of(pid: u64) -> Result<Footprint, String> {
    let asked = Command::new("footprint").arguments([pid.to_string()]).run(DEADLINE).await;
    let finished = asked.map_err(|e| e.to_string())?;
    read(&finished.text())
        .ok_or_else(|| format!("footprint says nothing readable: {}", finished.stderr.trim()))
}

/// Reads the table: dirty, clean and reclaimable memory, regions, category. What is dirty makes the footprint.
fn read(text: &str) -> Option<Footprint> {
    let mut regions = Vec::new();
    let (mut total, mut peak) = (None, None);
    for line in text.lines().map(str::trim) {
        if let Some(told) = line.strip_prefix("phys_footprint_peak:") {
            peak = bytes(told.split_whitespace());
        } else if let Some(told) = line.strip_prefix("phys_footprint:") {
            total = bytes(told.split_whitespace());
        } else if let Some((dirty, category)) = row(line) {
            match category.as_str() {
                "TOTAL" => total = total.or(Some(dirty)),
                _ if dirty > 0 => regions.push(MemoryRegion { category, bytes: dirty }),
                _ => {}
            }
        }
    }
    let footprint = Footprint::of(regions, peak);
    let total_bytes = total.or((!footprint.regions.is_empty()).then_some(footprint.total_bytes))?;
    Some(Footprint { total_bytes, ..footprint })
}

/// Three sizes, a count and the rest of the line.
fn row(line: &str) -> Option<(u64, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [dirty, dirty_unit, clean, clean_unit, free, free_unit, count, category @ ..] = words.as_slice()
    else {
        return None;
    };
    for (number, unit) in [(clean, clean_unit), (free, free_unit)] {
        bytes([*number, *unit].into_iter())?;
    }
    count.parse::<u64>().ok()?;
    let dirty = bytes([*dirty, *dirty_unit].into_iter())?;
    (!category.is_empty()).then(|| (dirty, category.join(" ")))
}

/// Such as `11 MB`.
fn bytes<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<u64> {
    let number: f64 = words.next()?.parse().ok()?;
    let unit: f64 = match words.next()? {
        "B" => 1.0,
        "KB" => 1024.0,
        "MB" => 1024.0 * 1024.0,
        "GB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some((number * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
======================================================================
Shop [5121]: 64-bit    Footprint: 23 MB (16384 bytes per page)
======================================================================

  Dirty      Clean  Reclaimable    Regions    Category
    ---        ---          ---        ---    ---
4272 KB        0 B          0 B         54    __DATA
  11 MB        0 B          0 B         70    MALLOC_SMALL
    0 B      12 MB          0 B          9    mapped file
8192 KB        0 B        16 KB          4    IOSurface (shared)
    ---        ---          ---        ---    ---
  23 MB      12 MB        16 KB        137    TOTAL

Auxiliary data:
    phys_footprint: 23 MB
    phys_footprint_peak: 31 MB
";

    #[test]
    fn the_table_is_read_the_largest_first() {
        let footprint = read(TABLE).unwrap();
        let mib = 1 << 20;
        assert_eq!((footprint.total_bytes, footprint.peak_bytes), (23 * mib, Some(31 * mib)));
        let kinds: Vec<&str> = footprint.regions.iter().map(|r| r.category.as_str()).collect();
        assert_eq!(kinds, ["MALLOC_SMALL", "IOSurface (shared)", "__DATA"]);
        assert_eq!(read("footprint: no such process"), None);
    }
}
