"""Judges: values on one scale, quality control, figures about each, and flags."""

import csv
import gzip
import json
import re
import statistics
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as scipy_stats
from tests.campaign.answers import made, table_of
from tests.panels import cells_by_name, score_rows

from metra.campaign.judgement import build_campaign_scores
from metra.errors import CorpusError, UnknownNameError
from metra.meta.judges import (
    Drift,
    Normalisation,
    add_flags,
    ask_judges,
    build_judge_rows,
    compute_sign_test,
    report_normalisation,
)
from metra.meta.normalise import find_failing_judges, normalise
from metra.meta.options import FlagRules, NormaliseOptions
from metra.meta.question import Evidence, answer_question
from metra.scores.selection import DEFAULT, Selection
from metra.scores.table import ScoredItem, Scorer, build_score_table
from metra.scores.views import collect_ratings
from metra.stats.agreement import alpha
from metra.stats.judge_agreement import average_figure, compare_judges, pair_judgements

DA = Scorer("da", "da")


def judged(by_judge):
    """Values of each judge, of segments from 1 on."""
    rows = [
        ("a", at, judge, value)
        for judge, values in by_judge.items()
        for at, value in enumerate(values, 1)
    ]
    return score_rows(rows, DA)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        *(("z", [-1.0, 0.0, 1.0]), ("min-max", [0.0, 0.5, 1.0])),
        *(("rank", [0.0, 0.5, 1.0]), ("none", [20.0, 40.0, 60.0])),
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


def test_judges_may_be_named_to_be_left_out():
    scores = judged({"ann": [1, 2], "bob": [1, 3]})
    made = normalise(scores, "da", "z", left_out=["bob"]).scores
    assert len(made) == 2
    with pytest.raises(UnknownNameError, match="dan"):
        normalise(scores, "da", "z", left_out=["dan"])


def test_judges_must_see_what_is_degraded():
    rng = np.random.default_rng(0)
    rows = []
    for judge, gap in (("ann", 30), ("bob", 0)):
        for at in range(20):
            base = rng.normal(50, 5)
            copy = base - gap + rng.normal(0, 3)
            rows += [("a", at, judge, base), ("BAD", at, judge, copy)]
    scores = score_rows(rows, DA)
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
    scores = build_score_table(systems, items, {DA: values}, judges, kinds)
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
        "meta", "rank", path, "--scorer", "da", "--like", "wmt22", "--format", "json"
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
    assert "like:wmt22" in answer["signature"]


CHECKED = [
    made("one", 1, "ann", 5, active_ms=4000),
    made("one", 2, "ann", 3, active_ms=9000),
    made("one", 1, "bob", 4),
    made("one", 1, "ann", 4, "repeat", original="ann one 1 judged"),
    made("one", 2, "ann", 3, "repeat", original="ann one 2 judged"),
    made("one", 2, "ann", 1, "degraded", original="ann one 2 judged"),
    made("one", 1, "ann", 5, "degraded", original="ann one 1 judged"),
]


def describe(answers, selection=DEFAULT, **rules):
    return build_judge_rows(
        build_campaign_scores(answers), selection, FlagRules(**rules)
    )


def test_the_judges_by_hand():
    ann, bob = describe(CHECKED)
    assert (ann.judge, ann.judgements, ann.mean) == ("ann", 2, 75.0)
    assert ann.deviation == pytest.approx(35.3553390593)
    assert ann.leniency == 25.0  # 100 against bob's 75 on the one output that both saw
    assert (ann.repeats, ann.same, ann.distance) == (2, 0.5, 12.5)
    assert (ann.degraded, ann.noticed, ann.p_value) == (2, 1, 0.5)
    assert ann.seconds == 6.5
    assert (bob.mean, bob.deviation, bob.leniency) == (75.0, None, -25.0)
    assert (bob.repeats, bob.same, bob.p_value, bob.seconds) == (0, None, None, None)


def test_calibration_items_describe_judges():
    [ann] = describe(
        [made("one", 1, "ann", 5), made("one", 2, "ann", 1, "calibration")]
    )
    assert (ann.judgements, ann.mean) == (2, 50.0)


def test_leniency_compares_with_the_mean_of_the_others():
    answers = [
        made("one", 1, "ann", 5),
        made("one", 1, "bob", 3),
        made("one", 1, "cleo", 2),
        made("one", 2, "ann", 1),
        made("one", 2, "bob", 2),
        made("one", 3, "cleo", 5),  # alone: nothing to compare with
    ]
    rows = {row.judge: row.leniency for row in describe(answers)}
    # From 0 to 100, a step is 25: ann 100 against 37.5, then 0 against 25.
    assert rows["ann"] == pytest.approx((62.5 - 25) / 2)
    assert rows["bob"] == pytest.approx((50 - 62.5 + 25) / 2)
    assert rows["cleo"] == pytest.approx(25 - 75)


def test_a_repeat_whose_original_is_gone_says_nothing():
    [ann] = describe([CHECKED[0], replace(CHECKED[3], original="gone")])
    assert ann.repeats == 0


def test_a_repeat_is_compared_with_the_last_revision():
    changed = replace(CHECKED[0], revision=2, value={"adequacy": 4})
    [ann] = describe([CHECKED[0], changed, CHECKED[3]])
    assert (ann.repeats, ann.same, ann.distance) == (1, 1.0, 0.0)


def test_an_earlier_revision_is_no_repeat():
    again = replace(CHECKED[3], revision=2, value={"adequacy": 5})
    [ann] = describe([CHECKED[0], CHECKED[3], again])
    assert (ann.repeats, ann.same) == (1, 1.0)


def test_compared_outputs_that_come_back_turned_are_matched_by_system():
    more = {"systems": ("x", "y"), "outputs": ("a", "b")}
    first = made("", 1, "ann", {"pairwise": [1, 2]}, name="pairwise", **more)
    back = made("", 1, "ann", {"pairwise": [2, 1]}, "repeat", name="pairwise")
    turned = replace(back, systems=("y", "x"), outputs=("b", "a"), original=first.task)
    [row] = describe([first, turned])
    assert (row.repeats, row.same) == (2, 1.0)


SIGNS = [
    pytest.param([-1, -1, -1, -1], 1 / 16, id="always lower"),
    pytest.param([1, 2], 1.0, id="always higher"),
    pytest.param([-1, 0, 0], 0.5, id="ties are left out"),
    pytest.param([0], None, id="nothing but ties"),
]


@pytest.mark.parametrize(("gaps", "expected"), SIGNS)
def test_sign_test(gaps, expected):
    assert compute_sign_test(gaps) == expected


def timed(scores, judge="ann", system="s", first=1):
    return [
        made(system, at, judge, float(score), name="da", submitted_at=float(at))
        for at, score in enumerate(scores, first)
    ]


def find_drift(answers):
    [row] = describe(answers)
    return row.drift


RISING = timed([10, 20, 10, 20, 50, 60, 50, 60])
DRIFTS = [
    pytest.param(RISING, 40.0, id="the second half less the first"),
    pytest.param(RISING[::-1], 40.0, id="in the order of time"),
    pytest.param(
        timed([10, 20, 10, 20, 99, 50, 60, 50, 60]), 40.0, id="without the middle one"
    ),
    pytest.param(
        timed([10, 20, 10, 20]) + timed([80, 90, 80, 90], system="t", first=5),
        0.0,
        id="better systems came later",
    ),
]


@pytest.mark.parametrize(("answers", "change"), DRIFTS)
def test_drift(answers, change):
    drift = find_drift(answers)
    assert isinstance(drift, Drift)
    assert drift.change == change
    assert drift.p_value == pytest.approx(2 / 70 if change else 1.0)  # both sides


def test_too_few_answers_or_no_times_say_nothing():
    assert find_drift(timed([1, 2, 3, 4, 5, 6, 7])) is None
    assert find_drift([made("s", at, "ann", 3) for at in range(1, 20)]) is None


def count_early(answers, **rules):
    [row] = describe(answers, **rules)
    return row.timed, row.too_fast


def test_haste_is_less_time_than_reading_takes():
    # 20 words at 600 a minute take two seconds.
    slow, fast, unknown = (
        made("s", at, "ann", 3, outputs=("w " * 20,), active_ms=ms)
        for at, ms in enumerate((2000, 1999, None), 1)
    )
    assert count_early([slow]) == (1, 0)
    assert count_early([fast]) == (1, 1)
    assert count_early([slow, fast, unknown]) == (2, 1)
    assert count_early([unknown]) == (0, 0)
    assert count_early([fast], words_per_minute=700) == (1, 0)
    # Checks count, too.
    assert count_early([unknown, replace(fast, kind="degraded")]) == (1, 1)


@pytest.mark.parametrize(
    "text", ["a b c d", "abcdefghij klm", "x", "", "これは空白のない日本語です。"]
)
def test_early_answers_are_those_that_nobody_can_have_read(text):
    """As the plain rule says: below the time that the words take at the fastest speed."""
    words = max(len(text.split()), len(text) / 10)
    for milliseconds in range(0, 800, 7):
        answer = made("s", 1, "ann", 3, outputs=(text, text), active_ms=milliseconds)
        answer = replace(answer, systems=("s", "t"), protocol="pairwise")
        answer = replace(answer, value={"pairwise": [1, 2]})
        expected = milliseconds / 1000 < 60 * 2 * words / 600
        assert count_early([answer], words_per_minute=600) == (1, expected)


def test_flags_say_why():
    text = ("w " * 20,)
    hasty = [
        made(
            "s",
            at,
            "hasty",
            1 + at % 5,
            outputs=text,
            active_ms=100 if at < 3 else 9000,
        )
        for at in range(1, 11)
    ]
    blind = [
        made("s", at, "blind", 3 + at % 2, active_ms=9000) for at in range(1, 7)
    ] + [
        made("s", at, "blind", 4, "degraded", original=f"blind s {at} judged")
        for at in range(1, 7)
    ]
    same = [made("s", at, "same", 5) for at in range(1, 7)]
    good = [made("s", at, "good", 1 + at % 5, active_ms=9000) for at in range(1, 7)]
    assert table_of(hasty + blind + same + good).flags == {
        "hasty": ("2 of 10 answers faster than 600 words per minute",),
        "blind": ("scored 0 of 6 degraded items lower (p = 1.00)",),
        "same": ("always gives the same score (100 of 100)",),
    }
    assert add_flags(table_of(hasty + good), FlagRules(too_fast=0.2)).flags == {}


def test_repeats_far_apart_are_a_flag():
    first = [made("s", at, "ann", 1 + at % 2) for at in range(1, 7)]
    again = [
        made("s", at, "ann", 5, "repeat", original=f"ann s {at} judged")
        for at in range(1, 7)
    ]
    reason = "repeats differ by 88 of 100 points on average"
    assert table_of(first + again).flags == {"ann": (reason,)}


def test_flags_are_told_from_all_answers():
    # Judged by this document alone, Bo would not be too fast.
    text = ("w " * 100,)
    hasty = [
        made(
            "one", at, "bo", 1 + at % 5, outputs=text, active_ms=9 if at < 3 else 99999
        )
        for at in range(1, 9)
    ]
    good = [made("one", at, "ann", 1 + at % 5, active_ms=99999) for at in range(1, 9)]
    scores = table_of(hasty + good)
    selection = Selection(documents=frozenset({"d4"}), flagged="out")
    assert selection.select(scores).judges == ("ann",)
    # And stay if they are told again: flagged judges count for their own flags.
    assert add_flags(scores).flags == scores.flags
    assert list(scores.flags) == ["bo"]


def test_flagged_judges_are_described_unless_left_out():
    hasty = [
        made("one", at, "eve", 1 + at % 5, outputs=("w " * 100,), active_ms=1)
        for at in range(1, 9)
    ]
    good = [made("one", at, "ann", 1 + at % 5, active_ms=99999) for at in range(1, 9)]
    scores = table_of(hasty + good)
    for flagged, expected in (
        ("apart", ["ann", "eve"]),
        ("count", ["ann", "eve"]),
        ("out", ["ann"]),
    ):
        answered = answer_question(
            "judges", scores, Selection(flagged=flagged), "adequacy"
        )
        assert [row.judge for row in answered.answer.rows] == expected
        judges, systems = answered.report.tables
        assert list(cells_by_name(judges)) == expected
        assert list(cells_by_name(systems)) == expected
    assert (
        answered.report.selection
        == "8 answers of 1 judge; flagged judges left out: eve"
    )


def test_judge_by_system_by_hand():
    answers = [
        made("one", 1, "ann", 5),
        made("one", 2, "ann", 3),
        made("two", 1, "bob", 1),
        made("two", 1, "bob", 5, "repeat"),
        made("two", 3, "bob", 5, "calibration"),
    ]
    answer = ask_judges(Evidence(table_of(answers), DEFAULT, "adequacy"), FlagRules())
    assert answer.systems == ("one", "two")
    assert answer.means == {("ann", "one"): (4.0, 75.0, 2), ("bob", "two"): (1.0, 0, 1)}


def test_the_table_of_judges():
    answered = answer_question("judges", table_of(CHECKED), DEFAULT, "adequacy")
    judges, systems = answered.report.tables
    heads = [column.title for column in judges.columns]
    ann = dict(zip(heads[1:], cells_by_name(judges)["ann"], strict=True))
    shown = {name: cell.value for name, cell in ann.items()}
    assert shown == {
        **{"flagged": "no", "answers": 2, "mean, 0–100": 75.0, "leniency": 25.0},
        **{"sd": pytest.approx(35.3553390593), "drift": None, "p of drift": None},
        **{"repeats": 2, "same": 0.5, "Δ": 12.5, "degraded": 2, "caught": 1},
        **{"p of caught": 0.5, "median seconds": 6.5, "too fast": 0},
    }
    assert cells_by_name(systems)["bob"][0].value == 4.0
    assert re.search(r"\|judges:2\|words-per-minute:600\|", answered.report.signature)
    assert (
        answered.report.selection
        == "3 answers of 2 judges; without repeats and degraded copies"
    )


def test_reasons_are_notes():
    same = [made("s", at, "same", 5) for at in range(1, 7)]
    good = [made("s", at, "good", 1 + at % 5) for at in range(1, 7)]
    answered = answer_question("judges", table_of(same + good), DEFAULT, "adequacy")
    assert answered.report.notes[0] == "same: always gives the same score (100 of 100)."
    cells = cells_by_name(answered.report.tables[0])
    assert [row[0].value for row in cells.values()] == ["no", "yes"]


def test_scores_without_a_scale_describe_nobody():
    scores = build_score_table(["a"], [ScoredItem("1")], {Scorer("da"): [1.0]}, ["J"])
    assert build_judge_rows(scores) == []
    assert add_flags(scores).flags == {}
