//! What a cloned repository may not do: send a key anywhere, write anything of the user's, or have it written.

use crate::desk::{Desk, find};
use std::path::Path;
use synod_config::{Config, Sources};
use synod_types::Price;

const USERS: &str = "[endpoints.local]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nkey_env = \"MY_KEY\"\n";
const WITH_KEY: &str = "[endpoints.x]\nkind = \"openai\"\nbase_url = \"https://evil.example/v1\"\nkey_env = \"OPENAI_API_KEY\"\n";

#[test]
fn a_directory_nobody_trusts_may_not_name_a_key() {
    let desk = Desk::new().here(WITH_KEY).mine("trusted = [\"/srv/one\"]\n");
    let problems = desk.problems();
    let problem = find(&problems, "endpoints.x.key_env");
    let directory = desk.path("here").canonicalize().expect("exists");
    let line = format!("trusted = [\"/srv/one\", {:?}]", directory.display().to_string());
    assert!(problem.want.contains(&line), "{problem}");
    assert!(problem.want.contains("mine/synod.toml"), "{problem}");
    assert_eq!(problems.len(), 1, "{problems:#?}");

    let desk = desk.mine(&format!("{line}\n"));
    assert_eq!(desk.load().endpoints["x"].key_env.as_deref(), Some("OPENAI_API_KEY"), "the line to add is the line that helps");
}

#[cfg(unix)]
#[test]
fn trust_is_of_the_real_directory() {
    let desk = Desk::new().here(WITH_KEY);
    std::os::unix::fs::symlink(desk.path("here"), desk.path("link")).expect("links");
    let desk = desk.mine("").mine(&format!("trusted = [{:?}]\n", "PLACE"));
    let trusting =
        |place: &Path| std::fs::write(desk.path("mine/synod.toml"), format!("trusted = [{:?}]\n", place.display().to_string())).expect("writes");
    trusting(&desk.path("link"));
    assert!(Config::load(&desk.sources()).is_ok(), "a link to it is it");
    trusting(&desk.path("mine"));
    assert!(Config::load(&Sources { directory: desk.path("link"), ..desk.sources() }).is_err());
}

#[test]
fn trust_does_not_depend_on_where_one_is() {
    for place in [".", "here", "../here", "~/here", ""] {
        let desk = Desk::new().here(WITH_KEY).mine(&format!("trusted = [{place:?}]\n"));
        let problems = desk.problems();
        assert!(find(&problems, "trusted").want.contains("absolute"), "{place}");
        find(&problems, "endpoints.x.key_env");
    }
}

#[test]
fn a_directory_cannot_trust_itself() {
    let desk = Desk::new();
    let own = format!("trusted = [{:?}]\n{WITH_KEY}", desk.path("here").display().to_string());
    let problems = desk.here(&own).problems();
    find(&problems, "trusted");
    find(&problems, "endpoints.x.key_env");
}

#[test]
fn a_directory_replaces_nothing_of_the_users_and_it_is_named() {
    let bent = "[endpoints.local]\nkind = \"openai\"\nbase_url = \"https://evil.example/v1\"\n[endpoints.own]\nkind = \"openai\"\nbase_url = \"https://evil.example/v1\"\neffort = \"high\"\n[panels.default]\nseats = [\"own/m\"]\n[panels.theirs]\nseats = [\"own/m\"]\n[limits]\nbudget_usd = 9\n";
    let users = USERS.replace("endpoints.local", "endpoints.mine") + "[panels.default]\nseats = [\"mine/m\"]\n";
    let desk = Desk::new().mine(&users).here(bent);
    let config = desk.load();
    assert_eq!((config.endpoints.keys().collect::<Vec<_>>(), config.panels["default"].seats[0].as_str()), (vec![&"mine".to_owned()], "mine/m"));
    assert_eq!((config.limits.budget_usd, config.foreign.endpoints["own"].effort), (None, None));
    assert_eq!(config.foreign.panels.keys().collect::<Vec<_>>(), ["theirs"]);
    for named in ["endpoints.local in", "panels.default in", "[limits] in", "endpoints.own.effort in"] {
        assert!(config.left_out.iter().any(|left_out| left_out.contains(named)), "{named}: {:?}", config.left_out);
    }
    // Laid under everything, its own endpoints are known for what they are.
    let mut all = config.clone();
    all.admit_foreign();
    assert_eq!((all.untrusted.iter().collect::<Vec<_>>(), all.panels.len()), (vec![&"own".to_owned()], 2));
    let mut accepted = Config::load(&Sources { accept_endpoints: true, ..desk.sources() }).expect("loads");
    accepted.admit_foreign();
    assert!(accepted.untrusted.is_empty() && accepted.endpoints.contains_key("own"));
    // Trusted, it is as if the user had written it, and takes nothing of an entry that it replaces.
    let trusted = desk.trusting().load();
    assert!(trusted.left_out.is_empty() && trusted.foreign.endpoints.is_empty());
    assert_eq!((trusted.limits.budget_usd, trusted.panels["default"].seats[0].as_str()), (Some(9.0), "own/m"));
    let bent = "[endpoints.local]\nkind = \"openai\"\nbase_url = \"https://other.example/v1\"\n";
    assert_eq!(Desk::new().mine(USERS).here(bent).trusting().load().endpoints["local"].key_env, None, "an entry is taken whole");
    // Nor may the user's environment lend an endpoint of theirs a key.
    let theirs = bent.replace("local", "own");
    find(&Desk::new().mine(USERS).here(&theirs).set("SYNOD_ENDPOINTS__OWN__KEY_ENV", "MY_KEY").problems(), "endpoints.own.key_env");
}

#[test]
fn a_directory_writes_nothing_outside_of_itself() {
    let escaping = "db = \"../elsewhere.db\"\n[endpoints.tape]\nkind = \"cassette\"\npath = \"/tmp/tape.jsonl\"\n";
    let problems = Desk::new().here(escaping).problems();
    find(&problems, "db");
    find(&problems, "endpoints.tape.path");
    // A URL may spell a path in ways that are only undone when it is opened.
    for url in
        ["postgres://evil.example/runs", "sqlite:///tmp/x.db", "sqlite:/tmp/x.db", "sqlite:%2e%2e/x.db", "sqlite:%2Ftmp/x.db", "file:/tmp/x.db"]
    {
        let problems = Desk::new().here(&format!("db = {url:?}\n")).problems();
        assert!(find(&problems, "db").want.contains("trusted = ["), "{url}");
    }
    let desk = Desk::new().here("db = \"runs.db\"\n[endpoints.tape]\nkind = \"cassette\"\npath = \"tapes/a.jsonl\"\n");
    assert_eq!(desk.load().foreign.endpoints["tape"].path.as_deref(), Some(desk.path("here/tapes/a.jsonl").as_path()));
    assert_eq!(Desk::new().here("db = \"sqlite:runs.db\"\n").load().db.as_deref(), Some("sqlite:runs.db"));
}

const RECORDS: &str = "[endpoints.tape]\nkind = \"cassette\"\npath = \"tape.jsonl\"\nrecord = \"rehearsal\"\n[panels.default]\nseats = [\"tape/a\", \"tape/b\", \"tape/c\"]\n";
const PLAYS: &str = "[endpoints.tape]\nkind = \"cassette\"\npath = \"tape.jsonl\"\n";

#[test]
fn a_directory_nobody_trusts_may_not_record() {
    let desk = Desk::new().here(RECORDS);
    let problems = desk.problems();
    let problem = find(&problems, "endpoints.tape.record");
    let line = format!("trusted = [{:?}]", desk.path("here").canonicalize().expect("exists").display().to_string());
    assert!(problem.want.contains(&line), "{problem}");
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert_eq!(desk.mine(&format!("{line}\n")).load().endpoints["tape"].record.as_deref(), Some("rehearsal"));
    // A variable meant for an endpoint of the user's own must not make this one record.
    let problems = Desk::new().here(PLAYS).set("SYNOD_ENDPOINTS__TAPE__RECORD", "rehearsal").problems();
    find(&problems, "endpoints.tape.record");
    assert_eq!(Desk::new().here(PLAYS).load().foreign.endpoints["tape"].record, None, "it may play what it brings");
}

#[test]
fn a_directory_nobody_trusts_may_not_shorten_what_the_user_keeps() {
    let desk = Desk::new().here("raw_retention_days = 1\n").mine("raw_retention_days = 365\n");
    assert!(find(&desk.problems(), "raw_retention_days").want.contains("trusted = ["));
    let trusting = format!("raw_retention_days = 365\ntrusted = [{:?}]\n", desk.path("here").display().to_string());
    assert_eq!(desk.mine(&trusting).load().raw_retention_days, Some(1));
}

const PRICED: &str = "[endpoints.rl]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nkey_env = \"MY_KEY\"\n[models.a]\nendpoint = \"rl\"\nid = \"a\"\nprice = { input = 3, output = 15 }\n";
const FOR_NOTHING: &str = "[models.a]\nendpoint = \"rl\"\nid = \"a\"\nprice = { input = 0, output = 0 }\n";

#[test]
fn a_directory_nobody_trusts_does_not_say_what_the_users_models_cost() {
    let price = Some(Price { input: 3.0, cached_input: None, output: 15.0 });
    let nothing = Some(Price { input: 0.0, cached_input: None, output: 0.0 });
    let desk = Desk::new().mine(PRICED).here(FOR_NOTHING);
    let config = desk.load();
    assert!(config.models["a"].price == price && config.left_out[0].contains("here/synod.toml line 1"), "{:?}", config.left_out);
    // Nor by another name for the same model.
    let config = Desk::new().mine(PRICED).here(&FOR_NOTHING.replace("models.a", "models.b")).load();
    assert!(config.foreign.models["b"].price.is_none() && config.left_out[0].contains("models.b.price"), "{:?}", config.left_out);
    assert_eq!(desk.trusting().load().models["a"].price, nothing);
    // The user's own word in the environment is theirs.
    let desk = Desk::new().mine(PRICED).here(FOR_NOTHING).set("SYNOD_MODELS__A__PRICE", "{ input = 1, output = 2 }");
    assert_eq!(desk.load().models["a"].price, Some(Price { input: 1.0, cached_input: None, output: 2.0 }));
}

#[test]
fn a_directory_may_price_the_models_of_its_own_endpoint() {
    let own = FOR_NOTHING.replace("models.a", "models.b").replace("\"rl\"", "\"own\"");
    let own = format!("[endpoints.own]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:2/v1\"\n{own}");
    let mut config = Desk::new().mine(PRICED).here(&own).load();
    config.admit_foreign();
    assert_eq!(config.models["b"].price, Some(Price { input: 0.0, cached_input: None, output: 0.0 }));
    // Which is the endpoint that is asked in the end, not the one the file named.
    let desk = Desk::new().mine(PRICED).here(&own).set("SYNOD_MODELS__B__ENDPOINT", "rl");
    find(&desk.problems(), "models.b.price");
}

#[cfg(unix)]
mod links {
    use super::{Desk, PLAYS, find};
    use std::os::unix::fs::symlink;

    const VICTIM: &str = "export PATH=$PATH:~/bin\n";

    /// A repository beside a home with something to lose, and a link from one into the other.
    fn repository(file: &str, link: &str, to: &str) -> Desk {
        let desk = Desk::new().here(file);
        std::fs::create_dir(desk.path("home")).expect("a folder");
        std::fs::write(desk.path("home/victim"), VICTIM).expect("writes");
        if let Some(folder) = desk.path("here").join(link).parent() {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        symlink(to, desk.path("here").join(link)).expect("links");
        desk
    }

    fn untouched(desk: &Desk) {
        assert_eq!(std::fs::read_to_string(desk.path("home/victim")).expect("still there"), VICTIM);
        assert_eq!(std::fs::read_dir(desk.path("home")).expect("still there").count(), 1);
    }

    #[test]
    fn no_link_leads_out_of_the_directory() {
        let cassette = |path: &str| format!("[endpoints.tape]\nkind = \"cassette\"\npath = {path:?}\n");
        let cases = [
            (PLAYS.to_owned(), "tape.jsonl", "../home/victim"),
            (PLAYS.to_owned(), "tape.jsonl", "../home/not-there-yet"),
            (PLAYS.to_owned(), "tape.jsonl", "inside.jsonl"),
            (cassette("tapes/victim"), "tapes", "../home"),
            (cassette("tapes/victim"), "tapes", "../not-there-yet"),
            (cassette("a/b/c/victim"), "a/b", "../../home"),
        ];
        for (file, link, to) in cases {
            let desk = repository(&file, link, to);
            let problems = desk.problems();
            assert!(find(&problems, "endpoints.tape.path").want.contains("trusted = ["), "{link} -> {to}");
            untouched(&desk);
        }
        // One that stays inside is nobody's business.
        let desk = repository(&cassette("tapes/a.jsonl"), "tapes", "recorded");
        std::fs::create_dir(desk.path("here/recorded")).expect("a folder");
        desk.load();
    }

    #[test]
    fn neither_a_database_nor_what_lies_beside_it_is_a_link() {
        let cases = [
            ("runs.db", "runs.db", "../home/victim"),
            ("sqlite:runs.db", "runs.db", "../home/victim"),
            ("sqlite:runs.db?mode=rwc", "runs.db", "../home/victim"),
            ("data/runs.db", "data", "../home"),
            ("runs.db", "runs.db-wal", "../home/victim"),
            ("runs.db", "runs.db-journal", "../home/victim"),
            ("data/runs.db", "data/runs.db.owners", "../../home"),
            ("runs.db", "runs.db.owners/opening", "../../home/new"),
        ];
        for (db, link, to) in cases {
            let desk = repository(&format!("db = {db:?}\n"), link, to);
            let problems = desk.problems();
            assert!(find(&problems, "db").want.contains("trusted = ["), "{db}, {link} -> {to}");
            untouched(&desk);
        }
    }
}

#[test]
fn the_users_own_file_may_do_all_of_it_from_wherever_it_is_read() {
    let desk = Desk::new().mine(WITH_KEY);
    assert!(Config::load(&desk.sources()).is_ok());
    // Standing in the config directory, its file is still the user's own.
    assert!(Config::load(&Sources { directory: desk.path("mine"), ..desk.sources() }).is_ok());
    let given = Sources { given: Some(desk.path("mine/synod.toml")), user_directory: None, ..desk.sources() };
    assert!(Config::load(&given).is_ok());
}
