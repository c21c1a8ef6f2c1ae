-- What decisions taught, from the verdicts that may be remembered: it can be dropped and rebuilt from the journal at any time.

CREATE TABLE experiences (
    run TEXT NOT NULL PRIMARY KEY,
    mode TEXT NOT NULL,
    -- JSON, as the verdict holds it.
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX experiences_newest ON experiences (created_at);
