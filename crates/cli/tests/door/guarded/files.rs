//! Files that are named: plain ones only, up to a size, and none that another file led to.

use crate::house::{Did, House};
use std::process::Stdio;

#[test]
fn devices_sockets_and_pipes_are_no_files() {
    let house = House::bare();
    let _socket = std::os::unix::net::UnixListener::bind(house.path("work/socket")).expect("a socket");
    assert!(std::process::Command::new("mkfifo").arg(house.path("work/pipe")).status().expect("mkfifo runs").success());
    house.write("work/persona.md", "x");
    for odd in ["/dev/zero", "/dev/random", "pipe", "socket"] {
        let value = format!("@{odd}");
        for args in [
            vec!["ask", "--rehearse", "--file", odd, "Tea?"],
            vec!["ask", "--rehearse", "--content", odd, "Tea?"],
            vec!["ask", "--rehearse", "--mode", "roundtable", "--focus-question", &value, "Tea?"],
            vec!["decide", odd],
            vec!["claim", "run", "--rehearse", "--body", &value, "Dogs smell"],
            vec!["--config", odd, "ask", "--rehearse", "Tea?"],
        ] {
            let did = house.synod(&args).exits(2);
            assert!(did.err.contains("no plain file"), "{args:?}: {}", did.err);
        }
    }
    assert_eq!(house.synod(&["runs", "--json"]).json()["runs"].as_array().map(Vec::len), Some(0), "nothing was begun");
}

#[test]
fn what_is_too_large_is_told_with_the_size_that_would_do() {
    let house = House::bare();
    house.write("work/large.txt", &"x".repeat(5 << 20));
    for args in [["--file", "large.txt"], ["--content", "large.txt"]] {
        let did = house.synod(&["ask", "--rehearse", args[0], args[1], "Tea?"]).exits(2);
        assert!(did.err.contains("has more than 4194304 bytes") && did.err.contains("at most 4194304 bytes of text"), "{}", did.err);
    }
    let mut command = house.command(&["ask", "--rehearse", "-"]);
    let child = command.stdin(Stdio::from(std::fs::File::open("/dev/zero").expect("zeros"))).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let did = Did::of(child.expect("synod runs").wait_with_output().expect("it ends")).exits(2);
    assert!(did.err.contains("standard input") && did.err.contains("4194304 bytes"), "{}", did.err);
}

#[test]
fn a_file_that_another_names_lies_beside_it_and_is_not_quoted() {
    let house = House::bare();
    house.write("secret.yaml", "password: hunter2\n");
    house.write("work/in/beside.yaml", "] hunter2\n");
    std::os::unix::fs::symlink(house.path("secret.yaml"), house.path("work/in/link.yaml")).expect("a link");
    for (given, told) in [
        ("../../secret.yaml", "not beside the decision file or below"),
        ("link.yaml", "not beside the decision file or below"),
        ("/etc/passwd", "not beside the decision file or below"),
        ("beside.yaml", "beside.yaml"),
    ] {
        house.write("work/in/decision.yaml", &format!("title: T\ncards: {given}\n"));
        let did = house.synod(&["decide", "in/decision.yaml"]).exits(2);
        assert!(did.err.contains(told), "{given}: {}", did.err);
        for secret in ["hunter2", "root:"] {
            assert!(!did.err.contains(secret) && !did.out.contains(secret), "{given}: {}", did.err);
        }
    }
}

#[test]
fn a_prompt_of_ones_own_is_a_plain_file_too() {
    let house = House::new();
    std::fs::create_dir_all(house.path("config/synod/prompts/council")).expect("a folder");
    let pipe = house.path("config/synod/prompts/council/answer.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let did = house.synod(&["ask", "--rehearse", "-q", "Tea?"]).exits(2);
    assert!(did.err.contains("answer.md") && did.err.contains("plain file"), "{}", did.err);
}
