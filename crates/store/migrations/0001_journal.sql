-- Columns are TEXT, BIGINT, DOUBLE PRECISION or BYTEA only: the same text must serve SQLite and PostgreSQL.
-- Times are milliseconds since the Unix epoch, truth values 0 or 1.

CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    mode TEXT NOT NULL,
    -- running, waiting, stopped, complete or lost. `interrupted` is derived: running, and the owner is gone.
    state TEXT NOT NULL,
    -- The verdict's status, once there is one.
    status TEXT,
    -- The first 500 characters.
    question TEXT NOT NULL,
    -- The end of the journal: the last row's number and hash.
    seq BIGINT NOT NULL,
    head BYTEA NOT NULL,
    -- Who may append: one that takes the run over has a higher epoch.
    epoch BIGINT NOT NULL,
    owner TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    parent TEXT,
    conversation TEXT,
    rehearsal BIGINT NOT NULL,
    -- NULL: unknown.
    spent_usd DOUBLE PRECISION
);

CREATE INDEX runs_by_age ON runs (created_at);

-- Processes that own runs, and until when each is believed to live: one row to renew, however many runs it holds.
CREATE TABLE owners (
    id TEXT NOT NULL PRIMARY KEY,
    lease_until BIGINT NOT NULL
);

CREATE TABLE journal (
    run TEXT NOT NULL,
    seq BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    try BIGINT NOT NULL,
    at BIGINT NOT NULL,
    digest TEXT,
    body TEXT NOT NULL,
    hash BYTEA NOT NULL
);

-- The only index: rows are stored in the order they come, and a turn's row can be written once.
CREATE UNIQUE INDEX journal_once ON journal (run, key, kind, try);

-- What providers sent, under its own retention. The journal keeps the SHA-256.
CREATE TABLE raws (
    run TEXT NOT NULL,
    key TEXT NOT NULL,
    try BIGINT NOT NULL,
    at BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    body TEXT NOT NULL
);

CREATE UNIQUE INDEX raws_once ON raws (run, key, try);

CREATE TABLE blobs (
    sha256 TEXT NOT NULL PRIMARY KEY,
    body BYTEA NOT NULL
);

-- Counts messages. Its row is locked by whoever posts, so that numbers become visible in order.
CREATE TABLE posts (
    n BIGINT NOT NULL
);

INSERT INTO posts (n) VALUES (0);

-- Written without a lease, by anybody.
CREATE TABLE inbox (
    n BIGINT NOT NULL PRIMARY KEY,
    run TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    author TEXT NOT NULL,
    at BIGINT NOT NULL
);

CREATE INDEX inbox_of_run ON inbox (run);
CREATE UNIQUE INDEX inbox_first_answer ON inbox (run, key) WHERE kind = 'answer';
