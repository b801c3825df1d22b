//! The command line: one file a subcommand. Uses `operation` and below.

pub mod sim;
