-- Readings of the journal: they can be dropped and rebuilt from it at any time.

CREATE TABLE conversations (
    id TEXT NOT NULL PRIMARY KEY,
    mode TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE messages (
    id TEXT NOT NULL PRIMARY KEY,
    -- NULL: the run was asked outside any conversation.
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    -- The kind of answer; NULL for a question, and for a verdict that has no answer.
    answer_kind TEXT,
    created_at BIGINT NOT NULL
);

CREATE INDEX messages_of_conversation ON messages (conversation_id, created_at);

CREATE TABLE stages (
    id TEXT NOT NULL PRIMARY KEY,
    run_id TEXT NOT NULL,
    message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
    stage_type TEXT NOT NULL,
    stage_order BIGINT NOT NULL,
    -- The number of the journal row shown: the order within a stage.
    seq BIGINT NOT NULL,
    model TEXT,
    role TEXT,
    content TEXT NOT NULL,
    parsed_data TEXT,
    response_time_ms BIGINT,
    created_at BIGINT NOT NULL
);

CREATE INDEX stages_of_run ON stages (run_id, stage_order);
CREATE INDEX stages_of_message ON stages (message_id);

CREATE TABLE turns (
    run TEXT NOT NULL,
    key TEXT NOT NULL,
    seat BIGINT,
    model TEXT NOT NULL,
    prompt TEXT,
    -- said, failed, replied (not read yet) or asked (no reply yet).
    outcome TEXT NOT NULL,
    failure TEXT,
    detail TEXT,
    tries BIGINT NOT NULL,
    extra BIGINT NOT NULL,
    ms BIGINT,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    tokens_cached BIGINT NOT NULL,
    usd DOUBLE PRECISION,
    asked_at BIGINT NOT NULL,
    PRIMARY KEY (run, key)
);

CREATE TABLE costs (
    run TEXT NOT NULL,
    model TEXT NOT NULL,
    calls BIGINT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    tokens_cached BIGINT NOT NULL,
    usd DOUBLE PRECISION,
    PRIMARY KEY (run, model)
);

CREATE TABLE figures (
    run TEXT NOT NULL,
    seq BIGINT NOT NULL,
    mode TEXT NOT NULL,
    name TEXT NOT NULL,
    value DOUBLE PRECISION NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (run, seq)
);

CREATE INDEX figures_by_name ON figures (mode, name);
