//! Every screen of every embedded app, as a picture to look at:
//! `GALLERY=target/gallery cargo test --lib sim::gallery -- --ignored`.

use std::path::Path;
use std::time::Duration;

use super::app::{self, EMBEDDED};
use super::tests::Hand;
use super::{Simulator, SimulatorOptions};
use crate::device::HardwareButton;

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

#[test]
#[ignore = "writes pictures for people to look at"]
fn write_moments_to_the_gallery() {
    let folder = std::env::var("GALLERY").unwrap_or("target/gallery".into());
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).unwrap();
    for options in ["appearance=light", "appearance=dark", "device=ipad", "device=iphone-mini"] {
        let moment = |name: &str, app: &str, act: &dyn Fn(&mut Hand)| {
            let mut hand = Hand::with(app, options);
            act(&mut hand);
            let kind = options.split('=').next_back().unwrap();
            save(&mut hand.0, folder, &format!("moment-{name}-{kind}"));
        };
        moment("keyboard", "shop", &|hand| {
            hand.tap("Email");
            hand.keys("ada@example.com");
            hand.wait(10);
        });
        moment("permission", "demo", &|hand| {
            hand.tap("Controls");
            hand.tap("Location");
        });
        moment("sheet", "demo", &|hand| {
            hand.tap("More");
            hand.tap("Sign in");
        });
        moment("toast", "shop", &|hand| {
            hand.sign_in();
            hand.tap("Aurora Desk Lamp, Home");
            hand.tap("Add to Cart");
            hand.wait(300);
        });
        moment("cart", "shop", &|hand| {
            hand.sign_in();
            hand.tap("Aurora Desk Lamp, Home");
            hand.tap("Add to Cart");
            hand.tap("Cart");
            hand.wait(3_000);
        });
        moment("push", "settings", &|hand| {
            let at = hand.0.truth().into_iter().find(|e| e.label == "Wi-Fi").unwrap().frame.center();
            let panel = hand.0.screen().to_panel(at);
            hand.0.touch_down(panel);
            hand.0.touch_up(panel);
            hand.wait(150);
        });
        moment("search", "shop", &|hand| {
            hand.sign_in();
            hand.tap("Search products");
            hand.keys("lamp");
            hand.wait(10);
        });
        moment("home", "demo", &|hand| {
            hand.0.button(HardwareButton::Home, true);
            let payload = r#"{"aps": {"alert": {"title": "Sale", "body": "Everything must go"}}}"#;
            hand.0.send_notification("com.example.shop", payload).unwrap();
            hand.wait(500);
        });
    }
}
