//! The format of recordings, their content-addressed frames, and the store. Uses `act` and below.
