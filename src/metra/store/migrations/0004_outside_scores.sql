-- Scores that other programs made of a campaign's outputs: for each metric, those of all systems
-- and segments.

CREATE TABLE outside_scores (
    campaign TEXT NOT NULL REFERENCES campaign (id),
    metric TEXT NOT NULL,
    content_json TEXT NOT NULL,
    added_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (campaign, metric)
);
