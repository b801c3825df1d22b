//! One enum of everything a user can ask for: parse and dispatch. Uses `replay` and below.
