//! The replay runner and its gates; reporters apart. Uses `session` and below.
