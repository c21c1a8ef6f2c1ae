//! One file a verb.

pub mod agent;
pub mod approve;
pub mod ask;
pub mod cancel;
pub mod claim;
pub mod complete;
pub mod completions;
pub mod decide;
pub mod doctor;
pub mod export;
pub mod init;
pub mod key;
pub mod memory;
pub mod models;
pub mod modes;
pub mod persona;
pub mod replay;
pub mod resume;
pub mod review;
pub mod runs;
pub mod serve;
pub mod show;
pub mod stats;
pub mod verify;
pub mod watch;
