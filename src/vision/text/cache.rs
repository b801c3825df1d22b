//! What was read in a crop, remembered by the crop's pixels; bounded.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use image::RgbaImage;

use super::judge::Recognised;
use crate::geometry::PixelRect;

/// Lines that are remembered: some dozens of screens.
const CAPACITY: usize = 2048;

#[derive(Default)]
pub(super) struct Cache {
    entries: HashMap<u64, Entry>,
    clock: u64,
}

struct Entry {
    read: Recognised,
    used: u64,
}

impl Cache {
    /// Names the pixels of a crop.
    pub(super) fn key(pixels: &RgbaImage, crop: PixelRect) -> u64 {
        let stride = pixels.width() as usize * 4;
        let mut hasher = DefaultHasher::new();
        hasher.write_u32(crop.width);
        for y in crop.y..crop.bottom() {
            let from = y as usize * stride + crop.x as usize * 4;
            hasher.write(&pixels.as_raw()[from..from + crop.width as usize * 4]);
        }
        hasher.finish()
    }

    pub(super) fn get(&mut self, key: u64) -> Option<Recognised> {
        self.clock += 1;
        let entry = self.entries.get_mut(&key)?;
        entry.used = self.clock;
        Some(entry.read.clone())
    }

    pub(super) fn put(&mut self, key: u64, read: Recognised) {
        if self.entries.len() >= CAPACITY {
            self.forget_half();
        }
        self.clock += 1;
        self.entries.insert(key, Entry { read, used: self.clock });
    }

    /// Drops the half that was not used for longest.
    fn forget_half(&mut self) {
        let mut used: Vec<u64> = self.entries.values().map(|e| e.used).collect();
        used.sort_unstable();
        let middle = used[used.len() / 2];
        self.entries.retain(|_, entry| entry.used > middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_stays_bounded_and_keeps_what_was_used_last() {
        let mut cache = Cache::default();
        let read = Recognised::Nothing;
        for key in 0..(CAPACITY as u64 * 5) {
            cache.put(key, read.clone());
            assert!(cache.get(0).is_some(), "0 is used all the time");
        }
        assert!(cache.entries.len() <= CAPACITY);
    }

    #[test]
    fn equal_crops_have_equal_keys_wherever_they_lie() {
        let pixels = RgbaImage::from_fn(40, 20, |x, y| image::Rgba([(x % 20) as u8, y as u8, 0, 255]));
        let key = |x, y, w| Cache::key(&pixels, PixelRect::new(x, y, w, 5));
        assert_eq!(key(3, 2, 10), key(23, 2, 10));
        assert_ne!(key(3, 2, 10), key(3, 3, 10));
    }
}
