//! The embedded simulator in a process of its own: a companion that outlives the servers.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// `simdrive sim` on a unix socket.
pub struct Companion {
    process: Child,
    pub selector: String,
    _dir: tempfile::TempDir,
}

impl Companion {
    /// Serves an app once the start-up line is there.
    pub fn of(app: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("companion.sock");
        let mut process = Command::new(env!("CARGO_BIN_EXE_simdrive"))
            .args(["sim", "--app", app, "--socket", socket.to_str().unwrap()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            // each call that arrives is a line of it
            .env("SIMDRIVE_LOG", "simdrive::sim::companion=debug")
            .stderr(File::create(dir.path().join("calls")).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("grpc_path"), "{line}");
        Self { process, selector: format!("idb+unix://{}", socket.display()), _dir: dir }
    }

    /// Ends it without warning.
    pub fn kill(&mut self) {
        // it may be gone by now
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.kill();
    }
}
