//! The product at its door: the real binary, a real model server on a socket, a real database file. Files are named after the risk.

/// A test a mode: of `fn a_property(mode)` come `a_property::council` and the others.
macro_rules! every_mode {
    ($property:ident) => {
        synod_modes::each_mode!(one_each { $property });
    };
}
macro_rules! one_each {
    ({ $property:ident } $($mode:ident)*) => {
        mod $property {
            $(#[test]
            fn $mode() {
                super::$property(&synod_modes::$mode::MODE);
            })*
        }
    };
}

mod claims;
mod completions;
mod decide;
mod docs;
mod first_run;
mod first_ten_minutes;
mod guarded;
mod help;
mod house;
mod kills;
mod layers;
mod misspelt;
mod old_runs;
mod one_model;
mod personas;
mod readme;
mod record;
mod requests;
mod seats_fail;
mod server;
mod stops;
mod usage;
