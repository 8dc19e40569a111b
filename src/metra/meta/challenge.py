"""The question `challenge`: does a metric prefer the good translation to the bad one?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.challenge_set import ChallengeSet, read_challenge_set
from metra.meta.findings import MetaReport, build_figure, build_report, build_table
from metra.meta.options import ChallengeOptions
from metra.meta.question import Evidence, Question
from metra.scores.views import orient_scores
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import score_systems
from metra.scoring.table import Column, mark_best
from metra.stats.arrays import Array, Codes, divide, number_names, row_means
from metra.stats.distributions import wilson_interval
from metra.stats.resampling import Interval, Sample, compute_intervals

#: Rows of the table besides those of phenomena.
ALL, MEAN, ACES = "all pairs", "mean of phenomena", "ACES-Score"


#: Weights of what the ACES-Score adds up (Amrhein et al. 2022; 29.1 at most), and how the
#: names of their phenomena begin, by category.
ACES_CATEGORIES: dict[str, tuple[float, tuple[str, ...]]] = {
    "addition": (5, ("addition",)),
    "omission": (5, ("omission",)),
    "mistranslation": (
        5,
        (
            *("ambiguous-", "anaphoric_", "coreference-", "hallucination-"),
            *("lexical-overlap", "mistranslation", "modal_verb:", "nonsense"),
            *("ordering-", "overly-literal-", "pleonastic_it:", "xnli-"),
        ),
    ),
    "untranslated": (1, ("copy-source", "untranslated")),
    "do not translate": (1, ("do-not-translate", "do not translate")),
    "overtranslation": (5, ("hyponym-", "overtranslation")),
    "undertranslation": (5, ("hypernym-", "undertranslation")),
    "real-world knowledge": (1, ("antonym-", "commonsense-", "real-world")),
    "wrong language": (1, ("similar-language-", "wrong language")),
    "punctuation": (0.1, ("punctuation",)),
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

    def export(self) -> dict[str, Any]:
        """Return all figures, for programs."""
        keys = ("pairs", "right", "tied", "accuracy", "tau", "interval")
        return {key: getattr(self, key) for key in keys}


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
    challenge: ChallengeSet, specs: Sequence[str], options: ChallengeOptions
) -> ChallengeScores:
    """Score both translations by metrics, and take the scores that the file has.

    A metric is right where it gives the good translation the better score; a tie is a
    mistake, as in ACES (Amrhein et al. 2022, WMT) and DEMETR (Karpinska et al. 2022, EMNLP).
    Pairs of equal translations are left out. Intervals are Wilson's, with as many cases as
    there are sources; those of the mean of phenomena and of the ACES-Score draw sources,
    with all their pairs.
    """
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
    names, group = number_names(challenge.phenomenon)
    anchors = challenge.source or challenge.reference or range(len(challenge))
    sources, source = number_names(list(anchors))
    weights = weigh_categories(names)
    scores, aces = {}, {}
    for metric, gaps in by_metric.items():
        scored = is_pair & np.isfinite(gaps)
        cell = source[scored] * len(names) + group[scored]
        # Pairs in the right order, and all pairs: sources × phenomena.
        right, counts = np.zeros((2, len(sources), len(names)))
        np.add.at(right.ravel(), cell, gaps[scored] > 0)
        np.add.at(counts.ravel(), cell, 1)
        tied = np.bincount(group[scored & (gaps == 0)], minlength=len(names))
        scores[metric] = _score_metric(right, counts, tied, names, options)
        if weights is not None:
            of_taus = partial(_sum_categories, weights=weights)
            aces[metric] = _draw_sources(right, counts, of_taus, options)
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
        [ACES_CATEGORIES[each][0] / categories.count(each) for each in categories]
    )


def report_challenge(scores: ChallengeScores, options: ChallengeOptions) -> MetaReport:
    """Lay out a row for each phenomenon and a column for each metric, most pairs first."""
    metrics = list(scores.scores)
    first = scores.scores[metrics[0]]
    kinds = sorted(scores.phenomena, key=lambda name: -first[name].pairs)
    rows = []
    for name in (ALL, *([MEAN] if len(kinds) > 1 else []), *kinds):
        figures = (scores.scores[metric][name] for metric in metrics)
        cells = [build_figure(each.accuracy, each.interval) for each in figures]
        label = name or "(no phenomenon)"
        rows.append((label, [first[name].pairs, *mark_best(cells)]))
    if scores.aces:
        cells = [build_figure(*scores.aces[metric]) for metric in metrics]
        rows.insert(2, (ACES, [first[ALL].pairs, *mark_best(cells)]))
    heads: list[str | Column] = [Column("pairs", digits=0), *metrics]
    caption = "Challenge set: share of pairs whose good translation scores higher"
    table = build_table("phenomenon", heads, rows, caption, "challenge")
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
    data: dict[str, object] = {
        "challenge": [
            {"metric": metric, "phenomenon": name, **each.export()}
            for metric, by_phenomenon in scores.scores.items()
            for name, each in by_phenomenon.items()
        ]
    }
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


def _list_scores(
    challenge: ChallengeSet, specs: Sequence[str], lower: Sequence[str]
) -> dict[str, Array]:
    """Return by metric how much better the good translation is; NaN where a score lacks."""
    gaps: dict[str, Array] = {}
    for name, (good, bad) in challenge.scores.items():
        sign = -1.0 if name in lower else 1.0
        gaps[name] = sign * (np.array(good) - np.array(bad))
    texts = challenge.good, challenge.bad, challenge.reference, challenge.source
    return gaps | score_sides(*texts, specs)


def score_sides(
    good: Sequence[str],
    bad: Sequence[str],
    reference: Sequence[str | None] | None,
    source: Sequence[str] | None,
    specs: Sequence[str],
) -> dict[str, Array]:
    """Return by metric how much better the first of two translations is."""
    if not specs:
        return {}
    evalset = EvalSet(None if reference is None else [[*reference]], source)
    corpus = Outputs(evalset, {"good": [*good], "bad": [*bad]})
    metrics = make_metrics(specs)
    table, _ = score_systems(corpus, metrics)
    sides = {name: orient_scores(table, name) for name in metrics}
    return {name: first - second for name, (first, second) in sides.items()}


def _score_metric(
    right: Array,
    counts: Array,
    tied: Codes,
    names: Sequence[str],
    options: ChallengeOptions,
) -> dict[str, PhenomenonScore]:
    """Score all pairs, the mean of phenomena, and each phenomenon."""
    every = list(range(len(names)))
    choices = {ALL: every, MEAN: every, **{name: [at] for at, name in enumerate(names)}}
    scores = {}
    for name, chosen in choices.items():
        sums, pairs = (each[:, chosen].sum() for each in (right, counts))
        if name == MEAN:
            accuracy, interval = _draw_sources(
                right, counts, lambda totals: row_means(_divide_halves(totals)), options
            )
        else:
            accuracy = float(divide(sums, pairs))
            # Pairs of a source are taken for one case: that is the safe side.
            cases = int((counts[:, chosen].sum(1) > 0).sum())
            interval = wilson_interval(accuracy, cases) if options.trials else None
        counted = int(pairs), int(sums), int(tied[chosen].sum())
        scores[name] = PhenomenonScore(*counted, accuracy, interval)
    return scores


def _draw_sources(
    right: Array,
    counts: Array,
    aggregate: Callable[[Array], Array],
    options: ChallengeOptions,
) -> tuple[float, Interval | None]:
    """Return a score of all rows, and its interval over sources drawn with all their pairs."""
    rows = np.hstack([right, counts])
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


def _sum_categories(totals: Array, weights: Array) -> Array:
    """Return the ACES-Score: weights times the tau of each phenomenon."""
    return np.asarray(((2 * _divide_halves(totals) - 1) * weights).sum(-1))
