//! simdrive: the eyes and hands of coding agents on iOS.
//!
//! # Map
//!
//! Data flows one way; a module uses those above it in this list and none below.
//!
//! | module | what it is for |
//! | --- | --- |
//! | [`geometry`], [`frame`], [`role`], [`mark`], [`code`], [`exit`], [`files`], [`font`] | the types everything speaks, and where files go |
//! | [`home`] | where simdrive keeps what outlives a run |
//! | [`device`] | what a device can do, and who does it |
//! | [`vision`] | pure functions from pixels to facts |
//! | [`observe`] | capture, vision and accessibility become an observation of marks |
//! | [`act`] | target → resolve → validate → dispatch → settle |
//! | [`recording`] | the format, content-addressed frames, the store, lint |
//! | [`session`] | a device bound to its last observation, its recorder and its lock |
//! | [`replay`] | the runner and its gates; reporters apart |
//! | [`journey`] | goals, and criteria that a live screen is held against |
//! | [`diagnostics`] | what is asked of the set-up itself |
//! | [`policy`], [`audit`] | what callers may do, and what they did |
//! | [`config`] | defaults, files, environment and flags, merged; each value knows where it is from |
//! | [`instruct`] | the command language: a text becomes a plan, which is data; uses nothing else |
//! | [`operation`] | one enum of everything a user can ask for |
//! | [`server`], [`cli`] | translate requests and results, hold no logic |
//! | [`sim`] | the embedded simulator; reached through the companion protocol only |

pub mod act;
pub mod audit;
pub mod cli;
pub mod code;
pub mod config;
pub mod device;
pub mod diagnostics;
pub mod exit;
pub mod files;
pub mod font;
pub mod frame;
pub mod geometry;
pub mod home;
pub mod instruct;
pub mod journey;
pub mod mark;
pub mod observe;
pub mod operation;
pub mod policy;
pub mod recording;
pub mod replay;
pub mod role;
pub mod server;
pub mod session;
pub mod sim;
pub mod vision;
