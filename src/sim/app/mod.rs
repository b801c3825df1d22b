//! An app is one YAML file: screens of components, a small store, and what touches do.
//! Uses `sim::error` and nothing else of this crate.

mod action;
mod check;
mod component;
mod embedded;
pub mod expression;
mod load;
mod screen;
mod template;

pub use action::*;
pub use component::*;
pub use embedded::{EMBEDDED, Embedded, embedded};
pub use load::{load, parse};
pub use screen::*;
pub use template::{Expr, Template};

/// The JSON Schema of app files (`simdrive schema app`).
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(App)
}
