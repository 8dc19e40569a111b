"""Plans from a pilot study: which differences are expected, and of which pairs."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.panels import cells_by_name, score_matrix

from metra.meta.options import PlanOptions
from metra.meta.plan import (
    PROFILES,
    SystemPair,
    build_pair_table,
    plan_from_pilot,
    plan_from_variances,
    report_plan,
)
from metra.scores.table import Scorer
from metra.stats.direction import find_direction
from metra.stats.power import (
    StudyPlan,
    compute_error,
    compute_reliability,
)
from metra.stats.variance import (
    TERMS,
    RatingFactors,
    VarianceComponents,
    average_repeats,
    estimate_components,
)


def build_scores(values, *, higher=True):
    """Turn systems × segments into scores, by one judge who is not named."""
    return score_matrix(values, Scorer("esa", "human", find_direction(higher)))


@pytest.fixture
def values():
    rng = np.random.default_rng(0)
    values = np.array([[0.0], [2.0], [3.0], [6.0]]) + rng.normal(0, 4, (4, 80))
    # The last two are versions of one system.
    values[3] = values[2] + 3 + rng.normal(0, 0.5, 80)
    return values


OPTIONS = PlanOptions(segments=(50, 200), raters=(1,))


def test_expected_differences_are_the_observed_ones_times_the_reliability(values):
    curves = plan_from_pilot(build_scores(values), "esa", OPTIONS)
    means = values.mean(1)
    share = compute_reliability(curves.components, StudyPlan(80))
    assert curves.shrinkage == pytest.approx(share)
    assert 0.5 < share < 1
    for pair in curves.pairs:
        gap = means[int(pair.better[1])] - means[int(pair.worse[1])]
        assert gap > 0
        assert pair.observed == pytest.approx(gap)
        assert pair.difference == pytest.approx(share * gap)


def test_where_lower_is_better_the_lower_mean_is_the_better_system(values):
    plain = plan_from_pilot(build_scores(values), "esa", OPTIONS)
    turned = plan_from_pilot(build_scores(-values, higher=False), "esa", OPTIONS)
    assert [(p.better, p.worse) for p in plain.pairs] == [
        (p.better, p.worse) for p in turned.pairs
    ]


def test_two_versions_of_a_system_separate_more_easily_than_two_strangers(values):
    curves = plan_from_pilot(build_scores(values), "esa", OPTIONS)
    spread = {(pair.better, pair.worse): pair.spread for pair in curves.pairs}
    versions = spread.pop(("s3", "s2"))
    assert versions < 0.1 < min(spread.values())
    power = dict(zip(curves.pairs, curves.studies[0].power, strict=True))
    close = {(pair.better, pair.worse): value for pair, value in power.items()}
    assert close["s3", "s2"] > 0.999


def test_differences_that_do_not_vary_spread_as_all_do(values):
    steady = values[0] + np.array([[0.0], [2.0], [3.0]])
    curves = plan_from_pilot(build_scores(np.round(steady * 8) / 8), "esa", OPTIONS)
    assert [pair.spread for pair in curves.pairs] == [1, 1, 1]
    assert [pair.observed for pair in curves.pairs] == [3, 2, 1]


def test_differences_of_few_segments_spread_as_a_sample_does(values):
    # The first system was judged on a fifth of the segments only.
    values[0, 16:] = np.nan
    curves = plan_from_pilot(build_scores(values), "esa", OPTIONS)
    gaps = {
        frozenset((f"s{first}", f"s{second}")): values[first] - values[second]
        for first in range(4)
        for second in range(first)
    }
    spread = {pair: np.nanvar(gap, ddof=1) for pair, gap in gaps.items()}
    usual = sum(spread.values()) / 6
    for pair in curves.pairs:
        expected = spread[frozenset((pair.better, pair.worse))] / usual
        assert pair.spread == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "file", "value", "rater", "digits"),
    [
        ("esa", "en-de.annotations.tsv.gz", "score", "annotator", 1),
        ("mqm", "en-de.sxs_mqm_ratings.tsv.gz", "mqm", "rater", 2),
    ],
)
def test_profiles_are_estimates_from_published_judgements(
    name, file, value, rater, digits, shared, read_table
):
    lines = [
        line
        for line in read_table(shared / "data" / "wmt23-mqm-esa" / file)
        if line.get("protocol", "ESA").startswith("ESA")
        and line.get("is_control", "no") == "no"
    ]
    system, segment, judge, document = (
        np.unique([line[key] for line in lines], return_inverse=True)[1]
        for key in ("system", "seg", rater, "doc")
    )
    values = np.array([float(line[value]) for line in lines])
    factors = RatingFactors(values, system, segment, judge, document)
    found = estimate_components(average_repeats(factors), studies=0).values
    # Effects of texts are the same for all systems, and leave differences as they are.
    expected = {
        term: round(each, digits)
        for term, each in found.items()
        if each > 0 and term not in ("document", "segment")
    }
    assert PROFILES[name] == expected


def test_the_profile_of_direct_assessment_is_that_of_wmt22(shared, cli):
    path = shared / "data/published-formats/wmt22-da/ad-uken-good-stnd-redup.csv.gz"
    done = cli(
        *(
            *("meta", "plan", path, "--scorer", "da", "--trials", "0"),
            *("--format", "json"),
        )
    )
    first, *_ = json.loads(done.out)["tables"].values()
    found = {row["of"]: round(row["variance"], 4) for row in first}
    del found["segment"]
    assert PROFILES["da"] == {term: each for term, each in found.items() if each > 0}


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_are_plans_of_known_terms(name):
    assert set(PROFILES[name]) <= set(TERMS)
    options = PlanOptions(like=name, systems=4, pool=8, segments=(300,), raters=(2,))
    (study,) = plan_from_variances(options).studies
    expected = compute_error(VarianceComponents(PROFILES[name]), StudyPlan(300, 2, 8))
    assert study.error == expected
    assert study.power.tolist() == sorted(study.power)


def test_a_pilot_study_in_which_nothing_varies_promises_nothing():
    curves = plan_from_pilot(build_scores(np.full((2, 3), 5.0)), "esa", OPTIONS)
    assert (curves.shrinkage, curves.pairs[0].difference) == (0.0, 0.0)
    assert all(study.power.max() <= 0.05 for study in curves.studies)


@pytest.mark.parametrize(
    ("raters", "segments", "is_said"),
    [((2,), (400, 800), True), ((2, 20), (800,), False), ((20,), (100, 200), False)],
)
def test_a_detectable_difference_that_grows_with_the_segments_is_explained(
    raters, segments, is_said
):
    options = PlanOptions(like="esa", raters=raters, segments=segments)
    curves = plan_from_variances(options)
    first, last = curves.studies[0], curves.studies[-1]
    assert (first.detectable < last.detectable) == is_said
    said = "\n".join(report_plan(curves, options).notes)
    assert ("grows with the number of segments" in said) == is_said


def test_a_difference_that_no_number_of_segments_shows():
    options = PlanOptions(segments=(50,), raters=(1,), pool=2, like="esa")
    curves = plan_from_variances(options)
    pair = SystemPair("a", "b", 0.1, 0.1, 1.0)
    table = build_pair_table(
        replace(
            curves,
            pairs=[pair],
            studies=[replace(curves.studies[0], power=np.array([0.1]))],
        ),
        options,
    )
    [cells] = cells_by_name(table).values()
    assert cells[-1].value == "never"
