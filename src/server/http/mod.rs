//! MCP over Streamable HTTP, for several clients at a time. Uses `operation`, and the handler beside it.
//!
//! A request comes in by `site`: the rate of its peer, its host and origin, its path, its token and the size of its
//! body are checked in this order, and only then does the protocol see it.

mod answer;
mod body;
pub mod client;
mod cors;
mod guard;
mod options;
mod rate;
mod refusals;
mod serve;
mod site;
mod token;
mod viewer;

pub use options::HttpOptions;
pub use serve::serve;
