//! What Xcode's tools say when an agent can't be started, and what it means. Uses nothing.

/// What is found in what they wrote, in lower case, and what to do then. The first that fits counts.
const MEANINGS: [(&[&str], &str); 11] = [
    (
        &["not been explicitly trusted", "untrusted developer", "developer app certificate is not trusted"],
        "the phone does not trust who signed WebDriverAgent: on the phone, Settings, General, VPN & Device \
         Management, choose the developer and tap Trust",
    ),
    (
        &["developer mode disabled", "developer mode is not enabled", "enable developer mode"],
        "the phone's Developer Mode is off: on the phone, Settings, Privacy & Security, Developer Mode",
    ),
    (
        &[
            "device is locked",
            "was not, or could not be, unlocked",
            "unlock the device",
            "devicelocked",
            "is locked. to",
        ],
        "the phone is locked: unlock it, and keep it from locking itself (Settings, Display & Brightness, \
         Auto-Lock)",
    ),
    (
        &["has expired", "profile expired", "certificate is expired"],
        "what WebDriverAgent was signed with has expired (a free team's lasts 7 days): build it again, with \
         SIMDRIVE_WDA_PROJECT set to WebDriverAgent.xcodeproj",
    ),
    (
        &[
            "requires a development team",
            "no profiles for",
            "no signing certificate",
            "no account for team",
            "errsecinternalcomponent",
            "codesign failed",
            "failed to register bundle identifier",
            "requires a provisioning profile",
            "doesn't include signing certificate",
        ],
        "WebDriverAgent can't be signed: set SIMDRIVE_WDA_TEAM to your team's id (Xcode, Settings, Accounts) and \
         SIMDRIVE_WDA_BUNDLE to a bundle id of your own, such as com.you.wda",
    ),
    (
        &["developer disk image", "ddi could not", "failed to prepare device for development"],
        "the phone has no developer disk image that fits: update Xcode, connect the phone and open Xcode once",
    ),
    (
        &["is not paired", "must be paired", "trust this computer", "pairing required"],
        "the phone is not paired with this Mac: connect it by cable, unlock it and tap Trust",
    ),
    (
        &[
            "unable to find a device matching",
            "unable to find a destination matching",
            "device not found",
            "is not connected",
            "no device found",
            "the specified device was not found",
        ],
        "the phone is not connected: connect it by cable, and unlock it",
    ),
    (
        &[
            "address already in use",
            "error creating socket for listen port",
            "unable to start web server on port",
        ],
        "the agent's port is taken: end the other WebDriverAgent or `iproxy` that holds it",
    ),
    (
        &[
            "is not installed",
            "no application with bundle",
            "unable to find application",
            "failed to find application",
        ],
        "WebDriverAgent is not installed on the phone: set SIMDRIVE_WDA_PROJECT to WebDriverAgent.xcodeproj and \
         SIMDRIVE_WDA_TEAM to your team's id, and it is built and installed; or SIMDRIVE_WDA_BUNDLE to the bundle \
         id under which it is",
    ),
    (
        &[
            "tool 'xcodebuild' requires xcode",
            "unable to find utility",
            "xcode license",
            "no developer tools",
        ],
        "Xcode is not ready: sudo xcode-select -s /Applications/Xcode.app && sudo xcodebuild -license accept",
    ),
];

/// What to do about it, where what was said is known.
pub fn meaning(said: &str) -> Option<&'static str> {
    let said = said.to_lowercase().replace('’', "'");
    let fits = |signs: &&[&str]| signs.iter().any(|sign| said.contains(sign));
    MEANINGS.iter().find(|(signs, _)| fits(signs)).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tools_say_is_told_in_plain_words() {
        for (said, part) in [
            ("error: Signing for \"WebDriverAgentRunner\" requires a development team.", "SIMDRIVE_WDA_TEAM"),
            ("error: No profiles for 'com.facebook.WebDriverAgentRunner' were found", "SIMDRIVE_WDA_BUNDLE"),
            ("its profile has not been explicitly trusted by the user", "tap Trust"),
            ("xcodebuild: error: Developer Mode disabled", "Developer Mode"),
            ("the device was not, or could not be, unlocked", "unlock it"),
            ("xcodebuild: error: Unable to find a device matching the provided destination", "by cable"),
            ("bind(): Address already in use", "port is taken"),
            ("The developer disk image could not be mounted", "update Xcode"),
            ("com.facebook.WebDriverAgentRunner.xctrunner is not installed", "SIMDRIVE_WDA_PROJECT"),
            ("xcrun: error: unable to find utility \"devicectl\"", "xcode-select"),
        ] {
            assert!(
                meaning(said).is_some_and(|meaning| meaning.contains(part)),
                "{said}: {:?}",
                meaning(said)
            );
        }
        assert_eq!(meaning("Testing started\nServerURLHere->http://10.0.0.7:8100<-ServerURLHere"), None);
    }
}
