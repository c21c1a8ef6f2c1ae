//! How a server was told to behave: its flags over its configuration.

use std::net::{IpAddr, SocketAddr};
use synod_app::ServerConfig;
use synod_types::Problem;

/// Where it listens if nothing is said.
pub const ADDR: &str = "127.0.0.1:7433";
const MAX_STREAMS: usize = 4096;

#[derive(Clone, Debug)]
pub struct ServerSettings {
    pub addr: SocketAddr,
    /// Callers of this machine need no key.
    pub open: bool,
    /// Names it goes by beside those of this machine, in lower case.
    pub hosts: Vec<String>,
    /// Origins whose pages may do everything: its own.
    pub own_origins: Vec<String>,
    pub cors_origins: Vec<String>,
    pub trusted_proxies: Vec<IpAddr>,
    pub max_streams: usize,
}

impl ServerSettings {
    /// `addr`: from a flag. Every mistake at once.
    pub fn of(config: &ServerConfig, addr: Option<&str>, require_key: bool) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let given = addr.or(config.addr.as_deref()).unwrap_or(ADDR);
        let addr = given.replace("localhost", "127.0.0.1").parse::<SocketAddr>();
        if addr.is_err() {
            problems.push(Problem::new("addr", given, "an IP address and a port, such as 127.0.0.1:7433 or 0.0.0.0:7433"));
        }
        let public = config.public_url.as_deref().and_then(|url| url::Url::parse(url).ok());
        let mut hosts: Vec<String> = config.allowed_hosts.iter().map(|host| host.to_lowercase()).collect();
        hosts.extend(public.as_ref().and_then(|url| url.host_str().map(|host| host.trim_matches(['[', ']']).to_lowercase())));
        let Ok(addr) = addr else { return Err(problems) };
        // Who stands before it on this machine would make every caller look like this machine's user.
        let behind = config.public_url.is_some() || !config.trusted_proxies.is_empty() || !config.allowed_hosts.is_empty();
        Ok(Self {
            addr,
            open: addr.ip().is_loopback() && !behind && !require_key && !config.require_key.unwrap_or(false),
            hosts,
            own_origins: public.iter().map(|url| url.origin().ascii_serialization()).collect(),
            cors_origins: config.cors_origins.clone(),
            trusted_proxies: config.trusted_proxies.iter().map(|address| address.to_canonical()).collect(),
            max_streams: config.max_streams.unwrap_or(MAX_STREAMS),
        })
    }
}
