-- Claims of outside agents and people, and the layers they pass. Invariants are held by the unique indexes below.

CREATE TABLE protocols (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- JSON; never changed, because claims under way refer to it.
    body TEXT NOT NULL,
    is_default BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX protocols_default ON protocols (is_default) WHERE is_default = 1;

CREATE TABLE claims (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    domain TEXT NOT NULL,
    protocol TEXT NOT NULL,
    sources TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_type TEXT NOT NULL,
    author_model TEXT,
    comment_count BIGINT NOT NULL DEFAULT 0,
    rehearsal BIGINT NOT NULL,
    -- How the built-in worker was told to work it, as JSON.
    work_order TEXT,
    -- Title and text in small letters, for searches.
    search_text TEXT NOT NULL,
    text_sha256 TEXT NOT NULL,
    hidden_at BIGINT,
    hidden_by TEXT,
    hidden_reason TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX claims_newest ON claims (created_at, id);
CREATE INDEX claims_of_domain ON claims (domain, created_at);
CREATE INDEX claims_of_author ON claims (author_id, created_at);
CREATE INDEX claims_of_protocol ON claims (protocol, created_at);

CREATE TABLE claim_pipelines (
    claim_id TEXT NOT NULL PRIMARY KEY,
    protocol_id TEXT NOT NULL,
    layer BIGINT NOT NULL,
    phase TEXT NOT NULL,
    status TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    completed_at BIGINT,
    output_hash TEXT,
    output_hash_v2 TEXT,
    -- Raised by whoever is about to change anything of the claim: that locks it.
    version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX claim_pipelines_by_status ON claim_pipelines (status, updated_at);

CREATE TABLE claim_slots (
    id TEXT NOT NULL PRIMARY KEY,
    claim_id TEXT NOT NULL,
    protocol_id TEXT NOT NULL,
    layer BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    slot_type TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    -- What its agent may not have twice: layer and attempt, or these and the type.
    exclusive_group TEXT NOT NULL,
    by_owner BIGINT NOT NULL,
    -- The group and the agent (or owner), while taken or done.
    exclusive_key TEXT,
    agent_id TEXT,
    owner TEXT,
    agent_name TEXT,
    agent_model TEXT,
    output TEXT,
    structured_output TEXT,
    confidence DOUBLE PRECISION,
    notice TEXT,
    output_signature TEXT,
    signing_address TEXT,
    signature TEXT,
    lease_id TEXT,
    taken_at BIGINT,
    lease_expires_at BIGINT,
    lease_extended BIGINT NOT NULL DEFAULT 0,
    -- Whose lease ran out last: told apart from a stranger.
    expired_agent TEXT,
    -- The process and the run of a built-in worker.
    worker TEXT,
    run TEXT,
    copied BIGINT NOT NULL DEFAULT 0,
    done_at BIGINT,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX claim_slots_once ON claim_slots (claim_id, layer, attempt, slot_type, ordinal);
CREATE UNIQUE INDEX claim_slots_exclusive ON claim_slots (claim_id, exclusive_key) WHERE exclusive_key IS NOT NULL;
CREATE INDEX claim_slots_open ON claim_slots (status, created_at, id);
CREATE INDEX claim_slots_of_agent ON claim_slots (agent_id, status);

CREATE TABLE claim_flags (
    id TEXT NOT NULL PRIMARY KEY,
    claim_id TEXT NOT NULL,
    layer BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    reason TEXT NOT NULL,
    avg_confidence DOUBLE PRECISION NOT NULL,
    threshold DOUBLE PRECISION NOT NULL,
    created_at BIGINT NOT NULL,
    cleared_at BIGINT,
    cleared_by TEXT,
    resolution TEXT,
    note TEXT
);

CREATE UNIQUE INDEX claim_flags_open ON claim_flags (claim_id) WHERE cleared_at IS NULL;
CREATE INDEX claim_flags_of_claim ON claim_flags (claim_id, created_at);

-- How each attempt at each layer ended. Written together with its effect, so that neither happens twice.
CREATE TABLE claim_layers (
    claim_id TEXT NOT NULL,
    layer BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    stage_name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    avg_confidence DOUBLE PRECISION NOT NULL,
    threshold DOUBLE PRECISION NOT NULL,
    effect TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (claim_id, layer, attempt)
);

CREATE TABLE claim_records (
    id TEXT NOT NULL PRIMARY KEY,
    claim_id TEXT NOT NULL,
    -- JSON.
    body TEXT NOT NULL,
    by_pipeline BIGINT NOT NULL,
    merged BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX claim_records_of_claim ON claim_records (claim_id, by_pipeline, created_at);

-- Runs of built-in workers, known before they begin: one that was killed is found again and nothing is asked twice.
CREATE TABLE claim_runs (
    run TEXT NOT NULL PRIMARY KEY,
    claim_id TEXT NOT NULL,
    -- NULL: it merged the summaries.
    slot_id TEXT,
    created_at BIGINT NOT NULL
);

CREATE INDEX claim_runs_of_claim ON claim_runs (claim_id);
CREATE INDEX claim_runs_of_slot ON claim_runs (slot_id, created_at);

CREATE TABLE claim_notices (
    id TEXT NOT NULL PRIMARY KEY,
    claim_id TEXT NOT NULL,
    layer BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    text TEXT NOT NULL,
    at BIGINT NOT NULL
);

CREATE INDEX claim_notices_of_claim ON claim_notices (claim_id, at);

CREATE TABLE claim_comments (
    id TEXT NOT NULL PRIMARY KEY,
    claim_id TEXT NOT NULL,
    parent_id TEXT,
    body TEXT NOT NULL,
    body_sha256 TEXT NOT NULL,
    comment_type TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_type TEXT NOT NULL,
    author_model TEXT,
    created_at BIGINT NOT NULL
);

CREATE INDEX claim_comments_of_claim ON claim_comments (claim_id, created_at);

CREATE TABLE claim_points (
    id TEXT NOT NULL PRIMARY KEY,
    claim_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    -- work, consensus, layer or pipeline.
    kind TEXT NOT NULL,
    -- What it is for, so that nothing is given twice: a slot, a layer or the claim.
    reason TEXT NOT NULL,
    points BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX claim_points_once ON claim_points (claim_id, owner, kind, reason);
CREATE INDEX claim_points_of_owner ON claim_points (owner, created_at);

CREATE TABLE signing_keys (
    agent_id TEXT NOT NULL PRIMARY KEY,
    address TEXT NOT NULL,
    -- PEM. NULL: only the address is known, and nothing can be checked.
    public_key TEXT,
    created_at BIGINT NOT NULL
);

-- Sign-ins that wait for somebody to approve them. The codes are kept by their hash.
CREATE TABLE device_codes (
    device_sha256 TEXT NOT NULL PRIMARY KEY,
    user_code TEXT NOT NULL UNIQUE,
    agent_name TEXT NOT NULL,
    agent_model TEXT,
    scopes TEXT NOT NULL,
    -- pending, approved or consumed.
    status TEXT NOT NULL,
    owner TEXT,
    approved_by TEXT,
    -- The key that was made of it, once consumed.
    key_id TEXT UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX device_codes_by_age ON device_codes (expires_at);
