//! The server as clients meet it: the real binary, over stdio.

mod life;
mod tools;
mod wire;
