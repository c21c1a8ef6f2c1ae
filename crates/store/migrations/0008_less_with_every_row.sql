-- Every row of a run writes to these: what nobody read, or what held a NULL for almost every row, is gone.

DROP INDEX figures_by_name;
DROP INDEX runs_by_parent;
DROP INDEX runs_of_conversation;
DROP INDEX messages_of_conversation;
CREATE INDEX runs_by_parent ON runs (parent) WHERE parent IS NOT NULL;
CREATE INDEX runs_of_conversation ON runs (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX messages_of_conversation ON messages (conversation_id, created_at) WHERE conversation_id IS NOT NULL;

-- A raw reply's SHA-256 is in its journal row, and nobody read this one.
ALTER TABLE raws DROP COLUMN sha256;

-- Stages are read by their run, in the order of their rows. They go with their run, never with a message alone.
CREATE TABLE stages_by_row (
    id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    message_id TEXT,
    stage_type TEXT NOT NULL,
    stage_order BIGINT NOT NULL,
    -- The number of the journal row shown: the order within a stage.
    seq BIGINT NOT NULL,
    model TEXT,
    role TEXT,
    content TEXT NOT NULL,
    parsed_data TEXT,
    response_time_ms BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (run_id, seq)
);

INSERT INTO stages_by_row (id, run_id, message_id, stage_type, stage_order, seq, model, role, content, parsed_data, response_time_ms, created_at)
    SELECT id, run_id, message_id, stage_type, stage_order, seq, model, role, content, parsed_data, response_time_ms, created_at FROM stages;

DROP TABLE stages;
ALTER TABLE stages_by_row RENAME TO stages;
