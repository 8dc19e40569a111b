-- The workbench: workspaces with their members, test sets, runs of systems, scores as one array for
-- each run and metric, and jobs. Texts and arrays are kept once, compressed, under their digest.

CREATE TABLE workspace (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE member (
    workspace TEXT NOT NULL REFERENCES workspace (id),
    admin TEXT NOT NULL REFERENCES admin (name),
    role TEXT NOT NULL CHECK (role IN ('owner', 'organiser', 'viewer')),
    PRIMARY KEY (workspace, admin)
);

CREATE TABLE access_token (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspace (id),
    name TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('organiser', 'viewer')),
    created_by TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION,
    revoked_at DOUBLE PRECISION
);

CREATE TABLE content (
    digest TEXT PRIMARY KEY,
    packed BYTEA NOT NULL
);

CREATE TABLE test_set (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspace (id),
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    digest TEXT NOT NULL,
    segments INTEGER NOT NULL,
    parts_json TEXT NOT NULL,
    baseline TEXT,
    created_by TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (workspace, name, version),
    UNIQUE (workspace, name, digest)
);

CREATE TABLE run (
    id TEXT PRIMARY KEY,
    test_set TEXT NOT NULL REFERENCES test_set (id),
    system TEXT NOT NULL,
    content TEXT NOT NULL REFERENCES content (digest),
    note TEXT NOT NULL,
    tags_json TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (test_set, system, content)
);

CREATE TABLE score_array (
    run TEXT NOT NULL REFERENCES run (id),
    spec TEXT NOT NULL,
    signature TEXT NOT NULL,
    score DOUBLE PRECISION,
    layout_json TEXT NOT NULL,
    packed BYTEA NOT NULL,
    PRIMARY KEY (run, spec)
);

CREATE TABLE job (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspace (id),
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    share DOUBLE PRECISION NOT NULL,
    tries INTEGER NOT NULL,
    lease_until DOUBLE PRECISION,
    error TEXT,
    created_by TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION
);

CREATE INDEX job_by_state ON job (state, created_at);
CREATE INDEX job_by_subject ON job (subject);

-- The test set whose runs a campaign judges.
ALTER TABLE campaign ADD COLUMN test_set TEXT;

INSERT INTO workspace SELECT 'main', 'Main', 0 WHERE EXISTS (SELECT 1 FROM admin);
INSERT INTO member SELECT 'main', name, 'owner' FROM admin;
