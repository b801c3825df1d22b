//! Reads the command line, nothing else.

use std::process::ExitCode;

use simdrive::exit::Exit;

fn main() -> ExitCode {
    std::panic::catch_unwind(simdrive::cli::run).unwrap_or(Exit::Internal).into()
}
