"""The question `preferences`: strengths, win matrix and comparisons of systems."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from tests.campaign.answers import compare, made, table_of
from tests.panels import cells_by_name, score_rows, scores_of

from metra.meta.options import PreferenceOptions
from metra.meta.preferences import draw_preferences
from metra.meta.question import Evidence, answer_evidence, answer_question
from metra.scores.selection import DEFAULT, Selection
from metra.scores.table import Scorer
from metra.stats.preferences import fit_wins


def ask(scores, **options):
    chosen = PreferenceOptions(**{"trials": 200} | options)
    evidence = Evidence(scores, Selection(flagged="count"))
    [answer], report = answer_evidence("preferences", evidence, chosen)
    return answer, report


def draw_judged(segments=40, seed=2, steps=(0.0, 0.6, 1.2)):
    """Scores of one judge: a, b and c of rising quality, with ties."""
    rng = np.random.default_rng(seed)
    rows = [
        (system, segment, "ann", round(float(rng.normal()) + step))
        for segment in range(segments)
        for system, step in zip("abc", steps, strict=True)
    ]
    return rows, score_rows(rows, Scorer("da", "da"))


def test_fittedare_those_of_the_wins():
    rows, scores = draw_judged()
    answer, report = ask(scores)
    assert answer.systems == ["c", "b", "a"]
    by_segment = {}
    for system, segment, _, value in rows:
        by_segment.setdefault(segment, {})[system] = value
    wins, draws = np.zeros((2, 3, 3))
    for values in by_segment.values():
        for i, one in enumerate("cba"):
            for j, other in enumerate("cba"):
                wins[i, j] += values[one] > values[other]
                draws[i, j] += (values[one] == values[other]) and i != j
    fitted, expected_shares, _ = fit_wins(wins[None], draws[None])
    shares, strengths = answer.estimates
    assert [value for value, _ in shares] == pytest.approx(100 * expected_shares[0])
    expected = fitted[0] - fitted[0].mean()
    assert [value for value, _ in strengths] == pytest.approx(expected)
    for value, (low, high) in [*shares, *strengths]:
        assert low < value < high
    tables = {table.name: table for table in report.tables}
    assert list(tables) == ["strengths", "wins", "preferences"]
    cells = cells_by_name(tables["wins"])["1 c"]
    won = (wins + draws / 2) / np.maximum(wins + wins.T + draws, 1)
    assert [cell.value for cell in cells][1:] == pytest.approx(100 * won[0, 1:])
    assert [row[3].value for row in tables["strengths"].rows] == [80, 80, 80]
    notes = " ".join(report.notes)
    assert (
        "these systems, on other segments, judged by the same judges; 40 seg" in notes
    )
    assert "|boot:segments k=200|seed:12345|" in report.signature
    [heat] = draw_preferences(answer, PreferenceOptions())
    np.testing.assert_allclose(np.array(heat.values)[0, 1:], won[0, 1:])


def test_documents_are_drawn_whole():
    rows, _ = draw_judged(60)
    scores = score_rows(rows, Scorer("da", "da"))
    items = tuple(
        item._replace(document=f"d{int(item.segment) // 3}") for item in scores.items
    )
    _, report = ask(replace(scores, items=items))
    assert "on other documents, judged by the same judges; 20 doc" in report.notes[-1]


def test_intervals_hold_the_fittedof_all_segments():
    whole, _ = ask(draw_judged(20_000, 999)[1], trials=0)
    true = dict(zip(whole.systems, whole.estimates[1], strict=True))
    held = []
    for seed in range(100):
        answer, _ = ask(draw_judged(60, seed)[1], trials=100)
        for system, (_, (low, high)) in zip(
            answer.systems, answer.estimates[1], strict=True
        ):
            held.append(low <= true[system][0] <= high)
    assert 0.93 <= np.mean(held) <= 0.97


def test_a_copy_is_as_strong_and_names_change_nothing():
    rows, _ = draw_judged()
    copy = [("z", *rest) for system, *rest in rows if system == "b"]
    answer, _ = ask(score_rows([*rows, *copy], Scorer("da", "da")))
    for estimates in answer.estimates:
        by_name = dict(zip(answer.systems, estimates, strict=True))
        (one, its), (other, theirs) = by_name["b"], by_name["z"]
        assert (one, *its) == pytest.approx((other, *theirs), abs=1e-5)
    names = {"a": "z", "b": "y", "c": "x"}
    renamed = score_rows([(names[s], *rest) for s, *rest in rows], Scorer("da", "da"))
    [one, other] = (ask(each)[0] for each in (score_rows(rows, Scorer("da")), renamed))
    assert other.systems == [names[system] for system in one.systems]
    for (value, interval), (expected, its) in zip(
        other.estimates[1], one.estimates[1], strict=True
    ):
        assert (value, *interval) == pytest.approx((expected, *its))


def test_a_system_that_wins_all_and_one_that_nobody_compared():
    values = np.random.default_rng(3).normal(size=(4, 30))
    values[0] += 50
    values[3, :] = np.nan
    rows = [
        (f"s{at}", segment, "ann", value)
        for at, row in enumerate(values[:3])
        for segment, value in enumerate(row)
    ]
    rows.append(("s3", 99, "ann", 1.0))
    answer, report = ask(score_rows(rows, Scorer("da", "da")))
    assert answer.systems[0] == "s0"
    assert {*answer.systems} == {"s0", "s1", "s2"}
    shares, strengths = answer.estimates
    assert shares[0][0] == pytest.approx(100, abs=0.01)
    assert np.isnan(strengths[0][0])
    assert strengths[0][1] is None
    assert sum(value for value, _ in strengths[1:]) == pytest.approx(0)
    unknown = (
        "s3: unknown strength, because comparisons do not place them among the others."
    )
    unbounded = (
        "s0: never worse than the others, so that the strength has no upper bound."
    )
    assert report.notes[:2] == [unknown, unbounded]


def test_groups_that_were_never_compared():
    rows = [
        (system, segment, judge, float((segment * place) % 3))
        for judge, systems in (("ann", "wx"), ("bob", "yz"))
        for segment in range(12)
        for place, system in enumerate(systems, 1)
    ]
    answer, report = ask(score_rows(rows, Scorer("da", "da")))
    assert answer.systems == ["w", "x"] or answer.systems == ["x", "w"]
    assert report.notes[0].startswith("y, z: unknown strength")
    assert len(answer.pairs) == 2


def test_a_bound_that_the_resamples_do_not_have():
    # Of 20 comparisons, a wins all but one: in many resamples it wins all.
    rows = [
        (system, segment, "ann", float((system == "a") != (segment == 7)))
        for segment in range(20)
        for system in "ab"
    ]
    answer, _ = ask(score_rows(rows, Scorer("da", "da")))
    value, (low, high) = answer.estimates[1][0]
    assert value == pytest.approx(np.log(19) / 2, abs=1e-4)
    assert 0 < low < value
    assert high == np.inf


def test_orders_of_three_have_fittedof_their_own():
    rng = np.random.default_rng(4)
    answers = [
        compare(segment, "ann", ("x", "y", "z"), rng.permutation(3) + 1)
        for segment in range(1, 25)
    ]
    answer, report = ask(table_of(answers))
    assert len(answer.estimates) == 3
    heads = [column.heading for column in report.tables[0].columns]
    assert heads[1:] == ["expected wins, %", "strength", "strength by orders", "n"]
    assert any("Efron 1977" in note for note in report.notes)
    for value, (low, high) in answer.estimates[2]:
        assert low < value < high
    pairs = [compare(at, "ann", ("x", "y"), (1, 2), "pairwise") for at in range(1, 15)]
    assert len(ask(table_of(pairs))[0].estimates) == 2


def test_ranks_of_a_table():
    rows = [
        (system, segment, "ann", 1 + (segment + place) % 3)
        for segment in range(15)
        for place, system in enumerate("abc")
    ]
    rows += [("a", 20 + at, "ann", 1) for at in range(5)]
    rows += [("b", 20 + at, "ann", 2) for at in range(5)]
    scores = score_rows(rows, Scorer("rank", "human"))
    assert ask(scores, ranks=True)[0].systems[0] == "a"
    assert len(ask(scores, ranks=True)[0].estimates) == 3


def test_few_segments_have_no_intervals():
    answers = [
        made(system, segment, "ann", 1 + (segment * place) % 4)
        for segment in range(1, 8)
        for place, system in enumerate(("x", "y"), 1)
    ]
    answered = answer_question("preferences", table_of(answers), DEFAULT, "adequacy")
    assert {interval for _, interval in answered.answer.estimates[0]} == {None}
    nothing = table_of([made("x", 1, "ann", 1), made("y", 2, "ann", 2)])
    [table] = answer_question("preferences", nothing, DEFAULT, "adequacy").report.tables
    assert table.rows == []


def test_scores_without_judges_are_compared_by_segment():
    answer, _ = ask(scores_of(np.array([[0.1 + 0.2] * 12, [0.3] * 12]), {}))
    assert answer.pairs == {("s0", "s1"): (0, 12, 0)}
    assert [value for value, _ in answer.estimates[0]] == pytest.approx([50, 50])


def test_one_command_with_a_picture(write, cli):
    lines = ["system\tsegment\tjudge\tda"]
    lines += [
        f"{s}\t{at}\tann\t{(at * p) % 5}"
        for at in range(30)
        for p, s in enumerate("abc", 2)
    ]
    path = write("s.tsv", lines)
    options = ("--show", "preferences", path, "--scorer", "da")
    data = json.loads(cli("meta", "rank", *options, "--format", "json").out)
    assert {*data["tables"]} == {"strengths", "wins", "preferences"}
    picture = str(path).replace("s.tsv", "p.svg")
    done = cli("meta", "rank", *options, "--plot", picture)
    assert done.code == 0, done.err
    assert "the row wins" in Path(picture).read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["cs-en", "de-en", "es-en", "fr-en"])
def test_wins_and_strengths_of_wmt12(shared, read_table, lang):
    """Wins, losses and ties of WMT 2012, and nearly the order that expected wins have."""
    folder = shared / "data/wmt12-ranking"
    rows = [
        # Some judges ranked a segment twice.
        (
            row[f"system{at}"],
            row["seg"],
            f"{row['judge']} {time}",
            int(row[f"rank{at}"]),
        )
        for time, row in enumerate(read_table(folder / "rankings.tsv.gz"))
        if row["lp"] == lang
        for at in range(1, 6)
        if int(row[f"rank{at}"]) > 0
    ]
    answer, _ = ask(score_rows(rows, Scorer("rank", "human")), ranks=True, trials=0)
    published = {
        row["system"]: row for row in read_table(folder / f"{lang}.sys_scores.tsv")
    }
    counts = {name: np.zeros(3, int) for name in published}
    for (one, other), pair in answer.pairs.items():
        counts[one] += pair
        counts[other] += pair[::-1]
    for name, row in published.items():
        expected = [int(row[key]) for key in ("wins", "ties", "losses")]
        assert counts[name].tolist() == expected, name
    places = [answer.systems.index(name) for name in published]
    wins = [-float(row["expected_wins"]) for row in published.values()]
    assert scipy.stats.spearmanr(places, wins).statistic > 0.98
