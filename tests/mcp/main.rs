//! The server as clients meet it: the real binary, over stdio.

mod attacks;
mod companion;
mod diagnostics;
mod every_action;
mod instruct;
mod life;
mod matrix;
mod paths;
mod policy;
mod resources;
mod tools;
mod wire;
