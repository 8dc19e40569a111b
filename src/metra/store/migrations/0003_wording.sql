-- The language in which the judge read the questions; empty for answers from before.

ALTER TABLE judgement ADD COLUMN wording TEXT NOT NULL DEFAULT '';
