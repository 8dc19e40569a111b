"""Information extraction: whether templates can be filled from the translation."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from metra.corpus.batch import Batch
from metra.errors import CorpusError, FormatError, OptionError
from metra.formats.annotations.templates import COLUMNS, Templates, read_templates
from metra.formats.stream import compute_file_version
from metra.metrics import record
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts, metric_factory
from metra.metrics.template_alignment import (
    CATEGORIES,
    RATES,
    FillerCounts,
    FillerPair,
    name_slot,
    pair_fillers,
)
from metra.metrics.units import (
    Detail,
    check_documents,
    fill_system,
    list_units,
    measure_extent,
)

# Slots that the reference has nowhere stand together: filling them is never right.
OTHER = "other"


@metric_factory(title="IE", papers="chinchor1993")
def ie(*, templates: str = "", reference: str = "") -> Metric:
    """F-score of information extraction templates filled from the output. Higher is better.

    A person or a program has filled templates from each document of the output and of
    the reference. A template has instances, such as each person, with slots and their
    fillers. metra pairs instances of the same template one to one, and the fillers of a
    slot, so that the score is maximal. A filler is correct if it equals that of the
    reference, ignoring letter case, spaces, and punctuation at its ends; partial, worth
    half, if one of the two contains all words of the other; otherwise incorrect.
    Fillers without a counterpart are missing or spurious. With credit = correct +
    partial / 2, precision is credit / filled, recall is credit / expected, and the
    score is their harmonic mean F, 0 to 100.

    The parts contain the five counts, precision, recall and F for all slots, for
    relations and for each slot. For all slots they also contain the error per response
    fill, (incorrect + partial / 2 + missing + spurious) / all; undergeneration, missing
    / expected; overgeneration, spurious / filled; substitution, (incorrect + partial /
    2) / (correct + partial + incorrect). The counts of a document are stored at its
    first segment; if there is nothing to fill, there is no score. Templates are tables
    with columns separated by tabs:

        document  template  instance  slot       value
        market    person    p1        name       Hélène Castagnier
        market    person    p1        works for  @o1
        market    company   o1        name       Castagnier Cheese | Castagnier

    Each line is a filler; `|` separates accepted texts of the reference. `@o1` is a
    relation: it stands for the first filler of that instance and is compared by this
    name. A flat table has no columns template and instance: each document is one
    instance, and relations within it are ignored.

    Chinchor and Sundheim 1993, "MUC-5 evaluation metrics", Message Understanding
    Conference. Dabbadie et al. 2002, LREC workshop, H6; Federico 2008, lecture on MT
    evaluation.

    Options:
        templates: table filled from outputs; {system} stands for the name of the
            system.
        reference: table filled from the reference.
    """
    if not templates or not reference:
        msg = (
            "ie needs filled templates; give templates=FILE.tsv of the outputs (with "
            "{system} for the system's name) and reference=FILE.tsv."
        )
        raise OptionError(msg)
    expected = read_templates(reference)
    slots = _list_slots(expected)
    compare = partial(_compare_documents, templates=templates, expected=expected)
    metric = Metric(
        name="ie",
        columns=tuple(f"{count}: {slot}" for slot in slots for count in CATEGORIES),
        rows=partial(rows, compare=compare, slots=list(slots)),
        aggregate=aggregate,
        parts=partial(parts, slots=slots),
        needs=record.select_needs(whole_documents=True),
        settled={
            "templates": compute_file_version(templates),
            "reference": compute_file_version(reference),
        },
        notes=Notes(details=partial(details, compare=compare)),
    )
    return record.check_on_fit(metric, partial(_check_documents, expected))


#: Documents: the name, the first segment, and the fillers of output and reference.
Documents: TypeAlias = Iterator[tuple[str, int, list[FillerPair]]]


def _list_slots(expected: Templates) -> dict[str, bool]:
    """Return the names of the reference's slots, and whether each holds relations."""
    slots: dict[str, bool] = {}
    for instances in expected.documents.values():
        for instance in instances:
            for slot, _ in instance.slots:
                name = name_slot(instance.template, slot)
                slots[name] = slots.get(name, False) or slot in instance.relations
    others = {OTHER: slots.pop(OTHER, False)}
    return dict(sorted(slots.items())) | others


def _compare_documents(
    batch: AnyBatch, *, templates: str, expected: Templates
) -> Documents:
    filled = read_templates(fill_system("ie", templates, batch.place))
    if filled.documents and filled.is_flat != expected.is_flat:
        flat, records = sorted((filled, expected), key=lambda one: not one.is_flat)
        msg = (
            f"{flat.path} is a flat table, but {records.path} has templates; expected "
            f"the columns {', '.join(COLUMNS)} in both."
        )
        raise FormatError(msg)
    for name, segments in list_units(batch, "document"):
        ours, theirs = (one.documents.get(name, ()) for one in (filled, expected))
        yield name, segments.start, pair_fillers(theirs, ours)


def rows(
    batch: AnyBatch, *, compare: Callable[..., Documents], slots: Sequence[str]
) -> Array:
    """Fillers of each slot in each category, at a document's first segment."""
    table = np.zeros((len(batch), len(slots), len(CATEGORIES)))
    place = {slot: column for column, slot in enumerate(slots)}
    for _, first, pairs in compare(batch):
        for pair in pairs:
            slot = place.get(pair.slot_name, place[OTHER])
            table[first, slot, CATEGORIES.index(pair.category)] += 1
    return table.reshape(len(batch), -1)


def aggregate(totals: Array) -> Array:
    """F of each row of totals, in percent; NaN where nothing was filled or expected."""
    size = len(CATEGORIES)
    counts = FillerCounts(
        *(totals[..., column::size].sum(-1) for column in range(size))
    )
    with np.errstate(invalid="ignore"):
        return 100 * np.divide(*RATES["f"](counts))


def parts(statistics: Array, *, slots: dict[str, bool]) -> Parts:
    """Counts and rates of all slots; counts, precision, recall and F of some and of each."""
    table = statistics.reshape(len(slots), len(CATEGORIES))
    relations = table[list(slots.values())].sum(0)
    groups = {"relations": relations, **dict(zip(slots, table, strict=True))}
    by_slot: Parts = {
        name: [*counts.tolist(), *_compute_rates(counts, "precision", "recall", "f")]
        for name, counts in groups.items()
        if counts.any()
    }
    every = FillerCounts(*table.sum(0).tolist())
    named = {"expected": every.possible, "filled": every.actual}
    rates = dict(zip(RATES, _compute_rates(table.sum(0), *RATES), strict=True))
    totals: Parts = every._asdict() | named | rates
    # Totals come first, and a slot that is called like one of them does not hide it.
    return totals | by_slot | totals


def _compute_rates(counts: Array, *names: str) -> list[float]:
    """Rates in per cent; 0 where they would divide by nothing."""
    terms = (RATES[name](FillerCounts(*counts.tolist())) for name in names)
    return [100 * part / whole if whole else 0.0 for part, whole in terms]


def details(batch: AnyBatch, *, compare: Callable[..., Documents]) -> Iterator[Detail]:
    """Fillers other than correct ones, beside those of the reference."""
    for name, first, pairs in compare(batch):
        for pair in pairs:
            if pair.category == "correct":
                continue
            about = {"slot": pair.slot_name, "document": name}
            if pair.filled and pair.expected:
                about["expected"] = pair.expected
            text = pair.filled or pair.expected or ""
            yield Detail(first, pair.category, text, about)


def _check_documents(expected: Templates, batches: Iterable[Batch]) -> None:
    names = set(measure_extent(batches).documents)
    if not names:
        msg = (
            "ie compares templates by document, but documents are missing; give "
            "`documents`."
        )
        raise CorpusError(msg)
    check_documents(f"{expected.path} has a template of", expected.documents, names)
