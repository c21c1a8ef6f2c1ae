//! Where a value stands in a reply. Spelled out only where something is wrong there.

use std::fmt;

#[derive(Clone, Copy)]
pub enum Place<'a> {
    Root,
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl Place<'_> {
    /// `/scores/0`.
    pub fn slashed(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field(parent, name) => format!("{}/{name}", parent.slashed()),
            Self::Item(parent, n) => format!("{}/{n}", parent.slashed()),
        }
    }
}

/// `scores[0].reason`.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, n) => write!(f, "{parent}[{n}]"),
        }
    }
}
