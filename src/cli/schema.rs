//! `simdrive schema`: the JSON Schema of a file format.

use clap::ValueEnum;

use crate::cli::output;
use crate::config;
use crate::exit::Exit;
use crate::journey::{Journey, Persona};
use crate::recording::Recording;
use crate::sim;

#[derive(Debug, clap::Args)]
pub struct SchemaArgs {
    /// Which format
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// An app of the embedded simulator
    App,
    /// simdrive.toml, and the user's config.toml
    Config,
    /// A journey
    Journey,
    /// A persona that goes on journeys
    Persona,
    /// A recording
    Recording,
}

pub fn run(args: &SchemaArgs) -> Exit {
    let schema = match args.format {
        Format::Config => {
            output::print_json(config::schema());
            return Exit::Success;
        }
        Format::App => sim::app::schema(),
        Format::Journey => schemars::schema_for!(Journey),
        Format::Persona => schemars::schema_for!(Persona),
        Format::Recording => schemars::schema_for!(Recording),
    };
    output::print_json(schema.as_value());
    Exit::Success
}
