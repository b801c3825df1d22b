//! The server as clients meet it: the real binary, over stdio.

mod companion;
mod life;
mod tools;
mod wire;
