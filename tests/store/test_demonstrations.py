"""Demonstration campaigns: when they took place, and their way through files and back."""

from collections import Counter
from statistics import median

import pytest
from tests.judged import parse_judgement_lines

from metra import store as stores
from metra.campaign.demo_data import list_demo_protocols
from metra.campaign.judgement import format_judgement_lines
from metra.store import answers, campaigns
from metra.store.demo import fill_store

NOW = 1_900_000_000.0


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """The stored campaign and the judgements of each protocol, by its name."""
    store = stores.open(str(tmp_path_factory.mktemp("filled") / "judge.db"))
    fill_store(store, list_demo_protocols(), now=NOW)
    with store.reading() as db:
        keys = [row[0] for row in campaigns.list_campaigns(db)]
        every = [campaigns.get_campaign(db, key) for key in keys]
        found = {
            stored.campaign.protocol.name: (stored, answers.read_judgements(db, stored))
            for stored in every
        }
    store.close()
    return found


def test_a_demonstration_took_place_in_the_last_thirty_hours(filled):
    stored, judgements = filled["da"]
    begun = NOW - 30 * 3600
    assert stored.created_at == begun
    # Six judges have done all of their work, the last two a part of it.
    done = Counter(one.judge for one in judgements)
    shares = [
        done[judge] / max(done.values()) for judge in stored.campaign.settings.judges
    ]
    assert [round(share, 1) for share in shares] == [1.0] * 6 + [0.6, 0.3]
    times = [one.submitted_at for one in judgements]
    assert begun <= min(times) < max(times) <= NOW
    by_judge = {}
    for one in judgements:
        by_judge.setdefault(one.judge, []).append(one)
    first = [min(each.submitted_at for each in mine) for mine in by_judge.values()]
    assert max(first) - min(first) > 3600
    pace = {
        judge: median(one.active_ms for one in mine) for judge, mine in by_judge.items()
    }
    hasty = stored.campaign.settings.judges[6]
    assert min(pace, key=pace.get) == hasty
    assert 2 * pace.pop(hasty) < min(pace.values())


def test_every_protocol_comes_out_of_a_file_as_it_went_in(filled):
    for name, (_, judgements) in filled.items():
        text = "".join(format_judgement_lines(judgements))
        again = "".join(
            format_judgement_lines(parse_judgement_lines(text.split("\n"), "x"))
        )
        assert again == text, name
    assert len(filled) > 10
