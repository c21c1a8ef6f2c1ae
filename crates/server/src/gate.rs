//! Who may come in, decided before anything is routed: the name the server is called by, the page a browser calls from, the key.

use crate::caller::Caller;
use crate::errors::Code;
use crate::fault::{Answer, Fault};
use crate::state::Server;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use std::net::IpAddr;
use std::sync::Arc;

/// Attempts without a valid key, a minute and address.
const UNKNOWN_PER_MINUTE: u32 = 60;

/// Lets a request in, or says why not.
pub async fn enter(server: &Server, peer: IpAddr, request: &Parts) -> Answer<Caller> {
    called_by_name(server, request)?;
    from_own_page(server, request)?;
    let from = address(server, peer, &request.headers);
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
    Ok(caller)
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
        return peer.to_string();
    }
    let told = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    let told: Vec<IpAddr> = told.filter_map(|address| address.trim().parse().ok()).collect();
    // The last one that is not itself a trusted proxy: everything before it is hearsay.
    told.into_iter().rev().find(|address| !proxies.contains(address)).unwrap_or(peer).to_string()
}

async fn identify(server: &Server, peer: IpAddr, from: &str, headers: &HeaderMap) -> Answer<Caller> {
    let Some(given) = headers.get(header::AUTHORIZATION) else {
        return Ok(if server.settings.open && peer.is_loopback() { Caller::Local } else { Caller::Nobody });
    };
    let key = match given.to_str().ok().and_then(|given| given.split_once(' ')) {
        Some((scheme, secret)) if scheme.eq_ignore_ascii_case("bearer") => server.app.key_of(secret.trim()).await?,
        _ => None,
    };
    match key {
        Some(key) => Ok(Caller::Key(Arc::new(key))),
        None => {
            server.windows.count(from, UNKNOWN_PER_MINUTE).map_err(|wait| limited(format!("{UNKNOWN_PER_MINUTE} wrong keys a minute"), wait))?;
            let fault = Fault::new(Code::Unauthorized, "the key is not one of this server's, or was revoked");
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
    use super::host_of;

    #[test]
    fn a_name_is_what_stands_before_its_port() {
        for (given, want) in
            [("localhost:7433", "localhost"), ("[::1]:7433", "::1"), ("[::1]", "::1"), ("a.example", "a.example"), ("127.0.0.1:1", "127.0.0.1")]
        {
            assert_eq!(host_of(given), want);
        }
    }
}
