//! The embedded simulator: app scenes, renderer, touch and keys, idb companion server. Used by the device opener and the CLI only.
