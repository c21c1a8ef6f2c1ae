//! An exhibit as markdown, under its title.

use super::quote::inline;
use crate::shapes;
use crate::view::View;
use crate::words;
use synod_types::{Shape, Shown};

pub fn exhibit(view: &View, shown: &Shown) -> String {
    let exhibit = &shown.exhibit;
    let title = match &exhibit.shape {
        // Their text does not say here who speaks or votes.
        Shape::Statement(_) | Shape::Ballot(_) => words::signed(view, exhibit),
        Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) | Shape::Note { .. } | Shape::Shifts(_) | Shape::Card(_) => words::title(view, exhibit),
        Shape::Bracket(_) | Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) | Shape::Revision(_) => words::title(view, exhibit),
        Shape::Findings(_) | Shape::Checks(_) | Shape::Clusters(_) | Shape::Document(_) | Shape::Graph(_) => words::title(view, exhibit),
    };
    format!("#### {}\n\n{}\n", inline(&title), shapes::markdown(view, exhibit))
}
