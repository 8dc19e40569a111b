"""Comparisons in every format, from results made by hand: signs, words, ties, no test."""

import json
from dataclasses import replace
from itertools import combinations

import pytest

from metra.report import FORMATS
from metra.report.table import PaperOptions, Style, format_p_value, format_signed
from metra.report.writers.comparison import choose_mark
from metra.report.writers.results import render
from metra.scoring.compare import SignificanceSettings, SystemComparison
from metra.scoring.results import Results, Score, SystemScores
from metra.stats.direction import find_direction

TERMS = SignificanceSettings(
    test="ar",
    unit="segment",
    units=1234,
    trials=10_000,
    seed=12345,
    alpha=0.05,
    correction="holm",
    family="baseline",
    family_size=3,
)
#: By metric and system: the score, and the p-value against the first system.
SCORES = {
    "m": {"old": (30.0, None), "new": (31.5, 0.0002), "odd": (29.9, 0.8), "bad": (2.0, 0.01)},
    "e": {"old": (50.0, None), "new": (48.0, 0.01), "odd": (50.0, 1.0), "bad": (90.0, 0.0001)},
}  # fmt: skip
UP = {"m": True, "e": False}


def comparison(spec, first, second, p, **more) -> SystemComparison:
    difference = SCORES[spec][second][0] - SCORES[spec][first][0]
    given = {
        "metric": spec,
        "baseline": first,
        "system": second,
        "difference": difference,
        "gain": difference if UP[spec] else -difference,
        "higher_is_better": UP[spec],
        "interval": (difference - 1, difference + 1),
        "standard_error": 0.5,
        "effect": 0.25,
        "p_value": p,
        "p_holm": min(1.0, 3 * p),
        "p_bh": min(1.0, 2 * p),
        "significant": 3 * p <= 0.05,
        "family_size": 3,
        "test": TERMS.signature(),
    }
    return SystemComparison(**given | more)


def systems(specs):
    return [
        SystemScores(
            name,
            {
                s: Score(SCORES[s][name][0], f"{s}|version:1", find_direction(UP[s]))
                for s in specs
            },
        )
        for name in SCORES["m"]
    ]


def against_baseline(*specs: str) -> Results:
    found = [
        comparison(spec, "old", name, p)
        for spec in specs
        for name, (_, p) in SCORES[spec].items()
        if p is not None
    ]
    return Results(systems(specs), 1234, 2, None, found, TERMS)


def all_pairs() -> Results:
    found = [
        comparison("m", one, two, 0.5 if {one, two} == {"old", "odd"} else 0.001)
        for one, two in combinations(SCORES["m"], 2)
    ]
    clusters = {"m": [["new"], ["old", "odd"], ["bad"]]}
    terms = TERMS._replace(family="all_pairs", family_size=6)
    return Results(systems(["m"]), 1234, 2, None, found, terms, clusters)


def too_few() -> Results:
    results = against_baseline("m")
    nothing = {"p_value": None, "p_holm": None, "interval": None, "significant": False}
    found = [c._replace(reason="It is so.", **nothing) for c in results.comparisons]
    return replace(results, comparisons=found)


def lines(results: Results, form: str = "table", **style: object) -> list[str]:
    return render(results, form, Style(**style)).split("\n")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "make", [all_pairs, too_few, lambda: against_baseline("m", "e")]
)
def test_every_format_shows_every_kind(form, make):
    assert render(make(), form, Style())


def test_one_metric_against_the_baseline():
    assert lines(against_baseline("m")) == [
        "m ↑  score  difference      95% interval       p  p (Holm)",
        "────────────────────────────────────────────────────────────────────",
        "old  30.00                                                  baseline",
        "new  31.50     ▲ +1.50    [+0.50, +2.50]  0.0002    0.0006    better",
        "odd  29.90     ▽ −0.10    [−1.10, +0.90]  0.8000    1.0000      n.s.",
        "bad   2.00    ▼ −28.00  [−29.00, −27.00]  0.0100    0.0300     worse",
        "",
        "Significantly better than old: new; significantly worse: bad; "
        "no significant difference: odd.",
        "",
        "▲ better, ▼ worse; △ ▽ not significant (p above 0.05)",
        "p after Holm's correction for 3 comparisons per metric: each system against the "
        "baseline",
        "two-sided paired approximate randomisation of 1,234 segments, 10,000 trials, "
        "seed 12345",
        "1,234 segments, 2 references",
        "m|version:1",
    ]


def test_verdicts_that_differ_by_metric():
    results = against_baseline("m", "e")
    first, *rest = results.comparisons
    mixed = replace(results, comparisons=[first._replace(significant=False), *rest])
    assert (
        "new: significantly better than old by e; no significant difference by m."
        in lines(mixed)
    )


def test_no_test_is_an_answer():
    found = lines(too_few())
    assert found[3] == "new  31.50     △ +1.50                –   too few"
    assert found[7] == "No test: It is so."


def test_one_comparison_or_no_correction_needs_no_corrected_column():
    results = against_baseline("m")
    only = results.comparisons[0]._replace(p_holm=0.0002)
    plain = TERMS._replace(correction="none")
    for fewer in ({"comparisons": [only]}, {"terms": plain}):
        assert "Holm" not in "\n".join(lines(replace(results, **fewer)))


def test_the_correction_is_named():
    results = replace(against_baseline("m"), terms=TERMS._replace(correction="bh"))
    said = "\n".join(lines(results))
    assert "p (BH)" in said
    assert "after Benjamini and Hochberg's correction" in said
    assert "p (Holm)" not in said


def test_colour_says_nothing_that_signs_do_not():
    found = lines(against_baseline("m"), color=True)
    assert "\x1b[32m ▲ +1.50\x1b[0m" in found[3].replace("   \x1b[32m", "\x1b[32m")
    assert "\x1b[31m▼ −28.00\x1b[0m" in found[5]
    assert "\x1b[3" not in found[4]  # it may be chance: no colour


@pytest.mark.parametrize(
    ("gain", "significant", "expected"),
    [
        (1, True, "▲"),
        (1, False, "△"),
        (-1, True, "▼"),
        (-1, False, "▽"),
        (0, False, "="),
    ],
)
@pytest.mark.parametrize("up", [True, False])
def test_triangles_point_to_better(gain, significant, expected, up):
    about = {"difference": float(gain if up else -gain), "gain": float(gain)}
    about |= {"higher_is_better": up, "significant": significant}
    assert choose_mark(comparison("m", "old", "new", 0.01, **about)) == expected


def test_numbers_as_text():
    pairs = (1.005, 2), (-3, 1), (0, 0)
    assert [format_signed(*pair) for pair in pairs] == ["+1.00", "−3.0", "+0"]
    written = [format_p_value(p) for p in (None, 1.0, 0.00012, 0.00001)]
    assert written == ["–", "1.0000", "0.0001", "<0.0001"]


def test_json():
    data = json.loads(render(all_pairs(), "json", Style()))
    assert data["comparisons"][0] == {
        "metric": "m", "baseline": "old", "system": "new", "difference": 1.5, "gain": 1.5,
        "interval": [0.5, 2.5], "standard_error": 0.5, "effect": 0.25, "p_value": 0.001,
        "p_holm": 0.003, "p_bh": 0.002, "family": "baseline", "family_size": 3,
        "significant": True, "higher_is_better": True, "test": TERMS.signature(),
    }  # fmt: skip
    assert data["clusters"] == {"m": [["new"], ["old", "odd"], ["bad"]]}
    nothing = json.loads(render(too_few(), "json", Style()))
    assert "clusters" not in nothing
    first = nothing["comparisons"][0]
    assert (first["p_value"], first["interval"]) == (None, None)
    assert first["reason"] == "It is so."
    plain = replace(all_pairs(), comparisons=(), terms=None, clusters=None)
    assert "comparisons" not in json.loads(render(plain, "json", Style()))


def test_systems_that_do_not_differ_share_a_letter():
    found = lines(all_pairs(), "markdown")
    assert found[4:8] == [
        "| old | 30.00<sup>b</sup> |",
        "| new | **31.50**<sup>a</sup> |",
        "| odd | 29.90<sup>b</sup> |",
        "| bad | 2.00<sup>c</sup> |",
    ]
    assert found[11].startswith("Systems that share a letter in a column do not differ")


def test_a_system_without_a_score_has_no_letter():
    results = all_pairs()
    first, *others = results.systems
    scores = {"m": first.scores["m"]._replace(score=float("nan"))}
    comparisons = [
        entry._replace(significant=entry.significant and "old" not in entry[1:3])
        for entry in results.comparisons
    ]
    systems = [first._replace(scores=scores), *others]
    found = replace(results, systems=systems, comparisons=comparisons)
    shown = ["| old | – |", "| new | **31.50**<sup>a</sup> |"]
    assert lines(found, "markdown")[4:6] == shown


def show_differences(results: Results) -> list[str]:
    return lines(results, "markdown", paper=PaperOptions(differences=True))


def test_differences_are_a_second_table():
    found = show_differences(against_baseline("m", "e"))
    (start,) = [at for at, line in enumerate(found) if line.startswith("| Metric")]
    assert found[start - 2] == "**Differences from old.**"
    assert found[start : start + 8] == [
        "| Metric | System | Difference | 95% interval: low | 95% interval: high "
        "| p | p (Holm) |",
        "| :-- | :-- | --: | --: | --: | --: | --: |",
        "| m ↑ | new | +1.50† | +0.50 | +2.50 | 0.0002 | 0.0006 |",
        "| m ↑ | odd | −0.10 | −1.10 | +0.90 | 0.8000 | 1.0000 |",
        "| m ↑ | bad | −28.00‡ | −29.00 | −27.00 | 0.0100 | 0.0300 |",
        "| e ↓ | new | −2.00† | −3.00 | −1.00 | 0.0100 | 0.0300 |",
        "| e ↓ | odd | +0.00 | −1.00 | +1.00 | 1.0000 | 1.0000 |",
        "| e ↓ | bad | +40.00‡ | +39.00 | +41.00 | 0.0001 | 0.0003 |",
    ]


def test_differences_of_pairs_name_both_systems():
    found = show_differences(all_pairs())
    assert "**Differences between all pairs of systems.**" in found
    assert "| m ↑ | new | old | +1.50† | +0.50 | +2.50 | 0.0010 | 0.0030 |" in found


def test_differences_without_a_test_are_dashes():
    found = show_differences(too_few())
    assert "| m ↑ | new | +1.50 | – | – | – |" in found
    assert found.count("No test: It is so.") == 2


def test_awkward_names_do_no_harm():
    results = against_baseline("m")
    evil = "a\x1b[31m|b\nc"
    named = [
        SystemScores(evil if entry.name == "new" else entry.name, entry.scores)
        for entry in results.systems
    ]
    found = [
        c._replace(system=evil) if c.system == "new" else c for c in results.comparisons
    ]
    awkward = replace(results, systems=named, comparisons=found)
    assert "\x1b" not in render(awkward, "table", Style())
    rows = render(awkward, "markdown", Style()).split("\n")
    assert {row.count("|") - row.count("\\|") for row in rows[2:8]} == {3}
    table = render(awkward, "latex", Style()).partition(r"\midrule")[2].split("\n")
    assert [line[-2:] for line in table[1:5]] == [r"\\"] * 4
