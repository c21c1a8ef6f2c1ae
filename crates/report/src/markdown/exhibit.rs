//! An exhibit as markdown, under its title.

use super::quote::inline;
use crate::shapes;
use crate::view::View;
use crate::words;
use synod_types::Shown;

pub fn exhibit(view: &View, shown: &Shown) -> String {
    let exhibit = &shown.exhibit;
    let whose = exhibit.seat.map(|seat| format!(", by {}", words::seat(view, seat))).unwrap_or_default();
    format!("#### {}\n\n{}\n", inline(&format!("{}{whose}", exhibit.title)), shapes::markdown(view, exhibit))
}
