"""The collective exercise: texts, scales, evaluators and measures, worked by hand."""

from dataclasses import replace
from math import atanh, nan, tanh

import numpy as np
import pytest
from tests.campaign.campaigns import answered, opened
from tests.meta.evaluators import build_results, given

from metra.campaign.judgement import build_campaign_scores
from metra.campaign.protocols.registry import list_question_scales
from metra.errors import CorpusError, FormatError, MetraError, OptionError
from metra.formats.annotations.quality_model import QualityModel, WeightedMetric
from metra.meta import exercise
from metra.meta.measures import average_texts, list_rows, select_texts, tabulate_texts
from metra.scores.scale import MeasureScale, ScoreScale, parse_scale, scale_to_hundred
from metra.scores.selection import Selection
from metra.scores.table import ScoredItem, Scorer, build_score_table
from metra.stats.bootstrap import fisher_interval

CLARITY = {"clarity": ScoreScale(0, 3)}


def hold(rows, *, place="", **options) -> exercise.ExerciseStudy:
    """Hold the exercise on one table of results."""
    options = {"protocol_scales": list_question_scales()} | options
    return exercise.run_exercise({place: build_results(rows)}, **options)


def test_deviations_are_pooled_over_texts():
    scores = [
        *given("H4b", "ann", [10], text="one", hundred=10.0),
        *given("H4b", "bob", [30], text="one", hundred=30.0),
        *given("H4b", "ann", [50], text="two", hundred=50.0),
    ]
    study = hold(scores)
    [system] = study.evaluations
    assert study.level == "text"
    assert system.mean == pytest.approx((20 + 50) / 2)
    # One text has two evaluators: the squares of both sides of 20, over n - 1.
    assert system.deviation == pytest.approx(200**0.5)
    assert system.by_evaluator == (("ann", 30), ("bob", 30))


def test_one_evaluator_has_no_deviation_and_no_agreement():
    study = hold(given("bleu", "ann", [10, 20, 30]))
    assert {one.deviation for one in study.evaluations} == {None}
    [reliability] = study.reliability
    assert reliability.reason == "no translation has two evaluators"
    assert study.agreement[0].pairs == ()
    assert study.human == ()


def test_evaluators_who_share_nothing_are_not_compared():
    scores = [*given("bleu", "ann", [10]), *given("wer", "bob", [10, 20, 40])]
    study = hold([*scores, ("bleu", "bob", "", "b", 5)])
    assert study.agreement[0].pairs == ()


def test_every_two_evaluators():
    scores = [*given("bleu", "ann", [10, 20, 40]), *given("bleu", "bob", [10, 30, 20])]
    [found] = hold(scores).agreement
    [pair] = found.pairs
    assert (pair.first, pair.second, pair.translations) == ("ann", "bob", 3)
    assert pair.difference == pytest.approx((0 - 10 + 20) / 3)
    assert pair.spearman == found.spearman == 0.5
    # By hand: 100 over the root of 1400/3 times 200.
    assert pair.pearson == pytest.approx(100 / (1400 / 3 * 200) ** 0.5)


def test_two_translations_lie_on_a_line_and_have_no_correlation():
    scores = [*given("bleu", "ann", [10, 20]), *given("bleu", "bob", [10, 30])]
    scores += given("adequacy", "cleo", [1, 5])
    study = hold(scores)
    assert study.agreement[0].pearson is None
    assert study.agreement[0].pairs[0].pearson is None
    assert study.human[0].pearson is None


def test_people_against_metrics():
    scores = [
        *given("adequacy", "ann", [1, 3, 5, 4]),
        *given("bleu", "bob", [10, 20, 30, 40]),
        *given("wer", "bob", [90, 60, 10, 20], higher_is_better=False),
    ]
    study = hold(scores)
    assert [(one.automated, one.human) for one in study.human] == [
        ("bleu", "adequacy"),
        ("wer", "adequacy"),
    ]
    first, second = study.human
    assert first.x == (0, 50, 100, 75)
    r = 1375 / (5468.75 * 500) ** 0.5  # products and squares of what is off the means
    assert first.pearson == pytest.approx(r)
    # Fisher's formula for four values: the deviation of z is 1.
    ends = [tanh(atanh(r) + sign * 1.959963984540054) for sign in (-1, 1)]
    assert first.interval == pytest.approx(ends)
    assert first.method == "Fisher"
    # Fewer errors are better: the direction is turned before anything is compared.
    assert second.y == (10, 40, 90, 80)
    assert second.pearson > 0.9


def score_texts(rng, texts, systems, *, shared):
    """Adequacy and bleu of every text by every system; texts share part of their noise."""
    scores = []
    for text in range(texts):
        noise = shared * rng.normal(size=2)
        for system in range(systems):
            values = np.clip(50 + 10 * noise + 10 * rng.normal(size=2), 0, 100)
            for metric, value in zip(("adequacy", "bleu"), values, strict=True):
                names = metric, "ann", f"t{text}", f"s{system}"
                scores.append((*names, float(value), float(value)))
    return scores


def test_intervals_draw_whole_texts():
    """A plain bootstrap of texts has the same ends but for chance; cells are too narrow."""
    rng = np.random.default_rng(3)
    scores = score_texts(rng, 12, 8, shared=2.0)
    [pair] = hold(scores, human=["adequacy"], automated=["bleu"]).human
    x, y = (np.array(each).reshape(12, 8) for each in (pair.x, pair.y))
    drawn = [
        np.corrcoef(x[chosen].ravel(), y[chosen].ravel())[0, 1]
        for chosen in rng.integers(0, 12, (4000, 12))
    ]
    assert pair.method == "texts"
    assert pair.interval == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.05)
    low, high = fisher_interval(pair.pearson, 96)
    assert pair.interval[1] - pair.interval[0] > 1.5 * (high - low)


@pytest.mark.parametrize(
    ("texts", "systems", "method"),
    [(10, 2, "texts"), (9, 10, "systems"), (9, 9, "")],
)
def test_few_texts_leave_the_drawing_to_systems(texts, systems, method):
    scores = score_texts(np.random.default_rng(1), texts, systems, shared=1.0)
    [pair] = hold(scores, human=["adequacy"], automated=["bleu"]).human
    assert pair.method == method
    assert (pair.interval is None) == (not method)


def test_the_given_scale_wins_over_the_model_and_the_model_over_the_unit():
    model = QualityModel("m", "use", (WeightedMetric("bleu", 1, 20, 60),))
    scores = given("bleu", "ann", [40, 60])
    for scales, mean, origin in (
        ({}, 50, "model m"),
        ({"bleu": ScoreScale(0, 80)}, 50, "given"),
    ):
        study = hold(scores, model=model, scales=scales)
        assert study.evaluations[0].mean == mean
        assert study.scales[0].origin == origin
    [plain] = hold(scores).scales
    assert (plain.worst, plain.best, plain.origin) == (0, 100, "percentage")


def test_scales_of_values_that_files_have_mapped():
    def find(name: str, hundreds: list[float]) -> MeasureScale:
        rows = zip("ab", [2, 3], hundreds, strict=True)
        [scale] = hold([(name, "ann", "", *row) for row in rows]).scales
        return scale

    handed = find("mine", [2, 3])
    assert (handed.worst, handed.best, handed.origin) == (0, 100, "as given")
    assert (handed.lowest, handed.highest, handed.values, handed.cut) == (2, 3, 2, 0)
    known = find("clarity", [66, 100])
    assert (known.worst, known.best, known.origin) == (0, 3, "protocol")
    unknown = find("mine", [40, 60])
    assert (unknown.worst, unknown.best, unknown.origin) == (None, None, "protocol")


def test_a_scale_for_a_metric_is_for_all_its_options():
    scores = given("nist:n=3", "ann", [4.0, 6.0])
    study = hold(scores, scales=dict([parse_scale("nist=0..8")]))
    assert [one.mean for one in study.evaluations] == [50, 75]


def test_what_lies_beyond_a_scale_is_cut_and_counted():
    scores = given("ter", "ann", [20, 154.5], higher_is_better=False)
    study = hold(scores)
    assert [one.mean for one in study.evaluations] == [80, 0]
    assert study.scales[0].cut == 1
    assert study.notes == (
        "ter: 1 of 2 values are outside 100..0 and are clipped to it.",
    )
    ends = hold(given("ter", "ann", [0, 100], higher_is_better=False))
    assert [one.mean for one in ends.evaluations] == [100, 0]
    assert (ends.scales[0].cut, ends.notes) == (0, ())


@pytest.mark.parametrize(
    ("metric", "scores", "says"),
    [
        pytest.param(
            "clarity",
            [1, 3],
            "if they mean 0..3, set `scales`",
            id="ratings as they are",
        ),
        pytest.param(
            "wer", [30, 90], "if they mean 100..0, set `scales`", id="error rate"
        ),
    ],
)
def test_what_may_be_on_another_scale_is_noted(metric, scores, says):
    handed_in = [
        (metric, "ann", "", name, value, float(value))
        for name, value in zip("ab", scores, strict=True)
    ]
    [note] = hold(handed_in).notes
    assert says in note


def test_the_model_combines_means_and_shares_weights():
    members = [("adequacy", 3, 1, 5), ("clarity", 1, 0, 3), ("hter", 4, 100, 0)]
    model = QualityModel("m", "use", tuple(WeightedMetric(*one) for one in members))
    scores = [*given("adequacy", "ann", [3, 5]), *given("clarity", "ann", [3, 0])]
    study = hold(scores, model=model)
    best, other = study.model
    assert (best.system, best.score) == ("b", 75)  # 3/4 of 100
    assert (other.system, other.score) == ("a", pytest.approx(0.75 * 50 + 0.25 * 100))
    assert other.parts == (
        ("adequacy", 50, 75),
        ("clarity", 100, 25),
        ("hter", None, 0),
    )
    assert "whose weight the other metrics share: hter." in study.notes[-1]


def test_texts_are_compared_only_where_all_measures_share_some():
    by_text = [
        *given("clarity", "ann", [3, 0], text="one"),
        *given("clarity", "ann", [0, 0], text="two"),
    ]
    whole = given("bleu", "bob", [10, 20])
    study = hold([*by_text, *whole])
    assert study.level == "system"
    assert study.evaluations[0].mean == 50
    study = hold([*by_text, *whole], level="text")
    assert {row[0] for row in list_rows(study.scores)} == {"clarity"}
    assert "Skipped, because no text has a score: bleu." in study.notes
    with pytest.raises(OptionError, match="no scores for single texts"):
        hold(whole, level="text")


def test_a_measure_without_any_score_does_not_change_the_level():
    scores = [
        *given("clarity", "ann", [3, 0], text="one"),
        *given("cloze-close", "ann", [nan, nan], text="one", reason="late"),
    ]
    study = hold(scores, scales=CLARITY)
    assert study.level == "text"
    assert [one.mean for one in study.evaluations] == [100, 0, None, None]


def test_a_score_of_all_texts_is_not_averaged_away():
    scores = [
        *given("bleu", "ann", [40]),
        *given("bleu", "ann", [10], text="one"),
        *given("bleu", "ann", [20], text="two"),
    ]
    study = hold(scores, level="system")
    assert study.evaluations[0].mean == 40


def test_missing_systems_are_noted():
    scores = [*given("bleu", "ann", [1, 2, 3]), *given("bleu", "bob", [1])]
    assert hold(scores).notes == ("bob has no bleu of b, c.",)


def test_a_kind_that_is_not_known_is_asked_for():
    scores = [*given("x", "ann", [1, 2]), *given("bleu", "bob", [1, 2])]
    study = hold(scores, scales={"x": ScoreScale(0, 10)})
    assert "list each in `human` or `automated`" in study.notes[-1]
    study = hold(scores, scales={"x": ScoreScale(0, 10)}, human=["x"])
    assert study.notes == ()
    assert study.human[0].human == "x"


REFUSED = [
    pytest.param([], {}, "There are no scores to compare", id="nothing"),
    pytest.param(
        given("nist", "ann", [4.2]),
        {},
        "the unit of nist is not known; set which values map to 0 and 100 with "
        "`scales`, such as nist=0..10",
        id="unit unknown",
    ),
    pytest.param(
        given("adequacy", "ann", [7]), {}, "the unit of adequacy is not", id="off scale"
    ),
    pytest.param(
        given("bleu", "ann", [120]),
        {"place": "ann.json"},
        "ann.json: bleu of a is 120; expected a number from 0 to 100",
        id="no percentage",
    ),
    pytest.param(
        [("H5", "ann", "", "a", 101, 101.0)],
        {},
        "H5 of a is 101; expected a number from 0 to 100",
        id="handed in beyond 100",
    ),
    pytest.param(
        given("H5", "ann", [1], text="one", hundred=1.0) * 2,
        {},
        "ann gives H5 of a of one twice; remove one.",
        id="twice",
    ),
    pytest.param(
        given("bleu", "ann", [1]),
        {"scales": {"blue": ScoreScale(0, 1)}},
        "There is a scale for 'blue', which has no scores; metrics: bleu.",
        id="scale of nothing",
    ),
    pytest.param(
        given("bleu", "ann", [1]),
        {"human": ["clarity"]},
        "There is a metric for 'clarity', which has no scores",
        id="kind of nothing",
    ),
    pytest.param(
        given("wer", "ann", [1], higher_is_better=False),
        {"scales": {"wer": ScoreScale(0, 100)}},
        "Lower values of wer are better, but the scale is 0..100; swap its ends.",
        id="wrong direction",
    ),
    pytest.param(
        given("bleu", "ann", [1]),
        {"model": QualityModel("m", "u", (WeightedMetric("ter", 1, 100, 0),))},
        "No metric of the model m has scores: ter; metrics with scores: bleu.",
        id="model of nothing",
    ),
]


@pytest.mark.parametrize(("scores", "options", "says"), REFUSED)
def test_what_is_refused(scores, options, says):
    with pytest.raises(MetraError) as refused:
        hold(scores, **options)
    assert says in str(refused.value)
    assert isinstance(refused.value, CorpusError | OptionError | FormatError)


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        pytest.param(
            given("bleu", "ann", [1, 2]),
            [("bleu", "bob", "", "sysA", 3)],
            "No other evaluator scored the systems of one.tsv (a, b); others scored sysA.",
            id="different names",
        ),
        pytest.param(
            given("bleu", "ann", [1]),
            given("bleu", "ann", [1]),
            "ann gives bleu of a twice, in one.tsv and two.tsv; remove one, or name",
            id="twice",
        ),
        pytest.param(
            given("x", "ann", [1]),
            given("x", "bob", [1], higher_is_better=False),
            "higher is better in one table and lower is better in another",
            id="two directions",
        ),
    ],
)
def test_tables_that_do_not_go_together(first, second, says):
    tables = {"one.tsv": build_results(first), "two.tsv": build_results(second)}
    with pytest.raises(CorpusError) as refused:
        exercise.run_exercise(tables)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "text", ["clarity", "clarity=", "=0..3", "clarity=0-3", "x=1..1", "x=0..inf"]
)
def test_what_is_no_scale(text):
    with pytest.raises(OptionError, match="is not a scale; expected METRIC=WORST"):
        parse_scale(text)


def test_values_are_mapped_evenly_between_the_ends():
    assert scale_to_hundred([-1, 0, 1, 4, 9], 0, 4).tolist() == [0, 0, 25, 100, 100]
    assert scale_to_hundred([-1, 0, 1, 4, 9], 4, 0).tolist() == [100, 100, 75, 0, 0]


def test_scales_of_specs_with_options():
    assert parse_scale("recall:case=lower,stem=english=20..80") == (
        "recall:case=lower,stem=english",
        ScoreScale(20, 80),
    )
    assert parse_scale("x = -1 .. +1e1")[1] == ScoreScale(-1, 10)


def test_the_plain_twin():
    """Means, deviations and correlations as a reader would compute them."""
    from statistics import correlation, fmean, stdev

    ann, bob = [10.0, 40.0, 70.0], [20.0, 60.0, 65.0]
    clarity = [0.3, 1.2, 2.9]
    scores = [*given("bleu", "ann", ann), *given("bleu", "bob", bob)]
    study = hold([*scores, *given("clarity", "cleo", clarity)], scales=CLARITY)
    means = [fmean(pair) for pair in zip(ann, bob, strict=True)]
    systems = [one for one in study.evaluations if one.metric == "bleu"]
    assert [one.mean for one in systems] == pytest.approx(means)
    deviations = [stdev(pair) for pair in zip(ann, bob, strict=True)]
    assert [one.deviation for one in systems] == pytest.approx(deviations)
    [reliability, _] = study.reliability
    pooled = fmean(one**2 for one in deviations) ** 0.5
    assert reliability.deviation == pytest.approx(pooled)
    [pair] = study.human
    assert pair.pearson == pytest.approx(correlation(clarity, means))


FLAGS = {"zoe": ["always the same"]}


@pytest.fixture(scope="module")
def judgements():
    """Clarity of 3 by everybody but zoe, who gives 0 to everything."""
    campaign = opened(
        "clarity", judges=["ann", "zoe"], each=2, complete=True, repeats=0, degraded=0
    )
    return answered(campaign, lambda task, _: {"clarity": 3 * (task.judge != "zoe")})


def test_flagged_judges_are_set_apart(judgements):
    scores = build_campaign_scores(judgements, FLAGS)
    rows = tabulate_texts(scores)
    assert {row[3] for row in rows} == {"ann", ""}
    assert {row[5] for row in rows} == {100}
    counted = tabulate_texts(scores, Selection(flagged="count"))
    assert {row[3]: row[5] for row in counted} == {"ann": 100, "zoe": 0, "": 50}


def test_judges_who_are_all_flagged_count(judgements):
    scores = build_campaign_scores(judgements, FLAGS | {"ann": ["too fast"]})
    assert {row[3] for row in tabulate_texts(scores)} == {"ann", "zoe", ""}


def test_the_exercise_counts_the_same_judges(judgements):
    scores = build_campaign_scores(judgements, FLAGS)
    study = exercise.run_exercise({"": scores})
    assert study.evaluators == ["ann"]
    assert study.selection.endswith("flagged judges set apart: zoe")
    both = exercise.run_exercise({"": scores}, Selection(flagged="count"))
    assert both.evaluators == ["ann", "zoe"]


def test_flags_are_those_of_one_campaign(judgements):
    """A judge whom one campaign flags counts in another."""
    others = [replace(one, document=f"other {one.document}") for one in judgements]
    tables = {
        "first": build_campaign_scores(judgements, FLAGS),
        "second": build_campaign_scores(others),
    }
    texts = {
        row[2]
        for row in list_rows(exercise.run_exercise(tables).scores)
        if row[1] == "zoe"
    }
    assert texts == {"other trip", "other brake"}


def test_tables_are_described_together_and_campaigns_one_by_one(judgements):
    scores = given("bleu", "eve", [1, 2])
    tables = {
        "one.tsv": build_results(scores),
        "two.tsv": build_results(given("bleu", "bob", [3])),
        "clear": build_campaign_scores(judgements, FLAGS),
    }
    words = "6 answers of 1 judge; flagged judges set apart: zoe"
    expected = f"clear: {words} / 3 scores of 2 judges"
    assert exercise.describe_tables(tables, Selection()) == expected


def test_the_mean_of_judges_is_that_of_segments():
    """Two judges share a segment, whose mean is 50 though one judged it twice."""
    items = [*[ScoredItem("1", "d")] * 3, ScoredItem("2", "d")]
    values = {Scorer("da", "da"): [0.0, 0.0, 100.0, 90.0]}
    scores = build_score_table(["a"] * 4, items, values, ["ann", "ann", "bob", "ann"])
    rows = {row[3]: (row[4], row[6]) for row in tabulate_texts(scores)}
    assert rows == {"ann": (2, 45), "bob": (1, 100), "": (2, 70)}


def test_a_text_without_any_score_has_its_reasons(judgements):
    texts, items = average_texts(
        build_results(
            [
                *given("H6", "ann", [1.0], text="one", hundred=1.0),
                *given("H6", "bob", [float("nan")], text="one", reason="late"),
            ]
        )
    )
    assert [(row[1], row[6]) for row in list_rows(texts)] == [
        ("ann", ""),
        ("bob", "late"),
    ]
    assert items.tolist() == [1, 1]
    skipped = [replace(one, cannot="no time", value={}) for one in judgements[:1]]
    scores = build_campaign_scores([*skipped, *judgements[1:]])
    assert len(select_texts(scores)) == len(judgements) - 1


def test_missing_scores_of_flagged_judges_are_set_apart():
    rows = [
        *given("H6", "ann", [1.0], hundred=1.0),
        *given("H6", "zoe", [float("nan")], reason="late"),
    ]
    scores = replace(build_results(rows), flags={"zoe": ("too fast",)})
    assert len(select_texts(scores)) == 1
    assert len(select_texts(scores, Selection(flagged="count"))) == 2


def test_values_that_files_have_mapped_say_nothing_of_their_direction():
    """A table of results and an export of the same error rate go together."""
    results = build_results(given("hter", "ann", [90, 80], hundred=90.0))
    export = build_results(
        given("hter", "bob", [10, 20], hundred=90.0, higher_is_better=False)
    )
    study = exercise.run_exercise({"results.tsv": results, "export.jsonl": export})
    assert [one.mean for one in study.evaluations] == [90, 90]
