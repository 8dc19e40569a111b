"""Fillers of templates against those of the reference, as at the MUC.

The Message Understanding Conferences (Chinchor and Sundheim 1993, "MUC-5 evaluation
metrics") sort fillers into five categories. To do so, instances of the same template are
paired one to one, and in each pair the fillers of every slot. Among all ways to pair them,
one with the most credit is taken (a correct filler counts 1, a partial one half); among
these, one with the most correct and then with the most incorrect fillers, which has the
fewest errors. So the counts do not depend on the order of instances and fillers.

A relation is a slot whose filler names another instance. It is compared by that name, not
by which instances are paired, so each pair of instances has a value of its own, and the
best pairs can be found exactly.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from metra.formats.annotations.templates import Instance, split_alternatives
from metra.stats.assignment import assign_columns
from metra.text.normalisation import contains_words, normalise_answer
from metra.text.words import find_words

Category: TypeAlias = Literal["correct", "partial", "incorrect", "missing", "spurious"]
CATEGORIES: tuple[Category, ...] = get_args(Category)


class FillerPair(NamedTuple):
    """A filler of the reference and one of the output; None where one is missing."""

    template: str
    slot: str
    expected: str | None
    filled: str | None
    category: Category

    @property
    def slot_name(self) -> str:
        """The slot with its template."""
        return name_slot(self.template, self.slot)


class FillerCounts(NamedTuple):
    """Numbers of fillers in each category; numbers, or arrays of them."""

    correct: Any = 0
    partial: Any = 0
    incorrect: Any = 0
    missing: Any = 0
    spurious: Any = 0

    @property
    def credit(self) -> Any:
        """Correct fillers and half of the partial ones."""
        return self.correct + self.partial / 2

    @property
    def wrong(self) -> Any:
        """Incorrect fillers and half of the partial ones."""
        return self.incorrect + self.partial / 2

    @property
    def overlap(self) -> Any:
        """Fillers that stand against one of the other side."""
        return self.correct + self.partial + self.incorrect

    @property
    def possible(self) -> Any:
        """Fillers of the reference."""
        return self.overlap + self.missing

    @property
    def actual(self) -> Any:
        """Fillers of the output."""
        return self.overlap + self.spurious


#: The rates of the MUC, each as what is divided by what.
RATES: Mapping[str, Callable[[FillerCounts], tuple[Any, Any]]] = {
    "precision": lambda n: (n.credit, n.actual),
    "recall": lambda n: (n.credit, n.possible),
    "f": lambda n: (2 * n.credit, n.possible + n.actual),
    "error": lambda n: (
        n.wrong + n.missing + n.spurious,
        n.overlap + n.missing + n.spurious,
    ),
    "undergeneration": lambda n: (n.missing, n.possible),
    "overgeneration": lambda n: (n.spurious, n.actual),
    "substitution": lambda n: (n.wrong, n.overlap),
}


def name_slot(template: str, slot: str) -> str:
    """Return a slot with its template, as in person.name; flat tables have none."""
    return f"{template}.{slot}" if template else slot


def count_fillers(pairs: Iterable[FillerPair]) -> FillerCounts:
    """Count the pairs of each category.

    >>> ann = Instance("person", (("name", "Ann"), ("works for", "bank")))
    >>> bob = Instance("person", (("name", "Bob"), ("works for", "bank")))
    >>> count_fillers(pair_fillers([ann], [bob]))
    FillerCounts(correct=1, partial=0, incorrect=1, missing=0, spurious=0)
    """
    categories = [pair.category for pair in pairs]
    return FillerCounts(*map(categories.count, CATEGORIES))


def pair_fillers(
    expected: Iterable[Instance], filled: Iterable[Instance]
) -> list[FillerPair]:
    """Return every filler of the reference and the output, paired for the most credit."""
    groups: dict[str, tuple[list[Instance], list[Instance]]] = {}
    for side, instances in enumerate((expected, filled)):
        # Sorted, so that the choice among equally good pairs does not depend on the order.
        for instance in sorted(instances, key=lambda i: (sorted(i.slots), i.slots)):
            groups.setdefault(instance.template, ([], []))[side].append(instance)
    pairs: list[FillerPair] = []
    for theirs, ours in groups.values():
        pairs += _pair_instances(theirs, ours)
    return pairs


def _pair_instances(
    theirs: Sequence[Instance], ours: Sequence[Instance]
) -> list[FillerPair]:
    """Pair instances of one template, those of the reference with those of the output."""
    compared = [[_pair_slots(key, one) for one in ours] for key in theirs]
    bound = 1 + sum(len(instance.slots) for instance in (*theirs, *ours))
    weights = [[_weigh_pairs(pairs, bound) for pairs in row] for row in compared]
    columns = assign_columns(weights)
    result: list[FillerPair] = []
    for key, row, column in zip(theirs, compared, columns, strict=True):
        alone = Instance(key.template, ())
        result += _pair_slots(key, alone) if column is None else row[column]
    for column, instance in enumerate(ours):
        if column not in columns:
            alone = Instance(instance.template, ())
            result += _pair_slots(alone, instance)
    return result


def _weigh_pairs(pairs: Sequence[FillerPair], bound: int) -> int:
    """Return a number, higher by credit first, then correct and incorrect fillers.

    `bound` is more than all fillers, so that what comes later never outweighs.
    """
    counts = count_fillers(pairs)
    credit = 2 * counts.correct + counts.partial
    return int((credit * bound + counts.correct) * bound + counts.incorrect)


def _pair_slots(expected: Instance, filled: Instance) -> list[FillerPair]:
    """Pair the fillers of two instances, slot by slot."""
    slots: dict[str, tuple[list[str], list[str]]] = {}
    for side, instance in enumerate((expected, filled)):
        for slot, filler in instance.slots:
            slots.setdefault(slot, ([], []))[side].append(filler)
    return [
        FillerPair(expected.template, slot, *pair)
        for slot, (theirs, ours) in slots.items()
        for pair in _pair_texts(theirs, ours)
    ]


def _pair_texts(
    theirs: Sequence[str], ours: Sequence[str]
) -> Iterator[tuple[str | None, str | None, Category]]:
    """Pair the fillers of one slot; those left over are missing or spurious."""
    categories = [[_compare_texts(key, one) for one in ours] for key in theirs]
    credits_by_category = {
        "correct": 2 * len(theirs) + 3,
        "partial": len(theirs) + 1,
        "incorrect": 0,
    }
    columns = assign_columns(
        [[credits_by_category[one] for one in row] for row in categories]
    )
    for key, row, column in zip(theirs, categories, columns, strict=True):
        if column is None:
            yield key, None, "missing"
        else:
            yield key, ours[column], row[column]
    for column, one in enumerate(ours):
        if column not in columns:
            yield None, one, "spurious"


def _compare_texts(expected: str, filled: str) -> Category:
    [(text, words)] = _normalise_texts((filled,))
    accepted = _normalise_texts(split_alternatives(expected))
    if any(text == other for other, _ in accepted):
        return "correct"
    if any(_has_words(words, others) for _, others in accepted):
        return "partial"
    return "incorrect"


@lru_cache(maxsize=65536)
def _normalise_texts(texts: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each text as answers are compared, and its words."""
    normalised = map(normalise_answer, texts)
    return tuple((t, tuple(t[a:b] for a, b in find_words(t))) for t in normalised)


def _has_words(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Return True if one of two texts has all words of the other, in their order."""
    shorter, longer = sorted((words, others), key=len)
    return bool(shorter) and contains_words(shorter, longer)
