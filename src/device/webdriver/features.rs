//! What a server can do, as far as its answers tell. Uses nothing of this crate but `serde_json`.

use serde_json::Value;

/// The feature table of one session: found out once, when it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// The `/wda/…` routes of WebDriverAgent.
    pub agent_routes: bool,
    /// `execute/sync` of `mobile: …` scripts.
    pub mobile_scripts: bool,
    /// `execute/sync` of JavaScript in a page.
    pub javascript: bool,
    /// `goog/cdp/execute`.
    pub cdp: bool,
    pub source: SourceKind,
    pub points: PointsFrom,
    pub element_origin: ElementOrigin,
    /// The capabilities that the server answered with.
    pub capabilities: Value,
}

/// Where accessibility comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Chromium's own tree, joined with boxes.
    Chromium,
    /// `source?format=json` of WebDriverAgent.
    AgentJson,
    /// `source` with XCUIElementType elements.
    Xml,
    /// The source is a page: no tree.
    None,
}

/// Where the size of the interface comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointsFrom {
    /// The page is asked.
    Page,
    /// `window/rect`, and where there is none `window/size`.
    Window,
}

/// What an offset from an element counts from. Touches are sent from the viewport's origin, which is the same
/// everywhere; this is told in `doctor` and kept for drivers that have nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOrigin {
    TopLeft,
    Center,
}

/// What `GET /status` says of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub is_agent: bool,
    pub is_chromedriver: bool,
}

impl Status {
    pub fn of(status: &Value) -> Self {
        let build = &status["build"];
        let is_agent = build["productBundleIdentifier"].is_string() || status["ios"].is_object();
        // a Grid lists its nodes, Appium knows no system
        let is_chromedriver = build["version"].is_string()
            && status["os"].is_object()
            && !is_agent
            && status.get("nodes").is_none();
        Self { is_agent, is_chromedriver }
    }
}

impl Features {
    /// From the answers: of `status`, of the new session, and whether it ran a script and a command of CDP.
    pub fn of(status: Status, capabilities: Value, javascript: bool, cdp: bool) -> Self {
        let named = |name: &str| {
            let value =
                capabilities.get(name).or_else(|| capabilities.get(format!("appium:{name}").as_str()));
            value.and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
        };
        let agent_routes =
            status.is_agent || (capabilities["sdkVersion"].is_string() && capabilities["device"].is_string());
        let automation = named("automationName");
        let is_phone = agent_routes || automation == "xcuitest" || named("platformName") == "ios";
        let source = match (agent_routes, cdp, is_phone, javascript) {
            (true, ..) => SourceKind::AgentJson,
            (_, true, ..) => SourceKind::Chromium,
            (_, _, true, false) => SourceKind::Xml,
            _ => SourceKind::None,
        };
        Self {
            agent_routes,
            mobile_scripts: !agent_routes && automation == "xcuitest",
            javascript,
            cdp,
            source,
            points: if javascript { PointsFrom::Page } else { PointsFrom::Window },
            element_origin: if is_phone { ElementOrigin::TopLeft } else { ElementOrigin::Center },
            capabilities,
        }
    }

    /// It shows pages, not a phone's own screen.
    pub fn is_browser(&self) -> bool {
        self.javascript && !self.agent_routes
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn servers_are_told_apart_by_what_they_answer() {
        let agent = Status::of(&json!({"ready": true, "ios": {"ip": "10.0.0.2"}, "os": {"name": "iOS"},
            "build": {"productBundleIdentifier": "com.facebook.WebDriverAgentRunner", "version": "16.7.0"}}));
        let phone = Features::of(agent, json!({"device": "iphone", "sdkVersion": "18.2"}), false, false);
        assert!(phone.agent_routes && !phone.is_browser() && !phone.mobile_scripts);
        assert_eq!((phone.source, phone.points), (SourceKind::AgentJson, PointsFrom::Window));
        assert_eq!(phone.element_origin, ElementOrigin::TopLeft);

        let driver =
            Status::of(&json!({"build": {"version": "156.0"}, "os": {"name": "Linux"}, "ready": true}));
        assert!(driver.is_chromedriver);
        let chrome = Features::of(driver, json!({"browserName": "chrome"}), true, true);
        assert!(chrome.is_browser());
        assert_eq!((chrome.source, chrome.points), (SourceKind::Chromium, PointsFrom::Page));

        let appium = Status::of(&json!({"build": {"version": "3.8.0"}, "ready": true}));
        assert_eq!(appium, Status::default());
        let xcuitest = json!({"platformName": "iOS", "automationName": "XCUITest"});
        let through = Features::of(appium, xcuitest, false, false);
        assert!(through.mobile_scripts && through.source == SourceKind::Xml);

        let grid = Status::of(&json!({"ready": true, "nodes": [], "build": {"version": "4"}, "os": {}}));
        assert_eq!(grid, Status::default());
        assert_eq!(
            Features::of(grid, json!({"browserName": "firefox"}), true, false).source,
            SourceKind::None
        );
    }
}
