-- A row for each combination of account and address that failed to sign in, whose wait grows with
-- its failures. Before, each failure had a row.

DROP TABLE attempt;

CREATE TABLE attempt (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX attempt_by_time ON attempt (at);

-- What an admin is told about their sessions.

ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN client TEXT NOT NULL DEFAULT '';

-- The second factor: its secret, and the last period of time whose code was used.

ALTER TABLE admin ADD COLUMN totp_secret TEXT;
ALTER TABLE admin ADD COLUMN totp_period BIGINT NOT NULL DEFAULT 0;

CREATE TABLE recovery_code (
    admin TEXT NOT NULL REFERENCES admin (name),
    code_hash TEXT NOT NULL,
    PRIMARY KEY (admin, code_hash)
);
