-- Times are seconds since 1970 by the server's clock. What ends in json is JSON as text, so that
-- both kinds of database keep it to the letter.

CREATE TABLE campaign (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    content_json TEXT NOT NULL,
    version TEXT NOT NULL,
    secret TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'paused', 'closed')),
    unblinded_at DOUBLE PRECISION,
    created_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE judge (
    id TEXT PRIMARY KEY,
    campaign TEXT NOT NULL REFERENCES campaign (id),
    label TEXT NOT NULL,
    place INTEGER NOT NULL,
    token_hash TEXT UNIQUE,
    revoked_at DOUBLE PRECISION,
    released_at DOUBLE PRECISION,
    consent_at DOUBLE PRECISION,
    guide_at DOUBLE PRECISION,
    seen_at DOUBLE PRECISION,
    profile_json TEXT NOT NULL,
    note TEXT NOT NULL,
    completion_code TEXT NOT NULL,
    anonymised_at DOUBLE PRECISION,
    UNIQUE (campaign, label)
);

CREATE TABLE task (
    id TEXT PRIMARY KEY,
    campaign TEXT NOT NULL REFERENCES campaign (id),
    judge TEXT NOT NULL REFERENCES judge (id),
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    original TEXT,
    items_json TEXT NOT NULL,
    screens INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'open', 'done', 'passed')),
    lease_until DOUBLE PRECISION,
    topped_up_from TEXT,
    UNIQUE (judge, position)
);

CREATE INDEX task_of_campaign ON task (campaign);

CREATE TABLE shown (
    task TEXT NOT NULL REFERENCES task (id),
    number INTEGER NOT NULL,
    step INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (task, number, step)
);

CREATE TABLE draft (
    task TEXT NOT NULL REFERENCES task (id),
    number INTEGER NOT NULL,
    rev BIGINT NOT NULL,
    payload_json TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (task, number)
);

CREATE TABLE judgement (
    id TEXT PRIMARY KEY,
    task TEXT NOT NULL REFERENCES task (id),
    number INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    supersedes TEXT REFERENCES judgement (id),
    judge TEXT NOT NULL REFERENCES judge (id),
    value_json TEXT NOT NULL,
    comment TEXT NOT NULL,
    cannot TEXT,
    shown_at DOUBLE PRECISION,
    first_action_at DOUBLE PRECISION,
    submitted_at DOUBLE PRECISION NOT NULL,
    wall_ms BIGINT NOT NULL,
    active_ms BIGINT NOT NULL,
    hidden_ms BIGINT NOT NULL,
    idle_ms BIGINT NOT NULL,
    paused_ms BIGINT NOT NULL,
    protocol_version TEXT NOT NULL,
    UNIQUE (task, number, revision)
);

CREATE INDEX judgement_of_judge ON judgement (judge);

CREATE TABLE event (
    task TEXT NOT NULL REFERENCES task (id),
    number INTEGER NOT NULL,
    seq BIGINT NOT NULL,
    t_ms DOUBLE PRECISION NOT NULL,
    kind TEXT NOT NULL,
    data_json TEXT NOT NULL,
    PRIMARY KEY (task, number, seq)
);

CREATE TABLE session (
    token_hash TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('judge', 'admin')),
    judge TEXT REFERENCES judge (id),
    name TEXT NOT NULL,
    csrf TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX session_of_judge ON session (judge);

CREATE TABLE admin (
    name TEXT PRIMARY KEY,
    scrypt TEXT NOT NULL
);

CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    campaign TEXT,
    data_json TEXT NOT NULL
);

CREATE TABLE attempt (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX attempt_by_key ON attempt (key, at);
