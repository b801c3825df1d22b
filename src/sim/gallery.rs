//! Every screen of every embedded app, as a picture to look at:
//! `GALLERY=target/gallery cargo test --lib sim::gallery -- --ignored`.

use std::path::Path;
use std::time::Duration;

use super::app::{self, EMBEDDED};
use super::{Simulator, SimulatorOptions};

fn save(simulator: &mut Simulator, folder: &Path, name: &str) {
    simulator.render().save(folder.join(format!("{name}.png"))).unwrap();
}

#[test]
#[ignore = "writes pictures for people to look at"]
fn write_the_gallery() {
    let folder = std::env::var("GALLERY").unwrap_or("target/gallery".into());
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).unwrap();
    let query = std::env::var("GALLERY_OPTIONS").unwrap_or("clock=2026-01-01T09:41:00Z".into());
    for embedded in &EMBEDDED {
        let app = app::load(embedded.name).unwrap();
        let screens: Vec<_> = app.screens.keys().cloned().collect();
        let mut simulator = Simulator::new(app, SimulatorOptions::parse(&query).unwrap());
        for screen in screens {
            simulator.with_front(|process, system| process.start_over(&screen, system));
            simulator.advance(Duration::from_millis(2_500));
            save(&mut simulator, folder, &format!("{}-{screen}", embedded.name));
        }
    }
}
