-- Who asked for a run: a key's id, or `local` for the user of this machine.

ALTER TABLE runs ADD COLUMN principal TEXT NOT NULL DEFAULT 'local';

CREATE INDEX runs_of_principal ON runs (principal, created_at);
-- Looked through every second by a server, for what nobody goes on with.
CREATE INDEX runs_under_way ON runs (state) WHERE state IN ('running', 'waiting');
CREATE INDEX runs_by_parent ON runs (parent);

CREATE TABLE access_keys (
    id TEXT NOT NULL PRIMARY KEY,
    -- SHA-256 of the key, which is random and as long: nothing slower is needed.
    hash TEXT NOT NULL,
    owner TEXT NOT NULL,
    -- JSON lists and objects.
    scopes TEXT NOT NULL,
    limits TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE UNIQUE INDEX access_keys_by_hash ON access_keys (hash);

-- Requests that began a run, so that a repeated one finds it. Kept for a day.
CREATE TABLE repeats (
    principal TEXT NOT NULL,
    key TEXT NOT NULL,
    body_sha256 TEXT NOT NULL,
    run TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (principal, key)
);

-- When each key began runs: counted for its limits, whether or not the runs are still there.
CREATE TABLE starts (
    run TEXT NOT NULL PRIMARY KEY,
    principal TEXT NOT NULL,
    at BIGINT NOT NULL
);

CREATE INDEX starts_of_principal ON starts (principal, at);

-- What a key has used of its daily allowance: a call is counted before it is made, and settled when it has come back.
CREATE TABLE allowances (
    principal TEXT NOT NULL,
    -- Days since the Unix epoch, UTC.
    day BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    usd DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (principal, day)
);

-- Which runs have a file attached, so that it goes with the last of them. Files from before this was kept stay.
CREATE TABLE attachments (
    run TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (run, sha256)
);

CREATE INDEX attachments_of_blob ON attachments (sha256);
ALTER TABLE blobs ADD COLUMN counted BIGINT NOT NULL DEFAULT 0;

-- Runs that take over what another said: that one stays as long as they do.
CREATE TABLE forks (
    run TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES runs (id)
);

-- Runs that were deleted: that there was one, and how its record ended.
CREATE TABLE tombstones (
    run TEXT NOT NULL PRIMARY KEY,
    principal TEXT NOT NULL,
    deleted_at BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    head BYTEA NOT NULL
);
