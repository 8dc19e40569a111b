"""Corrections of outputs: task 3 of WMT 2025's evaluation campaign.

A system corrects outputs with few edits. ΔQE is the mean difference of a metric's scores of
the corrected and of the original segments; the gain per edit divides it by the edit rate of
the originals, with the corrections as references. The task's program of June 2025 took
CometKiwi and sacreBLEU's TER (zouharvi/wmt25-metrics-subtask3).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError
from metra.formats.annotations.challenge_set import read_pairs
from metra.formats.stream import name_system
from metra.meta import findings
from metra.meta.challenge import score_sides
from metra.meta.options import TaskOptions
from metra.meta.question import Evidence
from metra.metrics.ter import ter
from metra.scores.columns import guess_direction
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.scoring.evaluate import ENOUGH_DOCUMENTS
from metra.scoring.scorers import score_systems
from metra.scoring.table import Column, Table
from metra.stats.arrays import Array, divide, number_names
from metra.stats.multiplicity import CLUSTER_RULES
from metra.stats.resampling import (
    Interval,
    Sample,
    compute_intervals,
    jackknife_scores,
)
from metra.stats.significance import PairTests, Unit, paired_p_values
from metra.stats.totals import sum_by_group

_SIDES = ("corrected", "original")
#: Scorers of the edits of a segment, and of the words of its correction.
_EDITS, _WORDS = "edits", "words"
RATE, GAIN, RATIO = "edits %", "gain", "per edit"


class CorrectionScores(NamedTuple):
    """The systems of one language pair by one metric."""

    lang: str
    metric: str
    systems: Sequence[str]
    #: Segments by system.
    segments: Sequence[int]
    #: By figure, of each system.
    figures: Mapping[str, Sequence[tuple[float, Interval | None]]]
    #: Of gains and of gains per edit: the tests, and the clusters of the defined ones.
    tests: Mapping[str, tuple[PairTests, Mapping[str, int]]]
    #: The documents that are too few to be the units of tests; 0 if there are none.
    few: int


def ask_corrections(evidence: Evidence, options: TaskOptions) -> list[CorrectionScores]:
    """Read tables of corrections, and score the systems of each language pair."""
    tables = [read_gains(path, evidence.specs) for path in evidence.files[1:]]
    scores = concatenate_scores(tables)
    answers = [
        score_corrections(part, metric, options)
        for part in (scores.only(lang=lang) for lang in scores.languages)
        for metric in part.names
        if metric not in (_EDITS, _WORDS)
    ]
    if not answers:
        msg = (
            "No metric to measure gains with; name a metric, or give columns "
            "NAME-corrected and NAME-original with another program's scores."
        )
        raise CorpusError(msg)
    return answers


def read_gains(path: str, specs: Sequence[str]) -> Scores:
    """Read corrections as scores: the gains by metrics, and the edits and words of TER.

    A table without systems is of the one that it is named after, and segments without ids
    are counted.
    """
    cells, scores = read_pairs(path, _SIDES)
    corrected, original = (cells[side] for side in _SIDES)
    none = [""] * len(original)
    systems = cells.get("system", [name_system(path)] * len(original))
    langs, documents = cells.get("lang", none), cells.get("document", none)
    counts: Counter[tuple[str, str]] = Counter()
    segments = []
    for key in zip(langs, systems, strict=True):
        counts[key] += 1
        segments.append(str(counts[key]))
    segments = cells.get("segment", segments)
    columns = segments, documents, none, langs
    items = [*map(ScoredItem, *columns)]
    if len({*zip(systems, items, strict=True)}) < len(items):
        msg = f"{path} has a segment of a system twice; expected one row for each."
        raise CorpusError(msg)
    gains = score_sides(
        corrected, original, cells.get("reference"), cells.get("source"), specs
    )
    for name, sides in scores.items():
        after, before = map(np.array, sides)
        is_lower = guess_direction(name, after) is False
        gains[name] = before - after if is_lower else after - before
    corpus = Outputs(EvalSet([corrected]), {"original": original})
    _, statistics = score_systems(corpus, {_EDITS: ter()})
    *edits, words = statistics[_EDITS].rows[0].T
    gains |= {_EDITS: np.sum(edits, axis=0), _WORDS: words}
    return build_score_table(systems, items, {Scorer(n): v for n, v in gains.items()})


def score_corrections(
    scores: Scores, metric: str, options: TaskOptions
) -> CorrectionScores:
    """Score the systems of a language pair by a metric, with intervals and tests.

    Segments are the units, or documents from 20 on, as in rankings of systems.
    """
    sums = [scores.matrix(name) for name in (metric, _EDITS, _WORDS)]
    present = np.isfinite(sums[0])
    cells = np.stack([sums[0], present, *sums[1:]], axis=-1)
    cells = np.where(present[..., None], cells, 0.0)
    documents = [scores.items[at].document for at in scores.segments]
    names, units = number_names(documents)
    unit: Unit = "document"
    if not ENOUGH_DOCUMENTS <= len(names) < len(documents):
        unit, units = "segment", np.arange(len(documents))
    count = int(units.max()) + 1
    rows = np.array([sum_by_group(each, units.tolist())[1] for each in cells])

    def compute(totals: Array, figure: str) -> Array:
        gain, rate = (divide(totals[..., at], totals[..., at + 1]) for at in (0, 2))
        return {RATE: 100 * rate, GAIN: gain, RATIO: divide(gain, rate)}[figure]

    figures, tests = {}, {}
    for figure in (RATE, GAIN, RATIO):
        samples = [Sample(each, partial(compute, figure=figure)) for each in rows]
        measured = compute(rows.sum(1), figure)
        bounds: list[Interval | None] = [None] * len(rows)
        if trials := options.resamples:
            bounds = compute_intervals(
                samples, method="expanded", trials=trials, seed=options.seed
            )
        figures[figure] = [
            (value, bound if value == value else None)
            for value, bound in zip(measured.tolist(), bounds, strict=True)
        ]
        order = [at for at in np.argsort(-measured) if np.isfinite(measured[at])]
        if figure == RATE or len(order) < 2:
            continue
        # What each unit adds to a ratio: the pseudo-values of the jackknife (Tukey 1958).
        without = np.array([jackknife_scores(samples[at]) for at in order])
        added = count * measured[order, None] - (count - 1) * without
        p, draws = paired_p_values(
            added, np.arange(count), alpha=options.alpha, seed=options.seed
        )
        test = PairTests(p, "paired permutation test", (unit,), "two-sided", draws)
        decided = test.correct(options.correction)
        clusters = CLUSTER_RULES["greedy"](decided, options.alpha)
        ordered = [scores.systems[at] for at in order]
        tests[figure] = test, dict(zip(ordered, clusters, strict=True))
    few = len(names) if unit == "segment" and 1 < len(names) < len(documents) else 0
    about = scores.languages[0], metric, scores.systems, present.sum(1).tolist()
    return CorrectionScores(*about, figures, tests, few)


def report_corrections(
    answers: Sequence[CorrectionScores], options: TaskOptions
) -> findings.MetaReport:
    """Lay out a table for each language pair and metric, and what was tested."""
    notes = []
    for each in answers:
        place = ": ".join(filter(None, (each.lang, each.metric)))
        if each.few:
            notes.append(
                f"{place}: segments are treated as independent, because {each.few} "
                f"documents are fewer than {ENOUGH_DOCUMENTS}."
            )
        ratios = zip(each.systems, each.figures[RATIO], strict=True)
        still = [name for name, (value, _) in ratios if value != value]
        if still:
            listed = findings.name_some(still)
            notes.append(f"{place}: without edits, no gain per edit: {listed}.")
        for figure, (tests, _) in each.tests.items():
            words = findings.describe_differences(tests, options.alpha)
            notes.append(f"{place}, {figure}: {words}")
    return findings.build_report(
        [_build_table(each) for each in answers],
        options,
        notes,
        task="wmt25-correction",
        edits="ter",
        lang=",".join(dict.fromkeys(each.lang for each in answers)),
        boot=f"k={options.resamples}" if options.resamples else None,
        correction=options.correction,
        seed=options.seed,
    )


def _build_table(scores: CorrectionScores) -> Table:
    """Build a row for each system, the largest gain first; clusters follow their figure."""
    order = np.argsort([-value for value, _ in scores.figures[GAIN]], kind="stable")
    heads: list[str | Column] = [Column("segments", digits=0)]
    columns: list[Sequence[object]] = [scores.segments]
    for figure, values in scores.figures.items():
        heads.append(f"Δ{scores.metric}" if figure == GAIN else figure)
        columns.append(values)
        if figure in scores.tests:
            heads.append("cluster")
            clusters = scores.tests[figure][1]
            columns.append([clusters.get(name) for name in scores.systems])
    rows = [(scores.systems[at], [column[at] for column in columns]) for at in order]
    caption = f"{scores.lang}: " * bool(scores.lang) + f"Corrections by {scores.metric}"
    name = " ".join(filter(None, ("corrections", scores.lang, scores.metric)))
    return findings.build_table("system", heads, rows, caption, name)
