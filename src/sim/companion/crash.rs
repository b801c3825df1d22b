//! Crash reports as the companion lists and shows them. Uses the simulator's records.

use tonic::Status;

use crate::device::idb::protocol::companion as wire;
use crate::sim::Simulator;
use crate::sim::records::CrashRecord;

/// The reports that fit everything the query names; a query of nothing fits them all.
pub fn matching(simulator: &Simulator, query: &wire::CrashLogQuery) -> Vec<wire::CrashLogInfo> {
    let fits = |crash: &&CrashRecord| {
        let at = timestamp(crash);
        (query.since == 0 || at >= query.since)
            && (query.before == 0 || at < query.before)
            && (query.bundle_id.is_empty() || crash.bundle_id == query.bundle_id)
            && (query.name.is_empty() || crash.name == query.name)
    };
    simulator.crashes().iter().filter(fits).map(info).collect()
}

/// One report, by its name.
///
/// # Errors
/// INVALID_ARGUMENT without a name, INTERNAL where none or several have it.
pub fn show(simulator: &Simulator, name: &str) -> Result<wire::CrashShowResponse, Status> {
    if name.is_empty() {
        return Err(Status::invalid_argument("no crash report is named"));
    }
    let crashes = simulator.crashes();
    let mut found = crashes.iter().filter(|crash| crash.name == name);
    match (found.next(), found.next()) {
        (Some(crash), None) => {
            Ok(wire::CrashShowResponse { info: Some(info(crash)), contents: crash.text.clone() })
        }
        (None, _) => Err(Status::internal(format!("no crash report is called {name}"))),
        (Some(_), Some(_)) => Err(Status::internal(format!("several crash reports are called {name}"))),
    }
}

fn info(crash: &CrashRecord) -> wire::CrashLogInfo {
    wire::CrashLogInfo {
        name: crash.name.clone(),
        bundle_id: crash.bundle_id.clone(),
        process_name: crash.process.clone(),
        parent_process_name: "launchd_sim".to_owned(),
        process_identifier: crash.pid,
        parent_process_identifier: 1,
        timestamp: timestamp(crash),
    }
}

fn timestamp(crash: &CrashRecord) -> u64 {
    crash.at.timestamp().try_into().unwrap_or(0)
}
