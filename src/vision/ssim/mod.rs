//! Structural similarity, drift map, regions, masks. Uses the types only.
