//! One test binary, one file per risk. Real files in real folders.

mod desk;
mod settings;
mod untrusted_folder;
