//! Who may come in, decided before anything is routed: the name the server is called by, the page a browser calls from, the key.

use crate::caller::{Address, Caller};
use crate::claim_errors::ClaimCode;
use crate::errors::Code;
use crate::fault::{Answer, Fault};
use crate::state::Server;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Needs no key and is not counted.
const PUBLIC: [&str; 4] = ["/healthz", "/readyz", "/openapi.json", "/client.js"];
/// What proxies add: a request that carries one was not sent by this machine's user.
const FORWARDED: [&str; 5] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
/// Attempts without a valid key, a minute and address.
const UNKNOWN_PER_MINUTE: u32 = 60;

/// Lets a request in, or says why not.
pub async fn enter(server: &Server, peer: IpAddr, request: &Parts, preflight: bool) -> Answer<(Caller, Address)> {
    called_by_name(server, request)?;
    from_own_page(server, request)?;
    let peer = peer.to_canonical();
    let from = address(server, peer, &request.headers);
    // What everybody may ask takes nobody's place.
    if preflight || PUBLIC.contains(&request.uri.path()) {
        return Ok((Caller::Nobody, Address(from)));
    }
    let caller = identify(server, peer, &from, &request.headers).await?;
    let limit = caller.key().and_then(|key| key.limits.requests_per_minute);
    if let (Some(key), Some(most)) = (caller.key(), limit)
        && let Err(wait) = server.windows.count(&key.id, most)
    {
        return Err(limited(format!("this key may make {most} requests a minute"), wait));
    }
    if matches!(caller, Caller::Nobody)
        && let Err(wait) = server.windows.count(&from, UNKNOWN_PER_MINUTE)
    {
        return Err(limited(format!("{UNKNOWN_PER_MINUTE} requests a minute without a key"), wait));
    }
    Ok((caller, Address(from)))
}

fn limited(what: String, wait: std::time::Duration) -> Fault {
    Fault { retry_after: Some(wait), ..Fault::new(Code::Limited, what) }
}

/// A page on the web can make a browser call this machine, but only by a name of its own.
fn called_by_name(server: &Server, request: &Parts) -> Answer<()> {
    let named = request.headers.get(header::HOST).map(|host| host.to_str().unwrap_or_default().to_owned());
    let in_line = request.uri.authority().map(|authority| authority.as_str().to_owned());
    let names: Vec<String> = named.into_iter().chain(in_line).collect();
    if !names.is_empty() && names.iter().all(|name| is_known(server, host_of(name))) {
        return Ok(());
    }
    let names = if names.is_empty() { "no name".to_owned() } else { format!("{:?}", names.join(" and ")) };
    Err(Fault::new(Code::WrongHost, format!("the request is for {names}; set public_url or allowed_hosts in [server] if that is this server")))
}

/// A name without its port.
fn host_of(name: &str) -> &str {
    match name.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => name.rsplit_once(':').map_or(name, |(host, _)| host),
    }
}

fn is_known(server: &Server, host: &str) -> bool {
    let host = host.trim_end_matches('.').to_lowercase();
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()) || server.settings.hosts.contains(&host)
}

/// Whatever changes something must come from a program, or from a page of this server or of one that was allowed.
fn from_own_page(server: &Server, request: &Parts) -> Answer<()> {
    if matches!(request.method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let headers = &request.headers;
    let foreign = |what: String| Err(Fault::new(Code::ForeignOrigin, what));
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        if is_allowed(server, origin) {
            return Ok(());
        }
        let own = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let same = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")).is_some_and(|host| host.eq_ignore_ascii_case(own));
        if !same {
            return foreign(format!("the request comes from a page of {origin:?}"));
        }
    }
    match headers.get("sec-fetch-site").map(|site| site.to_str().unwrap_or_default()) {
        None | Some("same-origin" | "none") => Ok(()),
        Some(site) => foreign(format!("a browser says that the request is {site:?}")),
    }
}

fn is_allowed(server: &Server, origin: &str) -> bool {
    server.settings.own_origins.iter().chain(&server.settings.cors_origins).any(|known| known == origin)
}

/// The caller's address: the peer's own, unless that is a proxy whose word is taken.
fn address(server: &Server, peer: IpAddr, headers: &HeaderMap) -> String {
    let proxies = &server.settings.trusted_proxies;
    if !proxies.contains(&peer) {
        return counted(peer);
    }
    let told: Vec<&str> = headers.get_all("x-forwarded-for").iter().flat_map(|value| value.to_str().unwrap_or("?").split(',')).collect();
    // The last one that is not itself a trusted proxy: everything before it is hearsay, and so is everything before what cannot be read.
    let mut last = peer;
    for told in told.into_iter().rev() {
        let Some(address) = read_address(told.trim()) else { break };
        last = address;
        if !proxies.contains(&address) {
            break;
        }
    }
    counted(last)
}

/// An address as proxies write it: bare, with a port, or in brackets.
fn read_address(text: &str) -> Option<IpAddr> {
    let address = text.parse::<IpAddr>().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    address.or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()).map(|address: IpAddr| address.to_canonical())
}

/// As it is counted: whoever has one IPv6 address has a whole network of them.
fn counted(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => address.segments()[..4].iter().map(|part| format!("{part:x}")).collect::<Vec<_>>().join(":"),
    }
}

async fn identify(server: &Server, peer: IpAddr, from: &str, headers: &HeaderMap) -> Answer<Caller> {
    let Some(given) = headers.get(header::AUTHORIZATION) else {
        let own = peer.is_loopback() && !FORWARDED.iter().any(|name| headers.contains_key(*name));
        return Ok(if server.settings.open && own { Caller::Local } else { Caller::Nobody });
    };
    let attempts = format!("keys of {from}");
    // Looked at before the key: guessing must not cost more than it gains.
    server.windows.room(&attempts, UNKNOWN_PER_MINUTE).map_err(|wait| limited(format!("{UNKNOWN_PER_MINUTE} wrong keys a minute"), wait))?;
    let key = match given.to_str().ok().and_then(|given| given.split_once(' ')) {
        Some((scheme, secret)) if scheme.eq_ignore_ascii_case("bearer") => server.app.key_of(secret.trim()).await?,
        _ => None,
    };
    match key {
        Some(key) => Ok(Caller::Key(Arc::new(key))),
        None => {
            let _ = server.windows.count(&attempts, UNKNOWN_PER_MINUTE);
            let fault = Fault::new(Code::Unauthorized, "the key is not one of this server's, or was revoked").called(ClaimCode::InvalidApiKey);
            Err(fault.header(header::WWW_AUTHENTICATE, "Bearer realm=\"synod\""))
        }
    }
}

/// What a browser is told about a page of another origin: nothing, unless it was allowed.
pub fn cors(server: &Server, request: &Parts) -> Option<HeaderValue> {
    let origin = request.headers.get(header::ORIGIN)?;
    server.settings.cors_origins.iter().any(|known| known.as_bytes() == origin.as_bytes()).then(|| origin.clone())
}

#[cfg(test)]
mod tests {
    use super::{counted, host_of, read_address};

    #[test]
    fn a_name_is_what_stands_before_its_port() {
        for (given, want) in
            [("localhost:7433", "localhost"), ("[::1]:7433", "::1"), ("[::1]", "::1"), ("a.example", "a.example"), ("127.0.0.1:1", "127.0.0.1")]
        {
            assert_eq!(host_of(given), want);
        }
    }

    #[test]
    fn an_address_is_read_as_proxies_write_it_and_counted_by_network() {
        for (given, want) in [
            ("10.0.0.1", "10.0.0.1"),
            ("10.0.0.1:99", "10.0.0.1"),
            ("[2001:db8:1:2:3::4]:99", "2001:db8:1:2"),
            ("2001:db8:1:2::9", "2001:db8:1:2"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
        ] {
            assert_eq!(read_address(given).map(counted).as_deref(), Some(want));
        }
        assert!(read_address("unknown").is_none());
    }
}
