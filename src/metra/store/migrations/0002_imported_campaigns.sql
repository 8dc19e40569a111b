-- Campaigns that come from files: `called` is what a file calls a task or an answer, whose own
-- ids must differ from all others in the store. Files need not tell times.

ALTER TABLE campaign ADD COLUMN imported_json TEXT;
ALTER TABLE task ADD COLUMN called TEXT;

CREATE TABLE new_judgement (
    id TEXT PRIMARY KEY,
    called TEXT,
    task TEXT NOT NULL REFERENCES task (id),
    number INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    supersedes TEXT REFERENCES new_judgement (id),
    judge TEXT NOT NULL REFERENCES judge (id),
    value_json TEXT NOT NULL,
    comment TEXT NOT NULL,
    cannot TEXT,
    shown_at DOUBLE PRECISION,
    first_action_at DOUBLE PRECISION,
    submitted_at DOUBLE PRECISION,
    wall_ms BIGINT,
    active_ms BIGINT,
    hidden_ms BIGINT,
    idle_ms BIGINT,
    paused_ms BIGINT,
    protocol_version TEXT NOT NULL,
    UNIQUE (task, number, revision)
);

INSERT INTO new_judgement
SELECT id, NULL, task, number, revision, supersedes, judge, value_json, comment, cannot, shown_at,
    first_action_at, submitted_at, wall_ms, active_ms, hidden_ms, idle_ms, paused_ms,
    protocol_version
FROM judgement;

DROP TABLE judgement;
ALTER TABLE new_judgement RENAME TO judgement;
CREATE INDEX judgement_of_judge ON judgement (judge);

-- Each window counts its own events from 0: two of them must not take each other's place.

CREATE TABLE new_event (
    task TEXT NOT NULL REFERENCES task (id),
    number INTEGER NOT NULL,
    client TEXT NOT NULL,
    seq BIGINT NOT NULL,
    t_ms DOUBLE PRECISION NOT NULL,
    kind TEXT NOT NULL,
    data_json TEXT NOT NULL,
    PRIMARY KEY (task, number, client, seq)
);

INSERT INTO new_event SELECT task, number, '', seq, t_ms, kind, data_json FROM event;
DROP TABLE event;
ALTER TABLE new_event RENAME TO event;
