//! People's output: a line for each step; colours and a bar only where a terminal shows them. Uses `events`.

use std::io::{self, IsTerminal, Write};

use super::Tone;
use super::bar::{Bar, CLEAR};
use crate::replay::events::{Event, Reporter};
use crate::replay::outcome::{RecordingReport, RunReport, StepReport, StepVerdict};

/// What a terminal is taken to have where it does not say.
const COLUMNS: usize = 80;

pub struct Terminal<W> {
    to: W,
    coloured: bool,
    bar: Option<Bar>,
}

impl Terminal<io::Stderr> {
    /// To standard error, coloured where that is a terminal and `NO_COLOR` is not set.
    pub fn stderr() -> Self {
        Self::to(io::stderr())
    }
}

impl Terminal<io::Stdout> {
    /// To standard output, for commands whose output is this.
    pub fn stdout() -> Self {
        Self::to(io::stdout())
    }
}

impl<W: Write + IsTerminal> Terminal<W> {
    fn to(to: W) -> Self {
        let coloured = to.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        // a terminal without cursor movements calls itself dumb
        let moves = to.is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        Self { to, coloured, bar: moves.then(Bar::default) }
    }
}

impl<W: Write> Terminal<W> {
    /// Without colours and bar, for files and pipes.
    pub fn plain(to: W) -> Self {
        Self { to, coloured: false, bar: None }
    }

    fn painted(&self, word: &str, tone: Tone) -> String {
        let code = match tone {
            Tone::Good => 32,
            Tone::Warning => 33,
            Tone::Bad => 31,
            Tone::Soft => 90,
        };
        if self.coloured { format!("\x1b[{code}m{word}\x1b[0m") } else { word.to_owned() }
    }

    fn step(&mut self, name: &str, step: &StepReport) -> io::Result<()> {
        let word = self.painted(&format!("{:<8}", step.verdict.word()), step.verdict.into());
        let (number, description, took) = (step.step, &step.description, step.duration_ms);
        writeln!(self.to, "  {word} {name} {number:>3}  {description}  {took} ms")?;
        if let Some(reason) = step.reason() {
            writeln!(self.to, "           {reason}")?;
        }
        if let Some(suggestion) = &step.suggestion {
            writeln!(self.to, "           {suggestion}")?;
        }
        for gate in step.gates.iter().filter(|g| !g.measured.matched) {
            writeln!(self.to, "           expected {}", gate.expected.display())?;
            if let Some(actual) = &gate.actual {
                writeln!(self.to, "           actual   {}", actual.display())?;
            }
        }
        Ok(())
    }

    fn recording(&mut self, recording: &RecordingReport) -> io::Result<()> {
        let ran = recording.steps.iter().filter(|s| s.verdict != StepVerdict::NotRun).count();
        let word = self.painted(recording.verdict.word(), recording.into());
        let seconds = recording.duration_ms as f64 / 1e3;
        write!(
            self.to,
            "{word} {}: {ran} of {} steps in {seconds:.1} s",
            recording.name,
            recording.steps.len()
        )?;
        if recording.attempts > 1 {
            write!(self.to, ", {} attempts", recording.attempts)?;
        }
        writeln!(self.to)?;
        if let Some(message) = &recording.message {
            writeln!(self.to, "  {message}")?;
        }
        recording.warnings.iter().try_for_each(|w| writeln!(self.to, "  note: {w}"))
    }

    fn totals(&mut self, report: &RunReport) -> io::Result<()> {
        let tone = if report.failed == 0 { Tone::Good } else { Tone::Bad };
        let line = format!("{} passed, {} failed", report.passed, report.failed);
        let line = self.painted(&line, tone);
        writeln!(self.to, "{line} in {:.1} s", report.duration_ms as f64 / 1e3)
    }
}

impl<W: Write + Send> Reporter for Terminal<W> {
    fn tell(&mut self, event: &Event) -> io::Result<()> {
        if self.bar.is_some() {
            self.to.write_all(CLEAR.as_bytes())?;
        }
        match event {
            Event::RunStarted { .. } => Ok(()),
            Event::RecordingStarted { name, device, steps, attempt, .. } => {
                let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                writeln!(self.to, "{name}: {steps} steps on {device}{again}")
            }
            Event::StepFinished { step, .. } if step.verdict == StepVerdict::NotRun => Ok(()),
            Event::StepFinished { name, step, .. } => self.step(name, step),
            Event::RecordingFinished { recording, .. } => self.recording(recording),
            Event::RunFinished { report } => self.totals(report),
        }?;
        if let Some(bar) = &mut self.bar {
            bar.count(event);
            if !matches!(event, Event::RunFinished { .. }) {
                self.to.write_all(bar.line(columns()).as_bytes())?;
            }
        }
        self.to.flush()
    }
}

/// As the shell says.
fn columns() -> usize {
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|n| *n > 0).unwrap_or(COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::report::samples::{events, recording};

    fn told(mut terminal: Terminal<Vec<u8>>) -> String {
        events(vec![recording("sign-in", StepVerdict::Passed)])
            .iter()
            .for_each(|e| terminal.tell(e).unwrap());
        String::from_utf8(terminal.to).unwrap()
    }

    #[test]
    fn a_pipe_gets_plain_lines() {
        let text = told(Terminal::plain(Vec::new()));
        assert!(text.contains("passed   sign-in   1  tap") && text.ends_with("s\n"), "{text}");
        assert!(!text.contains('\x1b') && !text.contains('\r'), "{text}");
    }

    #[test]
    fn a_terminal_gets_a_bar_that_is_gone_in_the_end() {
        let bar = Some(Bar::default());
        let text = told(Terminal { to: Vec::new(), coloured: true, bar });
        assert!(text.contains("0/1 steps, 0/1 recordings") && text.contains("1/1 steps, 1/1 recordings"));
        let last = text.rsplit(CLEAR).next().unwrap();
        assert!(last.contains("1 passed, 0 failed") && !last.contains('━'), "{last}");
        let bars = text.split(CLEAR).flat_map(|part| part.lines().last());
        assert!(bars.filter(|line| line.contains('─')).all(|line| line.chars().count() < COLUMNS));
    }
}
