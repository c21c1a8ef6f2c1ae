//! The application layer by risk: files that are read, numbers that are counted.

mod numbers;
mod readers;
