//! Signing in without a key: a program shows a short code, a person approves it, and the program gets a key of its own.

use crate::access::random;
use crate::app::App;
use crate::error::AppResult;
use synod_engine::{Clock, SystemClock};
use synod_store::{DeviceProblem, DeviceRequest, SignedIn};
use synod_types::{AccessKey, KeyLimits, Scope, sha256_hex};

/// How long a code waits to be approved, and its key to be fetched.
pub const CODE_LASTS_SECS: u32 = 900;
const REQUESTS_PER_MINUTE: u32 = 60;
/// No vowels, so that no code is a word; no letter and no digit that is read as another.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const DIGITS: &[u8; 8] = b"23456789";
/// Two codes are rarely alike.
const TRIES: usize = 8;

/// Both codes of a sign-in. The first is known to the program alone, and kept by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceCode {
    pub device_code: String,
    pub user_code: String,
}

/// How a sign-in stands.
#[derive(Clone, Debug, PartialEq)]
pub enum SignIn {
    Pending,
    /// The secret is told this once.
    Approved {
        key: AccessKey,
        secret: String,
    },
}

impl App {
    /// A pair of codes for a program that says what it is.
    pub async fn new_device(&self, agent_name: &str, agent_model: Option<&str>) -> AppResult<Result<DeviceCode, DeviceProblem>> {
        for _ in 0..TRIES {
            let code = DeviceCode { device_code: format!("device_{}", random()), user_code: user_code() };
            let request = DeviceRequest {
                user_code: code.user_code.clone(),
                agent_name: agent_name.to_owned(),
                agent_model: agent_model.map(str::to_owned),
                owner: None,
            };
            match self.store.add_device(&sha256_hex(&code.device_code), request, i64::from(CODE_LASTS_SECS) * 1000).await? {
                Ok(true) => return Ok(Ok(code)),
                Ok(false) => {}
                Err(problem) => return Ok(Err(problem)),
            }
        }
        Ok(Err(DeviceProblem::Full))
    }

    /// Lets the program in that shows this code, however it was typed. The key belongs to `owner`, or goes by the program's own name.
    pub async fn approve_device(&self, typed: &str, owner: Option<&str>, by: &str) -> AppResult<Result<DeviceRequest, DeviceProblem>> {
        match as_shown(typed) {
            Some(code) => Ok(self.store.approve_device(&code, owner, by).await?),
            None => Ok(Err(DeviceProblem::Unknown)),
        }
    }

    /// How a sign-in stands. The first to ask after the approval gets the key; nobody gets it again.
    pub async fn sign_in(&self, device_code: &str) -> AppResult<Result<SignIn, DeviceProblem>> {
        let id = &random()[..12];
        // Clients show what stands before the second underscore: it names the key and opens nothing.
        let secret = format!("synod_{id}_{}", random());
        let key = AccessKey {
            id: format!("key_{id}"),
            owner: String::new(),
            scopes: vec![Scope::Read, Scope::Work],
            limits: KeyLimits { requests_per_minute: Some(REQUESTS_PER_MINUTE), ..KeyLimits::default() },
            created_at: SystemClock.now(),
            revoked_at: None,
        };
        let signed_in = self.store.sign_in(&sha256_hex(device_code), key, &sha256_hex(&secret)).await?;
        Ok(signed_in.map(|signed_in| match signed_in {
            SignedIn::Pending => SignIn::Pending,
            SignedIn::Key(key) => SignIn::Approved { key, secret },
        }))
    }

    /// What the program said of itself that this key was made for.
    pub async fn device_of(&self, key: &str) -> AppResult<Option<DeviceRequest>> {
        Ok(self.store.device_of(key).await?)
    }
}

/// `BCDF-2345`.
fn user_code() -> String {
    let mut number = u64::from_str_radix(&random()[..15], 16).unwrap_or_default();
    let mut draw = |from: &[u8]| {
        let size = from.len() as u64;
        let drawn = from[(number % size) as usize];
        number /= size;
        char::from(drawn)
    };
    let letters: String = (0..4).map(|_| draw(LETTERS)).collect();
    let digits: String = (0..4).map(|_| draw(DIGITS)).collect();
    format!("{letters}-{digits}")
}

/// A code as it is shown, from what a person typed: in any case, with or without the dash.
fn as_shown(typed: &str) -> Option<String> {
    let typed: String = typed.chars().filter(|c| !c.is_whitespace() && *c != '-').collect::<String>().to_ascii_uppercase();
    let (letters, digits) = typed.split_at_checked(4)?;
    let fits = |part: &str, from: &[u8]| part.len() == 4 && part.bytes().all(|byte| from.contains(&byte));
    (fits(letters, LETTERS) && fits(digits, DIGITS)).then(|| format!("{letters}-{digits}"))
}

#[cfg(test)]
mod tests {
    use super::{as_shown, user_code};

    #[test]
    fn a_code_is_read_however_it_is_typed() {
        for _ in 0..200 {
            let code = user_code();
            assert_eq!(as_shown(&code).as_deref(), Some(code.as_str()), "{code}");
            assert_eq!(as_shown(&code.to_lowercase().replace('-', " ")), Some(code));
        }
        for wrong in ["", "BCDF", "BCDF-234", "BCDF-23456", "ABCD-2345", "BCDF-0123", "2345-BCDF", "BCDF-234\u{663}", "\u{e9}\u{e9}BCDF"] {
            assert_eq!(as_shown(wrong), None, "{wrong}");
        }
    }
}
