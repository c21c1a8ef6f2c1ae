//! Enums of plain words, declared once.

/// Declares enums each of whose variants is one word: in JSON, in a schema, in the database and in a sentence.
#[macro_export]
macro_rules! words {
    ($($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$note:meta])* $variant:ident = $word:literal),+ $(,)? })+) => { $(
        $crate::plain_words! {
            #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
            $(#[$meta])*
            $vis enum $name { $($(#[$note])* #[serde(rename = $word)] $variant = $word),+ }
        }
    )+ };
}

/// The same of an enum that is neither stored nor sent: without serialisation.
#[macro_export]
macro_rules! plain_words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$note:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $(#[$meta])*
        $vis enum $name { $($(#[$note])* $variant),+ }

        impl $name {
            pub const WORDS: [&'static str; [$($word),+].len()] = [$($word),+];
            pub const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
