//! Events as they happen, one JSON object a line. Uses `events`.

use std::io::{self, Write};

use crate::replay::events::{Event, Reporter};

pub struct JsonLines<W> {
    to: W,
}

impl<W: Write> JsonLines<W> {
    pub fn new(to: W) -> Self {
        Self { to }
    }
}

impl<W: Write + Send> Reporter for JsonLines<W> {
    fn tell(&mut self, event: &Event) -> io::Result<()> {
        serde_json::to_writer(&mut self.to, event)?;
        self.to.write_all(b"\n")?;
        // whoever follows the file sees each event when it happens
        self.to.flush()
    }
}
