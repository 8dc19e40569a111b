"""Results pages and exports: the library's numbers, blind until they may be seen."""

import io
import re
import zipfile
from collections import Counter
from html import unescape

import numpy as np
import pytest
from sqlalchemy import select, update
from tests.campaign.answers import table_of
from tests.campaigns import SYSTEMS, answer_all, made, opened
from tests.judged import parse_judgement_lines
from tests.web.admin.conftest import Admin

from metra.campaign.demo_data import draw_judges, simulate_answer
from metra.campaign.judgement import assign_blind_names
from metra.meta.agree import ask_agreement
from metra.meta.answers import COEFFICIENTS
from metra.meta.options import AgreeOptions, RankOptions
from metra.meta.question import Evidence
from metra.meta.questions import JUDGEMENT_QUESTIONS, QUESTIONS
from metra.meta.rank import ask_ranking
from metra.scores.selection import DEFAULT, Selection
from metra.store import audit, campaigns, database


def filled(store, protocol="ldc", **more):
    """A campaign that made-up judges have finished."""
    house = opened(store, made(protocol, texts=14, **more))
    rng = np.random.default_rng(5)

    def judge(stored, task, number):
        [temper] = draw_judges(1, rng=rng)
        return simulate_answer(stored.campaign, task, number, temper, rng=rng)[0]

    answer_all(store, house.campaign, judge, house.clock)
    return Admin(house).sign_in()


@pytest.fixture
def full(store):
    return filled(store)


@pytest.fixture
def light_full(sqlite_store):
    return filled(sqlite_store)


def names_of(admin):
    with admin.house.store.reading() as db:
        stored = campaigns.get_campaign(db, admin.house.campaign)
    systems = [system.name for system in stored.campaign.systems]
    return assign_blind_names(systems, stored.secret)


def read_selection(page):
    """The rows that count, as the page says."""
    return re.search(r'<span class="selection">(.*?)</span>', page)[1]


def hide_names(admin, scores):
    return scores.rename_systems(names_of(admin))


def rank_by(scores, scorer, selection=DEFAULT, **options):
    return ask_ranking(Evidence(scores, selection, scorer), RankOptions(**options))


def test_the_page_is_a_list_of_questions(light_full):
    page = light_full.get("/results")
    titles = dict(re.findall(r'<h2 id="([^"]+)">([^<]+)</h2>', page))
    # Every answer has a score, so that nothing is missing.
    expected = [
        f"{name}-{scorer}" if QUESTIONS[name].of_scorer else name
        for name in JUDGEMENT_QUESTIONS
        for scorer in (("fluency", "adequacy") if QUESTIONS[name].of_scorer else ("",))
        if name != "missing"
    ]
    assert list(titles) == expected
    assert titles["rank-fluency"] == "Systems by fluency"
    assert titles["judges-adequacy"] == "Judges: adequacy"
    assert titles["agree-adequacy"] == "Agreement on adequacy"
    assert titles["pace"] == "Time"
    # Whoever goes from region to region can tell them apart.
    labels = Counter(re.findall(r'role="region" aria-label="([^"]+)"', page))
    assert set(labels.values()) == {1}
    assert "Pairs of judges: adequacy" in labels
    # Each says how it was computed.
    for part in ("scorer:fluency|boot:segments k=1000", "answers:"):
        assert part in page


def test_every_number_follows_the_filter(light_full, table):
    judgements = light_full.house.judgements()
    scores = hide_names(light_full, table_of(judgements))
    selection = Selection(judges=frozenset({"judge 0", "judge 1"}))
    query = "?judge=judge+0&judge=judge+1&by=document&holm=yes&system=none"
    page = light_full.get(f"/results{query}")
    assert read_selection(page) == selection.describe(scores)
    assert "only judges judge 0 and judge 1" in read_selection(page)
    assert [row[0] for row in table(page, "Judges of fluency")[1:]] == [
        "judge 0",
        "judge 1",
    ]
    options = {"unit": "document", "correction": "holm"}
    ranking = rank_by(scores, "fluency", selection, **options).ranking
    _, *body = table(page, "Systems by fluency")
    assert [row[4].split(" ")[0] for row in body] == [
        f"{mean:.2f}" for mean in ranking.means
    ]
    assert "|boot:documents k=1000|" in page
    assert "|correction:holm|" in page
    for system in ("System 1", "System 2"):
        page = light_full.get(f"/results?system={system.replace(' ', '+')}")
        _, *body = table(page, "Systems by fluency")
        assert [row[0] for row in body] == [system]
        assert f"only systems {system}" in read_selection(page)


def flag_first_judge(admin):
    """Make the first judge too fast for anybody."""
    hasty = admin.house.judgements()[0].judge
    with admin.house.store.transaction() as db:
        judge, judgement = database.judge.c, database.judgement
        of_hasty = select(judge.id).where(judge.label == hasty).scalar_subquery()
        change = update(judgement).where(judgement.c.judge == of_hasty)
        db.execute(change.values(active_ms=1))
    return hasty


def test_flagged_answers_are_set_apart_with_both_figures(light_full, table):
    hasty = flag_first_judge(light_full)
    scores = hide_names(light_full, table_of(light_full.house.judgements()))
    everyone, careful = (
        dict(zip(one.systems, one.means, strict=True))
        for one in (
            rank_by(scores, "fluency", Selection(flagged=flagged)).ranking
            for flagged in ("count", "out")
        )
    )
    assert everyone != careful
    for query, counted, others, heading, words in (
        ("", careful, everyone, "with flagged", "set apart"),
        ("?flagged=count", everyone, careful, "without flagged", "count"),
    ):
        page = light_full.get(f"/results{query}")
        assert f"flagged judges {words}: {hasty}" in read_selection(page)
        head, *body = table(page, "Systems by fluency")
        assert head[5] == heading
        assert {row[0]: row[4].split(" ")[0] for row in body} == {
            name: f"{mean:.2f}" for name, mean in counted.items()
        }
        assert {row[0]: row[5] for row in body} == {
            name: f"{mean:.2f}" for name, mean in others.items()
        }
        [caption] = re.findall(
            r'aria-label="(Agreement of \d+ judges on fluency)"', page
        )
        assert table(page, caption)[0][:3] == ["coefficient", "value", heading]
        by_judge = {row[0]: row[1] for row in table(page, "Judges of fluency")}
        assert [name for name, flagged in by_judge.items() if flagged == "yes"] == [
            hasty
        ]
        assert re.search(
            rf'<p class="note">{hasty}: \d+ of \d+ answers faster than 600 words', page
        )
    page = light_full.get("/results?flagged=without")
    assert f"flagged judges left out: {hasty}" in read_selection(page)
    assert "with flagged" not in page
    assert hasty not in [row[0] for row in table(page, "Judges of fluency")]


def test_agreement_so_far_is_that_of_the_results(light_full, table):
    hasty = flag_first_judge(light_full)
    scores = table_of(light_full.house.judgements())
    page = light_full.get()
    head, *body = table(page, "Agreement so far")
    assert list(map(unescape, head[2:])) == list(COEFFICIENTS.values())
    assert [row[0] for row in body] == scores.names
    for row in body:
        agreement = ask_agreement(
            Evidence(scores, DEFAULT, row[0]), AgreeOptions(trials=0)
        ).agreement
        assert row[1] == str(agreement.units)
        figures = [agreement.values[key] for key in COEFFICIENTS]
        assert row[2:] == [f"{one:.2f}".replace("-", "−") for one in figures]
    assert read_selection(page) == DEFAULT.describe(scores)
    assert f"flagged judges set apart: {hasty}" in read_selection(page)
    assert re.search(
        r'<span class="flag">\d+ of \d+ answers faster than 600 words', page
    )


FORMS = [
    pytest.param("json", "application/json", id="JSON"),
    pytest.param("tsv", "text/tab-separated-values; charset=utf-8", id="TSV"),
    pytest.param("csv", "text/csv; charset=utf-8", id="CSV"),
    pytest.param("md", "text/markdown; charset=utf-8", id="Markdown"),
    pytest.param("tex", "application/x-tex; charset=utf-8", id="LaTeX"),
]


@pytest.mark.parametrize(("form", "media_type"), FORMS)
def test_figures_can_be_taken_along(light_full, form, media_type):
    query = "?judge=judge+0&judge=judge+1"
    page = light_full.get(f"/results{query}")
    place = f"{light_full.place}/results/figures.{form}?judge=judge+0&amp;judge=judge+1"
    assert f'<a href="{place}" download>' in page
    reply = light_full.browser.get(f"{light_full.place}/results/figures.{form}{query}")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == media_type
    assert reply.headers["content-disposition"] == (
        f"attachment; filename*=UTF-8''test-figures.{form}"
    )
    for name in ("System 1", "System 2"):
        assert name in reply.text
    assert not any(name in reply.text for name in SYSTEMS)


def test_figures_are_those_of_the_page(light_full, table):
    flag_first_judge(light_full)
    for query in ("", "?flagged=count", "?judge=judge+2&judge=judge+3&flagged=count"):
        page = light_full.get(f"/results{query}")
        reply = light_full.browser.get(
            f"{light_full.place}/results/figures.json{query}"
        )
        figures = reply.json()
        for scorer in ("fluency", "adequacy"):
            rows = figures["tables"][f"{scorer} rank ranking"]
            _, *body = table(page, f"Systems by {scorer}")
            assert [row["system"] for row in rows] == [row[0] for row in body]
            assert [f"{row['mean']['value']:.2f}" for row in rows] == [
                row[4].split(" ")[0] for row in body
            ]
        assert read_selection(page) in figures["selection"]


def test_figures_of_no_answers(light_admin):
    empty = light_admin.browser.get(f"{light_admin.place}/results/figures.json")
    assert empty.status_code == 200
    assert empty.json()["tables"] == {}


def test_texts_without_tags_have_no_agreement(sqlite_store):
    page = filled(sqlite_store, "entity-tagging").get("/results")
    assert "judges tag texts and do not score systems. You can export the tags." in page
    assert "Agreement on" not in page


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
    for form in ("marot", "none"):
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
    kinds = Counter(one.kind for one in house.judgements())
    every = "&".join(f"kind={kind}" for kind in kinds)
    page = light_admin.get(f"/results?{every}")
    # The judge answers faster than anybody reads, and is alone.
    alone = "flagged, but without others to go by: judge 0"
    assert read_selection(page) == f"4 answers of 1 judge; {alone}"
    assert 'min="2027-01-15" max="2027-01-18"' in page
    page = light_admin.get(f"/results?from=2027-01-16&to=2027-01-17&{every}")
    assert read_selection(page) == (
        f"2 answers of 1 judge; {alone}; answered from 2027-01-16 UTC; "
        "answered before 2027-01-18 UTC"
    )
    assert 'name="from" type="date"' in page
    assert 'value="2027-01-16"' in page
    page = light_admin.get(f"/results?from=soon&to=99999-1-1&{every}")
    assert read_selection(page) == f"4 answers of 1 judge; {alone}"
    for kind, count in kinds.items():
        page = light_admin.get(f"/results?kind={kind}")
        answers = f"{count} answer{'s' if count > 1 else ''} of 1 judge"
        assert read_selection(page).split(";")[0] == answers
    assert "No answer matches these filters" in light_admin.get(
        "/results?from=2028-01-01"
    )
