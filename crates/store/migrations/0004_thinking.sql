-- Tokens that a model thought, as part of those it wrote; NULL: unknown.

ALTER TABLE turns ADD COLUMN tokens_thinking BIGINT;
ALTER TABLE costs ADD COLUMN tokens_thinking BIGINT;

-- What models were seen to need and to refuse. Evidence for nothing: it can be emptied at any time, and is then learned again.

CREATE TABLE learned (
    address TEXT NOT NULL,
    model TEXT NOT NULL,
    -- JSON.
    habits TEXT NOT NULL,
    PRIMARY KEY (address, model)
);
