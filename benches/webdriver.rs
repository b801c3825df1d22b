//! A tap and a look through us against the same through `thirtyfour`, on one chromedriver, turn by turn.
//!
//! `cargo bench --bench webdriver --features peer-thirtyfour`; says so and does nothing where there is no chromedriver.

use std::error::Error;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simdrive::device::{Device, HidEvent, Launch};
use simdrive::geometry::PanelPoint;
use simdrive::observe::ObserveOptions;
use simdrive::session::{Session, SessionStart};
use thirtyfour::common::command::{Command as Sent, ExtensionCommand};
use thirtyfour::{Capabilities, WebDriver};

const ROUNDS: usize = 40;
/// Where nothing of the page reacts.
const TAP_AT: PanelPoint = PanelPoint { x: 380.0, y: 10.0 };
const HOLD: Duration = Duration::from_millis(60);

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Ends its process with itself.
struct Driver {
    process: Child,
    address: String,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Driver {
    async fn start() -> Outcome<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process = Command::new("chromedriver")
            .args([format!("--port={port}"), "--allowed-ips=127.0.0.1".to_owned()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let driver = Self { process, address: format!("http://127.0.0.1:{port}") };
        for _ in 0..100 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(driver);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err("chromedriver does not listen".into())
    }
}

fn capabilities() -> Value {
    json!({"browserName": "chrome", "goog:chromeOptions": {
        "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--disable-background-networking"],
        "mobileEmulation": {"deviceMetrics":
            {"width": 390, "height": 844, "pixelRatio": 3, "touch": true, "mobile": true}}}})
}

/// A list with buttons, taller than the screen.
fn page() -> String {
    let rows: String =
        (1..=60).map(|i| format!("<li>Plant {i} <button>Water</button> <a href=%23>more</a></li>")).collect();
    let head = "<meta name=viewport content='width=device-width'><title>Garden</title>";
    format!("data:text/html,{head}<h1>Garden</h1><ul>{rows}</ul>")
}

/// Our device, in a session.
async fn ours(address: &str) -> Outcome<Arc<Session>> {
    let file = tempfile::Builder::new().suffix(".json").tempfile()?;
    std::fs::write(file.path(), capabilities().to_string())?;
    let selector = format!("webdriver+{address}?capabilities={}", file.path().display());
    let session = Session::start(SessionStart::new(selector.parse()?)).await?;
    session.device().launch(&Launch { bundle_id: page(), ..Launch::default() }).await?;
    Ok(session)
}

async fn theirs(address: &str) -> Outcome<WebDriver> {
    let wanted: Capabilities = serde_json::from_value(capabilities())?;
    let driver = WebDriver::new(address, wanted).await?;
    driver.goto(page()).await?;
    Ok(driver)
}

/// Its typed actions know no touch, so that the request is given as it is.
#[derive(Debug)]
struct Touch;

impl ExtensionCommand for Touch {
    fn parameters_json(&self) -> Option<Value> {
        let place = json!({"type": "pointerMove", "duration": 0, "x": TAP_AT.x, "y": TAP_AT.y});
        let hold = json!({"type": "pause", "duration": HOLD.as_millis() as u64});
        Some(json!({"actions": [{"type": "pointer", "id": "finger",
            "parameters": {"pointerType": "touch"}, "actions": [place,
                {"type": "pointerDown", "button": 0}, hold, {"type": "pointerUp", "button": 0}]}]}))
    }

    fn method(&self) -> reqwest::Method {
        reqwest::Method::POST
    }

    fn endpoint(&self) -> Arc<str> {
        "/actions".into()
    }
}

async fn our_look(device: &dyn Device) -> Outcome<()> {
    device.screenshot().await?;
    device.accessibility().await?.ok_or("no tree")?;
    Ok(())
}

/// A picture, and the same three questions from which our tree is joined.
async fn their_look(driver: &WebDriver) -> Outcome<()> {
    driver.screenshot_as_png().await?;
    let tools = driver.cdp();
    tools.send_raw("Page.getLayoutMetrics", json!({})).await?;
    tools.send_raw("Accessibility.getFullAXTree", json!({})).await?;
    let wanted = json!({"computedStyles": ["background-color"], "includePaintOrder": true});
    tools.send_raw("DOMSnapshot.captureSnapshot", wanted).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome<()> {
    if Command::new("chromedriver").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("there is no chromedriver here, so nothing is measured (apt-get install chromium-driver)");
        return Ok(());
    }
    let driver = Driver::start().await?;
    let (session, browser) = (ours(&driver.address).await?, theirs(&driver.address).await?);
    let device = &**session.device();
    let touches = [HidEvent::TouchDown(TAP_AT), HidEvent::Delay(HOLD), HidEvent::TouchUp(TAP_AT)];
    let (mut look, mut tap) = (Pair::default(), Pair::default());
    for round in 0..ROUNDS {
        // each goes first in every other round
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                look.ours.push(timed(our_look(device)).await?);
                tap.ours.push(timed(async { Ok(device.hid(&touches).await?) }).await?);
            } else {
                look.theirs.push(timed(their_look(&browser)).await?);
                let touch = browser.handle().cmd(Sent::ExtensionCommand(Box::new(Touch)));
                tap.theirs.push(timed(async { touch.await.map(drop).map_err(Into::into) }).await?);
            }
        }
    }
    let mut whole = Vec::new();
    for _ in 0..ROUNDS / 2 {
        whole.push(
            timed(async { session.observe(&ObserveOptions::at_once()).await.map(drop).map_err(Into::into) })
                .await?,
        );
    }
    tap.tell("tap (look before it not counted)");
    look.tell("picture and tree");
    println!("our whole observe (decoded, read, joined; unchanged screen): {:.1} ms", median(&mut whole));
    session.end(true).await?;
    browser.quit().await?;
    Ok(())
}

/// Milliseconds through us and through thirtyfour.
#[derive(Default)]
struct Pair {
    ours: Vec<f64>,
    theirs: Vec<f64>,
}

impl Pair {
    fn tell(&mut self, what: &str) {
        let (ours, theirs) = (median(&mut self.ours), median(&mut self.theirs));
        println!("{what}: {ours:.1} ms, thirtyfour {theirs:.1} ms, ratio {:.2} (bar 1.0)", ours / theirs);
    }
}

async fn timed(work: impl Future<Output = Outcome<()>>) -> Outcome<f64> {
    let started = Instant::now();
    work.await?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
