//! How an agent is started on this Mac: a fact of the Mac and not of the phone, so the environment says it.
//! Uses `device::devicectl` and `device::process`.

use std::path::{Path, PathBuf};

use crate::device::devicectl::PhysicalDevice;
use crate::device::process::Command;
use crate::home::home;

/// What `xcodebuild build-for-testing` has made.
const XCTESTRUN: &str = "SIMDRIVE_WDA_XCTESTRUN";
/// `WebDriverAgent.xcodeproj`.
const PROJECT: &str = "SIMDRIVE_WDA_PROJECT";
/// The team that signs it, by its id.
const TEAM: &str = "SIMDRIVE_WDA_TEAM";
/// Its bundle id, without what Xcode adds.
const BUNDLE: &str = "SIMDRIVE_WDA_BUNDLE";
const DEFAULT_BUNDLE: &str = "com.facebook.WebDriverAgentRunner";
/// What Xcode adds to the bundle id of a runner of tests.
const ADDED: &str = ".xctrunner";
const SCHEME: &str = "WebDriverAgentRunner";
/// From here on an app that is launched gets no session of XCTest, and serves nothing.
const NEEDS_XCTEST: u32 = 27;

/// One of the documented ways to start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// By `xcodebuild`, from what was built for testing before.
    Built { xctestrun: PathBuf },
    /// Built and signed by `xcodebuild`.
    Project { project: PathBuf, team: Option<String>, bundle: Option<String> },
    /// Installed before, and launched by `devicectl`.
    Installed { bundle: String },
}

impl Way {
    /// What the environment says; without a word, that it is installed.
    ///
    /// # Errors
    /// A variable names what is not there.
    pub fn of_environment() -> Result<Self, String> {
        Self::told(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
    }

    fn told(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let there = |name: &str, path: String| {
            let path = PathBuf::from(path);
            if path.exists() {
                Ok(path)
            } else {
                Err(format!("{name} names {}, which is not there", path.display()))
            }
        };
        if let Some(file) = variable(XCTESTRUN) {
            return Ok(Self::Built { xctestrun: there(XCTESTRUN, file)? });
        }
        let bundle = variable(BUNDLE);
        if let Some(project) = variable(PROJECT) {
            let project = there(PROJECT, project)?;
            return Ok(Self::Project { project, team: variable(TEAM), bundle });
        }
        let bundle = bundle.unwrap_or_else(|| DEFAULT_BUNDLE.to_owned());
        let bundle = if bundle.ends_with(ADDED) { bundle } else { bundle + ADDED };
        Ok(Self::Installed { bundle })
    }

    /// Whether the phone can be driven so.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn suits(&self, phone: &PhysicalDevice) -> Result<(), String> {
        let version = phone.os.split(' ').nth(1).and_then(|v| v.split('.').next()?.parse::<u32>().ok());
        match self {
            Self::Installed { .. } if version.is_some_and(|version| version >= NEEDS_XCTEST) => Err(format!(
                "it runs {}, where an installed WebDriverAgent starts without its server: set {PROJECT} to \
                 WebDriverAgent.xcodeproj and {TEAM} to your team's id, or {XCTESTRUN} to what was built of it",
                phone.os
            )),
            _ => Ok(()),
        }
    }

    /// For people.
    pub fn described(&self) -> String {
        match self {
            Self::Built { xctestrun } => format!("started by xcodebuild from {}", xctestrun.display()),
            Self::Project { project, team, .. } => {
                let team = team.as_ref().map_or_else(
                    || format!("the team that the project names ({TEAM} names another)"),
                    |team| format!("team {team}"),
                );
                format!("built by xcodebuild from {}, signed by {team}", project.display())
            }
            Self::Installed { bundle } => format!(
                "{bundle}, which must be installed on the phone; set {PROJECT} or {XCTESTRUN} to have it installed"
            ),
        }
    }

    /// What is run; `port` is the phone's.
    pub(super) fn command(&self, phone: &PhysicalDevice, port: u16) -> Command {
        let destination = format!("id={}", phone.udid);
        let xcodebuild = Command::new("xcodebuild");
        match self {
            Self::Built { xctestrun } => serving(
                xcodebuild
                    .arguments(["test-without-building", "-xctestrun"])
                    .path(xctestrun)
                    .arguments(["-destination", &destination]),
                port,
            ),
            Self::Project { project, team, bundle } => {
                let build = xcodebuild
                    .arguments(["build-for-testing", "test-without-building", "-project"])
                    .path(project)
                    .arguments(["-scheme", SCHEME, "-destination", &destination, "-derivedDataPath"])
                    .path(&derived_data())
                    .arguments(["-allowProvisioningUpdates", "-allowProvisioningDeviceRegistration"])
                    .arguments(team.iter().map(|team| format!("DEVELOPMENT_TEAM={team}")))
                    .arguments(["CODE_SIGN_IDENTITY=Apple Development"])
                    .arguments(bundle.iter().map(|bundle| format!("PRODUCT_BUNDLE_IDENTIFIER={bundle}")))
                    .arguments(["GCC_TREAT_WARNINGS_AS_ERRORS=0", "COMPILER_INDEX_STORE_ENABLE=NO"]);
                serving(build, port)
            }
            Self::Installed { bundle } => Command::new("xcrun").arguments([
                "devicectl",
                "device",
                "process",
                "launch",
                "--device",
                &phone.udid,
                "--terminate-existing",
                "--environment-variables",
                &serde_json::json!({"USE_PORT": port.to_string()}).to_string(),
                bundle,
            ]),
        }
    }
}

/// Tells the port to the scheme, and to the runner itself, as xcodebuild hands on what begins with `TEST_RUNNER_`.
fn serving(xcodebuild: Command, port: u16) -> Command {
    let port = port.to_string();
    xcodebuild.environment("USE_PORT", &port).environment("TEST_RUNNER_USE_PORT", &port)
}

/// Kept, so that only the first time takes long.
fn derived_data() -> PathBuf {
    Path::new(&home()).join("agents").join("DerivedData")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(variables: &[(&str, &str)]) -> Result<Way, String> {
        Way::told(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
    }

    fn phone(os: &str) -> PhysicalDevice {
        PhysicalDevice {
            udid: "0000-9".into(),
            name: "Ann".into(),
            model: "iPhone 15".into(),
            os: os.into(),
            paired: true,
            connected: true,
            developer_mode: true,
        }
    }

    #[test]
    fn the_environment_chooses_and_what_is_not_there_is_named() {
        assert_eq!(
            told(&[]),
            Ok(Way::Installed { bundle: "com.facebook.WebDriverAgentRunner.xctrunner".into() })
        );
        let own = Way::Installed { bundle: "com.ann.wda.xctrunner".into() };
        for bundle in ["com.ann.wda", "com.ann.wda.xctrunner"] {
            assert_eq!(told(&[(BUNDLE, bundle)]), Ok(own.clone()));
        }
        let built = told(&[(XCTESTRUN, "/"), (PROJECT, "/")]);
        assert_eq!(built, Ok(Way::Built { xctestrun: "/".into() }));
        for name in [XCTESTRUN, PROJECT] {
            assert_eq!(
                told(&[(name, "/no/where")]),
                Err(format!("{name} names /no/where, which is not there"))
            );
        }
    }

    #[test]
    fn an_installed_agent_is_refused_from_ios_27_on() {
        let installed = told(&[]).unwrap();
        assert!(["iOS 18.2", "iPadOS 26.4", "iOS"].iter().all(|os| installed.suits(&phone(os)).is_ok()));
        assert!(installed.suits(&phone("iOS 27.0")).unwrap_err().contains(PROJECT));
        assert!(told(&[(PROJECT, "/")]).unwrap().suits(&phone("iOS 27.0")).is_ok());
    }
}
