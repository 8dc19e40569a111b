"""The question `challenge`: does a metric prefer the good translation to the bad one?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.challenge_set import ChallengeSet, read_challenge_set
from metra.meta.findings import MetaReport, build_count, build_figure, build_report
from metra.meta.options import ChallengeOptions
from metra.meta.question import Evidence, Question
from metra.scores.views import orient_scores
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import score_systems
from metra.scoring.table import Cell, Column, make_table, mark_best
from metra.stats.arrays import Array, Codes, divide, row_means
from metra.stats.distributions import wilson_interval
from metra.stats.resampling import Interval, Sample, compute_intervals

#: Rows of the table besides those of phenomena.
ALL, MEAN, ACES = "all pairs", "mean of phenomena", "ACES-Score"


class AcesCategory(NamedTuple):
    """A category of ACES: its weight, and how the names of its phenomena begin."""

    weight: float
    phenomena: tuple[str, ...]


#: What the ACES-Score adds up (Amrhein et al. 2022; 29.1 at most), by category.
ACES_CATEGORIES = {
    "addition": AcesCategory(5, ("addition",)),
    "omission": AcesCategory(5, ("omission",)),
    "mistranslation": AcesCategory(
        5,
        (
            *("ambiguous-", "anaphoric_", "coreference-", "hallucination-"),
            *("lexical-overlap", "mistranslation", "modal_verb:", "nonsense"),
            *("ordering-", "overly-literal-", "pleonastic_it:", "xnli-"),
        ),
    ),
    "untranslated": AcesCategory(1, ("copy-source", "untranslated")),
    "do not translate": AcesCategory(1, ("do-not-translate", "do not translate")),
    "overtranslation": AcesCategory(5, ("hyponym-", "overtranslation")),
    "undertranslation": AcesCategory(5, ("hypernym-", "undertranslation")),
    "real-world knowledge": AcesCategory(1, ("antonym-", "commonsense-", "real-world")),
    "wrong language": AcesCategory(1, ("similar-language-", "wrong language")),
    "punctuation": AcesCategory(0.1, ("punctuation",)),
}


@dataclass(frozen=True)
class PhenomenonScore:
    """Share of pairs in which a metric prefers the good translation."""

    #: Pairs that have both scores, those in the right order, and those that tie.
    pairs: int
    right: int
    tied: int
    accuracy: float
    interval: Interval | None

    @property
    def tau(self) -> float:
        """Kendall's tau-like coefficient of ACES: a tie is a mistake."""
        return 2 * self.accuracy - 1


@dataclass(frozen=True)
class ChallengeScores:
    """By metric and phenomenon, how often the good translation is preferred."""

    scores: Mapping[str, Mapping[str, PhenomenonScore]]
    phenomena: Sequence[str]
    #: By metric the ACES-Score, where the phenomena are those of ACES.
    aces: Mapping[str, tuple[float, Interval | None]]
    #: Pairs in the file, those whose translations are equal, and sources of the others.
    pairs: int
    equal: int
    sources: int


def score_challenge(
    challenge: ChallengeSet,
    specs: Sequence[str] = (),
    options: ChallengeOptions | None = None,
) -> ChallengeScores:
    """Score both translations by metrics, and take the scores that the file has.

    A metric is right where it gives the good translation the better score; a tie is a
    mistake, as in ACES (Amrhein et al. 2022, WMT) and DEMETR (Karpinska et al. 2022, EMNLP).
    Pairs of equal translations are left out. Intervals are Wilson's, with as many cases as
    there are sources; those of the mean of phenomena and of the ACES-Score draw sources,
    with all their pairs.
    """
    options = options or ChallengeOptions()
    by_metric = _list_scores(challenge, specs, options.lower)
    if not by_metric:
        msg = (
            f"No metric to evaluate; name a metric, or give {challenge.path} columns "
            "NAME-good and NAME-bad with another program's scores."
        )
        raise CorpusError(msg)
    is_pair = np.array(
        [a != b for a, b in zip(challenge.good, challenge.bad, strict=True)]
    )
    if not is_pair.any():
        msg = f"All pairs of {challenge.path} have equal translations."
        raise CorpusError(msg)
    groups = challenge.lang if options.by == "lang" else challenge.phenomenon
    names, group = _number_values(groups)
    anchors = challenge.source or challenge.reference or range(len(challenge))
    sources, source = _number_values(list(anchors))
    shape = (len(sources), len(names))
    counts = {
        metric: _count_pairs(gaps, is_pair, source, group, shape)
        for metric, gaps in by_metric.items()
    }
    scores = {
        metric: _score_metric(each, names, options) for metric, each in counts.items()
    }
    weights = weigh_categories(names) if options.by == "phenomenon" else None
    aces = {}
    if weights is not None:
        of_taus = partial(_sum_categories, weights=weights)
        aces = {m: _draw_sources(c.rows, of_taus, options) for m, c in counts.items()}
    equal = int((~is_pair).sum())
    used = len(np.unique(source[is_pair]))
    return ChallengeScores(scores, names, aces, len(challenge), equal, used)


def weigh_categories(phenomena: Sequence[str]) -> Array | None:
    """Return what each phenomenon's tau weighs in the ACES-Score; None if undefined.

    It is the weight of its category over the phenomena of that category; every phenomenon
    must have a category, and every category a phenomenon.
    """
    categories = [
        next((key for key, (_, s) in ACES_CATEGORIES.items() if name.startswith(s)), "")
        for name in map(str.lower, phenomena)
    ]
    if set(categories) != set(ACES_CATEGORIES):
        return None
    return np.array(
        [ACES_CATEGORIES[each].weight / categories.count(each) for each in categories]
    )


def report_challenge(scores: ChallengeScores, options: ChallengeOptions) -> MetaReport:
    """Lay out a row for each phenomenon and a column for each metric, most pairs first."""
    metrics = list(scores.scores)
    first = scores.scores[metrics[0]]
    kinds = sorted(scores.phenomena, key=lambda name: -first[name].pairs)
    shown = kinds[: options.most or None]
    value = options.coef
    rows = []
    for name in (ALL, *([MEAN] if len(kinds) > 1 else []), *shown):
        cells = [_build_cell(scores.scores[metric][name], value) for metric in metrics]
        count = build_count(first[name].pairs)
        label = name or f"(no {options.by})"
        rows.append((label, [count, *mark_best(cells)]))
    if scores.aces:
        cells = [build_figure(*scores.aces[metric]) for metric in metrics]
        rows.insert(2, (ACES, [build_count(first[ALL].pairs), *mark_best(cells)]))
    table = make_table(
        options.by,
        [Column("pairs", digits=0), *metrics],
        rows,
        caption=f"Challenge set: {_CAPTIONS[value]}",
        name="challenge",
    )
    notes = []
    if scores.equal:
        notes.append(
            f"{scores.equal:,} of {scores.pairs:,} pairs have equal translations and "
            "are excluded."
        )
    whole = {metric: each[ALL] for metric, each in scores.scores.items()}
    tied = [f"{metric} {each.tied:,}" for metric, each in whole.items() if each.tied]
    if tied:
        notes.append(f"Ties, which count as errors: {', '.join(tied)}.")
    lacking = {m: scores.pairs - scores.equal - e.pairs for m, e in whole.items()}
    without = [f"{metric} {count:,}" for metric, count in lacking.items() if count]
    if without:
        notes.append(f"Pairs without a score: {', '.join(without)}.")
    if len(shown) < len(kinds):
        notes.append(f"{len(kinds) - len(shown)} more; `most` 0 shows all.")
    data: dict[str, object] = {"challenge": _list_data(scores)}
    if scores.aces:
        data["aces_score"] = {
            metric: {"value": value, "interval": interval}
            for metric, (value, interval) in scores.aces.items()
        }
    drawn = f"wilson, mean: boot sources k={options.trials}"
    return build_report(
        [table],
        options,
        notes,
        data,
        ties="wrong",
        pairs=scores.pairs - scores.equal,
        sources=scores.sources,
        interval=drawn if options.trials else None,
        seed=options.seed if options.trials else None,
    )


def ask_challenge(evidence: Evidence, options: ChallengeOptions) -> ChallengeScores:
    """Read a challenge set and score it."""
    if len(evidence.files) > 1:
        msg = f"Give one challenge set; found {len(evidence.files)} files."
        raise OptionError(msg)
    pairs = read_challenge_set(evidence.files[0])
    return score_challenge(pairs, evidence.specs, options)


CHALLENGE = Question("challenge", ask_challenge, report_challenge)

_CAPTIONS = {
    "accuracy": "share of pairs whose good translation scores higher",
    "tau": "Kendall's tau-like coefficient; a tie counts as an error",
}


def _list_scores(
    challenge: ChallengeSet, specs: Sequence[str], lower: Sequence[str]
) -> dict[str, Array]:
    """Return by metric how much better the good translation is; NaN where a score lacks."""
    gaps: dict[str, Array] = {}
    for name, (good, bad) in challenge.scores.items():
        sign = -1.0 if name in lower else 1.0
        gaps[name] = sign * (np.array(good) - np.array(bad))
    if specs:
        references = None if challenge.reference is None else [challenge.reference]
        evalset = EvalSet(references, challenge.source)
        corpus = Outputs(evalset, {"good": challenge.good, "bad": challenge.bad})
        metrics = make_metrics(specs)
        table, _ = score_systems(corpus, metrics)
        for name in metrics:
            good, bad = orient_scores(table, name)
            gaps[name] = good - bad
    return gaps


def _number_values(values: Sequence[object]) -> tuple[list[str], Codes]:
    """Number values as they first appear."""
    numbers: dict[object, int] = {}
    codes = [numbers.setdefault(value, len(numbers)) for value in values]
    return [str(value) for value in numbers], np.array(codes, np.int64)


class _PairCounts(NamedTuple):
    """Pairs in the right order, then all pairs, by source and phenomenon; and ties."""

    rows: Array
    tied: Codes | Array


def _count_pairs(
    gaps: Array, is_pair: Array, source: Codes, group: Codes, shape: tuple[int, int]
) -> _PairCounts:
    scored = is_pair & np.isfinite(gaps)
    cell = (source * shape[1] + group)[scored]
    right, counts = (
        np.bincount(cell, weights, shape[0] * shape[1]).reshape(shape)
        for weights in ((gaps[scored] > 0).astype(np.float64), None)
    )
    tied = np.bincount(group[scored], (gaps[scored] == 0).astype(np.float64), shape[1])
    return _PairCounts(np.hstack([right, counts]).astype(np.float64), tied)


def _score_metric(
    counted: _PairCounts, names: Sequence[str], options: ChallengeOptions
) -> dict[str, PhenomenonScore]:
    """Score all pairs, the mean of phenomena, and each phenomenon."""
    rows, size = counted.rows, len(names)
    right, counts = rows[:, :size], rows[:, size:]
    choices: dict[str, Sequence[int] | None] = {
        ALL: range(size),
        MEAN: None,
        **{name: [at] for at, name in enumerate(names)},
    }
    scores = {}
    for name, columns in choices.items():
        chosen = list(range(size) if columns is None else columns)
        interval = None
        if columns is None:
            accuracy, interval = _draw_sources(rows, _average_phenomena, options)
        else:
            totals = rows.sum(0)
            accuracy = float(divide(totals[chosen].sum(), totals[size:][chosen].sum()))
            # Pairs of a source are taken for one case: that is the safe side.
            cases = int((counts[:, chosen].sum(1) > 0).sum())
            interval = wilson_interval(accuracy, cases) if options.trials else None
        scores[name] = PhenomenonScore(
            int(counts[:, chosen].sum()),
            int(right[:, chosen].sum()),
            int(counted.tied[chosen].sum()),
            accuracy,
            interval,
        )
    return scores


def _draw_sources(
    rows: Array, aggregate: Callable[[Array], Array], options: ChallengeOptions
) -> tuple[float, Interval | None]:
    """Return a score of all rows, and its interval over sources drawn with all their pairs."""
    value = float(aggregate(rows.sum(0)))
    if not options.trials:
        return value, None
    (interval,) = compute_intervals(
        [Sample(rows, aggregate)], trials=options.trials, seed=options.seed
    )
    return value, interval


def _divide_halves(totals: Array) -> Array:
    """Return the accuracy of each phenomenon."""
    half = totals.shape[-1] // 2
    return divide(totals[..., :half], totals[..., half:])


def _average_phenomena(totals: Array) -> Array:
    return row_means(_divide_halves(totals))


def _sum_categories(totals: Array, weights: Array) -> Array:
    """Return the ACES-Score: weights times the tau of each phenomenon."""
    return np.asarray(((2 * _divide_halves(totals) - 1) * weights).sum(-1))


def _build_cell(score: PhenomenonScore, value: str) -> Cell:
    if value == "accuracy":
        return build_figure(score.accuracy, score.interval)
    bounds = score.interval and (2 * score.interval[0] - 1, 2 * score.interval[1] - 1)
    return build_figure(score.tau, bounds)


def _list_data(scores: ChallengeScores) -> list[dict[str, object]]:
    return [
        {
            "metric": metric,
            "phenomenon": name,
            "pairs": each.pairs,
            "right": each.right,
            "tied": each.tied,
            "accuracy": each.accuracy,
            "tau": each.tau,
            "interval": each.interval,
        }
        for metric, by_phenomenon in scores.scores.items()
        for name, each in by_phenomenon.items()
    ]
