"""Judgements of campaigns about the runs of a test set, beside the metrics."""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import Connection

from metra.campaign.judgement import build_campaign_scores
from metra.errors import MetraError
from metra.meta.judges import add_flags
from metra.meta.people import PeopleScores, build_people_results, collect_people
from metra.scores.selection import DEFAULT
from metra.scores.table import Scores
from metra.scoring.results import Results
from metra.stats.defaults import SEED
from metra.store import campaigns, tasks, test_sets
from metra.store.second_looks import read_completed
from metra.store.test_sets import StoredSet


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """A campaign about a test set, and how much of it is done."""

    id: str
    name: str
    state: str
    is_blind: bool
    done: int
    of: int


@dataclass(frozen=True, slots=True)
class Judgements:
    """The judgements of the newest campaign whose systems are no longer hidden."""

    campaign: str
    scores: Scores


def list_progress(db: Connection, stored: StoredSet) -> list[CampaignProgress]:
    """Return the campaigns about a test set, the newest first."""
    counts = tasks.count_states(db)
    listed = []
    for one in campaigns.list_of_test_set(db, stored.id):
        states = counts.get(one.id, Counter())
        of = states.total() - states["passed"]
        done = states["done"]
        entry = (one.id, one.name, one.state, one.is_blind, done, of)
        listed.append(CampaignProgress(*entry))
    return listed


def read_judgements(db: Connection, stored: StoredSet) -> Judgements | None:
    """Return the judgements that may be shown with the names of systems, if any."""
    for one in campaigns.list_of_test_set(db, stored.id):
        answers = [] if one.is_blind else read_completed(db, one)
        if answers:
            return Judgements(one.name, add_flags(build_campaign_scores(answers)))
    return None


def rank_by_people(
    db: Connection, stored: StoredSet, judged: Judgements, results: Results
) -> tuple[Results | None, str]:
    """Return results of people on the runs, and in words which judgements count."""
    documents = None
    if stored.parts.documents:
        texts = test_sets.read_texts(db, stored.parts.documents)
        documents = [name or "" for name in texts]
    try:
        people: PeopleScores = collect_people(
            judged.scores,
            DEFAULT,
            None,
            [*results],
            segments=stored.segments,
            documents=documents,
            seed=SEED,
        )
    except MetraError as error:  # no judgement is about the shown runs
        return None, str(error)
    words = (
        f"People: {people.scorer} in the campaign {judged.campaign}, {people.selection}"
    )
    return build_people_results(people, stored.segments), words
