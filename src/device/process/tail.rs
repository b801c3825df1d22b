//! The end of what a pipe carries. Uses nothing of this crate.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// The last bytes of a pipe; a reader that is always there never blocks the writer, however much it says.
#[derive(Clone)]
pub struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    limit: usize,
}

impl Tail {
    /// Keeps at most `limit` bytes, the last ones.
    pub fn new(limit: usize) -> Self {
        Self { kept: Arc::default(), limit }
    }

    /// Reads to the end of the pipe.
    pub async fn drain(self, mut pipe: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 16 << 10];
        while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
            let mut kept = self.locked();
            kept.extend(&chunk[..read]);
            let over = kept.len().saturating_sub(self.limit);
            kept.drain(..over);
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.locked().iter().copied().collect()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    fn locked(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_is_kept_and_all_is_read() {
        let tail = Tail::new(10);
        let said = [b"x".repeat(100_000), b"the last 9".to_vec()].concat();
        tail.clone().drain(&said[..]).await;
        assert_eq!(tail.text(), "the last 9");
    }
}
