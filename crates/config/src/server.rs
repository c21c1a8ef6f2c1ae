//! `[server]`: where it listens, by which names it is called, and who stands before it.

use crate::origin::Origin;
use crate::section::Section;
use crate::trust::Trust;
use std::net::IpAddr;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerConfig {
    /// Where to listen: `127.0.0.1:7433`.
    pub addr: Option<String>,
    /// The address that others call it by, if it is not the one it listens at: `https://synod.example`.
    pub public_url: Option<String>,
    /// Further names it may be called by, without a port.
    pub allowed_hosts: Vec<String>,
    /// Pages of these origins may call it from a browser.
    pub cors_origins: Vec<String>,
    /// Whose word about a caller's address is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Also callers on this machine need a key.
    pub require_key: Option<bool>,
    /// Event streams open at once.
    pub max_streams: Option<usize>,
}

/// Whoever sets this says who may call the server, so it is the user's alone to set.
pub(crate) fn server_of(mut section: Section<'_, '_>, origin: Option<&Origin>, trust: &Trust) -> ServerConfig {
    if let Some(origin) = origin
        && let Some(line) = trust.refuses(origin)
    {
        section.problem("addr", format!("a [server] table in {origin}, in a directory you have not listed as trusted"), line);
        return ServerConfig::default();
    }
    let mut server = ServerConfig {
        addr: section.text("addr", "an address and a port: \"127.0.0.1:7433\""),
        public_url: section.text("public_url", "an address such as \"https://synod.example\""),
        allowed_hosts: section.list("allowed_hosts", "a list of names: [\"synod.example\"]").unwrap_or_default(),
        cors_origins: section.list("cors_origins", "a list of origins: [\"https://app.example\"]").unwrap_or_default(),
        require_key: section.flag("require_key"),
        max_streams: section.number("max_streams", 1.0..=1e6, true).map(|n| n as usize),
        ..ServerConfig::default()
    };
    let web = |text: &str| url::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some());
    if server.public_url.as_deref().is_some_and(|url| web(url).is_none()) {
        section.wrong("public_url", "an http or https address such as \"https://synod.example\"");
        server.public_url = None;
    }
    if server.cors_origins.iter().any(|origin| web(origin).is_none_or(|url| url.origin().ascii_serialization() != *origin)) {
        section.wrong("cors_origins", "origins as browsers send them: [\"https://app.example\"], with no path");
    }
    for proxy in section.list("trusted_proxies", "a list of IP addresses: [\"127.0.0.1\"]").unwrap_or_default() {
        match proxy.parse() {
            Ok(address) => server.trusted_proxies.push(address),
            Err(_) => section.wrong("trusted_proxies", "a list of IP addresses: [\"127.0.0.1\"]"),
        }
    }
    section.finish();
    server
}
