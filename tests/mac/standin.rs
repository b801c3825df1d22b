//! Executables that answer as those of a Mac do, in a folder that goes first on the `PATH`.
//!
//! Each notes its argument array. `idb_companion` is the embedded simulator behind the companion's command line.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::wire::{Wire, command};

/// What every stand-in begins with: it notes what it was given, then does what a test has put into its way.
const PRELUDE: &str = r#"#!/bin/sh
name="${0##*/}"
unit=$(printf '\037')
call=$name
for a in "$@"; do call="$call$unit$a"; done
# in one go: others note theirs at the same time
printf '%s\n' "$call" >> "$MAC/calls"
[ -f "$MAC/fault-$name" ] && . "$MAC/fault-$name"
"#;

const XCRUN: &str = r#"
for last in "$@"; do :; done
case "$1 $2" in
  "simctl list") cat "$MAC/devices.json" ;;
  "simctl boot")
    echo 'noise: Simulator device failed to open' >&2
    sed -i "/$3/s/Shutdown/Booted/" "$MAC/devices.json" ;;
  "simctl shutdown") sed -i "/$3/s/Booted/Shutdown/" "$MAC/devices.json" ;;
  "simctl ui") [ $# -eq 4 ] && { [ "$4" = appearance ] && echo light || echo large; } ;;
  "simctl spawn") cat "$MAC/log" ;;
  "simctl io")
    # like a companion, it must not be left
    echo $$ >> "$MAC/companions"
    trap 'echo "Recording completed. Writing to disk." >&2; sleep 0.3; echo whole > "$last"; exit 0' INT
    echo 'Recording started' >&2
    while :; do sleep 0.05; done ;;
  "simctl pbcopy") cat > "$MAC/pasteboard" ;;
  "devicectl list") cp "$MAC/phones.json" "$last" ;;
esac
exit 0
"#;

const COMPANION: &str = r#"
while [ $# -gt 0 ]; do [ "$1" = --grpc-domain-sock ] && socket=$2; shift; done
echo $$ >> "$MAC/companions"
echo 'Providing targets across Simulator and Device sets.' >&2
exec "$SIMDRIVE" sim --app demo --socket "$socket"
"#;

const PS: &str = r#"
case "$*" in
  *lstart=*) exec "$(PATH=${PATH#*:} command -v ps)" "$@" ;;
  *-M*) printf 'USER PID TT\n a 1 ??\n   1\n   1\n' ;;
  *) echo ' 12.5  40960' ;;
esac
"#;

const FOOTPRINT: &str = "
echo '  11 MB        0 B          0 B         70    MALLOC_SMALL'
echo '   4 MB        0 B          0 B          4    IOSurface'
echo '    phys_footprint: 15 MB'
";

const DEVICES: &str = r#"{"devices": {"com.apple.CoreSimulator.SimRuntime.iOS-18-2": [
{"udid": "AAAA-1", "name": "iPhone 16", "state": "Shutdown", "isAvailable": true},
{"udid": "AAAA-2", "name": "iPhone 16 Pro", "state": "Shutdown", "isAvailable": true}],
"com.apple.CoreSimulator.SimRuntime.iOS-26-3": [
{"udid": "BBBB-1", "name": "iPhone 16", "state": "Shutdown", "isAvailable": true}]}}"#;

const PHONES: &str = r#"{"result": {"devices": [{"hardwareProperties": {"udid": "0000-9", "platform": "iOS",
"marketingName": "iPhone 15"}, "deviceProperties": {"name": "Ann", "osVersionNumber": "18.1"},
"connectionProperties": {"pairingState": "paired", "transportType": "wired"}}]}}"#;

/// A Mac, as far as simdrive can tell.
pub struct Mac {
    folder: tempfile::TempDir,
}

impl Mac {
    pub fn new() -> Self {
        let mac = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(mac.path("bin")).unwrap();
        for (name, script) in
            [("xcrun", XCRUN), ("idb_companion", COMPANION), ("ps", PS), ("footprint", FOOTPRINT)]
        {
            mac.program(name, script);
        }
        mac.write("devices.json", DEVICES);
        mac.write("phones.json", PHONES);
        mac.write("log", "Timestamp Thread Type\n2026-12-02 10:00:00.001 Df Demo[1:2] hello\n");
        mac
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn program(&self, name: &str, script: &str) {
        let file = self.path("bin").join(name);
        std::fs::write(&file, format!("{PRELUDE}{script}")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What a stand-in does before anything else, in `sh`.
    pub fn fault(&self, program: &str, script: &str) {
        self.write(&format!("fault-{program}"), script);
    }

    /// simdrive as it would run there.
    pub fn command(&self, home: &tempfile::TempDir) -> Command {
        let path = std::env::var("PATH").unwrap();
        let mut command = command(home);
        command
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("MAC", self.folder.path())
            .env("SIMDRIVE", env!("CARGO_BIN_EXE_simdrive"));
        command
    }

    /// A server that has been greeted.
    pub fn server(&self) -> Wire {
        self.server_at(tempfile::tempdir().unwrap())
    }

    pub fn server_at(&self, home: tempfile::TempDir) -> Wire {
        let command = self.command(&home);
        Wire::over(command, home).greeted()
    }

    /// The argument arrays that programs were given, in order, theirs in front.
    pub fn calls(&self, program: &str) -> Vec<Vec<String>> {
        let calls = self.read("calls");
        let split = |line: &str| line.split('\u{1f}').map(str::to_owned).collect::<Vec<_>>();
        calls.lines().map(split).filter(|call| call[0] == program).collect()
    }

    /// Process ids of all companions that were ever started.
    pub fn companions(&self) -> Vec<String> {
        self.read("companions").lines().map(str::to_owned).collect()
    }

    /// Waits until nothing of them is left.
    pub fn assert_no_companion_is_left(&self) {
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            if !self.companions().iter().any(|pid| runs(pid)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("a companion is left of {:?}", self.companions());
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        // a test that failed leaves nothing behind either
        for pid in self.companions().iter().filter(|pid| runs(pid)) {
            signal(pid, "KILL");
        }
    }
}

pub fn signal(pid: &str, name: &str) {
    Command::new("kill").args(["-s", name, pid]).status().unwrap();
}

/// Whether a process is there and not only waiting to be reaped.
pub fn runs(pid: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    let state = String::from_utf8(state.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

/// The sockets of companions that are left in `folder`.
pub fn has_files(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}
