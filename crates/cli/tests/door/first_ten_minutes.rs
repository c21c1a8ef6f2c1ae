//! The script of a new user's first ten minutes, against servers that stand in for a local one and for each provider.

use crate::house::{Did, House};
use std::process::Command;
use synod_testkit::server::{ModelServer, Settings};

#[test]
fn a_new_user_ends_in_a_verdict_or_in_a_line_that_works() {
    let house = House::bare();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let start = |models: &[&str], key: Option<&str>| {
        let models = models.iter().map(|model| (*model).to_owned()).collect();
        let settings = Settings { models, only_listed: true, key: key.map(str::to_owned), ..Settings::default() };
        runtime.block_on(ModelServer::start_with(settings)).expect("a server")
    };
    let local = start(&["qwen3:8b"], None);
    let tables = synod_testkit::provider_models();
    let listed: Vec<&str> = tables.iter().map(String::as_str).collect();
    let providers = start(&listed, Some("right"));
    let mut script = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/first-ten-minutes"));
    script.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TMPDIR", house.folder.path());
    script.env("SYNOD", env!("CARGO_BIN_EXE_synod")).env("LOCAL", local.address().to_string()).env("PROVIDERS", providers.address().to_string());
    let did = Did::run(script.stdin(std::process::Stdio::null()));
    assert_eq!(did.code, 0, "{}\n{}", did.out, did.err);
}
