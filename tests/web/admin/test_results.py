"""Results pages and exports: the library's numbers, blind until they may be seen."""

import io
import zipfile

import pytest
from metra.campaign.ranking import RankingOptions, rank_systems
from sqlalchemy import select, update
from tests.campaigns import SYSTEMS, made, opened
from tests.web.admin.conftest import Admin

from metra.campaign.demo_data import draw_judges, simulate_answer
from metra.campaign.imports import parse_judgement_lines
from metra.campaign.summary import (
    JudgementFilter,
    SummaryOptions,
    assign_blind_names,
    summarise_judgements,
)
from metra.store import answers, audit, campaigns, database, screens, tasks


def filled(store, protocol="ldc", **more):
    """A campaign that made-up judges have finished."""
    import uuid

    import numpy as np

    house = opened(store, made(protocol, texts=14, **more))
    rng = np.random.default_rng(5)
    with store.transaction() as db:
        stored = campaigns.get_campaign(db, house.campaign)
        for owned in tasks.list_campaign_tasks(db, house.campaign):
            for number in range(owned.screens):
                [temper] = draw_judges(1, rng=rng)
                last = len(stored.campaign.protocol.steps) - 1
                screens.record_shown_steps(
                    db, owned.task.id, number, last, now=house.clock()
                )
                house.clock.pass_by(30)
                answer = simulate_answer(
                    stored.campaign, owned.task, number, temper, rng=rng
                )
                answers.submit_answer(
                    db,
                    stored,
                    owned,
                    number,
                    answers.Answer(
                        str(uuid.uuid4()),
                        answer.value,
                        times=answers.AnswerTimes(active_ms=5000),
                    ),
                    now=house.clock(),
                )
    return Admin(house).sign_in()


@pytest.fixture
def full(store):
    return filled(store)


@pytest.fixture
def light_full(tmp_path):
    from metra import store as stores

    store = stores.open(str(tmp_path / "judge.db"))
    yield filled(store)
    store.close()


def names_of(admin):
    with admin.house.store.reading() as db:
        stored = campaigns.get_campaign(db, admin.house.campaign)
    systems = [system.name for system in stored.campaign.systems]
    return assign_blind_names(systems, stored.secret)


def test_the_page_says_what_the_library_says(full, table):
    names = names_of(full)
    page = full.get("/results")
    for ranking in rank_systems(full.house.judgements()):
        _, *body = table(page, f"Systems by {ranking.scorer}")
        assert [row[0] for row in body] == [
            names[one.mean.system] for one in ranking.systems
        ]
        assert [row[3] for row in body] == [
            f"{one.mean.native:.2f}" for one in ranking.systems
        ]
        assert [row[1] for row in body] == [
            "–" if one.cluster is None else str(one.cluster) for one in ranking.systems
        ]


def test_every_number_follows_the_filter(light_full, table):
    everything = light_full.house.judgements()
    choice = JudgementFilter(judges=frozenset({"judge 0", "judge 1"}))
    wished = SummaryOptions(choice, RankingOptions(by="document", holm=True))
    found = summarise_judgements(everything, wished)
    query = "?judge=judge+0&judge=judge+1&by=document&holm=yes&system=none"
    page = light_full.get(f"/results{query}")
    assert f"{found.judgements} of {found.of} answers." in page
    assert [row[0] for row in table(page, "Judges on fluency")[1:]] == [
        "judge 0",
        "judge 1",
    ]
    [fluency, _] = found.rankings
    _, *body = table(page, "Systems by fluency")
    assert [row[3] for row in body] == [
        f"{one.mean.native:.2f}" for one in fluency.systems
    ]
    assert "Holm" in page


def test_flagged_answers_are_set_apart_with_both_figures(light_full, table):
    hasty = light_full.house.judgements()[0].judge
    with light_full.house.store.transaction() as db:
        judge, judgement = database.judge.c, database.judgement
        of_hasty = select(judge.id).where(judge.label == hasty).scalar_subquery()
        change = update(judgement).where(judgement.c.judge == of_hasty)
        db.execute(change.values(active_ms=1))
    names = names_of(light_full)
    kept = light_full.house.judgements()
    left = [one for one in kept if one.judge != hasty]
    for query, counted, others, heading in (
        ("", left, kept, "With flagged"),
        ("?flagged=count", kept, left, "Without flagged"),
    ):
        page = light_full.get(f"/results{query}")
        assert (
            hasty in page.split("Flags and reasons")[0].rpartition('id="flagged-1"')[2]
        )
        both = rank_systems(counted)[0], rank_systems(others)[0]
        means = [
            {names[one.mean.system]: f"{one.mean.native:.2f}" for one in found.systems}
            for found in both
        ]
        head, *body = table(page, "Systems by fluency")
        assert head[5] == heading
        assert {row[0]: row[3] for row in body} == means[0]
        assert {row[0]: row[5] for row in body} == means[1]
    page = light_full.get("/results?flagged=without")
    assert "Flags and reasons" not in page
    assert hasty not in [row[0] for row in table(page, "Judges on fluency")]


def test_texts_without_tags_have_no_agreement(tmp_path):
    from metra import store as stores

    store = stores.open(str(tmp_path / "judge.db"))
    page = filled(store, "entity-tagging").get("/results")
    assert "judges tag texts and do not score systems. You can export the tags." in page
    assert "Agreement on" not in page
    store.close()


def test_metrics_are_compared_when_asked(light_full, table):
    page = light_full.get("/results?metrics=yes")
    _, *body = table(page, "Judges and metrics")
    assert [row[:2] for row in body[:3]] == [
        ["fluency", "bleu"],
        ["fluency", "chrf"],
        ["fluency", "ter"],
    ]


def test_names_are_hidden_until_unblinded_or_closed(light_full):
    pages = ("", "/results", "/results?metrics=yes", "/judges", "/export", "/preview")
    for path in pages:
        page = light_full.get(path)
        assert not any(name in page for name in SYSTEMS), path
    for form in ("jsonl", "tsv", "csv", "zip", "mt-metrics-eval"):
        reply = light_full.browser.get(f"{light_full.place}/export/{form}")
        assert reply.status_code == 200
        assert not _holds(reply.content, SYSTEMS[0])
    assert light_full.form("/unblind").status_code == 303
    assert SYSTEMS[0] in light_full.get("/results")
    reply = light_full.browser.get(f"{light_full.place}/export/jsonl")
    assert _holds(reply.content, SYSTEMS[0])


def test_closing_shows_the_names(light_full):
    light_full.form("/state", state="closed")
    assert SYSTEMS[0] in light_full.get("/results")
    light_full.form("/state", state="open")
    assert SYSTEMS[0] not in light_full.get("/results")


def _holds(content, name):
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            return any(name.encode() in packed.read(one) for one in packed.namelist())
    return name.encode() in content


def test_an_export_is_what_was_judged(full):
    full.form("/unblind")
    reply = full.browser.get(f"{full.place}/export/jsonl")
    assert reply.headers["content-disposition"] == (
        "attachment; filename*=UTF-8''test.judgements.jsonl"
    )
    back = parse_judgement_lines(reply.text.split("\n"), "x")
    assert back == full.house.judgements()
    assert rank_systems(back) == rank_systems(full.house.judgements())


def test_an_export_that_does_not_fit_on_the_disk_is_said_and_not_logged(
    light_full, monkeypatch
):
    monkeypatch.setattr(
        "metra.report.campaign_files.open_spool",
        lambda _: open("/dev/full", "wb", buffering=0),  # noqa: SIM115
    )
    reply = light_full.browser.get(f"{light_full.place}/export/csv")
    assert reply.status_code == 507
    assert "disk is full; its operator must free some space." in reply.text
    with light_full.house.store.reading() as db:
        assert audit.list_entries(db, what="export") == []


@pytest.mark.parametrize("form", ["csv", "zip"])
def test_an_export_on_the_disk_is_the_one_in_memory(light_full, monkeypatch, form):
    place = f"{light_full.place}/export/{form}"
    small = light_full.browser.get(place)
    monkeypatch.setattr("metra.report.campaign_files._IN_MEMORY", 1)
    monkeypatch.setattr("metra.report.campaign_files._LINES_AT_ONCE", 2)
    large = light_full.browser.get(place)
    assert large.content == small.content
    assert large.headers["Content-Length"] == str(len(small.content))
    with light_full.house.store.reading() as db:
        sizes = [one.data["bytes"] for one in audit.list_entries(db, what="export")]
    assert sizes == [len(small.content)] * 2


def test_formats_that_have_no_place_for_it_are_not_there(light_full):
    for form in ("appraise", "marot", "none"):
        assert (
            light_full.browser.get(f"{light_full.place}/export/{form}").status_code
            == 404
        )


def test_nothing_to_tell_yet(light_admin):
    page = light_admin.get("/results")
    assert "No answers yet" in page
    reply = light_admin.browser.get(f"{light_admin.place}/export/zip")
    assert reply.status_code == 422
    assert "There are no judgements to export yet." in reply.text


@pytest.mark.parametrize("protocol", ["mqm", "esa", "pairwise", "ranking", "da-sqm"])
def test_each_protocol_has_results(tmp_path, protocol):
    from metra import store as stores

    more = {"systems": 3, "judges": 6} if protocol == "ranking" else {}
    store = stores.open(str(tmp_path / "judge.db"))
    admin = filled(store, protocol, **more)
    page = admin.get("/results")
    assert "Systems by" in page
    assert page.count('role="img"') >= 3
    store.close()


def test_pictures_have_no_style_of_their_own(light_full):
    page = light_full.get("/results")
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<svg") == 4


def test_the_bar_filters_by_kind_and_day(light_admin):
    house = light_admin.house
    judge = house.browser("judge 0")
    for _ in range(4):
        work = judge.work()
        judge.answer(work, work["screen"])
        house.clock.pass_by(86_400)
    light_admin.sign_in()
    # The clock begins on 2027-01-15.
    page = light_admin.get("/results")
    assert '<p class="lead">4 answers.</p>' in page
    assert 'min="2027-01-15" max="2027-01-18"' in page
    page = light_admin.get("/results?from=2027-01-16&to=2027-01-17")
    assert '<p class="lead">2 of 4 answers.</p>' in page
    assert 'name="from" type="date"' in page
    assert 'value="2027-01-16"' in page
    assert "4 answers." in light_admin.get("/results?from=soon&to=99999-1-1")
    kinds = {one.kind for one in house.judgements()}
    for kind in kinds:
        count = sum(one.kind == kind for one in house.judgements())
        page = light_admin.get(f"/results?kind={kind}")
        assert f"{count} of {len(house.judgements())} answers" in page
    assert "No answer matches these filters" in light_admin.get(
        "/results?from=2028-01-01"
    )
