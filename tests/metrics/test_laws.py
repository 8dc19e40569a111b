"""Laws that every measure of the registry obeys, under every listed value of its options.

A measure that is added to the registry is covered without a line here.
"""

import copy
import itertools
import json
import math
import multiprocessing
import pickle
import random
import re
from collections.abc import Iterator, Sequence
from multiprocessing.pool import Pool

import numpy as np
import pytest

import metra
from metra.corpus import examples
from metra.corpus.batch import Batch, BatchPosition, Sentence
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, MissingResourceError, OptionError
from metra.metrics import registry
from metra.metrics.options import format_value, read_parameters
from metra.metrics.record import Metric
from metra.metrics.registry import find_highest_score
from metra.scoring.accumulator import Accumulator
from metra.scoring.statistics import count_corpus, fit_metrics
from metra.stats.resampling import Sample, compute_intervals
from metra.stats.significance import contrasts
from metra.stats.totals import join_parts, sum_rows

#: Measures that compare with something else than the reference: a copy of it is no copy.
OTHER_MODELS = {"untranslated": "compares with the source and a dictionary"}

#: Measures that have no score where there is nothing to score, with what they score.
UNDEFINED = {
    "entities": "names",
    "terminology": "terms",
    "evaltrans": "outputs like those that were judged",
}

#: Measures that look up what is known of a segment by its place in the text.
BY_PLACE = {
    "entities": "knows the names of each segment",
    "evaltrans": "knows what was judged of each segment",
}

#: Measures of texts that something else is known about, which has to be of these very
#: texts, and measures that ask another machine: they have laws in their own tests.
OF_KNOWN_TEXTS = ("xscore", "transfer", "ie", "outside", "spans", "llm")

EXAMPLE = examples.find_example()


def texts(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


# What systems and people write, then what they should not.
NASTY = [
    ("", "", "", ""),
    ("", "Nothing came out .", "No output .", "Rien ."),
    ("Something came out .", "", "", "Quelque chose ."),
    (" \t ", "\u00a0", "\u3000", " "),
    ("a", "a", "b", "x"),
    ("the the the the the the", "the cat", "the the cat", "le chat"),
    ("ΟΔΟΣ İstanbul ﬁne", "οδος istanbul fine", "ΟΔΟΣ", "rue"),
    ("第三代 5.0% &amp; <b>", "第三 代 5.0 % & <b>", "第 三", "3e"),
    ("\u0301\u200d👩‍👩‍👧 e\u0301", "é 👩", "\ud7ff\U0010ffff", "famille"),
    ("w " * 70 + "end", "w " * 65 + "x end", "end " + "w " * 80, "long"),
]

REFERENCES = [texts(path) for path in EXAMPLE.references[:2]]
SOURCE = texts(EXAMPLE.source) + [row[3] for row in NASTY]
OUTPUTS = {
    path: texts(path) + [row[0] for row in NASTY] for path in EXAMPLE.outputs[::3]
}
HYPS = next(iter(OUTPUTS.values()))
DOCUMENTS = [*texts(EXAMPLE.docs), *("nasty" for _ in NASTY)]
REFS = [
    [*stream, *(row[at] for row in NASTY)] for at, stream in enumerate(REFERENCES, 1)
]


def specs() -> Iterator[object]:
    """Every measure as it is, and with each other listed value of each of its options."""
    for name in registry.list_metrics():
        if name in OF_KNOWN_TEXTS or name in registry.WITH_MODEL:
            continue
        yield from possible(examples.build_spec(name), name)
        for parameter in read_parameters(registry.find_factory(name)).values():
            for choice in parameter.choices():
                if choice != format_value(parameter.default):
                    spec = examples.build_spec(name, **{parameter.name: choice})
                    yield from possible(spec, f"{name}:{parameter.name}={choice}")


def possible(spec: str, label: str) -> Iterator[object]:
    """Leave out values that need another option, and skip what needs a resource."""
    try:
        registry.metric(spec)
    except OptionError:
        return
    except MissingResourceError as error:
        yield pytest.param(spec, id=label, marks=pytest.mark.skip(reason=str(error)))
        return
    yield pytest.param(spec, id=label)


def skip_by_place(metric: Metric) -> None:
    if metric.name in BY_PLACE:
        pytest.skip(f"{metric.name} {BY_PLACE[metric.name]}")
    if "whole_documents" in metric.needs:
        pytest.skip(f"{metric.name} looks at documents as one")


every_measure = pytest.mark.parametrize("spec", list(specs()))


def corpus(
    hyps: Sequence[str] = HYPS,
    refs: Sequence[Sequence[str | None]] = REFS,
    source: Sequence[str] = SOURCE,
) -> Outputs:
    documents = DOCUMENTS[: len(hyps)]
    return Outputs(EvalSet(refs, source[: len(hyps)], documents), {"hyps": hyps})


def made(spec: str, scored: Outputs | None = None) -> Metric:
    """The measure, fitted to what it will score if it has corpus weights."""
    return fit_metrics(scored or corpus(), {spec: registry.metric(spec)})[spec]


def rows_of(metric: Metric, scored: Outputs | None = None, **options: int):
    sheets = count_corpus(scored or corpus(), {"m": metric}, keep=True, **options)
    return sheets.tallies["hyps", "m"].rows


def same(one, other) -> bool:
    return one.shape == other.shape and one.tobytes() == other.tobytes()


@every_measure
def test_rows_are_a_finite_table_of_the_columns(spec):
    metric = made(spec)
    rows = rows_of(metric)
    assert rows.shape == (len(HYPS), len(metric.columns))
    assert rows.dtype == np.float64
    assert np.isfinite(rows).all()
    assert len(set(metric.columns)) == len(metric.columns)


@pytest.mark.seed("1.11")
@every_measure
def test_the_order_of_segments_is_irrelevant(spec):
    order = np.random.default_rng(7).permutation(len(HYPS))
    shuffled = Outputs(
        EvalSet(
            [[stream[at] for at in order] for stream in REFS],
            [SOURCE[at] for at in order],
            [DOCUMENTS[at] for at in order],
        ),
        {"hyps": [HYPS[at] for at in order]},
    )
    skip_by_place(registry.metric(spec))
    metric, again = made(spec), made(spec, shuffled)
    rows, moved = rows_of(metric), rows_of(again, shuffled)
    assert np.allclose(moved, rows[order], rtol=1e-12, atol=1e-12)
    score, other = metric.aggregate(sum_rows(rows)), again.aggregate(sum_rows(moved))
    assert other == pytest.approx(score, abs=1e-9, rel=1e-9)


@every_measure
def test_aggregate_takes_any_leading_shape(spec):
    metric = made(spec)
    rows = rows_of(metric)[:24]
    one_by_one = np.array([float(metric.aggregate(row)) for row in rows])
    for shape in [(24,), (1, 24), (4, 6), (2, 3, 4)]:
        scores = metric.aggregate(rows.reshape(*shape, -1))
        assert scores.shape == shape
        assert same(scores.ravel(), one_by_one)
    assert metric.aggregate(rows[:0]).shape == (0,)


@every_measure
def test_aggregate_reads_arrays_however_they_lie_in_memory(spec):
    metric = made(spec)
    rows = rows_of(metric)
    scores = metric.aggregate(rows)
    assert same(metric.aggregate(np.asfortranarray(rows)), scores)
    assert same(metric.aggregate(rows[::-2]), scores[::-2].copy())
    rows.flags.writeable = False
    assert same(metric.aggregate(rows), scores)


@every_measure
def test_scores_are_finite_and_in_range(spec):
    metric = made(spec)
    rows = rows_of(metric)
    single = metric.for_segments or metric
    for totals in (rows, sum_rows(rows), np.zeros(rows.shape[1])):
        for scores in (metric.aggregate(totals), single.aggregate(totals)):
            if metric.name in UNDEFINED:
                scores = np.nan_to_num(scores)
            assert np.isfinite(scores).all()
            assert np.min(scores) >= 0
            if metric.higher_is_better:
                assert np.max(scores) <= find_highest_score(metric.name) + 1e-9


@every_measure
def test_a_copy_of_the_reference_is_perfect(spec):
    reference = [REFERENCES[0]]
    name = registry.metric(spec).name
    if name in OTHER_MODELS:
        pytest.skip(f"{name} {OTHER_MODELS[name]}")
    if not registry.metric(spec).needs and name not in examples.SETTINGS:
        pytest.skip(f"{name} needs neither references nor a file about the text")
    copy = corpus(reference[0], reference)
    perfect = score_of(made(spec, copy), copy)
    others = [
        score_of(made(spec, copy), corpus(hyps[: len(reference[0])], reference))
        for hyps in OUTPUTS.values()
    ]
    metric = registry.metric(spec)
    target = metric.direction.target
    if target is not None:
        assert perfect == pytest.approx(target, abs=1e-9)
    elif metric.higher_is_better:
        defined = [score for score in others if not math.isnan(score)]
        assert perfect >= max(defined, default=0) - 1e-9
        assert defined or name in UNDEFINED
        if math.isfinite(find_highest_score(name)):
            assert perfect == pytest.approx(find_highest_score(name), abs=1e-9)
    else:
        assert perfect == 0
        assert min(others) > 0


def score_of(metric: Metric, scored: Outputs) -> float:
    return float(metric.aggregate(sum_rows(rows_of(metric, scored))))


@every_measure
@pytest.mark.parametrize("threads", ["1", "2"])
def test_chunks_and_threads_change_no_bit(spec, threads, monkeypatch):
    metric = made(spec)
    expected = rows_of(metric)
    monkeypatch.setenv("METRA_THREADS", threads)
    for chunk in (1, 3, 7, len(HYPS)):
        again = fit_metrics(corpus(), {spec: registry.metric(spec)}, chunk)[spec]
        sheets = count_corpus(corpus(), {"m": again}, keep=True, chunk=chunk)
        tally = sheets.tallies["hyps", "m"]
        assert same(tally.rows, expected)
        assert same(tally.total, sum_rows(expected))


@every_measure
def test_the_shorter_way_to_the_sums_changes_no_bit(spec):
    metric = made(spec)
    expected = sum_rows(rows_of(metric))
    for chunk in (1, 7, len(HYPS)):
        statistics = count_corpus(corpus(), {"m": metric}, keep=False, chunk=chunk)
        sums = statistics.totals.whole["hyps", "m"].sums
        assert same(np.array(join_parts(sums)), expected)
        if metric.fast.sums is None:
            continue
        assert float(metric.aggregate(join_parts(sums))) == float(
            metric.aggregate(expected)
        )
        assert metric.parts(join_parts(sums)) == metric.parts(expected)


@every_measure
def test_the_measure_of_segments_shares_the_rows(spec):
    metric = made(spec)
    single = metric.for_segments or metric
    assert single.columns == metric.columns
    assert single.options == metric.options
    assert single.direction == metric.direction
    assert same(rows_of(single), rows_of(metric))


@every_measure
def test_a_missing_reference_is_as_none_at_all(spec):
    alone = corpus(HYPS, REFS[:1])
    beside = corpus(HYPS, [REFS[0], [None] * len(HYPS)])
    before = corpus(HYPS, [[None] * len(HYPS), REFS[0]])
    expected = rows_of(made(spec, alone), alone)
    for scored in (beside, before):
        assert same(rows_of(made(spec, scored), scored), expected)


@every_measure
def test_it_does_not_matter_which_stream_lacks_the_reference(spec):
    gaps = [at % 3 == 0 for at in range(len(HYPS))]
    lacking = [None if gap else ref for gap, ref in zip(gaps, REFS[1], strict=True)]
    last = corpus(HYPS, [REFS[0], lacking])
    first = corpus(
        HYPS,
        [
            [None if gap else ref for gap, ref in zip(gaps, REFS[0], strict=True)],
            [
                REFS[0][at] if gap else ref
                for at, (gap, ref) in enumerate(zip(gaps, REFS[1], strict=True))
            ],
        ],
    )
    assert same(rows_of(made(spec, first), first), rows_of(made(spec, last), last))


@every_measure
@pytest.mark.parametrize(
    ("hyp", "refs"),
    [
        pytest.param("", [""], id="both empty"),
        pytest.param("", ["a b"], id="empty output"),
        pytest.param("a b", [""], id="empty reference"),
        pytest.param("a b", ["", "a b"], id="one reference empty"),
        pytest.param("\u00a0 \u3000", ["\t"], id="white space only"),
    ],
)
def test_empty_text_has_a_score(spec, hyp, refs):
    skip_by_place(registry.metric(spec))
    scored = corpus([hyp], [[ref] for ref in refs], ["source"])
    lone = "documents" not in registry.metric(spec).needs  # fitted to one segment alone
    metric = made(spec, scored if lone else None)
    rows = rows_of(metric, scored)
    assert np.isfinite(rows).all()
    if metric.name not in UNDEFINED:
        assert math.isfinite(float(metric.aggregate(sum_rows(rows))))
        assert np.isfinite((metric.for_segments or metric).aggregate(rows)).all()


@every_measure
def test_the_signature_names_every_option(spec):
    metric = registry.metric(spec)
    name, *pairs = metric.signature(nrefs=2).split("|")
    keys = [pair.partition(":")[0] for pair in pairs]
    assert name == metric.name
    assert set(read_parameters(registry.find_factory(name))) <= set(keys)
    assert len(set(keys)) == len(keys)
    assert pairs[-2:] == ["nrefs:2", f"version:{metra.__version__}"]
    assert "None" not in metric.signature()


def test_no_two_measures_share_a_signature():
    found = [registry.metric(entry.values[0]) for entry in specs() if not entry.marks]
    signatures = [
        (metric.signature(), (metric.for_segments or metric).signature())
        for metric in found
    ]
    assert len(set(signatures)) == len(signatures)


@every_measure
def test_options_survive_the_way_through_a_spec(spec):
    metric = registry.metric(spec)
    options = {
        name: format_value(value)
        for name, value in metric.options.items()
        if value is not None and "," not in format_value(value)
    }
    again = registry.metric(
        f"{metric.name}:"
        + ",".join(f"{name}={value}" for name, value in options.items())
    )
    assert again.options == metric.options
    assert again.signature() == metric.signature()


@every_measure
def test_a_sentence_scores_as_a_segment_of_a_corpus(spec):
    metric = registry.metric(spec)
    if metric.fit:
        pytest.skip(f"{spec} needs more than one output and its references")
    skip_by_place(metric)
    segments = metra.score(HYPS, REFS, metric, source=SOURCE).segments
    known = zip(HYPS, zip(*REFS, strict=True), SOURCE, strict=True)
    assert [metric.sentence(*segment) for segment in known] == segments.tolist()


@every_measure
def test_a_sentence_is_a_batch_of_one(spec):
    metric = made(spec)
    if "documents" in registry.metric(spec).needs:
        pytest.skip(f"{spec} needs more than an output and its references")
    for at in (0, len(HYPS) - 1):
        refs = [stream[at] for stream in REFS]
        batch = Batch([HYPS[at]], [[ref] for ref in refs], [SOURCE[at]])
        sentence = Sentence(HYPS[at], refs, SOURCE[at])
        assert same(metric.rows(sentence), metric.rows(batch))


@every_measure
def test_measures_share_a_batch_without_knowing_each_other(spec):
    metric = made(spec)
    batch = Batch(HYPS, REFS, SOURCE, place=BatchPosition("hyps", 0, DOCUMENTS))
    for name in registry.list_metrics():
        if name not in OF_KNOWN_TEXTS and name not in registry.WITH_MODEL:
            made(examples.build_spec(name)).rows(batch)
    assert same(metric.rows(batch), rows_of(metric))


def cover_pairs(choices: dict[str, list[str]]) -> Iterator[dict[str, str]]:
    """Choose values of all options until every two values have been together once."""
    missing = {
        frozenset([(a, x), (b, y)])
        for a, b in itertools.combinations(choices, 2)
        for x, y in itertools.product(choices[a], choices[b])
    }
    rng = random.Random(1)
    while missing:
        wanted = dict(min(missing, key=sorted))
        candidates = [
            {name: rng.choice(values) for name, values in choices.items()} | wanted
            for _ in range(20)
        ]
        pairs = [
            {frozenset(pair) for pair in itertools.combinations(one.items(), 2)}
            for one in candidates
        ]
        best = max(range(20), key=lambda at: len(pairs[at] & missing))
        missing -= pairs[best]
        yield candidates[best]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in registry.list_metrics()
        if name not in (*OF_KNOWN_TEXTS, *registry.WITH_MODEL)
    ],
)
def test_any_two_options_go_together_or_are_refused(name):
    parameters = read_parameters(registry.find_factory(name)).values()
    listed = {each.name: each.choices() for each in parameters if each.choices()}
    scored, done, refusals = corpus(), 0, []
    for options in cover_pairs(listed):
        spec = examples.build_spec(name, **options)
        try:
            metric = made(spec, scored)
        except (OptionError, MissingResourceError) as error:
            refusals.append(str(error))
            continue
        rows = rows_of(metric, scored)
        assert np.isfinite(rows).all(), spec
        score = float(metric.aggregate(rows.sum(0)))
        assert name in UNDEFINED or math.isfinite(score), spec
        done += 1
    assert done or len(listed) < 2
    assert all(message.endswith(".") for message in refusals)


@every_measure
def test_parts_are_plain_numbers(spec):
    metric = made(spec)
    for totals in (sum_rows(rows_of(metric)), np.zeros(len(metric.columns))):
        parts = metric.parts(totals)
        assert json.loads(json.dumps(parts, allow_nan=False)) == parts
        assert all(type(part) in (float, list) for part in parts.values())


@every_measure
def test_the_same_seed_gives_the_same_interval(spec):
    metric = made(spec)
    rows = rows_of(metric)

    def interval(seed: int) -> tuple[float, float] | None:
        return compute_intervals(
            [Sample(rows, metric.aggregate)], trials=60, seed=seed
        )[0]

    assert interval(1) == interval(1)
    low, high = interval(1)
    assert low <= high
    if low < high:
        assert any(interval(seed) != interval(1) for seed in (2, 3, 4))


@every_measure
@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_a_system_does_not_differ_from_its_copy(spec, test):
    metric = made(spec)
    rows = rows_of(metric)
    samples = [Sample(some, metric.aggregate) for some in (rows, rows.copy())]
    _, found = contrasts(samples, [(0, 1), (1, 0)], test=test, trials=60, resamples=60)
    assert [contrast.p_value for contrast in found] == [1.0, 1.0]
    assert [contrast.difference for contrast in found] == [0.0, 0.0]


def numeric_options() -> Iterator[object]:
    """Every option of a built-in metric that is a number."""
    for name in registry.BUILT_IN:
        for parameter in read_parameters(registry.find_factory(name)).values():
            if {int, float} & set(parameter.kinds):
                yield pytest.param(name, parameter.name, id=f"{name}:{parameter.name}")


@pytest.mark.parametrize(("name", "option"), list(numeric_options()))
def test_numbers_outside_their_range_are_refused(name, option):
    allowed = read_parameters(registry.find_factory(name))[option].range
    assert allowed is not None, "declare the range beside the parameter"
    outside = [math.nan, math.inf, -math.inf, allowed.low - 1]
    if allowed.above:
        outside.append(allowed.low)
    if allowed.high < math.inf:
        outside.append(allowed.high + 1)
    for value in outside:
        for given in (value, format_value(value)):
            expected = (
                f"{name}: {option}={format_value(value)} is not possible; expected a"
            )
            with pytest.raises(OptionError, match=re.escape(expected)) as caught:
                registry.find_factory(name)(**{option: given})
            assert str(caught.value).endswith(f"number {allowed}.")


@every_measure
def test_a_pickled_metric_is_the_same(spec):
    """Fitted or not, also after it was pickled twice; a deep copy is the metric itself."""
    plain, fitted = registry.metric(spec), made(spec)
    assert copy.deepcopy(plain) is plain
    rows = rows_of(fitted)
    for metric in (plain, fitted):
        again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(metric))))
        assert again.signature() == metric.signature()
        assert (again.fit is None) == (metric.fit is None)
        single, other = metric.for_segments, again.for_segments
        assert (single and single.signature()) == (other and other.signature())
        assert same(rows_of(again), rows)
        assert same(again.aggregate(rows), metric.aggregate(rows))
    if fitted.for_segments:
        single = pickle.loads(pickle.dumps(fitted.for_segments))
        assert single.signature() == fitted.for_segments.signature()
        assert same(rows_of(single), rows)


@pytest.fixture(scope="module")
def other_process() -> Iterator[Pool]:
    """A process that shares nothing with this one."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


@every_measure
def test_another_process_counts_the_same(spec, other_process):
    """What is sent is fitted already, if it can be: there the corpus is not seen before."""
    metric = made(spec)
    assert same(other_process.apply(rows_of, (metric,)), rows_of(metric))


@every_measure
def test_batches_add_up_to_the_digits_of_one_call(spec):
    metric = registry.metric(spec)
    skip_by_place(metric)
    if metric.fit and metric.fit.by_references:
        metric = made(spec)
    if metric.fit or "whole_documents" in metric.needs:
        with pytest.raises(OptionError, match="whole test set"):
            Accumulator(metric)
        return
    if (metric.name, metric.options.get("key")) == ("mwer", "segment"):
        with pytest.raises(CorpusError, match="needs segment numbers"):
            Accumulator(metric).update(HYPS, REFS)
        return
    at_once = count_corpus(corpus(), {"m": metric}, keep=True)
    total = at_once.tallies["hyps", "m"].total
    parts = [Accumulator(metric) for _ in range(3)]
    for number, start in enumerate(range(0, len(HYPS), 7)):
        at = slice(start, start + 7)
        parts[number % 3].update(
            HYPS[at],
            [ref[at] for ref in REFS],
            source=SOURCE[at],
            documents=DOCUMENTS[at],
        )
    first, *others = parts
    first.merge(*map(pickle.loads, map(pickle.dumps, reversed(others))))
    found = first.compute()
    assert first.segments == len(HYPS)
    score = float(metric.aggregate(total))
    assert found.score == score or (math.isnan(score) and math.isnan(found.score))
    assert found.signature == metric.signature(nrefs=at_once.nrefs)
    assert found.parts == metric.parts(total)
