//! People's output: a line for each step; colours only where a terminal shows them. Uses `events`.

use std::io::{self, IsTerminal, Write};

use crate::replay::events::{Event, Reporter};
use crate::replay::outcome::{RecordingReport, RecordingVerdict, RunReport, StepReport, StepVerdict};

pub struct Terminal<W> {
    to: W,
    coloured: bool,
}

impl Terminal<io::Stderr> {
    /// To standard error, coloured where that is a terminal and `NO_COLOR` is not set.
    pub fn stderr() -> Self {
        let to = io::stderr();
        let coloured = to.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Self { to, coloured }
    }
}

impl Terminal<io::Stdout> {
    /// To standard output, for commands whose output is this.
    pub fn stdout() -> Self {
        let to = io::stdout();
        let coloured = to.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Self { to, coloured }
    }
}

#[derive(Clone, Copy)]
enum Colour {
    Green,
    Yellow,
    Red,
    Grey,
}

impl<W: Write> Terminal<W> {
    /// Without colours, for files and pipes.
    pub fn plain(to: W) -> Self {
        Self { to, coloured: false }
    }

    fn painted(&self, word: &str, colour: Colour) -> String {
        let code = match colour {
            Colour::Green => 32,
            Colour::Yellow => 33,
            Colour::Red => 31,
            Colour::Grey => 90,
        };
        if self.coloured { format!("\x1b[{code}m{word}\x1b[0m") } else { word.to_owned() }
    }

    fn step(&mut self, name: &str, step: &StepReport) -> io::Result<()> {
        let (word, colour) = match step.verdict {
            StepVerdict::Passed => ("pass", Colour::Green),
            StepVerdict::Healed => ("healed", Colour::Yellow),
            StepVerdict::Drifted => ("drift", Colour::Red),
            StepVerdict::Missing => ("missing", Colour::Red),
            StepVerdict::Failed => ("fail", Colour::Red),
            StepVerdict::NotRun => ("not run", Colour::Grey),
        };
        let word = self.painted(&format!("{word:<8}"), colour);
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
        let (word, colour) = match recording.verdict {
            RecordingVerdict::Passed => ("passed", Colour::Green),
            RecordingVerdict::Flaky => ("flaky", Colour::Yellow),
            RecordingVerdict::Drifted => ("drifted", Colour::Red),
            RecordingVerdict::Failed => ("failed", Colour::Red),
            RecordingVerdict::Invalid => ("invalid", Colour::Red),
            RecordingVerdict::NoDevice => ("no device", Colour::Red),
            RecordingVerdict::NotRun => ("not run", Colour::Grey),
        };
        let ran = recording.steps.iter().filter(|s| s.verdict != StepVerdict::NotRun).count();
        let word = self.painted(word, colour);
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
        let colour = if report.failed == 0 { Colour::Green } else { Colour::Red };
        let line = format!("{} passed, {} failed", report.passed, report.failed);
        let line = self.painted(&line, colour);
        writeln!(self.to, "{line} in {:.1} s", report.duration_ms as f64 / 1e3)
    }
}

impl<W: Write + Send> Reporter for Terminal<W> {
    fn tell(&mut self, event: &Event) -> io::Result<()> {
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
        self.to.flush()
    }
}
