-- Whose a conversation is, and whether somebody named it: then no title takes its place.

ALTER TABLE conversations ADD COLUMN principal TEXT NOT NULL DEFAULT 'local';
ALTER TABLE conversations ADD COLUMN renamed BIGINT NOT NULL DEFAULT 0;

CREATE INDEX conversations_newest ON conversations (updated_at);
CREATE INDEX conversations_of_principal ON conversations (principal, updated_at);
CREATE INDEX runs_of_conversation ON runs (conversation);
CREATE INDEX messages_of_run ON messages (run_id);

ALTER TABLE figures ADD COLUMN label TEXT;
ALTER TABLE figures ADD COLUMN model TEXT;
ALTER TABLE figures ADD COLUMN out_of DOUBLE PRECISION NOT NULL DEFAULT 1;

-- The numbers of one run, as JSON. Like all readings of the journal they can be made again from it.

CREATE TABLE run_stats (
    run TEXT NOT NULL PRIMARY KEY,
    principal TEXT NOT NULL,
    mode TEXT NOT NULL,
    rehearsal BIGINT NOT NULL,
    -- Days since the Unix epoch, UTC, and the time, of the run's first row.
    day BIGINT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    -- 1: it is in the numbers of its day.
    counted BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX run_stats_of_day ON run_stats (day, mode, rehearsal);
CREATE INDEX run_stats_of_mode ON run_stats (mode, at);
CREATE INDEX run_stats_of_principal ON run_stats (principal, at);
CREATE INDEX run_stats_newest ON run_stats (at);

-- What the numbers of days do not hold yet. Written with a run, taken away by whoever puts the days together.
CREATE TABLE stats_news (
    id TEXT NOT NULL PRIMARY KEY,
    run TEXT NOT NULL,
    -- added, changed (or gone), or unread: from before numbers were kept.
    news TEXT NOT NULL,
    day BIGINT NOT NULL,
    mode TEXT NOT NULL,
    rehearsal BIGINT NOT NULL
);

-- Taken a day at a time, so that few days are written for many runs.
CREATE INDEX stats_news_of_day ON stats_news (day, mode, rehearsal, id);

INSERT INTO stats_news (id, run, news, day, mode, rehearsal)
    SELECT id, id, 'unread', created_at / 86400000, mode, rehearsal FROM runs WHERE state IN ('complete', 'lost', 'stopped', 'waiting');

-- The numbers of a day in one mode, of one principal, and under '' of all of them. What was used stands beside the JSON too.
CREATE TABLE day_stats (
    principal TEXT NOT NULL,
    day BIGINT NOT NULL,
    mode TEXT NOT NULL,
    rehearsal BIGINT NOT NULL,
    body TEXT NOT NULL,
    runs BIGINT NOT NULL,
    unpriced BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    thinking BIGINT NOT NULL,
    usd DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (principal, day, mode, rehearsal)
);

-- The same of whole months, by their first day, for those who ask for everything.
CREATE TABLE month_stats (
    principal TEXT NOT NULL,
    day BIGINT NOT NULL,
    mode TEXT NOT NULL,
    rehearsal BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (principal, day, mode, rehearsal)
);
