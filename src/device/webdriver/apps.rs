//! Apps of a phone, and the page of a browser. Uses `link`.

use serde_json::{Value, json};

use super::client::Command;
use super::link::Link;
use super::scripts;
use crate::device::{AppInfo, DeviceError, Launch, Result};

const GO: Command = Command::post("open URL", "/url").within(90);
const LAUNCH: Command = Command::post("launch", "/wda/apps/launch").within(90);
const TERMINATE: Command = Command::post("terminate", "/wda/apps/terminate");
const LIST: Command = Command::get("list apps", "/wda/apps/list");
const IN_FRONT: Command = Command::get("app in front", "/wda/activeAppInfo");
/// What a browser shows instead of an app that was ended.
const NOTHING: &str = "about:blank";

/// Opens an address: in the browser, or as a deep link.
pub async fn open_url(link: &Link, url: &str) -> Result<()> {
    link.send(GO, Some(&json!({"url": url}))).await.map(drop).map_err(|failure| link.error(GO, failure))
}

/// The apps that run, as far as the server tells; of a browser its page, called `page`.
pub async fn list(link: &Link, page: Option<&str>) -> Result<Vec<AppInfo>> {
    let features = link.features();
    let failed = |failure| link.error(LIST, failure);
    if features.is_browser() {
        let answer = link.script(scripts::PAGE, json!([])).await.map_err(failed)?;
        let told = |i: usize| answer.get(i).and_then(Value::as_str).unwrap_or_default().to_owned();
        let bundle_id = page.map_or_else(|| told(1), str::to_owned);
        return Ok(vec![app(bundle_id, told(0), None, "page")]);
    }
    if features.agent_routes {
        let running = link.send(LIST, None).await.map_err(failed)?;
        let read = |running: &Value| {
            let id = running["bundleId"].as_str()?.to_owned();
            Some(app(id.clone(), id, running["pid"].as_u64(), "unknown"))
        };
        return Ok(running.as_array().into_iter().flatten().filter_map(read).collect());
    }
    if features.mobile_scripts {
        let front = link.mobile("activeAppInfo", json!({})).await.map_err(failed)?;
        let id = front["bundleId"].as_str().unwrap_or_default().to_owned();
        let name = front["name"].as_str().unwrap_or(&id).to_owned();
        return Ok(vec![app(id, name, front["pid"].as_u64(), "unknown")]);
    }
    Err(lacks(link, "listing apps"))
}

fn app(bundle_id: String, name: String, pid: Option<u64>, install_type: &str) -> AppInfo {
    AppInfo { bundle_id, name, running: Some(true), pid, install_type: install_type.to_owned() }
}

/// Launches an app, or opens the page that is a browser's app; gives the process, 0 where there is none to tell.
pub async fn launch(link: &Link, launch: &Launch) -> Result<u64> {
    let Launch { bundle_id, arguments, environment, foreground_if_running } = launch;
    let features = link.features();
    if features.is_browser() {
        if !arguments.is_empty() || !environment.is_empty() {
            return Err(lacks(link, "starting a page with arguments or an environment"));
        }
        if !is_address(bundle_id) {
            return Err(DeviceError::InvalidRequest {
                device: link.device().to_owned(),
                call: "launch",
                reason: format!("`{bundle_id}` is no address; a browser's app is a URL such as http://…"),
            });
        }
        return open_url(link, bundle_id).await.map(|()| 0);
    }
    if !foreground_if_running {
        terminate(link, bundle_id).await?;
    }
    let body = json!({"bundleId": bundle_id, "arguments": arguments, "environment": environment});
    let launched = if features.agent_routes {
        link.send(LAUNCH, Some(&body)).await
    } else if features.mobile_scripts {
        link.mobile("launchApp", body).await
    } else {
        return Err(lacks(link, "launching apps"));
    };
    launched.map_err(|failure| link.error(LAUNCH, failure))?;
    Ok(in_front(link).await.filter(|(id, _)| id == bundle_id).map_or(0, |(_, pid)| pid))
}

async fn in_front(link: &Link) -> Option<(String, u64)> {
    let front = if link.features().agent_routes {
        link.send(IN_FRONT, None).await.ok()?
    } else {
        link.mobile("activeAppInfo", json!({})).await.ok()?
    };
    Some((front["bundleId"].as_str()?.to_owned(), front["pid"].as_u64()?))
}

/// Ends an app; a browser shows nothing then.
pub async fn terminate(link: &Link, bundle_id: &str) -> Result<()> {
    let features = link.features();
    let body = json!({"bundleId": bundle_id});
    let ended = if features.is_browser() {
        // with its session a page is gone
        return if link.is_held().await { open_url(link, NOTHING).await } else { Ok(()) };
    } else if features.agent_routes {
        link.send(TERMINATE, Some(&body)).await
    } else if features.mobile_scripts {
        link.mobile("terminateApp", body).await
    } else {
        return Err(lacks(link, "ending apps"));
    };
    ended.map(drop).map_err(|failure| link.error(TERMINATE, failure))
}

fn is_address(app: &str) -> bool {
    ["http://", "https://", "file://", "data:", "about:"].iter().any(|scheme| app.starts_with(scheme))
}

pub fn lacks(link: &Link, what: &str) -> DeviceError {
    DeviceError::Unsupported {
        device: link.device().to_owned(),
        what: what.to_owned(),
        instead: "its WebDriver server has no way to do it; simulators (`sim:`, `idb:`) can".to_owned(),
    }
}
