//! What looking costs us: a shop screen cold and unchanged, apart from what the device takes.
//!
//! `cargo bench --bench look`

use std::time::Instant;

use simdrive::observe::{ObserveOptions, Provenance};
use simdrive::session::{Session, SessionStart};

const ROUNDS: usize = 7;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut cold = Vec::new();
    for _ in 0..ROUNDS {
        // the models are loaded by the first start and shared
        let session = Session::start(SessionStart::new("sim:shop".parse()?)).await?;
        let first = session.last().ok_or("nothing was seen")?;
        cold.push(own(&first.provenance));
        session.end(true).await?;
    }
    let session = Session::start(SessionStart::new("sim:shop".parse()?)).await?;
    let mut unchanged = Vec::new();
    let mut whole = Vec::new();
    for _ in 0..ROUNDS * 3 {
        let started = Instant::now();
        let seen = session.observe(&ObserveOptions::at_once()).await?;
        whole.push(started.elapsed().as_secs_f64() * 1e3);
        unchanged.push(own(&seen.provenance));
    }
    session.end(true).await?;
    println!(
        "own time of one look, median of ms: cold {:.1}, unchanged {:.1}",
        median(cold),
        median(unchanged)
    );
    println!("unchanged with the device's time: {:.1} ms", median(whole));
    Ok(())
}

/// What we took, the device's captures and tree left out.
fn own(p: &Provenance) -> f64 {
    p.decode_ms + p.text_ms + p.shapes_ms + p.fuse_ms
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
