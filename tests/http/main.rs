//! The server over HTTP as clients and attackers meet it: the real binary, over loopback.

mod attacks;
mod clients;
#[path = "../mcp/companion.rs"]
#[allow(dead_code, reason = "the tests over stdio need more of it")]
mod companion;
mod life;
mod resources;
mod site;
