"""Judges: textbook tables, slow plain twins, and what is said where nothing can be."""

import csv
import gzip
import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.panels import cells_by_name, score_rows

from metra.errors import CorpusError
from metra.meta.agree import (
    AgreementAnswer,
    build_judge_table,
    count_gaps,
    report_agreement,
)
from metra.meta.options import AgreeOptions
from metra.scores.registry import read_scores
from metra.scores.table import Scorer
from metra.scores.views import collect_comparisons, collect_ratings
from metra.stats.agreement import (
    SCALES,
    TWO_WAY,
    alpha,
)
from metra.stats.coefficients import pair_counts, pearson, spearman, tau_b
from metra.stats.defaults import LEAST_UNITS
from metra.stats.judge_agreement import (
    agree,
    average_figure,
    compare_judges,
    compute_kappas,
    pair_judgements,
)
from metra.stats.ratings import convert_matrix
from metra.stats.resampling import draw_counts

NAN = float("nan")


def report(ratings, **options):
    chosen = AgreeOptions(**options)
    trials = chosen.trials
    agreement = agree(ratings, within=chosen.within, trials=trials, seed=chosen.seed)
    answer = AgreementAnswer("adequacy", ratings, agreement, None, True)
    return report_agreement(answer, chosen), agreement


def test_of_many_judges_those_are_shown_who_agree_least():
    value = np.array([1.0, 2, 3, 4, 5, 6, 7, 9])
    odd = np.array([9.0, 1, 8, 2, 7, 3, 6, 4])
    ratings = convert_matrix([value, value**2, odd, value])
    every = cells_by_name(build_judge_table(ratings, 1.0))
    names = list(every)
    correlations = {name: cells[-1].value for name, cells in every.items()}
    kept = list(cells_by_name(build_judge_table(ratings, 1.0, 2)))
    assert kept == sorted(names, key=correlations.get)[:2]
    assert kept[0] == names[2]
    assert list(cells_by_name(build_judge_table(ratings, 1.0, 4))) == names
    assert list(cells_by_name(build_judge_table(ratings, 1.0, 0))) == names


def test_where_a_judge_is_alone_nobody_is_above_or_below():
    ratings = convert_matrix([[1.0, 2, 3, 9], [2.0, 2, 5, NAN]])
    first, second = cells_by_name(build_judge_table(ratings, 1.0)).values()
    # n, mean, sd; then of three: above the others, within 1, and r.
    assert [cell.value for cell in first[:2]] == [4, 3.75]
    assert first[3].value == pytest.approx(-1.0)
    assert first[4].value == pytest.approx(2 / 3)
    assert first[5].value == pytest.approx(
        pearson(np.array([1.0, 2, 3]), np.array([2.0, 2, 5]))
    )
    assert second[3].value == pytest.approx(1.0)


KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
SHROUT_FLEISS = np.array(
    [
        *([9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]),
        *([10, 5, 6, 9], [6, 2, 4, 7]),
    ]
).T
FLEISS_COUNTS = [
    *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0]),
    *([2, 2, 8, 1, 1], [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2]),
    *([6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
]
FLEISS = np.array(
    [[c for c, k in enumerate(row) for _ in range(k)] for row in FLEISS_COUNTS]
).T


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorffs_own_example(scale, expected):
    assert round(alpha(convert_matrix(KRIPPENDORFF), scale), 3) == expected


def test_shrout_and_fleiss_table():
    found = agree(convert_matrix(SHROUT_FLEISS), trials=0).values
    forms = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")
    assert [round(found[f], 2) for f in forms] == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]


def test_fleiss_with_fourteen_judges():
    assert round(agree(convert_matrix(FLEISS), trials=0).values["fleiss"], 3) == 0.210


def test_gwets_coefficient_on_the_same_four_judges():
    # Gwet's own program gives .77544, from pa = .81818 and pe = .19032.
    found = agree(convert_matrix(KRIPPENDORFF), trials=0).values
    assert round(found["AC1"], 5) == 0.77544
    assert found["AC1"] == pytest.approx(gwet_twin(KRIPPENDORFF, weighted=False))
    assert found["AC2"] == pytest.approx(gwet_twin(KRIPPENDORFF, weighted=True))


def gwet_twin(matrix: list[list[float]], *, weighted: bool) -> float:
    """Gwet's coefficient from its definition: pairs of judgements, shares of categories."""
    units = [
        [v for v in unit if not math.isnan(v)] for unit in zip(*matrix, strict=True)
    ]
    units = [unit for unit in units if unit]
    values = sorted({value for unit in units for value in unit})

    def weigh(one: float, two: float) -> float:
        gap = (one - two) / (values[-1] - values[0]) if weighted else one != two
        return 1 - gap**2

    found = [
        sum(itertools.starmap(weigh, itertools.permutations(unit, 2)))
        / (len(unit) * (len(unit) - 1))
        for unit in units
        if len(unit) > 1
    ]
    shares = [
        sum(unit.count(v) / len(unit) for unit in units) / len(units) for v in values
    ]
    weights = sum(itertools.starmap(weigh, itertools.product(values, repeat=2)))
    chance = weights / (len(values) * (len(values) - 1))
    chance *= sum(share * (1 - share) for share in shares)
    return (sum(found) / len(found) - chance) / (1 - chance)


def plain_alpha(matrix, scale):
    units = [[v for v in column if v == v] for column in np.asarray(matrix, float).T]
    units = [unit for unit in units if len(unit) > 1]
    everything = sorted(v for unit in units for v in unit)

    def distance(c, k):
        if scale == "nominal":
            return float(c != k)
        if scale == "interval":
            return (c - k) ** 2
        if scale == "ratio":
            return ((c - k) / (c + k)) ** 2 if c + k else 0.0
        low, high = min(c, k), max(c, k)
        between = sum(low <= v <= high for v in everything)
        return (between - (everything.count(c) + everything.count(k)) / 2) ** 2

    n = len(everything)
    if n < 2:
        return NAN
    seen = sum(
        distance(a, b) / (len(unit) - 1)
        for unit in units
        for a, b in itertools.permutations(unit, 2)
    )
    chance = sum(distance(a, b) for a, b in itertools.permutations(everything, 2))
    return 1 - seen / (chance / (n - 1)) if chance else NAN


GRIDS = arrays(
    float,
    st.tuples(st.integers(2, 4), st.integers(1, 7)),
    elements=st.sampled_from([NAN, 0, 1, 2, 2.5, 7]),
)


@settings(max_examples=60, deadline=None)
@given(grid=GRIDS, scale=st.sampled_from(list(SCALES)))
def test_alpha_is_what_counting_pairs_gives(grid, scale):
    if not np.isfinite(grid).any():
        return
    found = convert_matrix(grid)
    if not found.pairable().units:
        assert math.isnan(plain_alpha(grid, scale))
        return
    expected = plain_alpha(grid, scale)
    assert alpha(found, scale) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_ratios_of_many_different_values_are_not_compared():
    ratings = convert_matrix(np.random.default_rng(3).gamma(3, 200, (4, 100)))
    assert math.isnan(alpha(ratings, "ratio"))
    agreement = agree(ratings, trials=0)
    reason = "there are 400 different values, too many for categories"
    assert agreement.reasons["alpha ratio"] == reason


@pytest.mark.parametrize("scale", ["interval", "ordinal", "ratio"])
def test_alpha_of_many_real_values(scale):
    rng = np.random.default_rng(5)
    grid = rng.normal(size=60) + rng.normal(size=(3, 60)) + 9
    expected = plain_alpha(grid, scale)
    assert alpha(convert_matrix(grid), scale) == pytest.approx(expected, abs=1e-9)


def plain_kappas(a, b):
    """Kappas by the gaps of the given pairs, and of every pair."""
    gaps = {
        "kappa": lambda x, y: x != y,
        "linear": lambda x, y: np.abs(x - y),
        "quadratic": lambda x, y: (x - y) ** 2,
    }
    seen = {name: gap(a, b).mean() for name, gap in gaps.items()}
    chance = {name: gap(a[:, None], b).mean() for name, gap in gaps.items()}
    return {
        name: 1 - seen[name] / chance[name] if chance[name] else NAN for name in gaps
    }


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30)
)
def test_cohens_kappa_is_what_the_table_gives(values):
    a, b = (np.array(column, float) for column in zip(*values, strict=True))
    expected = plain_kappas(a, b)
    assert compute_kappas(a, b) == pytest.approx(expected, nan_ok=True)


def test_unequal_numbers_of_judges():
    # Hand-worked: units aa, aab, bb. P = 1, 1/3, 1; shares 4/7 and 3/7.
    grid = [[1, 1, 2], [1, 1, 2], [NAN, 2, NAN]]
    chance = (16 + 9) / 49
    expected = (7 / 9 - chance) / (1 - chance)
    found = agree(convert_matrix(grid), trials=0).values["fleiss"]
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    "grid",
    [
        pytest.param([[2, 2, 2], [2, 2, 2]], id="all judgements are equal"),
        pytest.param([[1, NAN], [2, 3]], id="one unit has two judges"),
        pytest.param([[1, 1, 1], [1, 2, 3]], id="one judge is constant"),
        pytest.param(
            [[1, 2, NAN, NAN], [NAN, 3, 4, NAN], [NAN, NAN, 1, 2]], id="a chain"
        ),
        pytest.param([[-1, 0.5], [2, 2]], id="values below zero"),
    ],
)
def test_no_figure_is_missing_without_a_reason(grid):
    findings, found = report(convert_matrix(grid), trials=20)
    figures = [cells[0].value for cells in cells_by_name(findings.tables[0]).values()]
    missing = [name for name, value in found.values.items() if value != value]
    assert set(missing) <= set(found.reasons)
    assert all(figure is None or math.isfinite(figure) for figure in figures)
    if None in figures:
        assert any(note.startswith("–") for note in findings.notes)


def test_repeats_are_judged_apart(write):
    lines = ["system\tsegment\tjudge\tadequacy"]
    lines += [
        *("a\t1\tann\t3", "a\t1\tann\t4", "a\t1\tbob\t3"),
        *("a\t2\tann\t1", "a\t2\tbob\t5"),
    ]
    found = collect_ratings(read_scores(str(write("r.tsv", lines))), "adequacy")
    assert (found.repeats.first.tolist(), found.repeats.later.tolist()) == ([3], [4])
    assert found.dense().tolist() == [[3, 1], [3, 5]]
    findings, _ = report(found, trials=0)
    intra = next(t for t in findings.tables if t.name == "intra")
    assert [cell.value for cell in intra.rows[0]][1:4] == [1, 0.0, 1.0]
    worst = findings.tables[-1]
    assert worst.rows[0][0].value == "a 2"


def test_unnamed_judges_are_refused(write):
    path = write("r.tsv", ["system\tsegment\tadequacy", "a\t1\t3"])
    with pytest.raises(CorpusError, match="have no judge"):
        collect_ratings(read_scores(str(path)), "adequacy")


def test_intervals_are_quantiles_over_repeated_units():
    """Every coefficient of every draw is that of the units, each as often as it was drawn."""
    rng = np.random.default_rng(5)
    grid = np.clip(np.round(rng.normal(3, 1, 24) + rng.normal(0, 0.9, (4, 24))), 1, 5)
    grid[rng.integers(0, 4, 9), rng.permutation(24)[:9]] = np.nan
    found = agree(convert_matrix(grid), trials=60, seed=3).intervals
    complete = grid[:, ~np.isnan(grid).any(0)]
    expected = draw_coefficients(grid) | {
        name: values
        for name, values in draw_coefficients(complete).items()
        if name in TWO_WAY
    }
    assert set(found) == set(expected) - {"mean spearman", "mean kendall"}
    for name, interval in found.items():
        quantiles = np.quantile(expected[name], [0.025, 0.975])
        assert interval == pytest.approx(quantiles, abs=1e-12), name


def draw_coefficients(grid):
    rng = np.random.default_rng(3)
    counts = [row for size in (50, 10) for row in draw_counts(grid.shape[1], size, rng)]
    drawn = [np.repeat(grid, times, axis=1) for times in counts]
    assert all(len({*repeated[~np.isnan(repeated)]}) == 5 for repeated in drawn)
    values = [agree(convert_matrix(one), trials=0).values for one in drawn]
    return {name: [one[name] for one in values] for name in values[0]}


def test_judges_who_agree_exactly_and_nearly():
    """Counted by hand: 8 pairs of judgements, 2 of them equal and 4 at most 1.5 apart."""
    grid = [[1, 2, 3, 4], [1, 3.5, NAN, 8], [3, 3.5, 9, NAN]]
    found = agree(convert_matrix(grid), within=1.5, trials=0)
    assert found.values["exact"] == 2 / 8
    assert found.values["within"] == 4 / 8
    spreads = [
        np.std(one, ddof=1) for one in ([1, 1, 3], [2, 3.5, 3.5], [3, 9], [4, 8])
    ]
    assert found.values["sd"] == pytest.approx(np.mean(spreads))
    assert [(pair.first, pair.second, pair.n) for pair in found.pairs] == [
        ("1", "2", 3),
        ("1", "3", 3),
        ("2", "3", 2),
    ]
    assert [(pair.exact, pair.within) for pair in found.pairs] == [
        (1 / 3, 2 / 3),
        (0, 1 / 3),
        (1 / 2, 1 / 2),
    ]


def test_ranges_of_whole_numbers_have_both_their_ends():
    bars = count_gaps(np.array([0, 1, 2, 3, 40]))
    assert bars[:3] == [("0", 1), ("1–5", 3), ("6–10", 0)]
    assert bars[-1] == ("36–40", 1)
    # Up to twelve bars, each number has its own.
    few, many = (count_gaps(np.array([0, 1, top])) for top in (11, 12))
    assert [label for label, _ in few] == [str(at) for at in range(12)]
    assert [label for label, _ in many] == [
        *("0", "1–2", "3–4", "5–6", "7–8", "9–10", "11–12"),
    ]
    assert [count for _, count in few] == [1, 1, *[0] * 9, 1]


def test_twenty_five_judges_of_adequacy(shared):
    path = shared / "data" / "tradopad-adequacy" / "ratings.tsv"
    with path.open(encoding="utf-8") as lines:
        seen = {r["judge"]: r["shown"] for r in csv.DictReader(lines, delimiter="\t")}
    found = collect_ratings(read_scores(str(path)), "adequacy")
    pairs = [
        pair
        for pair in compare_judges(found, pair_judgements(found))
        if "source" not in (seen[pair.first], seen[pair.second])
    ]
    for same, expected in (
        (True, (40, 0.197, 0.373, 0.575)),
        (False, (150, 0.164, 0.331, 0.553)),
    ):
        mine = [p for p in pairs if (seen[p.first] == seen[p.second]) is same]
        means = [
            np.mean([getattr(p, f) for p in mine])
            for f in ("kappa", "linear", "spearman")
        ]
        assert len(mine) == expected[0]
        # The published figures are rounded, and one of them lies on the edge.
        assert means == pytest.approx(expected[1:], abs=6e-4)


# Most parts were judged by two groups of three; the published figures are of the first.
@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        *(("et-en", 0.890), ("ro-en", 0.836), ("ru-en", 0.893), ("ne-en", 0.740)),
        *(("si-en", 0.791), ("en-de", 0.923), ("en-zh", 0.582)),
    ],
)
def test_raters_of_quality_estimation_data(shared, lang, expected):
    path = shared / "data" / "mlqe-pe" / "segments.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        given = [
            [float(v) for v in row["da_scores"].split()]
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["lp"] == lang
        ]
    found = convert_matrix(np.array([row[:3] for row in given]).T)
    pairs = compare_judges(found, pair_judgements(found))
    assert round(average_figure(pairs, "pearson"), 3) == expected


def test_judgements_need_no_systems(write):
    lines = [
        *("judge\titem\tadequacy", "ann\t1\t3", "bob\t1\t4", "ann\t2\t5", "bob\t2\t5"),
    ]
    found = collect_ratings(read_scores(str(write("r.tsv", lines))), "adequacy")
    assert found.units == ("1", "2")
    assert found.dense().tolist() == [[3, 5], [4, 5]]


def test_outputs_of_a_segment_are_drawn_together(write):
    """Twenty copies of a system say no more about the judges than one."""
    rng = np.random.default_rng(1)
    first = rng.integers(1, 6, 30)
    second = np.clip(first + rng.integers(-1, 2, 30), 1, 5)
    widths = {}
    for systems in (1, 20):
        rows = [
            (f"s{system}", segment, judge, value)
            for system in range(systems)
            for judge, given in (("ann", first), ("bob", second))
            for segment, value in enumerate(given.tolist(), 1)
        ]
        table = [f"{s}\t{n}\t{j}\t{v}" for s, n, j, v in rows]
        lines = ["system\tsegment\tjudge\tscore", *table]
        scores = read_scores(str(write(f"{systems}.tsv", lines)))
        found = agree(collect_ratings(scores, "score"), trials=50)
        widths[systems] = found.intervals
    for name in ("exact", "within", "mean linear", "mean quadratic", "mean pearson"):
        assert widths[1][name] == pytest.approx(widths[20][name], abs=1e-9)
    # Alpha corrects for the number of values.
    assert widths[1]["alpha ordinal"] == pytest.approx(
        widths[20]["alpha ordinal"], abs=0.01
    )


def test_scores_of_whole_systems_are_drawn_one_by_one(write):
    rows = [f"s{at}\t{judge}\t{at % 4}" for at in range(12) for judge in "ab"]
    path = write("whole.tsv", ["system\tjudge\tscore", *rows])
    ratings = collect_ratings(read_scores(str(path)), "score")
    assert len(np.unique(ratings.number_segments())) == 12


def test_values_that_hardly_repeat_are_no_categories():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 400)) + rng.normal(size=400)
    found = agree(convert_matrix(values), trials=20)
    assert np.isnan(found.values["mean kappa"])
    assert found.reasons["mean kappa"].startswith("there are 800 different values")
    assert np.isnan(found.pairs[0].kappa)
    assert "mean kappa" not in found.intervals
    assert found.values["mean quadratic"] > 0.3


def test_pairs_are_what_each_pair_gives_by_itself():
    """All pairs at once, against the plain functions of two judges; constants have none."""
    rng = np.random.default_rng(2)
    values = rng.integers(1, 6, (6, 40)) / 3
    values[rng.random(values.shape) < 0.4] = np.nan
    values[4], values[5] = 1.1, np.where(np.arange(40) < 3, 1.1, np.nan)
    ratings = convert_matrix(values).pairable()
    pairs = compare_judges(ratings, pair_judgements(ratings), within=0.4)
    assert [pair.n for pair in pairs] == sorted(
        (pair.n for pair in pairs), reverse=True
    )
    assert len(pairs) == 15
    for pair in pairs:
        one, two = (values[int(name) - 1] for name in (pair.first, pair.second))
        both = np.isfinite(one) & np.isfinite(two)
        a, b = one[both], two[both]
        assert sorted(zip(pair.a, pair.b, strict=True)) == sorted(
            zip(a, b, strict=True)
        )
        plain = {
            "exact": (a == b).mean(),
            "within": (np.abs(a - b) <= 0.4).mean(),
            "pearson": pearson(a, b),
            "spearman": spearman(a, b),
            "kendall": tau_b(pair_counts(a, b)),
            **plain_kappas(a, b),
        }
        if len({*a, *b}) == 1:
            plain |= dict.fromkeys(("kappa", "linear", "quadratic"), np.nan)
        for name, expected in plain.items():
            found = getattr(pair, name)
            assert found == pytest.approx(float(expected), abs=1e-12, nan_ok=True), name


def test_few_units_have_no_interval():
    values = np.random.default_rng(1).integers(1, 6, (2, LEAST_UNITS)).astype(float)
    assert agree(convert_matrix(values), trials=50).intervals
    assert agree(convert_matrix(values[:, 1:]), trials=50).intervals == {}


def table_of_ranks(rankings):
    """Scores of rankings: a segment, a judge, and ranks by system."""
    lines = [
        (system, segment, judge, rank)
        for segment, judge, ranks in rankings
        for system, rank in ranks.items()
    ]
    return score_rows(lines, Scorer("rank"))


def compare_plainly(rankings):
    """Kappa of comparisons as WMT's papers have it, and how many comparisons there are."""
    said = {}
    for segment, judge, ranks in rankings:
        for one, other in itertools.combinations(sorted(ranks), 2):
            sign = (ranks[one] > ranks[other]) - (ranks[one] < ranks[other])
            said.setdefault((segment, one, other), []).append((judge, sign))
    values = [value for each in said.values() for _, value in each]
    pairs = [
        (first[1], second[1])
        for each in said.values()
        for first, second in itertools.combinations(each, 2)
        if first[0] != second[0]
    ]
    ties = values.count(0) / len(values)
    chance = ties**2 + 2 * ((1 - ties) / 2) ** 2
    equal = sum(a == b for a, b in pairs) / len(pairs)
    return (equal - chance) / (1 - chance) if chance < 1 else NAN, len(values)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_comparisons_of_ranks_against_a_plain_twin(seed):
    rng = np.random.default_rng(seed)
    rankings = [
        (
            str(segment),
            judge,
            {
                f"s{system}": int(rng.integers(1, 4))
                for system in rng.permutation(6)[: rng.integers(2, 6)].tolist()
            },
        )
        for segment in range(4)
        for judge in ("ann", "bob", "cleo")[: 2 + segment % 2]
    ]
    rankings += [("9", "ann", {"s0": 1, "s1": 2}), ("9", "bob", {"s0": 2, "s1": 1})]
    ratings = collect_comparisons(table_of_ranks(rankings), "rank")
    kappa, count = compare_plainly(rankings)
    assert len(ratings) == count
    found = agree(ratings, trials=5)
    assert found.values["comparisons"] == pytest.approx(kappa, nan_ok=True)


def test_comparisons_of_a_segment_are_drawn_together():
    """Judges agree on all of each other segment, on nothing of the rest: tenths of them."""
    order = {f"s{at}": at + 1 for at in range(4)}
    turned = {f"s{at}": 4 - at for at in range(4)}
    rankings = [
        (str(segment), judge, turned if judge == "bob" and segment % 2 else order)
        for segment in range(10)
        for judge in ("ann", "bob")
    ]
    ratings = collect_comparisons(table_of_ranks(rankings), "rank")
    found = agree(ratings, trials=100)
    assert found.values["exact"] == 0.5
    low, high = found.intervals["exact"]
    # Sixty comparisons by themselves would be within 0.37 and 0.63.
    assert low <= 0.25
    assert high >= 0.75
    few = collect_comparisons(table_of_ranks(rankings[:18]), "rank")
    assert agree(few, trials=100).intervals == {}


def test_the_command_takes_ranks(write, cli):
    rows = ["system\tsegment\tjudge\trank"]
    rows += [
        f"s{at}\t{segment}\t{judge}\t{rank}"
        for segment, judge, order in ((1, "ann", "123"), (1, "bob", "132"))
        for at, rank in enumerate(order)
    ]
    path = str(write("ranks.tsv", rows))
    shown = cli("meta", "judges", path, "--ranks", "--trials", "20").out
    assert "kappa as at WMT" in shown
    assert "by pairwise comparison" in shown
    assert "of:comparisons|boot:segments k=20" in shown
    assert "kappa as at WMT" not in cli("meta", "judges", path, "--trials", "0").out


def test_repeated_items_count_as_second_answers_only(write, cli):
    rows = ["system\tsegment\tscorer\tvalue\tjudge\titem_type"]
    for at in range(1, 7):
        rows += [f"a\t{at}\tda\t{at}\t{judge}\tjudged" for judge in ("ann", "bob")]
        rows += [
            f"a\t{at}\tda\t{7 - at}\tann\trepeat",
            f"a\t{at}\tda\t0\tann\tdegraded",
        ]
    ran = cli("meta", "judges", write("r.tsv", rows))
    assert ran.code == 0, ran.err
    assert "6 judgements repeat a judgement of the same judge" in ran.out
    plain = [row for row in rows if not row.endswith(("repeat", "degraded"))]
    alone = cli("meta", "judges", write("p.tsv", plain))
    assert "repeat a judgement" not in alone.out
    alpha = re.compile("Krippendorff.*")
    assert alpha.findall(ran.out) == alpha.findall(alone.out) != []
