"""Judgements as a report takes them, and with the table of their scores."""

from metra.campaign.judgement import (
    build_campaign_scores,
    check_imported,
    keep_latest,
)
from metra.campaign.protocols.registry import PROTOCOLS
from metra.meta.people import choose_question, collect_people
from metra.scores.judgement_jsonl import parse_judgements
from metra.scores.registry import read_scores
from metra.scores.selection import DEFAULT


def read_question(path, question=None, segments=10_000):
    """Read the rows of a question; of several, the last."""
    scores = read_scores(path)
    name = choose_question(scores, question, path)
    systems = scores.systems
    people = collect_people(scores, DEFAULT, name, systems, segments=segments, seed=1)
    return people.scores


def score_latest(judgements, flags=None):
    """Return the last revisions and the table of their scores."""
    kept = keep_latest(judgements)
    return kept, build_campaign_scores(kept, flags)


def parse_judgement_lines(lines, path):
    """Parse judgements as metra exports them, in JSON lines."""
    return parse_judgements(lines, path, protocols=PROTOCOLS, check=check_imported)
