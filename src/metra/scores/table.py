"""The table of scores: judgements, our metrics and other programs' scores in one record.

A row says that a scorer (a metric or a kind of judgement) gave a value to a system's
output for a segment, a document or the whole test set, and which judge gave it. Rows of
judgements may also say what kind of item the judge was given, when and how fast they
answered, and why there is no value. `metra.scores.selection` chooses the rows that count.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

from metra.errors import CorpusError, FormatError, UnknownNameError, no_such
from metra.stats.arrays import Array, Codes, Mask, number_names
from metra.stats.direction import HIGHER, Direction

_LANGUAGE = r"[A-Za-z]{2,3}(?:_[A-Za-z0-9]{2,8})*"
#: Two languages, with scripts and countries: en-de, zh_Hans-en, en-ko_KR, en-sr_Cyrl_RS.
LANGUAGE_PAIR = re.compile(rf"{_LANGUAGE}-{_LANGUAGE}")


class ScoredItem(NamedTuple):
    """A scored segment, document (no segment) or whole test set (neither)."""

    segment: str = ""
    document: str = ""
    domain: str = ""
    lang: str = ""

    @property
    def level(self) -> str:
        """Level of the score: segment, document or system."""
        return "segment" if self.segment else "document" if self.document else "system"


class Scorer(NamedTuple):
    """A source of values: its name, its kind, and the direction of its values."""

    name: str
    kind: str = ""
    direction: Direction = HIGHER
    #: True if the file states the direction.
    is_declared: bool = False
    #: True if values are ranks of the outputs that a judge saw together.
    compares: bool = False

    @property
    def higher_is_better(self) -> bool | None:
        """True or False, or None if the value closest to a target is best."""
        return self.direction.higher_is_better

    @property
    def human(self) -> bool:
        """True if people judged: the scorer has a kind, which is not a metric."""
        return self.kind not in ("", "metric")


class ScoreRow(NamedTuple):
    """A row of `Scores` about one output, or the reason why it has no value."""

    scorer: str
    value: float
    #: Higher is better here, whatever the value's own scale says.
    hundred: float
    higher_is_better: bool = True
    #: In a few words; empty if there is a value.
    reason: str = ""


#: Kinds of items that a judge is given. The first three count for systems, references and
#: controls as systems of their own; the others describe judges.
ITEM_KINDS = (
    *("judged", "reference", "control", "calibration", "repeat", "degraded"),
    *("baseline", "check", "tutorial", "incomplete", "earlier"),
)
COUNTED: frozenset[str] = frozenset(ITEM_KINDS[:3])


def _make_codes() -> Codes:
    return np.empty(0, np.int64)


def _make_values() -> Array:
    return np.empty(0)


@dataclass(frozen=True)
class Scores:
    """The table: names once, then for each row their numbers and the value.

    Optional columns are empty if nothing is known. A row without a value (NaN) gives the
    reason; rows of one answer have the same number in `answer`.
    """

    systems: tuple[str, ...]
    items: tuple[ScoredItem, ...]
    scorers: tuple[Scorer, ...]
    judges: tuple[str, ...]
    system: Codes
    item: Codes
    scorer: Codes
    judge: Codes  # -1 where no judge is named
    value: Array
    #: Line of the file, counted from 1.
    line: Codes = field(default_factory=_make_codes)
    #: Kind of the item, by its place in `ITEM_KINDS`; without this column all are judged.
    kind: Codes = field(default_factory=_make_codes)
    #: The value from 0 to 100, higher is better.
    hundred: Array = field(default_factory=_make_values)
    #: Number of the judge's answer, and of the answer that it repeats or degrades, or -1.
    answer: Codes = field(default_factory=_make_codes)
    original: Codes = field(default_factory=_make_codes)
    #: Time of the answer in seconds since 1970, its active seconds, and the words to read.
    submitted_at: Array = field(default_factory=_make_values)
    seconds: Array = field(default_factory=_make_values)
    words: Array = field(default_factory=_make_values)
    #: Number of the reason why a value is missing, or -1.
    reason: Codes = field(default_factory=_make_codes)
    reasons: tuple[str, ...] = ()
    #: Value that was measured but does not count, for the reason.
    measured: Array = field(default_factory=_make_values)
    #: Number of errors that the judge marked in the output, if asked to mark any.
    errors: Array = field(default_factory=_make_values)
    #: Number of the output's text, or -1.
    output: Codes = field(default_factory=_make_codes)
    texts: tuple[str, ...] = ()
    #: Sentences about what was assumed or changed in reading, for every figure.
    notes: tuple[str, ...] = ()
    #: Reasons to look at a judge, as the campaign states them.
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def names(self) -> list[str]:
        """The scorers' names."""
        return [scorer.name for scorer in self.scorers]

    @property
    def languages(self) -> list[str]:
        """The language pairs, in order of first appearance; one empty name for none."""
        return list(dict.fromkeys(item.lang for item in self.items))

    @cached_property
    def segments(self) -> Codes:
        """The numbers of the segments among the items."""
        return np.flatnonzero([bool(item.segment) for item in self.items])

    @cached_property
    def selections(self) -> dict[object, "Scores"]:
        """Rows that were selected before, by their selection."""
        return {}

    def find(self, name: str) -> int:
        """Give a scorer's number."""
        if name not in self.names:
            raise UnknownNameError(no_such("scorer", name, self.names))
        return self.names.index(name)

    def lines(self, name: str) -> "Scores":
        """Keep one scorer's lines; systems and items keep their numbers."""
        return self.keep_lines(self.scorer == self.find(name))

    def matrix(
        self, name: str, *, level: str = "segment", column: str = "value"
    ) -> Array:
        """Return systems × items of a level, NaN for a missing score.

        Several values of one cell, by several judges or by one who judged twice, are
        averaged: first each judge's, then the judges'.
        """
        place = self._places[level]
        width = int(place.max(initial=-1)) + 1
        lines = self._lines_by_scorer[self.find(name)]
        lines = lines[(place[self.item[lines]] >= 0) & np.isfinite(self.value[lines])]
        cell = self.system[lines] * width + place[self.item[lines]]
        value = getattr(self, column)[lines]
        if np.bincount(cell, minlength=1).max() > 1:
            judge = self.judge[lines]
            cell, value = _average_by_judge(cell, judge, value, len(self.judges) + 1)
        cells = np.full(len(self.systems) * width, np.nan)
        cells[cell] = value
        return cells.reshape(len(self.systems), width)

    @cached_property
    def _places(self) -> dict[str, Codes]:
        """By level: each item's place among its likes, -1 for the others."""
        levels = np.array([item.level for item in self.items], dtype=object)
        places = {}
        for level in ("segment", "document", "system"):
            is_level = levels == level
            places[level] = np.where(is_level, np.cumsum(is_level) - 1, -1)
        return places

    @cached_property
    def _lines_by_scorer(self) -> list[Codes]:
        order = np.argsort(self.scorer, kind="stable")
        ends = np.cumsum(np.bincount(self.scorer, minlength=len(self.scorers)))
        return np.split(order, ends[:-1])

    def system_scores(self, name: str) -> Array:
        """Scores that were given to whole systems; NaN where there are none.

        Those in single domains are such scores where one domain is left, and no others.
        """
        given = self.matrix(name, level="system")
        about = [item for item in self.items if item.level == "system"]
        whole = [at for at, item in enumerate(about) if not item.domain]
        if not whole:
            # Of several domains, segments make the score where there are any.
            by_segment = len(about) > 1 and np.isfinite(self.matrix(name)).any()
            whole = [] if by_segment else list(range(len(about)))
        given = given[:, whole]
        if given.shape[1] == 0:
            return np.full(len(self.systems), np.nan)
        if given.shape[1] > 1:
            msg = (
                f"{name!r} has scores of {given.shape[1]} language pairs or domains for "
                "whole systems; choose one of them."
            )
            raise CorpusError(msg)
        return given[:, 0]

    def only(
        self,
        *,
        lang: str | None = None,
        scorers: Iterable[str] | None = None,
    ) -> "Scores":
        """Keep lines of one language pair, or of some scorers.

        Names of which no line is left are forgotten.
        """
        is_kept = [lang in (None, item.lang) for item in self.items]
        keep = np.array(is_kept, bool)[self.item]
        if scorers is not None:
            keep &= np.isin(self.scorer, [self.find(name) for name in scorers])
        return self.keep_lines(keep).compact()

    def with_direction(self, names: Iterable[str], direction: Direction) -> "Scores":
        """Set the direction of some scorers."""
        scorers = list(self.scorers)
        for at in map(self.find, names):
            scorers[at] = scorers[at]._replace(direction=direction, is_declared=True)
        return replace(self, scorers=tuple(scorers))

    def list_ambiguous(self) -> list[str]:
        """List scorers of MQM that may be scores or costs: mostly positive ones."""
        unknown = [s for s in self.scorers if s.kind == "mqm" and not s.is_declared]
        names = [scorer.name for scorer in unknown if scorer.direction == HIGHER]
        return [name for name in names if np.nansum(self.lines(name).value) > 0]

    def rename_systems(self, names: Mapping[str, str]) -> "Scores":
        """Give systems other names; two that get the same name become one system."""
        renamed, codes = number_names([names.get(name, name) for name in self.systems])
        return replace(self, systems=renamed, system=codes[self.system])

    def with_values_of(self, name: str, other: "Scores") -> "Scores":
        """Take one scorer's values from another table, for its language pairs only."""
        theirs = other.only(scorers=[name])
        if name not in self.names:
            return concatenate_scores([self, theirs])
        gone = np.array([item.lang in theirs.languages for item in self.items], bool)
        keep = ~gone[self.item] | (self.scorer != self.find(name))
        return concatenate_scores([self.keep_lines(keep).compact(), theirs])

    def count_repeats(self) -> int:
        """Count the lines that repeat a judge's judgement of the same thing."""
        key = self.scorer * len(self.systems) + self.system
        key = (key * len(self.items) + self.item) * (len(self.judges) + 1) + self.judge
        return len(self) - len(np.unique(key))

    def keep_lines(self, keep: Mask | Codes) -> "Scores":
        """Keep some rows; systems, items, scorers and judges keep their numbers."""
        optional = (name for name in _OPTIONAL if len(getattr(self, name)))
        columns = (*_CODES.values(), "value", *optional)
        return replace(self, **{name: getattr(self, name)[keep] for name in columns})

    def keep_kinds(self, *kinds: str) -> "Scores":
        """Keep the rows of some kinds of items; names keep their numbers."""
        codes = [ITEM_KINDS.index(kind) for kind in kinds]
        return self.keep_lines(np.isin(self.get_kinds(), codes))

    def get_kinds(self) -> Codes:
        """Return the kind of each row's item."""
        return self.kind if len(self.kind) else np.zeros(len(self), np.int64)

    def list_rows(self) -> list[ScoreRow]:
        """List the rows as protocols give them, measured values with their reasons."""
        value, hundred = self.value, self.hundred
        if len(self.measured):
            value = np.where(np.isfinite(value), value, self.measured)
        if not len(hundred):
            hundred = np.full(len(self), np.nan)
        reason = self.reason if len(self.reason) else np.full(len(self), -1)
        reasons = (*self.reasons, "")
        scorers = [(s.name, bool(s.higher_is_better)) for s in self.scorers]
        columns = (column.tolist() for column in (self.scorer, value, hundred, reason))
        rows = []
        for scorer, number, from_0_to_100, why in zip(*columns, strict=True):
            name, higher = scorers[scorer]
            rows.append(ScoreRow(name, number, from_0_to_100, higher, reasons[why]))
        return rows

    def find_level(self, name: str) -> str:
        """Return the smallest level at which a scorer has values: segment, document, system."""
        levels = {self.items[at].level for at in find_used(self.lines(name).item)}
        ordered = ("segment", "document", "system")
        return next((level for level in ordered if level in levels), "segment")

    def compact(self) -> "Scores":
        """Forget names that no row uses."""
        changes: dict[str, Any] = {}
        for names, codes in _CODES.items():
            every, code = getattr(self, names), getattr(self, codes)
            used = find_used(code)
            place = np.full(len(every) + 1, -1, np.int64)
            place[used] = np.arange(len(used))
            changes[names] = tuple(every[index] for index in used)
            changes[codes] = place[code]
        return replace(self, **changes)


#: The fields that hold names, and the columns with their numbers.
_CODES = {"systems": "system", "items": "item", "scorers": "scorer", "judges": "judge"}
#: The optional columns, and the value of a row of a table that lacks the column.
_OPTIONAL: dict[str, float] = {
    **{"line": 0, "kind": 0, "hundred": np.nan, "answer": -1, "original": -1},
    **{"submitted_at": np.nan, "seconds": np.nan, "words": np.nan, "reason": -1},
    **{"measured": np.nan, "errors": np.nan, "output": -1},
}
#: Optional columns with numbers of names.
_NAMED = {"reason": "reasons", "output": "texts"}


def build_score_table(
    systems: Sequence[str],
    items: Sequence[ScoredItem],
    values: Mapping[Scorer, Sequence[float] | Array],
    judges: Sequence[str] | None = None,
    kinds: Sequence[str] | None = None,
    reasons: Sequence[str] | None = None,
    **columns: Any,
) -> Scores:
    """Make a table of parallel columns: a system and an item a row, a column a scorer.

    NaN stands for a missing value; the row is dropped, unless `reasons` has text for it. An
    empty judge is nobody. `kinds` are the kinds of items (`ITEM_KINDS`); without them, all
    are judged outputs. `columns` are optional columns of the table, such as `hundred`.

    >>> items = [ScoredItem("1"), ScoredItem("1")]
    >>> scores = build_score_table(["A", "B"], items, {Scorer("bleu"): [30.0, 20.0]})
    >>> scores.matrix("bleu").tolist()
    [[30.0], [20.0]]
    """
    if odd := {*map(type, systems)} - {str}:
        kind = odd.pop().__name__
        msg = f"A system name has the type {kind}; expected a text."
        raise FormatError(msg)
    system_names, system = number_names(systems)
    item_names, item = number_names(items)
    judge_names, judge = number_named(judges or [""] * len(system))
    grid = np.array([*map(np.asarray, values.values())], np.float64)
    is_row = np.isfinite(grid.reshape(len(values), len(system)))
    if reasons is not None and any(reasons):
        reason_names, reason = number_named(reasons)
        scorer, row = np.nonzero(is_row | (reason >= 0))
        columns |= {"reason": np.where(is_row.any(0), -1, reason)}
    else:
        reason_names = ()
        scorer, row = np.nonzero(is_row)
    return Scores(
        system_names,
        item_names,
        tuple(values),
        judge_names,
        system[row],
        item[row],
        scorer,
        judge[row],
        grid[scorer, row] if values else np.empty(0),
        kind=np.array([ITEM_KINDS.index(each) for each in kinds], np.int64)[row]
        if kinds is not None and {*kinds} - {"judged"}
        else _make_codes(),
        reasons=reason_names,
        texts=columns.pop("texts", ()),
        **{name: column[row] for name, column in columns.items()},
    )


def number_texts(texts: Sequence[str | None]) -> dict[str, Any]:
    """Return the columns of outputs' texts, in which blanks do not count."""
    joined = [" ".join(text.split()) if text else "" for text in texts]
    different, code = number_named(joined)
    return {"output": code, "texts": different}


def find_used(codes: Codes) -> Codes:
    """Find the numbers that occur, in order; -1 stands for none."""
    return np.flatnonzero(np.bincount(codes[codes >= 0]))


def number_named(names: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    """Number names by their first appearance; an empty one is none, -1."""
    different, code = number_names(["", *names])
    return different[1:], code[1:] - 1


def list_parts(name: str, known: Iterable[str]) -> list[str]:
    """List the scorers that a total such as adequacy+fluency adds up.

    A known scorer, or one without a plus in its name, is its own only part.

    >>> list_parts("adequacy+fluency", ["adequacy", "fluency"])
    ['adequacy', 'fluency']
    """
    return [name] if name in known else [part.strip() for part in name.split("+")]


def add_total(scores: Scores, name: str) -> tuple[Scores, int]:
    """Add the scorer `name`, such as adequacy+fluency, and count what has no total.

    A total is the sum of the parts' values of the same system, item and judge, for each
    kind of item; values that repeat a judge's are averaged first. What lacks a part has no
    total. A scorer of this name stays as it is.
    """
    parts = list_parts(name, scores.names)
    if len(parts) == 1:
        return scores, 0
    scorers = [scores.scorers[scores.find(part)] for part in parts]
    _check_parts(name, scorers)
    cell = scores.get_kinds() * len(scores.systems) + scores.system
    cell = cell * len(scores.items) + scores.item
    key = cell * (len(scores.judges) + 1) + scores.judge + 1
    keys, means = [], []
    for part in parts:
        lines = scores.scorer == scores.find(part)
        each, place = np.unique(key[lines], return_inverse=True)
        keys.append(each)
        means.append(np.bincount(place, scores.value[lines]) / np.bincount(place))
    shared = reduce(np.intersect1d, keys)
    if not len(shared):
        listed = " and ".join(parts)
        msg = (
            f"No judge scored the same output by all of {listed}, so there is no total."
        )
        raise CorpusError(msg)
    total = np.zeros(len(shared))
    for each, mean in zip(keys, means, strict=True):
        total += mean[np.searchsorted(each, shared)]
    cell, judge = np.divmod(shared, len(scores.judges) + 1)
    cell, item = np.divmod(cell, len(scores.items))
    item_kind, system = np.divmod(cell, len(scores.systems))
    kinds = {scorer.kind for scorer in scorers}
    is_human = any(scorer.human for scorer in scorers)
    kind = kinds.pop() if len(kinds) == 1 else "human" if is_human else ""
    names = (Scorer(name, kind, scorers[0].direction),), scores.judges
    codes = system, item, np.zeros(len(shared), np.int64), judge - 1
    item_kind = item_kind if len(scores.kind) else _make_codes()
    totals = Scores(scores.systems, scores.items, *names, *codes, total, kind=item_kind)
    lacking = len(reduce(np.union1d, keys)) - len(shared)
    return concatenate_scores([scores, totals]), lacking


def _check_parts(name: str, scorers: Sequence[Scorer]) -> None:
    """Refuse a total of a scorer and itself, or of scorers that point both ways."""
    if len({*scorers}) < len(scorers):
        msg = f"{name!r} names a scorer twice; a total needs different scorers."
        raise CorpusError(msg)
    if len({scorer.direction for scorer in scorers}) > 1:
        msg = (
            f"Higher values are better for some parts of {name!r}, lower ones for "
            "others; a total needs parts of the same direction."
        )
        raise CorpusError(msg)


def concatenate_scores(tables: Sequence[Scores]) -> Scores:
    """Put tables under each other; the same name is the same thing in all of them."""
    if len(tables) == 1:
        return tables[0]
    scorers: dict[str, Scorer] = {}
    for scorer in (scorer for each in tables for scorer in each.scorers):
        first = scorers.setdefault(scorer.name, scorer)
        if first.direction != scorer.direction:
            msg = (
                f"Of {scorer.name!r}, {first.direction.words} in one table and "
                f"{scorer.direction.words} in another; rename one of the scorers."
            )
            raise CorpusError(msg)
    fuller = _match_items([item for each in tables for item in each.items])
    renamed = [
        replace(
            each,
            scorers=tuple(scorers[s.name] for s in each.scorers),
            items=tuple(fuller.get(item, item) for item in each.items),
        )
        for each in tables
    ]
    columns: dict[str, Any] = {"value": np.concatenate([t.value for t in renamed])}
    for names, codes in _CODES.items():
        index: dict[Any, int] = {}
        merged = []
        for table in renamed:
            place = [index.setdefault(n, len(index)) for n in getattr(table, names)]
            merged.append(np.array([*place, -1], np.int64)[getattr(table, codes)])
        columns |= {names: tuple(index), codes: np.concatenate(merged)}
    return Scores(**columns, **_concatenate_optional(renamed))


def _concatenate_optional(tables: Sequence[Scores]) -> dict[str, Any]:
    """Put the optional columns under each other; numbers of answers stay distinct."""
    names = [name for name in _OPTIONAL if any(len(getattr(t, name)) for t in tables)]
    columns: dict[str, Any] = {"flags": {}}
    merged: dict[str, dict[str, int]] = {name: {} for name in _NAMED}
    parts: dict[str, list[Any]] = {name: [] for name in names}
    answers = 0
    for table in tables:
        columns["flags"] |= table.flags
        for name in names:
            column = getattr(table, name)
            if not len(column):
                column = np.full(len(table), _OPTIONAL[name])
            elif name in _NAMED:
                index, different = merged[name], getattr(table, _NAMED[name])
                place = [index.setdefault(each, len(index)) for each in different]
                column = np.array([*place, -1], np.int64)[column]
            elif name in ("answer", "original"):
                column = np.where(column >= 0, column + answers, -1)
            parts[name].append(column)
        answers += int(table.answer.max(initial=-1)) + 1
    for name in names:
        kind = np.float64 if np.isnan(_OPTIONAL[name]) else np.int64
        columns[name] = np.concatenate(parts[name]).astype(kind)
    columns |= {named: tuple(merged[name]) for name, named in _NAMED.items()}
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    return columns | {"notes": tuple(notes)}


def _match_items(items: Sequence[ScoredItem]) -> dict[ScoredItem, ScoredItem]:
    """Find the fullest name of each item, if there is only one.

    A table of metric scores often knows no documents; another one with judgements does.
    """
    by_name: dict[tuple[str, str], list[ScoredItem]] = {}
    for item in dict.fromkeys(items):
        # A score in a domain is no score of the whole, even if only one domain is named.
        name = item.domain if item.level == "system" else item.segment
        by_name.setdefault((item.level, name), []).append(item)
    fullest = {}
    for namesakes in by_name.values():
        for item in namesakes if len(namesakes) > 1 else []:
            others = (other for other in namesakes if other != item)
            fuller = [other for other in others if _is_part(item, other)]
            best = max(fuller, key=lambda other: sum(map(bool, other)), default=item)
            if all(_is_part(other, best) for other in fuller):
                fullest[item] = best
    return fullest


def _is_part(item: ScoredItem, other: ScoredItem) -> bool:
    """Return True if the names of an item are empty or those of the other."""
    return all(name in ("", same) for name, same in zip(item, other, strict=True))


def _average_by_judge(
    cell: Codes, judge: Codes, value: Array, judges: int
) -> tuple[Codes, Array]:
    each, place = np.unique(cell * judges + judge + 1, return_inverse=True)
    by_judge = np.bincount(place, value) / np.bincount(place)
    cells, place = np.unique(each // judges, return_inverse=True)
    return cells, np.bincount(place, by_judge) / np.bincount(place)
