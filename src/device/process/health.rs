//! What a supervised process is asked for: whether it is ready, and whether it still is. Uses `tail`.

use async_trait::async_trait;

use super::tail::Tail;

/// Why a process can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReady {
    /// It may come yet; why it isn't there.
    Yet(String),
    /// It will never come.
    Never(String),
}

/// What the process has written so far; the end of it, where that is much.
#[derive(Clone)]
pub struct Output {
    pub(super) stdout: Tail,
    pub(super) stderr: Tail,
}

impl Output {
    pub fn lines(&self) -> Vec<String> {
        self.stdout.text().lines().map(str::to_owned).collect()
    }

    /// All that is kept, complaints last.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.stdout.text(), self.stderr.text())
    }

    /// The last lines of what it complained of, else of what it said.
    pub fn last_words(&self, lines: usize) -> String {
        let errors = self.stderr.text();
        let text = if errors.trim().is_empty() { self.stdout.text() } else { errors };
        let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }
}

/// What a supervised process does for us, as seen from outside.
#[async_trait]
pub trait Service: Send + Sync + 'static {
    /// Whether it can be used.
    async fn ready(&self, output: &Output) -> Result<(), NotReady>;

    /// Whether it still answers, once it has been ready; otherwise what is wrong.
    async fn healthy(&self) -> Result<(), String>;

    /// Of one that ended before it was ready: why it is in vain to start it again, where what it wrote tells.
    fn hopeless(&self, _output: &Output) -> Option<String> {
        None
    }
}

/// A process that may be started again under whoever uses it.
#[async_trait]
pub trait Standing: Send + Sync {
    /// Waits until it stands, and gives how often it was started again: what was begun with it before is then lost.
    async fn standing(&self) -> Result<u32, String>;
}
