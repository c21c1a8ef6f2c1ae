//! Whatever stands in a configuration, it is one or every mistake in it is told; a directory's own changes nothing of the user's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use synod_config::{Config, Sources};

const OWN: &str = "[endpoints.x]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\n[models.m]\nendpoint = \"x\"\nid = \"m\"\nprice = { input = 3, output = 15 }\n[panels.default]\nseats = [\"m\"]\n[limits]\nbudget_usd = 1\n";

fuzz_target!(|text: &str| {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["mine", "here"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        std::fs::write(folder.path().join("mine/synod.toml"), OWN).expect("a file");
        folder
    });
    std::fs::write(folder.path().join("here/synod.toml"), text).expect("a file");
    let sources = Sources { directory: folder.path().join("here"), user_directory: Some(folder.path().join("mine")), ..Sources::default() };
    match Config::load(&sources) {
        Err(problems) => assert!(!problems.0.is_empty()),
        Ok(mut config) => {
            config.admit_foreign();
            assert_eq!(config.endpoints["x"].base_url, "http://127.0.0.1:9/v1/");
            assert_eq!((config.models["m"].endpoint.as_str(), config.models["m"].price.map(|price| price.output)), ("x", Some(15.0)));
            assert_eq!((config.panels["default"].seats.as_slice(), config.limits.budget_usd), (&["m".to_owned()][..], Some(1.0)));
            assert!(config.endpoints.keys().all(|name| name == "x" || config.untrusted.contains(name)));
        }
    }
});
