//! A run or a claim as a file: the formats, and how each is sent.

use crate::table::JSON;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExportQuery {
    pub format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Md,
    Html,
    Json,
}

impl Format {
    pub fn response(self, text: String) -> Response {
        let kind = match self {
            Self::Md => "text/markdown; charset=utf-8",
            Self::Html => "text/html; charset=utf-8",
            Self::Json => JSON,
        };
        let mut response = ([(header::CONTENT_TYPE, kind)], text).into_response();
        if self == Self::Html {
            // A report that stands by itself: its own style sheet, no styles of single elements, no script, nothing from elsewhere.
            let policy = "default-src 'none'; style-src 'unsafe-inline'; style-src-attr 'none'; frame-ancestors 'none'; sandbox";
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        }
        response
    }
}
