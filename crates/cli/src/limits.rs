//! The process's own limits. Thousands of calls in flight need as many sockets, and the usual soft limit is 1,024.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit of open files to the hard one. Where that is refused the old limit simply stays.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })
    {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}
