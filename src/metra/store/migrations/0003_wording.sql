-- The language in which the judge read the questions, and the hash of those words; empty for
-- answers from before.

ALTER TABLE judgement ADD COLUMN wording TEXT NOT NULL DEFAULT '';

ALTER TABLE judgement ADD COLUMN wording_version TEXT NOT NULL DEFAULT '';
