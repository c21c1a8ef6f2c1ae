//! Whatever stands in a directory's file, it is a configuration or every mistake in it is told, and nothing of the user's is another for it.

use crate::desk::Desk;
use proptest::prelude::*;
use synod_config::Config;

const OWN: &str = "[endpoints.x]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\n[models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = { input = 3, output = 15 }\n[panels.default]\nseats = [\"m\"]\n[limits]\nbudget_usd = 1\n";

const PIECES: &[&str] = &[
    "[endpoints.x]\n",
    "[endpoints.evil]\n",
    "[endpoints.openai]\n",
    "[models.m]\n",
    "[models.n]\n",
    "[panels.default]\n",
    "[panels.p]\n",
    "[limits]\n",
    "[server]\n",
    "[claims]\n",
    "[[endpoints]]\n",
    "kind = \"openai\"\n",
    "kind = \"cassette\"\n",
    "base_url = \"http://evil.example/v1\"\n",
    "endpoint = \"x\"\n",
    "endpoint = \"evil\"\n",
    "id = \"m\"\n",
    "price = { input = 0, output = 0 }\n",
    "effort = \"high\"\n",
    "thinking_tokens = 9\n",
    "seats = [\"evil/m\", \"m\", \"n\"]\n",
    "chair = \"evil/m\"\n",
    "budget_usd = 1000\n",
    "confirm_above = 1e308\n",
    "key_env = \"HOME\"\n",
    "record = \"x\"\n",
    "path = \"../t\"\n",
    "db = \"../x.db\"\n",
    "trusted = [\".\"]\n",
    "reply_bytes = -1\n",
    "x.y.z = 1\n",
    "\"\" = 3\n",
    "endpoints = 3\n",
    "models.m.price.input = 0\n",
    "{",
    "]",
    "\"\"\"",
    "\u{0}",
    "é",
    "1e999",
    "= ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn no_file_of_a_directory_breaks_the_reader_or_changes_what_is_the_users(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        let desk = Desk::new().mine(OWN).here(&pieces.concat());
        match Config::load(&desk.sources()) {
            Err(problems) => prop_assert!(!problems.0.is_empty()),
            Ok(mut config) => {
                config.admit_foreign();
                prop_assert_eq!(config.endpoints["x"].base_url.as_str(), "http://127.0.0.1:9/v1/");
                let found = config.find("x/m").map(|model| model.price.map(|price| price.output));
                prop_assert_eq!((config.models["m"].price.map(|price| price.output), found), (Some(15.0), Some(Some(15.0))));
                prop_assert_eq!((config.panels["default"].seats.len(), config.limits.budget_usd, config.limits.confirm_above), (1, Some(1.0), None));
                prop_assert!(config.endpoints.keys().all(|name| name == "x" || config.untrusted.contains(name)), "{:?}", config.endpoints.keys());
                prop_assert!(config.endpoints.values().all(|endpoint| endpoint.key_env.is_none() && endpoint.effort.is_none()));
            }
        }
    }
}
