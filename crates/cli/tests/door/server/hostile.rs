//! What no honest caller sends, each at the socket: refused in the one form errors have, with nothing begun and nothing read.

use crate::server::http::{Request, raw};
use crate::server::serving::{Serving, council, rehearsal};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn none_begun(serving: &Serving) {
    assert_eq!(serving.get("/v1/runs").is(200).json()["runs"], json!([]));
}

#[test]
fn bodies_that_are_no_requests() {
    let serving = Serving::bare();
    let post = |kind: &str, body: &[u8]| Request::new("POST", "/v1/runs").header("content-type", kind).body(body).send(serving.addr);
    let good = rehearsal("vote").to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", "application/xml; charset=json"] {
        post(kind, good.as_bytes()).fails(415, "unsupported_media_type");
    }
    post("application/json; charset=utf-8", b"{").fails(400, "invalid");
    for body in
        ["[]", "\"x\"", "null", "17", "{\"question\": 5}", "{\"question\": \"a\", \"question\": \"b\", }", "{\"seed\": -1}", "{\"seed\": 1e400}"]
    {
        post("application/json", body.as_bytes()).fails(400, "invalid");
    }
    post("application/json", b"{\"question\": \"\xff\xfe\"}").fails(400, "invalid");
    post("application/json", b"\xef\xbb\xbf{}x").fails(400, "invalid");
    // Deep: a parser that calls itself for each level would run out of stack.
    let deep = format!("{{\"options\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    post("application/json", deep.as_bytes()).fails(400, "invalid");
    let deep = format!("{{\"options\": {{\"x\": {}1{}}}, \"question\": \"x\", \"rehearse\": true}}", "{\"a\":".repeat(90), "}".repeat(90));
    post("application/json", deep.as_bytes()).fails(400, "invalid");
    // Everything that is wrong, at once.
    let wrong = json!({"question": 5, "colour": "red", "files": [{"name": "a"}], "budget_usd": "much", "rehearse": "yes"});
    let told = post("application/json", wrong.to_string().as_bytes()).fails(400, "invalid");
    let fields: Vec<&str> = told["errors"].as_array().expect("errors").iter().filter_map(|error| error["field"].as_str()).collect();
    for field in ["question", "colour", "files[0].text", "budget_usd", "rehearse"] {
        assert!(fields.contains(&field), "{field} is not in {fields:?}");
    }
    let told = post("application/json", json!({"mode": "vot", "models": ["nowhere/x"], "budget_usd": -1, "question": ""}).to_string().as_bytes())
        .fails(400, "invalid");
    assert!(told["errors"].as_array().is_some_and(|errors| errors.len() >= 3), "{told}");
    // What is wrong in form does not hide what is wrong in meaning.
    let told = post("application/json", json!({"mode": "vot", "colour": "red", "question": "x", "rehearse": true}).to_string().as_bytes())
        .fails(400, "invalid");
    assert_eq!(told["errors"].as_array().map(Vec::len), Some(2), "{told}");
    // More than anybody means is told without a closer look.
    let since = Instant::now();
    for wrong in [
        json!({"question": "x", "models": vec!["x/a"; 100_000]}),
        json!({"question": "x", "mode": "m".repeat(5_000_000)}),
        json!({"question": "x", "options": (0..100_000).map(|n| (format!("o{n}"), json!(1))).collect::<serde_json::Map<_, _>>()}),
        json!({"question": "x", "files": vec![json!({"name": "a", "text": "b"}); 1000]}),
    ] {
        let told = post("application/json", wrong.to_string().as_bytes());
        assert!(told.body.len() < 2000);
        told.fails(400, "invalid");
    }
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    for budget in ["1e999", "-0.5"] {
        post("application/json", format!("{{\"question\": \"x\", \"rehearse\": true, \"budget_usd\": {budget}}}").as_bytes()).fails(400, "invalid");
    }
    none_begun(&serving);
}

#[test]
fn bodies_that_are_too_large_or_too_slow() {
    let serving = Serving::bare();
    // Fifty megabytes announced: refused before they are read.
    let mut socket = TcpStream::connect(serving.addr).expect("it listens");
    let head = format!("POST /v1/runs HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 52428800\r\n\r\n", serving.addr);
    socket.write_all(head.as_bytes()).expect("sent");
    let mut answer = [0; 64];
    let read = socket.read(&mut answer).expect("an answer");
    assert!(String::from_utf8_lossy(&answer[..read]).starts_with("HTTP/1.1 413"), "{}", String::from_utf8_lossy(&answer[..read]));
    // Fifty megabytes in pieces that nobody counted before: refused after ten.
    let mut socket = TcpStream::connect(serving.addr).expect("it listens");
    let head = format!("POST /v1/runs HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n", serving.addr);
    socket.write_all(head.as_bytes()).expect("sent");
    let piece = [b"10000\r\n".as_slice(), &vec![b' '; 65536], b"\r\n"].concat();
    for _ in 0..800 {
        if socket.write_all(&piece).is_err() {
            break;
        }
    }
    socket.set_read_timeout(Some(Duration::from_secs(10))).expect("a limit");
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer);
    assert!(answer.is_empty() || String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 413"), "{}", String::from_utf8_lossy(&answer));
    // Content that just fits into ten megabytes is a text like any other.
    let fits = json!({"question": "x", "content": "a".repeat(9 * 1024 * 1024), "mode": "no"});
    serving.post("/v1/runs", &fits).fails(400, "invalid");
    // A header that grows for ever.
    let long = Request::get("/healthz").header("x-long", &"a".repeat(200_000)).send(serving.addr);
    assert_eq!(long.status, 431);
    // A header, and a body, that never end.
    let slow: Vec<TcpStream> = ["POST /v1/runs HTTP/1.1\r\nhost: localhost\r\n".to_owned(), format!("{head}5\r\n{{\"que")]
        .iter()
        .map(|start| {
            let mut socket = TcpStream::connect(serving.addr).expect("it listens");
            socket.write_all(start.as_bytes()).expect("sent");
            socket.set_read_timeout(Some(Duration::from_secs(45))).expect("a limit");
            socket
        })
        .collect();
    let since = Instant::now();
    for mut socket in slow {
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).expect("the server ends it");
        let text = String::from_utf8_lossy(&answer).into_owned();
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 408"), "{text}");
    }
    assert!(since.elapsed() < Duration::from_secs(40) && since.elapsed() > Duration::from_secs(20), "{:?}", since.elapsed());
    none_begun(&serving);
}

#[test]
fn forms_with_wrong_parts() {
    let serving = Serving::bare();
    let form = |parts: &[(&str, &[u8])]| {
        let mut body = Vec::new();
        for (head, bytes) in parts {
            body.extend(format!("--B\r\ncontent-disposition: form-data; {head}\r\n\r\n").into_bytes());
            body.extend(*bytes);
            body.extend(b"\r\n");
        }
        body.extend(b"--B--\r\n");
        Request::new("POST", "/v1/runs").header("content-type", "multipart/form-data; boundary=B").body(body).send(serving.addr)
    };
    let request = rehearsal("peer_review").to_string();
    let done = form(&[
        ("name=\"request\"", request.as_bytes()),
        ("name=\"content\"", b"fn main() {}"),
        ("name=\"file\"; filename=\"a.txt\"", "Grüße".as_bytes()),
    ]);
    let run = done.is(201).json();
    let export = serving.get(&format!("/v1/runs/{}/export?format=json", run["id"].as_str().expect("an id"))).json();
    let header = &export["header"]["question"];
    assert!(header["content"] == "fn main() {}" && header["files"][0]["name"] == "a.txt" && header["files"][0]["bytes"] == 7, "{header}");
    // A form may be as large as any other body.
    let large = "a".repeat(9 * 1024 * 1024);
    let refused =
        form(&[("name=\"request\"", b"{\"mode\": \"no\", \"question\": \"x\"}"), ("name=\"content\"", large.as_bytes())]).fails(400, "invalid");
    assert_eq!(refused["errors"][0]["field"], "mode", "{refused}");
    form(&[("name=\"request\"", request.as_bytes()), ("name=\"content\"", b"\xff\xfe")]).fails(400, "invalid");
    form(&[("name=\"request\"", request.as_bytes()), ("name=\"file\"; filename=\"a.bin\"", b"\x00\xff")]).fails(400, "invalid");
    form(&[("name=\"request\"", b"{"), ("name=\"content\"", b"x")]).fails(400, "invalid");
    form(&[("name=\"question\"", b"x")]).fails(400, "invalid");
    form(&[("name=\"request\"", request.as_bytes()), ("name=\"request\"", request.as_bytes())]).fails(400, "invalid");
    let many: Vec<(&str, &[u8])> = (0..33).map(|_| ("name=\"file\"; filename=\"a\"", b"x".as_slice())).collect();
    form(&many).fails(413, "too_large");
    for name in ["/etc/passwd", "..\\\\..\\\\x", "a/b"] {
        form(&[("name=\"request\"", request.as_bytes()), (&format!("name=\"file\"; filename=\"{name}\""), b"x")]).fails(400, "invalid");
    }
    let cut = Request::new("POST", "/v1/runs")
        .header("content-type", "multipart/form-data; boundary=B")
        .body("--B\r\ncontent-disposition: form-data; name=\"request\"\r\n\r\n{}");
    serving.send(cut).fails(400, "invalid");
    serving.send(Request::new("POST", "/v1/runs").header("content-type", "multipart/form-data").body("x")).fails(400, "invalid");
    assert_eq!(serving.get("/v1/runs").json()["runs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn pages_of_other_sites_and_other_names() {
    let mut serving = Serving::new();
    let key = serving.key(&["--scopes", "admin"]);
    serving.terminate();
    let endpoint = format!("[endpoints.x]\nkind = \"openai\"\nbase_url = \"{}\"\n", serving.house.server.url());
    let more = "[server]\nallowed_hosts = [\"synod.example\"]\ncors_origins = [\"https://app.example\"]\n";
    serving.house.write("config/synod/synod.toml", &(endpoint + more));
    serving.again(&[]);
    let body = council();
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "synod.example.evil", "169.254.169.254", "[::2]"] {
        serving.send(Request::get("/v1/runs").header("host", host)).fails(421, "wrong_host");
        serving.send(Request::post("/v1/runs", &body).header("host", host)).fails(421, "wrong_host");
    }
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:7433", "[::1]:7433", "127.9.9.9", "synod.example", "Synod.Example:443"] {
        serving.send(Request::get("/v1/runs").header("host", host).key(&key)).is(200);
    }
    // No name at all, two names, and one in the request line.
    for head in ["GET /v1/runs HTTP/1.1\r\n\r\n", "GET http://evil.example/v1/runs HTTP/1.1\r\nhost: localhost\r\n\r\n"] {
        let answer = raw(serving.addr, head.as_bytes());
        assert!(matches!(answer.status, 400 | 421), "{}", answer.status);
    }
    let own = format!("http://{}", serving.addr);
    let foreign = ["https://evil.example", "null", "http://localhost:1", "https://app.example.evil", "file://", "http://127.0.0.1"];
    for kind in ["application/json", "text/plain", "multipart/form-data; boundary=B", "application/x-www-form-urlencoded"] {
        for origin in foreign {
            let request = Request::new("POST", "/v1/runs").header("content-type", kind).header("origin", origin).body(body.to_string());
            serving.send(request).fails(403, "foreign_origin");
        }
        for site in ["cross-site", "same-site"] {
            let request = Request::new("POST", "/v1/runs").header("content-type", kind).header("sec-fetch-site", site).body(body.to_string());
            serving.send(request).fails(403, "foreign_origin");
        }
    }
    serving.send(Request::new("DELETE", "/v1/runs/x").header("origin", "https://evil.example")).fails(403, "foreign_origin");
    assert_eq!(serving.send(Request::get("/v1/runs").key(&key)).is(200).json()["runs"], json!([]));
    serving.send(Request::post("/v1/quote", &body).key(&key).header("origin", &own).header("sec-fetch-site", "same-origin")).is(200);
    // CORS is off, but for those that were named.
    assert_eq!(
        serving.send(Request::get("/v1/runs").key(&key).header("origin", "https://evil.example")).is(200).header("access-control-allow-origin"),
        None
    );
    let allowed = serving
        .send(Request::post("/v1/quote", &body).key(&key).header("origin", "https://app.example").header("sec-fetch-site", "cross-site"))
        .is(200);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("https://app.example"));
    let preflight = Request::new("OPTIONS", "/v1/runs").header("origin", "https://app.example").header("access-control-request-method", "POST");
    assert!(serving.send(preflight).is(204).header("access-control-allow-methods").is_some_and(|methods| methods.contains("POST")));
    serving.send(Request::new("OPTIONS", "/v1/runs").header("origin", "https://evil.example")).fails(405, "method_not_allowed");
}

#[test]
fn tricks_with_paths_and_headers() {
    let serving = Serving::bare();
    for path in [
        "/v1/../etc/passwd",
        "/v1/runs/../../x",
        "//v1/runs",
        "/v1/runs/",
        "/V1/runs",
        "/v1/runs%00",
        "/%2e%2e/x",
        "/v1/modes/..%2f..%2fx",
        "/v1/runs/%ff",
        "/errors/..%2fx",
    ] {
        let answer = serving.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
        if answer.status == 404 {
            answer.fails(404, "not_found");
        }
    }
    for id in ["last", "01", "%", "'%20OR%201=1--", "..", "%F0%9F%8D%B5", &"a".repeat(5000)] {
        for rest in ["", "/events", "/verdict", "/export", "/verify"] {
            let answer = serving.get(&format!("/v1/runs/{id}{rest}"));
            assert!(matches!(answer.status, 400 | 404 | 414), "{id}{rest}: {}", answer.status);
        }
    }
    // Line breaks in what comes back in headers.
    let begun = serving.post("/v1/runs", &rehearsal("vote")).is(201);
    let run = begun.json()["id"].as_str().expect("an id").to_owned();
    for (name, value) in [
        ("last-event-id", "9999"),
        ("last-event-id", "1%0d%0ax: y"),
        ("last-event-id", "-1"),
        ("last-event-id", "99999999999999999999"),
        ("last-event-id", "1 2"),
    ] {
        serving.send(Request::get(&format!("/v1/runs/{run}/events")).header(name, value)).fails(400, "invalid");
    }
    serving.send(Request::get(&format!("/v1/runs/{run}/export?format=md%0d%0aset-cookie:%20a=b"))).fails(400, "invalid");
    serving.send(Request::post("/v1/runs", &rehearsal("vote")).header("prefer", "wait=soon")).fails(400, "invalid");
    serving.send(Request::post("/v1/runs", &rehearsal("vote")).header("idempotency-key", &"k".repeat(300))).fails(400, "invalid");
    for odd in
        ["GET /healthz HTTP/9.9\r\n\r\n", "GET\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00", "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx y: z\r\n\r\n"]
    {
        let mut socket = TcpStream::connect(serving.addr).expect("it listens");
        socket.write_all(odd.as_bytes()).expect("sent");
        socket.shutdown(std::net::Shutdown::Write).expect("half closed");
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{odd:?}: {}", String::from_utf8_lossy(&answer));
    }
    for path in ["/v1/runs/%00", "/v1/modes/%00", "/v1/runs?mode=%00", "/v1/runs?text=%00"] {
        let answer = serving.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
    }
    // Two lengths: whoever believes the other one smuggles a request.
    let smuggled = format!(
        "POST /v1/runs HTTP/1.1\r\nhost: {}\r\ncontent-length: 2\r\ncontent-length: 40\r\n\r\n{{}}GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
        serving.addr
    );
    assert_eq!(raw(serving.addr, smuggled.as_bytes()).status, 400);
    serving.send(Request::new("TRACE", "/v1/runs")).fails(405, "method_not_allowed");
    serving.send(Request::new("PUT", "/v1/runs")).fails(405, "method_not_allowed");
    let answer = serving.get("/healthz").is(200);
    for (name, value) in [("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"), ("referrer-policy", "no-referrer")] {
        assert_eq!(answer.header(name), Some(value));
    }
    assert!(answer.header("content-security-policy").is_some() && answer.header("x-request-id").is_some());
}

/// A secret that only reading a file would reveal, named in every field that takes a name or a text.
#[test]
fn no_value_is_a_path_or_an_address() {
    let serving = Serving::new();
    let secret = "5d41402abc4b2a76b9719d911017c592";
    let persona = format!("id = \"leak\"\nname = \"{secret}\"\nhandle = \"x\"\n");
    let path = serving.house.write("secret/leak.toml", &persona);
    serving.house.write("config/synod/secret.toml", &persona);
    let path = path.display().to_string();
    let names =
        [path.clone(), format!("@{path}"), "../secret".to_owned(), "../../secret/leak".to_owned(), format!("file://{path}"), "leak.toml".to_owned()];
    let addresses = ["http://127.0.0.1:9/v1", "openai:http://127.0.0.1:9"];
    let base = |field: &str, value: serde_json::Value| {
        let mut body = json!({"mode": "vote", "question": "x", "rehearse": true});
        if ["models", "panel", "chair", "roles"].contains(&field) {
            body.as_object_mut().expect("an object").remove("rehearse");
        }
        body[field] = value;
        body
    };
    for name in names.iter().map(String::as_str).chain(addresses) {
        let bodies = [
            base("mode", json!(name)),
            base("question", json!(name)),
            base("content", json!(name)),
            base("files", json!([{"name": name, "text": "x"}])),
            base("files", json!([{"name": "x", "text": name}])),
            base("models", json!([name, name, name])),
            base("models", json!(["x/a", "x/b", format!("x/{name}")])),
            base("panel", json!(name)),
            base("chair", json!(name)),
            base("roles", json!({"tiebreaker": name})),
            base("roles", json!({name: "x/a"})),
            base("options", json!({"style": name})),
            base("options", json!({name: 1})),
            json!({"mode": "crux", "question": "x", "rehearse": true, "options": {"personas": [name, "actuary"]}}),
            json!({"mode": "crux", "question": "x", "rehearse": true, "options": {"deck": name}}),
            json!({"mode": "roundtable", "question": "x", "rehearse": true, "options": {"style": name}}),
            json!({"mode": "jury", "question": name, "content": name, "rehearse": true}),
        ];
        for body in bodies {
            let answer = serving.post("/v1/runs", &body);
            assert!(matches!(answer.status, 201 | 400), "{body}: {} {}", answer.status, answer.text());
            assert!(!answer.text().contains(secret), "{body} reveals what is in a file: {}", answer.text());
            if let Some(run) = answer.json()["id"].as_str() {
                let export = serving.get(&format!("/v1/runs/{run}/export?format=json")).is(200).text();
                assert!(!export.contains(secret), "{body} put a file into the run");
            }
        }
        for part in ["cards", "receipts", "panel", "approvals", "policy"] {
            let mut body = json!({"objective": name, "cards": []});
            body[part] = json!(name);
            let answer = serving.post("/v1/collapse", &body);
            assert!(matches!(answer.status, 400 | 422) && !answer.text().contains(secret), "{body}: {}", answer.text());
        }
    }
    // What a caller cannot set at all.
    for field in ["endpoint", "endpoints", "base_url", "key_env", "config", "db", "prompt", "prompts", "principal", "evidence_folder"] {
        let told = serving.post("/v1/runs", &base(field, json!("x"))).fails(400, "invalid");
        assert!(told["errors"][0]["field"] == field, "{told}");
    }
}
