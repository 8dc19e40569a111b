"""The question `spans`: are errors marked where people mark them, and do people agree?"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError, UnknownNameError, no_such
from metra.meta.findings import (
    MetaReport,
    build_count,
    build_figure,
    build_signature,
)
from metra.meta.options import SpanOptions
from metra.scores.error_spans import ErrorSpans, collect_marks
from metra.scoring.table import Cell, Column, Table, make_table
from metra.stats.span_agreement import (
    SpanAgreement,
    SpanComparisons,
    SpanMarks,
    SpanScores,
    agree_on_spans,
    count_matches,
    merge_marks,
    score_raters,
)

#: What is told of spans that have no place in an output.
_UNPLACED = {
    "source": "in the source",
    "missing": "omissions from the output",
    "unknown": "without a known place in the output",
}


@dataclass(frozen=True)
class SpanEvaluation:
    """Programs and people held against the people who are the gold."""

    marks: SpanMarks
    gold: Sequence[str]
    #: Those that are no gold, and each of the gold against the others.
    scores: Sequence[SpanScores]
    ceiling: Sequence[SpanScores]
    agreement: SpanAgreement | None
    #: Spans that could not be compared, by reason.
    unplaced: Mapping[str, int]


def evaluate_spans(
    files: Sequence[ErrorSpans],
    options: SpanOptions | None = None,
    *,
    outputs: Mapping[str, Sequence[str | None]] | None = None,
    programs: Collection[str] = (),
) -> SpanEvaluation:
    """Compare marked errors with those of the gold, and the gold's raters with each other.

    The gold are the raters that `options` names, else all people; `programs` are none of
    them. `outputs` are the texts of each system, for spans of which only the words are known.
    """
    options = options or SpanOptions()
    marks, unplaced = collect_marks(files, outputs)
    if not any(spans for each in marks.marks.values() for spans in each.values()):
        msg = (
            "No error is marked in any output; source errors, omissions and neutral "
            "marks do not count. Give `outputs` if the files contain only the words "
            "of errors."
        )
        raise CorpusError(msg)
    gold = _choose_gold(files, marks, options.gold, programs)
    trials = 0 if options.no_ci else options.trials
    others = [name for name in marks.raters if name not in gold]
    comparisons = {
        name: _compare(marks, name, gold, options.combine, options.credit)
        for name in marks.raters
    }
    for name in others:
        if not len(comparisons[name][0]):
            msg = f"{name!r} has marked none of the gold outputs; check the names."
            raise CorpusError(msg)
    shared = {name: each for name, each in comparisons.items() if len(each[0])}
    scores = score_raters(shared, marks.segments, trials=trials, seed=options.seed)
    agreement = None
    if len(gold) > 1:
        agreement = agree_on_spans(
            marks.keep_raters(gold).columns,
            credit=options.credit,
            trials=trials,
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


def report_spans(evaluation: SpanEvaluation, options: SpanOptions) -> MetaReport:
    """Lay out those that are no gold, the gold's raters one by one, and two by two."""
    tables = []
    agreement = evaluation.agreement
    if evaluation.scores:
        people = "1 rater" if len(evaluation.gold) == 1 else _COMBINED[options.combine]
        caption = f"Error spans against {people.format(n=len(evaluation.gold))}"
        tables.append(_build_table(evaluation.scores, caption, "spans"))
    if agreement is not None and agreement.overall is not None:
        tables.append(_build_overall_table(agreement, len(evaluation.gold)))
        caption = "Each rater against the others"
        tables.append(_build_table(evaluation.ceiling, caption, "raters"))
        shown = agreement.pairs[: options.most_pairs or None]
        tables.append(_build_table(shown, "Pairs of raters", "pairs"))
    drawn = not options.no_ci
    signature = build_signature(
        spans="characters,matched,exact",
        gold=",".join(evaluation.gold)
        if options.gold
        else f"people ({len(evaluation.gold)})",
        combine=options.combine if len(evaluation.gold) > 1 else None,
        credit=options.credit,
        outputs=len(evaluation.marks.marks),
        boot=f"segments k={options.trials}" if drawn else None,
        seed=options.seed if drawn else None,
    )
    data = {
        "figures": [
            _list_figures(table, each)
            for table, scores in (
                ("spans", evaluation.scores),
                ("raters", evaluation.ceiling),
                ("pairs", agreement.pairs if agreement else ()),
            )
            for each in scores
        ]
    }
    return MetaReport(tables, signature, _write_notes(evaluation, options), data)


_COMBINED = {
    "each": "each of {n} raters",
    "any": "spans marked by any of {n} raters",
    "most": "spans marked by most of {n} raters",
}


def _choose_gold(
    files: Sequence[ErrorSpans],
    marks: SpanMarks,
    names: Sequence[str],
    programs: Collection[str],
) -> list[str]:
    """Return the raters that are the gold: those named, or all people."""
    for name in names:
        if name not in marks.raters:
            raise UnknownNameError(no_such("rater", name, marks.raters))
    if names:
        return list(dict.fromkeys(names))
    automatic, _ = collect_marks([file for file in files if file.is_automatic])
    known = {*automatic.raters, *programs}
    gold = [name for name in marks.raters if name not in known]
    if not gold:
        msg = (
            "All errors were marked by programs; choose the gold with `gold`: "
            f"{', '.join(marks.raters)}."
        )
        raise CorpusError(msg)
    return gold


def _compare(
    marks: SpanMarks, name: str, gold: Iterable[str], combine: str, credit: float
) -> SpanComparisons:
    """Compare a rater with the gold's other raters on each output that they share."""
    others = [each for each in gold if each != name]
    outputs, counts = [], []
    for output, by_rater in enumerate(marks.marks.values()):
        theirs = [by_rater[each] for each in others if each in by_rater]
        if name not in by_rater or not theirs:
            continue
        if combine != "each":
            quorum = 1 if combine == "any" else len(theirs) // 2 + 1
            theirs = [merge_marks(theirs, quorum)]
        for spans in theirs:
            outputs.append(output)
            counts.append(count_matches(by_rater[name], spans, credit))
    return np.array(outputs, np.int64), np.array(counts)


_COLUMNS = (
    *(("characters", figure) for figure in ("precision", "recall", "F")),
    *(("spans", figure) for figure in ("precision", "recall", "F")),
    ("exact", "F"),
    ("characters", "severity"),
)


def _build_table(scores: Sequence[SpanScores], caption: str, name: str) -> Table:
    """Build a row for each rater: counts, then figures; only F has its interval here."""
    headings = [
        Column("outputs", digits=0),
        Column("marked", digits=0),
        *(
            Column(_HEADINGS[key], group=key[0] if key[1] != "severity" else "")
            for key in _COLUMNS
        ),
    ]
    rows = []
    for each in sorted(scores, key=lambda one: -one.values["characters", "F"]):
        figures = [
            build_figure(
                each.values[key], each.intervals[key] if key[1] == "F" else None
            )
            for key in _COLUMNS
        ]
        counts = [build_count(each.outputs), build_count(each.predicted)]
        rows.append((each.name, [*counts, *figures]))
    return make_table("rater", headings, rows, caption=caption, name=name)


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


def _build_overall_table(agreement: SpanAgreement, raters: int) -> Table:
    """Build the table of all pairs of raters taken together."""
    overall = agreement.overall
    rows = [
        (
            label,
            [build_figure(overall.values[key], overall.intervals[key]), Cell(about)],
        )
        for key, label, about in _OVERALL
        if overall is not None
    ]
    alpha = build_figure(agreement.alpha, agreement.alpha_interval)
    about = f"characters of {agreement.with_text:,} outputs"
    rows.append(("Krippendorff's alpha, nominal", [alpha, Cell(about)]))
    return make_table(
        "agreement",
        ["value", "of"],
        rows,
        caption=f"Agreement of {raters} raters on error spans",
        name="agreement",
    )


_OVERALL = (
    (("characters", "F"), "F of characters", "characters marked by either"),
    (("spans", "F"), "F of matched spans", "spans marked by either"),
    (("exact", "F"), "F of equal spans", "spans marked by either"),
    (("characters", "severity"), "same severity", "characters marked by both"),
)


def _list_figures(table: str, scores: SpanScores) -> dict[str, object]:
    """Return every figure of a rater with its interval, for programs."""
    return {
        "table": table,
        "name": scores.name,
        "outputs": scores.outputs,
        "predicted": scores.predicted,
        "gold": scores.gold,
        "figures": {
            f"{kind} {figure}": {
                "value": value,
                "interval": scores.intervals[kind, figure],
            }
            for (kind, figure), value in scores.values.items()
        },
    }


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
    sizes = Counter(len(each) for each in evaluation.marks.marks.values())
    told = ", ".join(f"{count:,} by {size}" for size, count in sorted(sizes.items()))
    notes.append(f"Outputs by number of raters: {told}.")
    return notes
