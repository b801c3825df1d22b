//! One self-contained page: every recording and step, expected beside actual and difference. Uses `events`.
//!
//! Pictures are in the page itself, so that it works from a file, from a mail and as an artefact of CI.

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Tone, escaped};
use crate::frame::Frame;
use crate::geometry::{PixelRect, PixelSize, Screen};
use crate::replay::outcome::{
    GateReport, RecordingReport, RecordingVerdict, RunReport, StepReport, StepVerdict,
};
use crate::vision::annotate;
use crate::vision::gate::plain;

const PAGE: &str = include_str!("page.html");
/// Pictures of steps that passed are small.
const THUMB_BYTES: usize = 24_000;
const THUMB_SCALE: f64 = 0.66;

/// The whole page of a run.
pub(super) fn page(report: &RunReport) -> String {
    let flaky = report.recordings.iter().filter(|r| r.verdict == RecordingVerdict::Flaky).count();
    let flaky = if flaky > 0 { format!(", {flaky} of them flaky") } else { String::new() };
    let title = match report.failed {
        0 => format!("{} passed{flaky}", report.passed),
        failed => format!("{failed} failed, {} passed{flaky}", report.passed),
    };
    let colour = if report.failed == 0 { "good" } else { "bad" };
    let seconds = report.duration_ms as f64 / 1e3;
    let facts = [
        format!("{} recordings", report.recordings.len()),
        format!("{seconds:.1} s"),
        format!("simdrive {}", report.simdrive),
    ];
    let facts: String = facts.iter().map(|fact| format!("<span>{}</span>", escaped(fact))).collect();
    let heading =
        format!("<h1 class=\"{colour}\">{title}</h1>\n<div class=\"totals soft small\">{facts}</div>\n");
    filled(&title, &heading, &report.recordings)
}

/// The page of what waits for a review.
pub(super) fn review_page(proposals: &[RecordingReport]) -> String {
    let changes: usize = proposals.iter().map(|r| r.steps.len()).sum();
    let title =
        format!("{changes} {} for a review", if changes == 1 { "change waits" } else { "changes wait" });
    let heading = format!(
        "<h1 class=\"warn\">{title}</h1>\n<p class=\"soft small\">Expected is what is recorded, actual what is \
         proposed. <code>simdrive review</code> accepts or rejects.</p>\n"
    );
    filled(&title, &heading, proposals)
}

fn filled(title: &str, heading: &str, recordings: &[RecordingReport]) -> String {
    let mut content = heading.to_owned();
    recordings.iter().for_each(|r| recording(&mut content, r));
    PAGE.replace("{{title}}", title).replacen("{{content}}", &content, 1)
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Warning => "warn",
        Tone::Bad => "bad",
        Tone::Soft => "soft",
    }
}

// writing to a String can't fail
fn recording(out: &mut String, report: &RecordingReport) {
    let (word, colour) = (report.verdict.word(), class(report.into()));
    let open = if colour == "good" { "" } else { " open" };
    let _ = writeln!(
        out,
        "<details class=\"recording\"{open}><summary><span class=\"badge {colour}\">{word}</span><h2>{}</h2>\
         <span class=\"soft small\">{} steps · {} · {:.1} s, of which our own {:.1} s · attempt {}</span></summary>",
        escaped(&report.name),
        report.steps.len(),
        escaped(&report.device),
        report.duration_ms as f64 / 1e3,
        report.own_ms as f64 / 1e3,
        report.attempts
    );
    for line in report.message.iter().chain(&report.warnings) {
        let _ = writeln!(out, "<p class=\"message small\">{}</p>", escaped(line));
    }
    out.push_str("<ol class=\"steps\">\n");
    report.steps.iter().for_each(|s| step(out, s));
    out.push_str("</ol></details>\n");
}

fn step(out: &mut String, report: &StepReport) {
    let (word, colour) = (report.verdict.word(), class(report.verdict.into()));
    let failing = report.verdict.is_failure() || report.verdict == StepVerdict::Healed;
    let class = if failing { " class=\"failing\" tabindex=\"-1\"" } else { "" };
    let waited: u64 = report.gates.iter().map(|g| g.waited_ms).sum();
    let _ = write!(
        out,
        "<li{class}><div class=\"line\"><span class=\"badge {colour}\">{word}</span><span class=\"soft\">{}</span>\
         <span class=\"what\">{}</span><span class=\"soft small\">{} ms · settled {} ms · waited {waited} ms</span></div>",
        report.step,
        escaped(&report.description),
        report.duration_ms,
        report.settled_ms
    );
    for line in report.reason().iter().chain(&report.suggestion) {
        let _ = write!(out, "<div class=\"small\">{}</div>", escaped(line));
    }
    for gate in &report.gates {
        if gate.measured.matched { matched(out, gate, report) } else { viewer(out, gate, report) }
    }
    out.push_str("</li>\n");
}

/// A gate that matched: its number, and a small picture for who wants to see.
fn matched(out: &mut String, gate: &GateReport, step: &StepReport) {
    let m = &gate.measured;
    let _ = write!(
        out,
        "<details class=\"passed\"><summary>{} matched: {} under {} {}</summary>",
        gate.frame.as_str(),
        plain(m.score),
        plain(m.limit),
        m.unit
    );
    if let Some((size, picture)) = thumb(&gate.expected, m.scale) {
        let _ = write!(out, "<div class=\"thumb\">{}</div>", screen(&picture, size, gate, step, "recorded"));
    }
    out.push_str("</details>");
}

fn viewer(out: &mut String, gate: &GateReport, step: &StepReport) {
    out.push_str(
        "<div class=\"viewer side\"><div class=\"modes\">\
         <button data-mode=\"side\" aria-pressed=\"true\">Side by side</button>\
         <button data-mode=\"slider\" aria-pressed=\"false\">Slider</button>\
         <button data-mode=\"blink\" aria-pressed=\"false\">Blink</button>\
         <button data-mode=\"difference\" aria-pressed=\"false\">Difference</button>\
         <button aria-pressed=\"true\">Places</button></div>\
         <input type=\"range\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"Expected to actual\">\
         <div class=\"pictures\">",
    );
    let pictures = [
        ("expected", Some(&gate.expected)),
        ("actual", gate.actual.as_ref()),
        ("difference", gate.difference.as_ref()),
    ];
    for (name, path) in pictures {
        let _ = write!(out, "<figure class=\"{name}\">");
        match path.and_then(|p| whole(p)) {
            Some((size, picture)) => out.push_str(&screen(&picture, size, gate, step, name)),
            None => out.push_str("<p class=\"soft small\">no picture</p>"),
        }
        let _ = write!(out, "<figcaption>{name}</figcaption></figure>");
    }
    out.push_str("</div>");
    regions(out, gate);
    out.push_str("</div>");
}

fn regions(out: &mut String, gate: &GateReport) {
    let m = &gate.measured;
    let ssim = m.mean_ssim.map(|s| format!(", mean similarity {s:.5}")).unwrap_or_default();
    let _ = write!(
        out,
        "<p class=\"small\">{}: {} reaches the limit of {} {}{ssim}</p>\
         <table><tr><th>Rule</th><th>Points</th><th>Changed</th><th>At</th></tr>",
        m.measure.as_str(),
        plain(m.score),
        plain(m.limit),
        m.unit
    );
    for region in &gate.regions {
        let p = region.points;
        let _ = write!(
            out,
            "<tr><td>{}</td><td>{:.0}, {:.0} · {:.0}×{:.0}</td><td>{} px</td><td>{}</td></tr>",
            region.rule.as_str(),
            p.x,
            p.y,
            p.width,
            p.height,
            region.changed_pixels,
            escaped(region.nearest.as_deref().unwrap_or("—"))
        );
    }
    out.push_str("</table>");
}

/// A picture with its regions, masks and targets laid over it, in shares of its size.
fn screen(picture: &str, size: PixelSize, gate: &GateReport, step: &StepReport, name: &str) -> String {
    let mut out = format!("<div class=\"screen\"><img src=\"{picture}\" alt=\"{name}\" loading=\"lazy\">");
    let mut place = |class: &str, x: f64, y: f64, width: f64, height: f64| {
        let (w, h) = (f64::from(size.width) / 100.0, f64::from(size.height) / 100.0);
        let _ = write!(
            out,
            "<div class=\"place {class}\" style=\"left:{:.2}%;top:{:.2}%;width:{:.2}%;height:{:.2}%\"></div>",
            x / w,
            y / h,
            width / w,
            height / h
        );
    };
    let mut pixels = |class: &str, r: &PixelRect| {
        place(class, f64::from(r.x), f64::from(r.y), f64::from(r.width), f64::from(r.height));
    };
    gate.masked.iter().for_each(|r| pixels("mask", r));
    gate.regions.iter().for_each(|r| pixels("region", &r.pixels));
    let scale = gate.measured.scale;
    for t in &step.targets {
        place("target", t.x * scale, t.y * scale, t.width * scale, t.height * scale);
    }
    out.push_str("</div>");
    out
}

/// A PNG file as it is, with its size.
fn whole(path: &Path) -> Option<(PixelSize, String)> {
    let bytes = std::fs::read(path).ok()?;
    let (width, height) = image::image_dimensions(path).ok()?;
    Some((PixelSize::new(width, height), format!("data:image/png;base64,{}", STANDARD.encode(bytes))))
}

/// A small JPEG, with the size of the frame it was made of.
fn thumb(path: &Path, scale: f64) -> Option<(PixelSize, String)> {
    let frame = Frame::decode(&std::fs::read(path).ok()?).ok()?;
    let small = annotate::plain(&frame, &Screen::of_picture(frame.size(), scale), THUMB_SCALE);
    let jpeg = annotate::jpeg(&small, THUMB_BYTES);
    Some((frame.size(), format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg))))
}

#[cfg(test)]
mod tests {
    use super::super::samples::recording;
    use super::*;

    #[test]
    fn the_page_stands_alone_and_shows_words_as_words() {
        let mut drifted = recording("sign-in", StepVerdict::Drifted);
        drifted.message = Some("<script>alert(1)</script>".into());
        let page = page(&RunReport::new(vec![drifted, recording("other", StepVerdict::Passed)], 90));
        assert!(page.contains("1 failed, 1 passed") && page.contains("“&lt;Sign &amp; In&gt;”"));
        assert_eq!(page.matches("<script>").count(), 1, "its own");
        for elsewhere in ["http://", "https://", "src=\"/", "<link", "@import"] {
            assert!(!page.contains(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn a_review_is_not_told_as_a_run() {
        let page = review_page(&[recording("sign-in", StepVerdict::Drifted)]);
        assert!(page.contains("1 change waits for a review") && !page.contains("passed<"));
    }
}
