"""Each judge's values on one scale, and the judges who are left out."""

import csv
import gzip
import json
import statistics

import numpy as np
import pytest
from scipy import stats as scipy_stats

from metra.errors import CorpusError, UnknownNameError
from metra.meta.judges import Normalisation, report_normalisation
from metra.meta.normalise import find_failing_judges, normalise
from metra.meta.options import NormaliseOptions
from metra.scores.long_table import format_long_table
from metra.scores.registry import read_scores
from metra.scores.table import ScoredItem, Scorer, build_score_table
from metra.scores.views import collect_ratings
from metra.stats.agreement import alpha
from metra.stats.judge_agreement import average_figure, compare_judges, pair_judgements


def judged(by_judge):
    """Values of each judge, of segments from 1 on."""
    judges = [judge for judge, values in by_judge.items() for _ in values]
    items = [
        ScoredItem(str(at))
        for values in by_judge.values()
        for at in range(1, len(values) + 1)
    ]
    values = [v for given in by_judge.values() for v in given]
    return build_score_table(
        ["a"] * len(values), items, {Scorer("da", "da"): values}, judges
    )


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("z", [-1.0, 0.0, 1.0]),
        ("min-max", [0.0, 0.5, 1.0]),
        ("rank", [0.0, 0.5, 1.0]),
        ("none", [20.0, 40.0, 60.0]),
    ],
)
def test_hand_worked(method, expected):
    made = normalise(judged({"ann": [20, 40, 60]}), "da", method).scores
    assert made.value.tolist() == pytest.approx(expected)
    assert made.names == [f"da-{method}"]


def test_silent_judges_are_left_out_and_listed():
    scores = judged({"ann": [1, 2, 4], "bob": [3, 3, 3], "cat": [5]})
    normalised = normalise(scores, "da", "z")
    made = normalised.scores
    findings = report_normalisation(
        Normalisation("da", normalised, {}), NormaliseOptions()
    )
    assert {made.judges[at] for at in made.judge.tolist()} == {"ann"}
    assert "bob (always the same value)" in findings.notes[-1]
    assert "cat (one value only)" in findings.notes[-1]
    with pytest.raises(CorpusError, match="No judge"):
        normalise(judged({"bob": [3, 3]}), "da", "z")


@pytest.mark.parametrize(("most", "shown"), [(0, 3), (2, 2), (3, 3)])
def test_of_many_judges_some_are_shown(most, shown):
    scores = judged({"ann": [1, 2, 4], "bob": [2, 3, 3], "cat": [5, 5]})
    normalised = normalise(scores, "da", "z")
    [table] = report_normalisation(
        Normalisation("da", normalised, {}), NormaliseOptions(most_judges=most)
    ).tables
    names = [row[0].value for row in table.rows]
    assert len(names) == shown
    assert "cat" in names  # who is left out comes first


def test_judges_may_be_named_to_be_left_out():
    scores = judged({"ann": [1, 2], "bob": [1, 3]})
    made = normalise(scores, "da", "z", left_out=["bob"]).scores
    assert len(made) == 2
    with pytest.raises(UnknownNameError, match="dan"):
        normalise(scores, "da", "z", left_out=["dan"])


def test_what_is_written_can_be_read_again(tmp_path):
    made = normalise(judged({"ann": [1, 2, 4], "bob": [3, 1, 2]}), "da", "z").scores
    (tmp_path / "z.tsv").write_text(format_long_table(made) + "\n", encoding="utf-8")
    again = read_scores(str(tmp_path / "z.tsv"))
    assert again.value.tolist() == made.value.tolist()
    assert again.judges == made.judges
    # The file says which direction is better.
    declared = [scorer._replace(is_declared=True) for scorer in made.scorers]
    assert list(again.scorers) == declared


def test_judges_must_see_what_is_degraded():
    rng = np.random.default_rng(0)
    systems, items, judges, values = [], [], [], []
    for judge, gap in (("ann", 30), ("bob", 0)):
        for at in range(20):
            base = rng.normal(50, 5)
            systems += ["a", "BAD"]
            items += [ScoredItem(str(at))] * 2
            judges += [judge] * 2
            values += [base, base - gap + rng.normal(0, 3)]
    scores = build_score_table(systems, items, {Scorer("da", "da"): values}, judges)
    assert list(find_failing_judges(scores, "da", "BAD")) == ["bob"]
    assert find_failing_judges(judged({"ann": [1, 2]}), "da", "a") == {
        "ann": "only 0 degraded outputs judged"
    }
    with pytest.raises(UnknownNameError, match="WORSE"):
        find_failing_judges(scores, "da", "WORSE")


@pytest.mark.parametrize("bad", ["degraded", "BAD_REF", "BAD"])
def test_degraded_copies_are_held_against_their_own_originals(bad):
    """Copies have the names of the systems; a gap between systems is no gap of a copy."""
    rng = np.random.default_rng(1)
    lines = []
    for judge, gap in (("ann", 30), ("bob", 0)):
        for at in range(20):
            for system, quality in (("good", 80), ("poor", 40)):
                value = quality + rng.normal(0, 5)
                lines.append((system, at, judge, value, "judged"))
                if system == "poor":
                    copy = value - gap + 3 * (-1) ** at
                    lines.append((system, at, judge, copy, "degraded"))
    systems, numbers, judges, values, kinds = zip(*lines, strict=True)
    items = [ScoredItem(str(at)) for at in numbers]
    columns = {Scorer("da", "da"): values}
    scores = build_score_table(systems, items, columns, judges, kinds)
    assert list(find_failing_judges(scores, "da", bad)) == ["bob"]


@pytest.mark.parametrize(
    ("lang", "raw", "z", "r", "equal", "near"),
    [
        ("en-de", 0.499, 0.619, 0.628, 0.219, 0.413),
        ("zh-en", 0.457, 0.591, 0.598, 0.207, 0.432),
    ],
)
def test_three_raters_of_wmt23(shared, lang, raw, z, r, equal, near):
    """Published for raters who saw outputs side by side, with source issues as errors."""
    path = shared / "data" / "wmt23-mqm-esa" / f"{lang}.sxs_mqm_errors.tsv.gz"
    costs = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            key = (
                f"{row['system']} {row['condition']}",
                ScoredItem(row["seg"]),
                row["rater"],
            )
            costs[key] = costs.get(key, 0) + _tenths(row)
    systems, items, judges = zip(*costs, strict=True)
    values = [-cost / 10 for cost in costs.values()]
    scores = build_score_table(systems, items, {Scorer("mqm", "mqm"): values}, judges)
    found = collect_ratings(scores, "mqm")
    assert round(alpha(found), 3) == raw
    pairs = compare_judges(found, pair_judgements(found))
    means = [
        round(average_figure(pairs, name), 3) for name in ("pearson", "exact", "within")
    ]
    assert means == [r, equal, near]
    made = normalise(scores, "mqm", "z").scores
    assert alpha(collect_ratings(made, "mqm-z")) == pytest.approx(z, abs=6e-4)


def _tenths(row):
    minor, major = row["severity"] == "Minor", row["severity"] == "Major"
    if row["category"].startswith("Non-translation") and major:
        return 250
    if minor:
        return 1 if row["category"] == "Fluency/Punctuation" else 10
    return 50 if major else 0


def draw_direct_assessments():
    """Judge three systems by three workers, the last of whom sees nothing degraded."""
    rng = np.random.default_rng(8)
    judged = {}
    for worker, (level, spread, seen) in enumerate(
        [(60, 20, 30), (80, 8, 30), (50, 15, 0)]
    ):
        rows = judged.setdefault(f"w{worker}", [])
        for segment in range(20):
            for at, system in enumerate("ABC"):
                value = level + spread * (rng.normal() + 0.6 * at)
                rows.append((system, "SYSTEM", segment, value))
                if segment % 4 == at:
                    again = value + spread * rng.normal() / 2
                    rows.append((system, "REPEAT", segment, again))
                    worse = value - seen + rng.normal()
                    rows.append((system, "BAD_REF", segment, worse))
            rows.append(("REFERENCE", "REF", segment, level + 2 * spread))
    return judged


def test_direct_assessments_are_ranked_as_wmt_does(tmp_path, cli):
    """From raw judgements: control, whole points, z by all a worker judged, rank sums."""
    lines = [
        "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
    ]
    judged = {}
    for worker, rows in draw_direct_assessments().items():
        for system, kind, segment, value in rows:
            value = float(np.clip(value, 0, 100))
            about = f"h {worker} xx en ad 1 {system} r {kind} {segment}"
            lines.append(f"{about} {value!r} 9")
            judged.setdefault(worker, []).append((system, kind, segment, int(value)))
    path = tmp_path / "raw.csv"
    path.write_text("\n".join(lines) + "\n")
    done = cli(
        "meta", "rank", path, "--scorer", "da", "--like", "da", "--format", "json"
    )
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert any("excluded workers: w2 (p = " in note for note in answer["notes"])
    cells = {}
    for name in ("w0", "w1"):  # the third does not see what is degraded
        points = [value for *_, value in judged[name]]
        mean, sd = statistics.fmean(points), statistics.stdev(points)
        for system, kind, segment, value in judged[name]:
            if kind in ("SYSTEM", "REPEAT"):
                cells.setdefault((system, segment), []).append((value - mean) / sd)
    means = {key: statistics.fmean(values) for key, values in cells.items()}
    rows = {row["system"]: row for row in answer["tables"]["ranking"]}
    by_system = {s: [means[s, n] for n in range(20)] for s in "ABC"}
    assert list(rows) == ["C", "B", "A"]
    for at, (system, row) in enumerate(rows.items()):
        assert row["mean"] == pytest.approx(statistics.fmean(by_system[system]))
        for to, other in enumerate(rows):
            if at != to:
                pair = by_system[system], by_system[other]
                ask = {"alternative": "greater", "method": "asymptotic"}
                p = scipy_stats.mannwhitneyu(*pair, **ask).pvalue
                assert answer["p"][at][to] == pytest.approx(p)
    assert "like:da" in answer["signature"]


@pytest.mark.parametrize("bad", ["degraded", "BAD", "BAD_REF"])
def test_the_command_takes_degraded_items_for_a_check(write, cli, bad):
    rows = ["system\tsegment\tscorer\tvalue\tjudge\titem_type"]
    for at in range(1, 9):
        for judge, gap in (("ann", 30), ("bob", 0)):
            rows.append(f"a\t{at}\tda\t{60 + at}\t{judge}\tjudged")
            worse = 60 + at - gap + (-1) ** at
            rows.append(f"a\t{at}\tda\t{worse}\t{judge}\tdegraded")
    ran = cli("meta", "normalise", write("r.tsv", rows), "--bad", bad)
    assert ran.code == 0, ran.err
    assert "Normalised: 8 values of 1 judge." in ran.out
    assert f"Judges who did not score {bad} lower: bob (p = " in ran.out
    ran = cli("meta", "normalise", write("r.tsv", rows), "--bad", "WORSE")
    assert "No system or kind of item named 'WORSE'. Known: BAD," in ran.err
