"""Scores from other programs on the page of results: the same reader, the same errors."""

import json

import numpy as np
import pytest
from tests.campaign.answers import rank, table_of
from tests.campaigns import SYSTEMS, made, opened
from tests.web.admin.conftest import Admin
from tests.web.admin.test_results import filled, names_of

from metra.campaign.metric_scores import read_outside_scores
from metra.errors import MetraError
from metra.scores.selection import DEFAULT
from metra.store import audit, campaigns, imported, outside_scores

SIZE = 14
MEANS = "People and scores from other programs"
SYSTEM_SCORES = {
    name: [0.5 + 0.1 * number + 0.01 * (at * (number + 3) % 7) for at in range(SIZE)]
    for number, name in enumerate(SYSTEMS)
}


@pytest.fixture
def admin(sqlite_store):
    return filled(sqlite_store, systems=3, judges=6)


@pytest.fixture
def unanswered(sqlite_store):
    return Admin(opened(sqlite_store, made(texts=SIZE, systems=3, judges=6))).sign_in()


def send(admin, *files, **fields):
    return admin.browser.client.post(
        f"{admin.place}/scores",
        data={"csrf": admin.browser.csrf} | fields,
        files=[("files", file) for file in files],
        headers={"Origin": admin.browser.origin},
    )


def write_comet(scores=SYSTEM_SCORES):
    data = {
        f"out/{name}.txt": [{"mt": "", "COMET": value} for value in values]
        for name, values in scores.items()
    }
    return "comet.json", json.dumps(data).encode()


def write_table(scores=SYSTEM_SCORES, metric="grade"):
    lines = [f"system\tsegment\t{metric}"]
    for name, values in scores.items():
        lines += [f"{name}\t{at}\t{value}" for at, value in enumerate(values, 1)]
    return "scores.tsv", "\n".join([*lines, ""]).encode()


def write_folder(scores=SYSTEM_SCORES):
    return [
        (f"{name}.txt", "".join(f"{value}\n" for value in values).encode())
        for name, values in scores.items()
    ]


def test_scores_stand_beside_peoples(admin, table):
    assert send(admin, write_comet()).status_code == 303
    blinded = admin.get("/results")
    # Who knows the scores would know the systems.
    assert MEANS not in blinded
    assert not any(name in blinded for name in SYSTEMS)
    admin.form("/unblind")
    page = admin.get("/results")
    head, *body = table(page, MEANS)
    assert head == ["system", "people: fluency", "people: adequacy", "COMET ↑"]
    fluency, adequacy = (
        rank(admin.house.judgements(), scorer=name).ranking
        for name in ("fluency", "adequacy")
    )
    assert [row[0] for row in body] == fluency.systems
    by_name = dict(zip(adequacy.systems, adequacy.means, strict=True))
    for name, shown_fluency, shown_adequacy, comet in body:
        assert shown_adequacy == f"{by_name[name]:.2f}"
        assert comet == f"{np.mean(SYSTEM_SCORES[name]):.4f}"
        assert shown_fluency


def test_correlations_are_those_of_a_plain_count(admin, table):
    send(admin, write_comet())
    page = admin.get("/results")
    _, *body = table(page, "Correlation with scores from other programs")
    people = DEFAULT.select(table_of(admin.house.judgements()))
    assert [row[0] for row in body] == ["fluency", "adequacy"]
    for row in body:
        gold = people.matrix(row[0])
        ours = np.array([SYSTEM_SCORES[name] for name in people.systems])
        places = [int(item.segment) - 1 for item in people.items]
        both = np.isfinite(gold)
        expected = np.corrcoef(gold[both], ours[:, places][both])[0, 1]
        assert (row[1], row[2], row[3]) == ("COMET", "3", str(both.sum()))
        assert row[5] == f"{expected:.3f}".replace("-", "−")
        systems = [
            np.corrcoef(
                [values[mask].mean() for values, mask in zip(gold, both, strict=True)],
                [
                    values[mask].mean()
                    for values, mask in zip(ours[:, places], both, strict=True)
                ],
            )[0, 1]
        ]
        assert row[4] == f"{systems[0]:.3f}".replace("-", "−")


def test_lower_scores_may_be_better(admin, table):
    send(admin, write_table(metric="errors"), better="lower")
    send(admin, write_table(metric="points"), better="higher")
    admin.form("/unblind")
    page = admin.get("/results")
    head, *_ = table(page, MEANS)
    assert head[-2:] == ["errors ↓", "points ↑"]
    _, *body = table(page, "Correlation with scores from other programs")
    down, up = (float(row[5].replace("−", "-")) for row in body[:2])
    assert down == -up


def test_files_for_each_system(admin, table):
    assert (
        send(admin, *write_folder(), metric="mine", better="higher").status_code == 303
    )
    admin.form("/unblind")
    head, *body = table(admin.get("/results"), MEANS)
    assert head[-1] == "mine ↑"
    assert {row[0]: row[-1] for row in body} == {
        name: f"{np.mean(values):.4f}" for name, values in SYSTEM_SCORES.items()
    }


def test_scores_are_replaced_and_removed(admin):
    send(admin, write_comet())
    half = {name: [v / 2 for v in values] for name, values in SYSTEM_SCORES.items()}
    send(admin, write_comet(half))
    with admin.house.store.reading() as db:
        stored = campaigns.get_campaign(db, admin.house.campaign)
        (kept,) = outside_scores.list_scores(db, stored.id, stored.campaign)
    rows = kept.scores.matrix("COMET").tolist()
    assert dict(zip(kept.scores.systems, rows, strict=True)) == half
    assert admin.form("/scores/remove", metric="COMET").status_code == 303
    assert "COMET from" not in admin.get("/results")
    again = admin.form("/scores/remove", metric="COMET")
    assert again.status_code == 422
    assert "No metric named &#39;COMET&#39;" in again.text
    with admin.house.store.reading() as db:
        log = audit.list_entries(db, admin.house.campaign)
    done = [entry.what for entry in log if "scores" in entry.what]
    assert sorted(done) == ["add scores", "add scores", "remove scores"]


SHORT = {name: values[:-1] for name, values in SYSTEM_SCORES.items()}
OTHER = {name.lower(): values for name, values in SYSTEM_SCORES.items()}
GAP = SYSTEM_SCORES | {SYSTEMS[1]: [*SYSTEM_SCORES[SYSTEMS[1]][:-1], ""]}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param([], "Choose at least one file of scores.", id="nothing"),
        pytest.param(
            [write_comet(SHORT)],
            "The scores of comet.json have 13 segments of &#39;Zeta-NMT&#39;, but the test "
            "set has 14",
            id="too few",
        ),
        pytest.param(
            [write_comet(OTHER)], "No system named &#39;Zeta-NMT&#39;", id="other names"
        ),
        pytest.param(
            [write_table(GAP, metric="comet")],
            "no number for segment 14 of &#39;Quark-SMT&#39;; 1 of 14 are missing.",
            id="a gap",
        ),
        pytest.param(
            [write_table()],
            "scores.tsv does not give the direction of &#39;grade&#39;; choose which "
            "scores are better, and choose the file again.",
            id="no direction",
        ),
        pytest.param(
            [("a.txt", b"these are no scores\n")],
            "a.txt begins with &#39;these are no scores&#39;, which is not a known score "
            "table; expected output of metra score",
            id="something else",
        ),
        pytest.param(
            [("a.txt", b"0.5\n" * SIZE)],
            "belong to one unnamed system, but there are 3 systems",
            id="one column",
        ),
    ],
)
def test_bad_files_are_refused_in_a_sentence(unanswered, files, message):
    admin = unanswered
    metric = "comet" if message.startswith("belong to") else ""
    reply = send(admin, *files, metric=metric)
    assert reply.status_code == 422
    assert message in reply.text
    assert "/tmp" not in reply.text
    assert "`" not in reply.text
    with admin.house.store.reading() as db:
        stored = campaigns.get_campaign(db, admin.house.campaign)
        assert outside_scores.list_scores(db, stored.id, stored.campaign) == []


def test_an_imported_campaign_takes_the_segments_that_were_judged(sqlite_store):
    """Scores of the whole test set; judgements of some of its segments."""
    first = filled(sqlite_store, systems=3, judges=6)
    judged = [one for one in first.house.judgements() if one.segment in (3, 5, 12)]
    with sqlite_store.transaction() as db:
        made_of = imported.import_campaigns(
            db, judged, files=["j.jsonl"], now=1.0, who="ann", name="again"
        )
        stored = campaigns.get_campaign(db, made_of["again"].id)
    (scores,) = read_outside_scores([write_comet()], stored.campaign)
    numbers = [
        stored.campaign.number(at) for at in range(len(stored.campaign.segments))
    ]
    assert set(numbers) <= {3, 5, 12}
    matrix = scores.scores.matrix("COMET").tolist()
    assert set(scores.scores.systems) == set(SYSTEM_SCORES)
    for name, values in zip(scores.scores.systems, matrix, strict=True):
        assert values == [SYSTEM_SCORES[name][number - 1] for number in numbers]
    few = {name: values[:2] for name, values in SYSTEM_SCORES.items()}
    with pytest.raises(MetraError, match=r"no number for segment .* which was judged"):
        read_outside_scores([write_comet(few)], stored.campaign)


def test_a_campaign_without_answers(store):
    admin = Admin(opened(store, made(texts=SIZE, systems=3, judges=6))).sign_in()
    assert send(admin, write_comet()).status_code == 303
    page = admin.get("/results")
    assert "COMET</bdi> from <bdi>comet.json" in page
    assert "Correlation with scores" not in page
    assert names_of(admin)
