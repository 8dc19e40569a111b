"""Information extraction: whether templates can be filled from the translation."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from metra.corpus.batch import Batch
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.templates import Templates, read_templates
from metra.formats.stream import compute_file_version
from metra.metrics.record import (
    AnyBatch,
    Array,
    Metric,
    Parts,
    check_on_fit,
    metric_factory,
)
from metra.metrics.units import Detail, check_documents, fill_system, list_units

COUNTS = ("correct", "filled", "expected")
# Slots that the reference has nowhere stand together: filling them is never right.
OTHER = "other"


@metric_factory
def ie(*, templates: str = "", reference: str = "") -> Metric:
    """Templates filled from the output against those of the reference. Higher is better.

    Somebody, or a program, has filled templates from each document of the output and of
    the reference: slots such as who, what and where, and their values. A value is correct
    if the reference has it in the same slot of the same document, whatever its letter
    case. Precision is correct / filled, recall correct / expected, and the score their
    harmonic mean F, 0 to 100; the parts give all three for every slot. A document's counts
    stand at its first segment; where there is nothing to fill there is no score. Templates
    are tables with tabs between the columns, a line for each value:

        document  slot       value
        market    mayor      Bertrand Aufray
        brake     not mixed  mineral oil
        brake     not mixed  DOT fluid

    Template scoring after the Message Understanding Conferences: Chinchor and Sundheim
    1993, "MUC-5 evaluation metrics". Dabbadie et al. 2002, LREC workshop, H6; Federico
    2008, lecture on MT evaluation.

    Options:
        templates: table with the columns document, slot and value, filled from outputs;
            {system} stands for the name of the system.
        reference: the same, filled from the reference.
    """
    if not templates or not reference:
        msg = (
            "ie: needs filled templates; give templates=FILE.tsv of the outputs (with "
            "{system} for the system's name) and reference=FILE.tsv."
        )
        raise OptionError(msg)
    expected = read_templates(reference)
    pairs = {slot for filled in expected.values() for slot, _ in filled}
    slots = [*sorted(pairs - {OTHER}), OTHER]
    compare = partial(_compare_documents, templates=templates, expected=expected)
    metric = Metric(
        name="ie",
        columns=tuple(f"{count}: {slot}" for slot in slots for count in COUNTS),
        rows=partial(rows, compare=compare, slots=slots),
        aggregate=aggregate,
        parts=partial(parts, slots=slots),
        details=partial(details, compare=compare),
        needs_reference=False,
        whole_documents=True,
        settled={"reference": compute_file_version(reference)},
    )
    return check_on_fit(metric, partial(_check_documents, reference, expected))


#: Documents: the name, the first segment, what output and reference have in which slot.
Documents: TypeAlias = Iterator[
    tuple[str, int, Counter[tuple[str, str]], Counter[tuple[str, str]]]
]


def _compare_documents(
    batch: AnyBatch, *, templates: str, expected: Templates
) -> Documents:
    filled = read_templates(fill_system("ie", templates, batch.place))
    for name, segments in list_units(batch, "document"):
        ours, theirs = filled.get(name, Counter()), expected.get(name, Counter())
        yield name, segments.start, ours, theirs


def rows(
    batch: AnyBatch, *, compare: Callable[..., Documents], slots: Sequence[str]
) -> Array:
    """Correct, filled and expected values of each slot, at a document's first segment."""
    table = np.zeros((len(batch), len(slots), len(COUNTS)))
    place = {slot: column for column, slot in enumerate(slots)}
    for _, first, ours, theirs in compare(batch):
        for count, values in enumerate((ours & theirs, ours, theirs)):
            for (slot, _), times in values.items():
                table[first, place.get(slot, place[OTHER]), count] += times
    return table.reshape(len(batch), -1)


def aggregate(totals: Array) -> Array:
    """F of each row of totals, in percent; NaN where nothing was filled or expected."""
    correct, filled, expected = (totals[..., column::3].sum(-1) for column in range(3))
    with np.errstate(invalid="ignore"):
        return 100 * np.divide(2 * correct, filled + expected)


def parts(totals: Array, *, slots: Sequence[str]) -> Parts:
    """Counts, and precision, recall and F, of all slots and of each that has values."""
    table = totals.reshape(len(slots), len(COUNTS))
    counts = dict(zip(COUNTS, table.sum(0).tolist(), strict=True))
    scores = _compute_scores(table.sum(0))
    by_slot = {
        slot: _compute_scores(values)
        for slot, values in zip(slots, table, strict=True)
        if values.any()
    }
    named = dict(zip(("precision", "recall", "f"), scores, strict=True))
    return {**counts, **named, **by_slot}


def _compute_scores(counts: Array) -> list[float]:
    """Precision, recall and F; 0 where they would divide by nothing."""
    correct, filled, expected = counts.tolist()
    return [
        100 * correct / max(filled, 1),
        100 * correct / max(expected, 1),
        200 * correct / max(filled + expected, 1),
    ]


def details(batch: AnyBatch, *, compare: Callable[..., Documents]) -> Iterator[Detail]:
    """Values that are missing, and values that are wrong or should not be there."""
    for name, first, ours, theirs in compare(batch):
        for note, values in (("missing", theirs - ours), ("spurious", ours - theirs)):
            for slot, value in values.elements():
                yield Detail(first, note, value, {"slot": slot, "document": name})


def _check_documents(path: str, expected: Templates, batches: Iterable[Batch]) -> None:
    known = {name for batch in batches for name in batch.place.documents or ()}
    if not known:
        msg = "ie compares templates by document, but no documents are known; give `documents`."
        raise CorpusError(msg)
    check_documents(f"{path} has a template of", expected, known)
