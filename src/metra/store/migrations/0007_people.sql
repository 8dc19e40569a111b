-- Judges of several campaigns who are one person, with one link for all of them, and what they say
-- of each campaign when they are done.

ALTER TABLE judge ADD COLUMN person TEXT;
ALTER TABLE judge ADD COLUMN remark TEXT NOT NULL DEFAULT '';

CREATE INDEX judge_by_person ON judge (person);
