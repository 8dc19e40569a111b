"""The question `spans`: are errors marked where people mark them, and do people agree?"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from metra.errors import CorpusError, UnknownNameError, no_such
from metra.meta.findings import MetaReport, build_report, build_table, describe_draws
from metra.meta.options import SpanOptions
from metra.meta.question import Evidence, Question
from metra.scores.registry import read_spans
from metra.scores.spans import TAG, Spans, arrange_spans, join_spans
from metra.scoring.files import read_texts
from metra.scoring.table import Column, Table
from metra.stats.defaults import SEED, TRIALS
from metra.stats.span_agreement import (
    SpanAgreement,
    SpanColumns,
    SpanComparisons,
    SpanScores,
    agree_on_spans,
    count_pairs,
    score_raters,
)

_UNPLACED = {
    "source": "in the source",
    "missing": "omissions from the output",
    "unknown": "without a known place in the output",
}


@dataclass(frozen=True)
class SpanEvaluation:
    """Programs and people compared with the gold raters."""

    marks: SpanColumns
    gold: Sequence[str]
    #: Other raters against the gold, and each gold rater against the others.
    scores: Sequence[SpanScores]
    ceiling: Sequence[SpanScores]
    agreement: SpanAgreement | None
    #: Spans that could not be compared, by reason.
    unplaced: Mapping[str, int]
    #: The rows that count, in the words of the files.
    selection: str = ""


def evaluate_spans(
    files: Sequence[Spans],
    options: SpanOptions | None = None,
    *,
    outputs: Mapping[str, Sequence[str | None]] | None = None,
) -> SpanEvaluation:
    """Compare marked errors with those of the gold, and the gold's raters with each other.

    The gold are the raters that `options` names, else all people. `outputs` are the texts of
    each system, for spans of which only the words are known.
    """
    options = options or SpanOptions()
    marks, unplaced = arrange_spans(join_spans(files, outputs))
    if not len(marks.rating):
        msg = (
            "No error is marked in any output; source errors, omissions and neutral "
            "marks do not count. Give `outputs` if the files contain only the words "
            "of errors."
        )
        raise CorpusError(msg)
    gold = _choose_gold(files, marks, options.gold)
    others = [name for name in marks.raters if name not in gold]
    comparisons = {
        name: _compare(marks, name, gold, options.credit) for name in marks.raters
    }
    for name in others:
        if not len(comparisons[name][0]):
            msg = f"{name!r} has marked none of the gold outputs; check the names."
            raise CorpusError(msg)
    shared = {name: each for name, each in comparisons.items() if len(each[0])}
    scores = score_raters(
        shared, marks.segment, trials=options.trials, seed=options.seed
    )
    agreement = None
    if len(gold) > 1:
        agreement = agree_on_spans(
            marks.keep_raters(gold),
            credit=options.credit,
            trials=options.trials,
            seed=options.seed,
        )
    if not others and (agreement is None or agreement.overall is None):
        msg = (
            "No output was annotated by two raters; add a file from a program or "
            "from another rater."
        )
        raise CorpusError(msg)
    return SpanEvaluation(
        marks,
        gold,
        [each for each in scores if each.name in others],
        [each for each in scores if each.name not in others],
        agreement,
        unplaced,
    )


def agree_on_marks(spans: Spans) -> SpanAgreement | None:
    """Compare the errors or tags of every two judges; None if no two marked one output.

    F of characters and of matched spans have intervals.
    """
    marks, _ = arrange_spans(spans)
    if not len(marks.rating):
        return None
    shown = (("characters", "F"), ("spans", "F"))
    agreement = agree_on_spans(marks, trials=TRIALS, seed=SEED, keys=shown)
    return agreement if agreement.overall is not None else None


def compare_tags(spans: Spans) -> dict[tuple[str, str], float | None]:
    """Return F of two judges' tags in per cent over shared texts; None without tags.

    A tag is the same if its boundaries and its type are.
    """
    both: dict[tuple[str, str], list[int]] = {}
    if not (spans.severity == TAG).any():
        return {}
    for output in spans.ratings:
        tags: dict[str, set[tuple[object, ...]]] = {
            judge: set() for judge in sorted(spans.list_judges(*output))
        }
        for judge, mark in spans.list_marks(*output):
            tags[judge].add((mark.start, mark.end, mark.category))
        for one, other in combinations(tags, 2):
            counts = both.setdefault((one, other), [0, 0])
            counts[0] += 2 * len(tags[one] & tags[other])
            counts[1] += len(tags[one]) + len(tags[other])
    return {pair: 100 * same / of if of else None for pair, (same, of) in both.items()}


def report_spans(evaluation: SpanEvaluation, options: SpanOptions) -> MetaReport:
    """Lay out other raters, the gold raters one by one, and two by two."""
    tables, raters = [], len(evaluation.gold)
    agreement = evaluation.agreement
    if evaluation.scores:
        people = "1 rater" if raters == 1 else f"each of {raters} raters"
        caption = f"Error spans against {people}"
        tables.append(_build_table(evaluation.scores, caption, "spans"))
    overall = agreement.overall if agreement else None
    if agreement is not None and overall is not None:
        rows = [
            (label, [(overall.values[key], overall.intervals[key]), about])
            for key, label, about in _OVERALL
        ]
        alpha = agreement.alpha, agreement.alpha_interval
        about = f"characters of {agreement.with_text:,} outputs"
        rows.append(("Krippendorff's alpha, nominal", [alpha, about]))
        caption = f"Agreement of {raters} raters on error spans"
        shown = agreement.pairs[: options.most_pairs or None]
        tables += [
            build_table("agreement", ["value", "of"], rows, caption, "agreement"),
            _build_table(evaluation.ceiling, "Each rater against the others", "raters"),
            _build_table(shown, "Pairs of raters", "pairs"),
        ]
    data: dict[str, object] = {"figures": _list_figures(evaluation)}
    if agreement is not None:
        interval = agreement.alpha_interval
        data["alpha"] = {"value": agreement.alpha, "interval": interval}
    report = build_report(
        tables,
        options,
        _write_notes(evaluation, options),
        data,
        spans="characters,matched,exact",
        gold=",".join(evaluation.gold) if options.gold else f"people ({raters})",
        outputs=len(evaluation.marks.length),
        **describe_draws(options, "segments"),
    )
    return replace(report, selection=evaluation.selection)


def _list_figures(evaluation: SpanEvaluation) -> list[dict[str, object]]:
    """List every figure of raters with its interval, for programs."""
    agreement = evaluation.agreement
    overall = agreement.overall if agreement else None
    scores_by_table: dict[str, Sequence[SpanScores]] = {
        "spans": evaluation.scores,
        "raters": evaluation.ceiling,
        "agreement": [overall] if overall else [],
        "pairs": agreement.pairs if agreement else (),
    }
    keys = ("name", "outputs", "predicted", "gold")
    return [
        {
            "table": table,
            **{key: getattr(each, key) for key in keys},
            "figures": {
                " ".join(key): {"value": value, "interval": each.intervals[key]}
                for key, value in each.values.items()
            },
        }
        for table, scores in scores_by_table.items()
        for each in scores
    ]


def ask_spans(evidence: Evidence, options: SpanOptions) -> SpanEvaluation:
    """Read files of error spans and compare them."""
    files = [read_spans(path, evidence.columns) for path in evidence.files]
    texts = read_texts(evidence.open_corpus()) if evidence.outputs else {}
    words = dict.fromkeys(filter(None, (file.selection for file in files)))
    evaluation = evaluate_spans(files, options, outputs=texts)
    return replace(evaluation, selection=" / ".join(words))


SPANS = Question("spans", ask_spans, report_spans)


def _choose_gold(
    files: Sequence[Spans], marks: SpanColumns, names: Sequence[str]
) -> list[str]:
    """Return the gold raters: those named, or all people."""
    for name in names:
        if name not in marks.raters:
            raise UnknownNameError(no_such("rater", name, marks.raters))
    if names:
        return list(dict.fromkeys(names))
    automatic = join_spans([file for file in files if file.is_automatic])
    gold = [name for name in marks.raters if name not in automatic.judges]
    if not gold:
        msg = (
            "All errors were marked by programs; choose the gold with `gold`: "
            f"{', '.join(marks.raters)}."
        )
        raise CorpusError(msg)
    return gold


def _compare(
    marks: SpanColumns, name: str, gold: Iterable[str], credit: float
) -> SpanComparisons:
    """Compare a rater with the gold's other raters on each output that they share."""
    rater = marks.raters.index(name)
    own = np.full(len(marks.length), -1, np.int64)
    rated = np.flatnonzero(marks.rater == rater)
    own[marks.output[rated]] = rated
    others = [marks.raters.index(each) for each in gold if each != name]
    theirs = np.flatnonzero(np.isin(marks.rater, others))
    theirs = theirs[own[marks.output[theirs]] >= 0]
    outputs = marks.output[theirs]
    return outputs, count_pairs(marks, own[outputs], theirs, credit)


def _build_table(scores: Sequence[SpanScores], caption: str, name: str) -> Table:
    """Build a row for each rater: counts, then figures; only F has its interval here."""
    heads = [Column("outputs", digits=0), Column("marked", digits=0)]
    for key, heading in _HEADINGS.items():
        heads.append(Column(heading, group="" if key[1] == "severity" else key[0]))
    rows = []
    for each in sorted(scores, key=lambda one: -one.values["characters", "F"]):
        figures = [
            (each.values[key], each.intervals[key] if key[1] == "F" else None)
            for key in _HEADINGS
        ]
        rows.append((each.name, [each.outputs, each.predicted, *figures]))
    return build_table("rater", heads, rows, caption, name)


_HEADINGS = {
    ("characters", "precision"): "char. P",
    ("characters", "recall"): "char. R",
    ("characters", "F"): "char. F",
    ("spans", "precision"): "span P",
    ("spans", "recall"): "span R",
    ("spans", "F"): "span F",
    ("exact", "F"): "exact F",
    ("characters", "severity"): "same severity",
}


_OVERALL = (
    (("characters", "F"), "F of characters", "characters marked by either"),
    (("spans", "F"), "F of matched spans", "spans marked by either"),
    (("exact", "F"), "F of equal spans", "spans marked by either"),
    (("characters", "severity"), "same severity", "characters marked by both"),
)


def _write_notes(evaluation: SpanEvaluation, options: SpanOptions) -> list[str]:
    notes = []
    for reason, about in _UNPLACED.items():
        count = evaluation.unplaced.get(reason, 0)
        if count:
            marks = "mark is" if count == 1 else "marks are"
            notes.append(f"{count:,} {marks} {about}: left out.")
    agreement = evaluation.agreement
    if agreement is not None:
        most = options.most_pairs
        if most and len(agreement.pairs) > most:
            hidden = len(agreement.pairs) - most
            notes.append(f"{hidden} more pairs of raters; `most_pairs` 0 shows all.")
        if agreement.with_text < agreement.outputs:
            unknown = agreement.outputs - agreement.with_text
            notes.append(
                f"Alpha also counts unmarked characters, and the text of {unknown:,} "
                "outputs is missing; give `outputs`."
            )
    sizes = Counter(np.bincount(evaluation.marks.output).tolist())
    shown = ", ".join(f"{count:,} by {size}" for size, count in sorted(sizes.items()))
    notes.append(f"Outputs by number of raters: {shown}.")
    return notes
