"""Campaigns from files: all of it or nothing, once, and the same bytes when they go out."""

from collections import Counter
from dataclasses import replace
from statistics import median

import pytest
from sqlalchemy import text
from tests.campaign.answers import table_of
from tests.campaigns import made, opened

from metra.campaign.demo_data import list_demo_protocols
from metra.campaign.judgement import check_imported, keep_latest
from metra.errors import FormatError, OptionError
from metra.meta.options import RankOptions
from metra.meta.question import answer_all
from metra.report.campaign_files import export_judgements
from metra.scores.appraise import KINDS, parse_appraise_judgements
from metra.scores.judgement_jsonl import format_judgements
from metra.scores.selection import DEFAULT
from metra.store import answers, audit, campaigns, imported, judges, tasks
from metra.store.demo import fill_store
from metra.store.second_looks import read_completed

NOW = 1_900_000_000.0


def put(store, judgements, name=None, **more):
    with store.transaction() as db:
        return imported.import_campaigns(
            db, judgements, files=["a.jsonl"], now=NOW, who="ann", name=name, **more
        )


def kept(store, key):
    with store.reading() as db:
        return answers.read_judgements(db, campaigns.get_campaign(db, key))


def rows(store):
    with store.reading() as db:
        return {
            name: db.execute(text(f"SELECT COUNT(*) FROM {name}")).scalar_one()
            for name in ("campaign", "judge", "task", "judgement", "audit")
        }


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    """A filled campaign of each protocol, and its judgements."""
    from metra import store as stores

    store = stores.open(str(tmp_path_factory.mktemp("filled") / "judge.db"))
    fill_store(store, list_demo_protocols(), now=NOW)
    with store.reading() as db:
        keys = [row[0] for row in campaigns.list_campaigns(db)]
        every = [campaigns.get_campaign(db, key) for key in keys]
        found = [(stored, answers.read_judgements(db, stored)) for stored in every]
    store.close()
    return found


@pytest.fixture(scope="module")
def filled(demonstration):
    """The judgements of a filled campaign of each protocol, by its name."""
    return {stored.name: mine for stored, mine in demonstration if mine}


def test_a_demonstration_took_place_in_the_last_thirty_hours(demonstration):
    stored, judgements = next(
        one for one in demonstration if one[0].campaign.protocol.name == "da"
    )
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


def test_every_protocol_comes_out_as_it_went_in(store, filled):
    for name, judgements in filled.items():
        [(called, one)] = put(store, judgements).items()
        assert (called, one.is_new) == (name, True)
        again = format_judgements(kept(store, one.id))
        assert again == format_judgements(judgements), name
        options = {"rank": RankOptions(trials=50)}
        tables = [
            [
                one.report and one.report.tables
                for one in answer_all(table_of(each), DEFAULT, options, ["rank"])
            ]
            for each in (kept(store, one.id), judgements)
        ]
        assert tables[0] == tables[1], name
    assert len(filled) > 10


def test_what_no_database_keeps_is_left_out_of_every_text(store, filled):
    judgements = next(iter(filled.values()))
    spoilt = {"comment": "a\0b", "wording": "e\0n", "wording_version": "1\0"}
    [one] = put(store, [replace(judgements[0], **spoilt)]).values()
    [again] = kept(store, one.id)
    assert (again.comment, again.wording, again.wording_version) == ("ab", "en", "1")


def test_the_same_judgements_again_change_nothing(store, filled):
    judgements = next(iter(filled.values()))
    [first] = put(store, judgements).values()
    before = rows(store)
    [again] = put(store, judgements).values()
    assert (again.id, again.is_new) == (first.id, False)
    assert rows(store) == before
    with pytest.raises(
        OptionError, match="with other judgements already exists; choose an"
    ):
        put(store, judgements[1:])
    assert rows(store) == before
    [other] = put(store, judgements[1:], "another").values()
    assert {one.campaign for one in kept(store, other.id)} == {"another"}


def test_what_was_judged_here_can_be_imported_here(store):
    house = opened(store, made("da"))
    browser = house.browser("judge 0")
    for _ in range(3):
        browser.answer(work := browser.work(), work["screen"])
    there = house.judgements()
    with pytest.raises(OptionError, match=r"named 'test' with other"):
        put(store, there)
    [copy] = put(store, there, "copy").values()
    again = [replace(one, campaign="test") for one in kept(store, copy.id)]
    assert format_judgements(again) == format_judgements(there)
    assert house.judgements() == there


def test_half_of_it_is_nothing(store, filled, monkeypatch):
    before = rows(store)
    judgements = next(iter(filled.values()))

    def fall(*_, **__):
        msg = "No space left on device"
        raise OSError(msg)

    monkeypatch.setattr(audit, "add_entry", fall)
    with pytest.raises(OSError, match="No space"):
        put(store, judgements)
    assert rows(store) == before


def test_several_campaigns_in_one_file_become_several(store, filled):
    both = [one for mine in list(filled.values())[:2] for one in mine]
    assert set(put(store, both)) == set(list(filled)[:2])
    with pytest.raises(OptionError, match=r"hold 2 campaigns .* cannot all be named"):
        put(store, both, "x")
    renamed = [replace(one, campaign="same") for one in both]
    names = set(put(store, renamed))
    assert len(names) == 2
    assert all(name.startswith("same ") and " " in name for name in names)


def test_nobody_goes_on_with_it(store, filled):
    [one] = put(store, next(iter(filled.values()))).values()
    with store.transaction() as db:
        stored = campaigns.get_campaign(db, one.id)
        assert stored.state == "closed"
        assert stored.imported["files"] == ["a.jsonl"]
        [judge, *_] = judges.list_judges(db, one.id)
        with pytest.raises(
            OptionError, match="was imported from files; an imported campaign stays clo"
        ):
            campaigns.set_state(db, one.id, "open", now=NOW, who="ann")
        with pytest.raises(OptionError, match="was imported from files"):
            judges.issue_link(db, judge.id, now=NOW, who="ann")
        far = tasks.compute_progress(
            db, judge.id, tasks.list_screens(db, judge.id), stored.screen_seconds
        )
        assert far.done == far.of > 0


def test_judges_of_it_can_be_forgotten(store, filled):
    judgements = next(iter(filled.values()))
    [one] = put(store, judgements).values()
    with store.transaction() as db:
        [judge, *_] = judges.list_judges(db, one.id)
        new = judges.anonymise_judge(db, judge.id, now=NOW, who="ann")
    after = kept(store, one.id)
    assert judge.label not in {each.judge for each in after}
    assert new in {each.judge for each in after}
    assert len(after) == len(judgements)


def test_segments_need_not_be_numbered_without_gaps(store, filled):
    judgements = [
        replace(one, segment=one.segment * 1000 + 7, wall_ms=None, submitted_at=None)
        for one in next(iter(filled.values()))
    ]
    [one] = put(store, judgements).values()
    assert format_judgements(kept(store, one.id)) == format_judgements(judgements)
    with store.reading() as db:
        assert read_completed(db, campaigns.get_campaign(db, one.id)) == kept(
            store, one.id
        )


def test_an_answer_follows_the_one_that_it_replaces(store, filled):
    judgements = next(iter(filled.values()))
    again = replace(judgements[0], id="again", revision=2)
    [one] = put(store, [again, *judgements]).values()
    query = "SELECT a.called, b.called FROM judgement a JOIN judgement b ON a.supersedes = b.id"
    with store.reading() as db:
        assert db.execute(text(query)).all() == [("again", judgements[0].id)]
        [count] = db.execute(text("SELECT COUNT(DISTINCT id) FROM judgement")).one()
    assert count == len(judgements) + 1
    assert len(kept(store, one.id)) == count


def test_a_revision_comes_once(store, filled):
    judgements = next(iter(filled.values()))
    with pytest.raises(FormatError, match="has two answers with revision 1 to segment"):
        put(store, [*judgements, replace(judgements[0], id="again")])


@pytest.mark.parametrize("protocol", ["da", "esa"])
def test_exports_of_appraise_come_out_as_they_went_in(store, filled, protocol):
    judgements = [
        one for mine in filled.values() for one in mine if one.protocol == protocol
    ]
    first = export_judgements("appraise", judgements)
    lines = first.content.decode().split("\n")
    types = {kind: name for name, kind in KINDS.items()}
    texts = {
        (one.systems[0], str(one.segment), types[one.kind]): (
            one.source,
            one.outputs[0],
        )
        for one in keep_latest(judgements)
        if one.kind in types
    }
    read = parse_appraise_judgements(lines, "x", outputs=texts, check=check_imported)
    [one] = put(store, read).values()
    again = export_judgements("appraise", kept(store, one.id))
    assert again.content == first.content
