"""Systems compared: who meets whom, in which units, and what counts as a difference."""

from dataclasses import replace

import pytest

import metra
from metra.errors import MetraError
from metra.scoring.compare import (
    ComparisonSettings,
    choose_trials,
    select_baseline_family,
)
from metra.stats.direction import Direction

REFS = [f"line {at} of the text is about the number {at % 7}" for at in range(40)]
DOCUMENTS = [f"doc {at // 2}" for at in range(40)]


def spoilt(every: int) -> list[str]:
    """The reference, where every so many lines lack their end."""
    return [
        ref.rpartition(" is ")[0] if at % every == 0 else ref
        for at, ref in enumerate(REFS)
    ]


SYSTEMS = {"base": spoilt(2), "good": spoilt(9), "bad": spoilt(1), "same": spoilt(2)}


def compare(metrics=("bleu", "ter"), systems=SYSTEMS, documents=None, **options):
    evalset = metra.EvalSet(REFS, documents=documents)
    options = {"trials": 999} | options
    return metra.compare(evalset, systems, list(metrics), **options)


def by_name(results):
    return {(c.metric, c.baseline, c.system): c for c in results.comparisons}


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_every_system_meets_the_baseline(test):
    results = compare(test=test)
    found = by_name(results)
    assert list(found) == [
        (spec, "base", name)
        for spec in ("bleu", "ter")
        for name in ("good", "bad", "same")
    ]
    for (spec, base, name), entry in found.items():
        scores = results[name][spec].score, results[base][spec].score
        assert entry.difference == pytest.approx(scores[0] - scores[1])
        assert entry.higher_is_better == (spec == "bleu")
        low, high = entry.interval
        assert low <= entry.difference <= high
        assert entry.significant == (name != "same")
        assert entry.gain == 0 or (entry.gain > 0) == (name == "good")
    same = found["bleu", "base", "same"]
    assert (same.difference, same.p_value, same.p_holm) == (0, 1, 1)
    assert (same.effect, same.interval) == (None, (0, 0))


def test_scores_and_intervals_are_those_of_evaluate():
    alone = metra.evaluate(metra.EvalSet(REFS), SYSTEMS, ["bleu", "ter"], ci=True)
    results = compare()
    for entry in alone.systems:
        for spec, score in entry.scores.items():
            assert results[entry.name][spec] == score


def test_all_pairs_and_clusters():
    results = compare(all_pairs=True)
    assert len(results.comparisons) == 2 * 6
    assert results.clusters == {
        spec: [["good"], ["base", "same"], ["bad"]] for spec in ("bleu", "ter")
    }
    assert compare().clusters is None


def test_holm_counts_the_comparisons_of_a_metric():
    found = compare().comparisons[:3]
    assert [entry.p_value for entry in found] == [0.002, 0.001, 1.0]
    assert [entry.p_holm for entry in found] == pytest.approx([0.004, 0.003, 1.0])


def test_a_correction_may_turn_evidence_into_doubt():
    plain = compare(["bleu"], alpha=0.0035, correction="none")
    corrected = compare(["bleu"], alpha=0.0035)
    assert [c.significant for c in plain.comparisons] == [True, True, False]
    assert [c.significant for c in corrected.comparisons] == [False, True, False]
    assert [c.p_holm for c in plain.comparisons] == [
        c.p_holm for c in corrected.comparisons
    ]


def test_documents_are_the_unit_where_enough_are_known():
    found = compare(["bleu"], documents=DOCUMENTS)
    assert (found.terms.unit, found.terms.units) == ("document", 20)
    few = [name[:5] for name in DOCUMENTS]  # ten documents
    assert compare(["bleu"], documents=few).terms.unit == "segment"
    forced = compare(["bleu"], documents=few, unit="document")
    assert (forced.terms.unit, forced.terms.units) == ("document", 10)
    assert forced.comparisons[0].p_value is not None


def test_documents_are_swapped_as_wholes():
    """Documents of two lines, or lines that are as long: one edit rate, one p-value."""
    first, second = SYSTEMS["base"], spoilt(3)
    outputs = {"a": first, "b": second}
    lines = {
        name: [f"{one} {two}" for one, two in zip(segs[::2], segs[1::2], strict=True)]
        for name, segs in outputs.items()
    }
    refs = [f"{one} {two}" for one, two in zip(REFS[::2], REFS[1::2], strict=True)]
    apart = compare(["per"], outputs, DOCUMENTS).comparisons[0]
    joined = metra.compare(metra.EvalSet(refs), lines, ["per"], trials=999)
    assert apart.p_value == joined.comparisons[0].p_value
    assert apart.interval == joined.comparisons[0].interval
    assert apart.p_value != compare(["per"], outputs).comparisons[0].p_value


def test_too_few_to_tell():
    evalset = metra.EvalSet(REFS[:9])
    systems = {name: segs[:9] for name, segs in SYSTEMS.items()}
    (first, *_) = metra.compare(evalset, systems, ["bleu"]).comparisons
    assert (first.p_value, first.p_holm, first.interval) == (None, None, None)
    assert not first.significant
    assert first.reason == ("9 segments are too few for a test; it needs at least 10.")
    one = metra.compare(metra.EvalSet(REFS[:1]), {"a": ["x"], "b": ["y"]}, ["bleu"])
    assert one.comparisons[0].reason.startswith("1 segment is too few for a test")


def test_the_terms_are_in_every_comparison():
    found = compare(["bleu"], seed=7, alpha=0.01, test="bootstrap")
    assert found.comparisons[0].test == (
        "bootstrap|unit:segment|units:40|trials:999|seed:7|alpha:0.01|correction:holm|"
        f"family:baseline|family_size:3|sides:two-sided|version:{metra.__version__}"
    )


REFUSED = [
    (
        {"systems": {"base": spoilt(2)}},
        "The input has only one system, 'base'; a comparison needs a baseline and at "
        "least one other output.",
    ),
    (
        {"baseline": "god"},
        "No system named 'god'. Did you mean 'good'? Known: bad, base, good, same.",
    ),
    (
        {"unit": "word"},
        "A comparison with unit='word' is not possible; expected one of auto, segment, "
        "document.",
    ),
    (
        {"correction": "fdr"},
        "A comparison with correction='fdr' is not possible; expected one of holm, bh, none.",
    ),
    (
        {"alpha": 5},
        "A comparison with alpha=5 is not possible; expected a share between 0 and 1, such "
        "as 0.05.",
    ),
    ({"unit": "document"}, "Resampling documents needs documents; give `documents`."),
    (
        {"all_pairs": True, "trials": 118},
        "With 118 trials no p-value can be as low as 0.05 after the correction for 6 "
        "comparisons; expected at least 119 trials.",
    ),
    (
        {"trials": 18, "correction": "none"},
        "With 18 trials no p-value can be as low as 0.05; expected at least 19 trials.",
    ),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_what_is_refused(given, message):
    with pytest.raises(MetraError) as caught:
        compare(**given)
    assert str(caught.value) == message


def test_as_many_trials_as_needed():
    found = compare(["bleu"], all_pairs=True, trials=119).comparisons
    assert any(entry.significant for entry in found)
    assert compare(["bleu"], all_pairs=True, trials=118, correction="none").comparisons


def test_trials_grow_with_the_comparisons_unless_they_are_given():
    assert compare(["ter"], trials=None).terms.trials == 10_000
    many = compare(["ter"], trials=None, all_pairs=True, alpha=0.0005)
    assert many.terms.trials == 2 * 6 / 0.0005
    assert any(entry.significant for entry in many.comparisons)


def test_corrections_are_for_a_family():
    pairs = compare(all_pairs=True)
    alone = compare()
    assert (pairs.terms.family, pairs.terms.family_size) == ("all_pairs", 6)
    assert (alone.terms.family, alone.terms.family_size) == ("baseline", 3)
    assert {(c.family, c.family_size) for c in pairs.comparisons} == {("all_pairs", 6)}
    selected = select_baseline_family(pairs, "base")
    assert selected.comparisons == alone.comparisons
    assert (selected.terms, selected.clusters) == (alone.terms, None)
    assert by_name(pairs)["ter", "base", "good"].p_holm > alone.comparisons[3].p_holm


@pytest.mark.parametrize("count", [2, 30])
def test_the_family_does_not_change_the_trials(count):
    systems = [f"s{number}" for number in range(count)]
    families = [ComparisonSettings(all_pairs=pairs) for pairs in (False, True)]
    expected = {2: 10_000, 30: 17_400}[count]
    assert [choose_trials(systems, each) for each in families] == [expected] * 2


def test_the_closest_to_the_target_is_best():
    """With 60 as the best score, `base` is closest, `good` and `bad` are on two sides."""
    metric = replace(metra.metric("bleu"), direction=Direction(60.0))
    found = compare([metric], all_pairs=True)
    (spec,) = found.specs
    scores = {name: found[name][spec].score for name in SYSTEMS}
    distances = {name: abs(score - 60) for name, score in scores.items()}
    assert scores["base"] < scores["good"]
    assert [e.name for e in found.rank_systems(spec)] == sorted(
        SYSTEMS, key=distances.get
    )
    # By their scores, all but `same` differ; from the target, two are about as far away.
    assert found.clusters == {spec: [["base", "same"], ["bad", "good"]]}
    for entry in found.comparisons:
        gain = distances[entry.baseline] - distances[entry.system]
        assert entry.gain == pytest.approx(gain)
        difference = scores[entry.system] - scores[entry.baseline]
        assert entry.difference == pytest.approx(difference)
