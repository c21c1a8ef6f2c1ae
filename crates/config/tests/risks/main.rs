//! One test binary, one file per risk. Real files in real folders.

mod desk;
mod fuzzed;
mod settings;
mod untrusted_folder;
