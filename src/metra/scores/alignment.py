"""Alignment of tables of scores with different numbers for the same segments.

Where two tables have texts of a system's outputs, equal texts are the same segment. Without
texts, a file that counts from 0 is joined with one that counts from 1 only without doubt.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import TypeAlias

import numpy as np

from metra.errors import CorpusError, format_count
from metra.scores.table import Scores, concatenate_scores, number_texts
from metra.stats.arrays import number_names

_NUMBER = re.compile(r"\d{1,7}(?:\.0+)?")
#: The system, the segment and the text of an output.
Cell: TypeAlias = tuple[str, str, str]


def align_tables(
    tables: Sequence[Scores], names: Sequence[str], *, base: int | None = None
) -> list[Scores]:
    """Give the same segments the same names; `names` of the tables are for messages.

    Tables with texts follow the `base`, by default one of people, in which segments are the
    same for all systems. Notes of the tables say what was changed.
    """
    tables = _spell_numbers(list(map(_align_judges, tables, names)), names)
    given = [at for at, table in enumerate(tables) if len(table.output)]
    if base is None:
        # Names of segments that are counted within documents are no names for others.
        bases = [at for at in given if _has_unique_names(tables[at])]
        base = min(bases, key=lambda at: not tables[at].scorers[0].human, default=-1)
    aligned = list(tables)
    for at in given if base >= 0 else ():
        if at != base:
            aligned[at] = _align_texts(tables[at], names[at], tables[base], names[base])
    return _count_from_one(aligned, names)


def _spell_numbers(tables: Sequence[Scores], names: Sequence[str]) -> list[Scores]:
    """Write numbers of segments in one way where they differ: 01 and 1.0 are 1."""
    segments = {item.segment for table in tables for item in table.items} - {""}
    spelt = {
        name: str(int(float(name))) for name in segments if _NUMBER.fullmatch(name)
    }
    is_open = len(spelt) == len(segments) and len({*spelt.values()}) < len(segments)
    changed = []
    for table, name in zip(tables, names, strict=True):
        odd = [i.segment for i in table.items if spelt.get(i.segment) != i.segment]
        own = {item.segment for item in table.items} & spelt.keys()
        if is_open and len({spelt[each] for each in own}) < len(own):
            msg = (
                f"{name} writes numbers of segments in two ways, such as {max(odd)}; "
                "write each number in one way."
            )
            raise CorpusError(msg)
        if is_open and any(odd):
            items = (i._replace(segment=spelt.get(i.segment, "")) for i in table.items)
            note = f"{name} writes numbers of segments such as {max(odd)}: joined as numbers."
            table = replace(table, items=tuple(items), notes=(*table.notes, note))
        changed.append(table)
    return changed


def _align_judges(table: Scores, name: str) -> Scores:
    """Count from 1 for judges who have segments 0 to n - 1 where all others have 1 to n."""
    parts = [
        table.keep_lines(table.judge == at).compact() for at in range(len(table.judges))
    ]
    numbers = [list_numbers([item.segment for item in part.items]) for part in parts]
    is_from_0 = [0 in each for each in numbers]
    last = max(map(len, numbers), default=0)
    expected = [{*range(not zero, last + (not zero))} for zero in is_from_0]
    if len({*is_from_0}) < 2 or numbers != expected or (table.judge < 0).any():
        return table
    who = ", ".join(part.judges[0] for part in compress(parts, is_from_0))
    note = f"{name}: {who} counts segments from 0, others from 1: joined so."
    parts = [
        _count_up(p) if zero else p for p, zero in zip(parts, is_from_0, strict=True)
    ]
    joined = concatenate_scores(parts)
    return replace(joined, notes=(*joined.notes, note))


def _count_up(table: Scores) -> Scores:
    items = (
        item._replace(segment=item.segment and str(int(item.segment) + 1))
        for item in table.items
    )
    return replace(table, items=tuple(items))


def _has_unique_names(table: Scores) -> bool:
    named = [table.items[at].segment for at in table.segments]
    return len({*named}) == len(named)


def attach_outputs(
    scores: Scores, outputs: Mapping[str, Sequence[str | None]]
) -> Scores:
    """Attach the texts of outputs to scores of segments, numbered from 1."""
    codes = scores.system.tolist()
    cells = [
        outputs[scores.systems[system]][int(segment) - 1] if segment else None
        for system, segment in zip(codes, _list_segments(scores), strict=True)
    ]
    return replace(scores, **number_texts(cells))


def follow_outputs(
    scores: Scores, outputs: Mapping[str, Sequence[str | None]]
) -> Scores:
    """Number segments as their outputs are, if most texts are of other numbers.

    Segments whose texts are in no output, or in several, are then left out.
    """
    places: dict[tuple[str, str], set[str]] = {}
    for system, texts in outputs.items():
        for number, text in enumerate(texts, 1):
            key = system, " ".join((text or "").split())
            places.setdefault(key, set()).add(str(number))
    fits: list[bool] = []
    numbers: dict[int, set[str]] = {}
    cells = zip(scores.item.tolist(), _list_cells(scores), strict=True)
    for item, (system, segment, text) in cells:
        if text and segment and system in outputs:
            equal = places.get((system, text), set())
            fits.append(segment in equal)
            numbers[item] = numbers.get(item, equal) & equal
    single = {item: min(each) for item, each in numbers.items() if len(each) == 1}
    if not single or 2 * sum(fits) > len(fits):
        return scores
    items = [
        item._replace(segment=single[at], document="") if at in single else item
        for at, item in enumerate(scores.items)
    ]
    lost = [item for item in numbers if item not in single]
    moved = replace(scores, items=tuple(items))
    return moved.keep_lines(~np.isin(scores.item, lost)).compact()


def _list_segments(table: Scores) -> list[str]:
    return [table.items[at].segment for at in table.item.tolist()]


def _list_cells(table: Scores) -> list[Cell]:
    """List the system, the segment and the text of each row; the text may be empty."""
    texts = (*table.texts, "")
    output = table.output if len(table.output) else np.full(len(table), -1)
    systems = [table.systems[at] for at in table.system.tolist()]
    listed = [texts[at] for at in output.tolist()]
    return list(zip(systems, _list_segments(table), listed, strict=True))


def _align_texts(table: Scores, name: str, base: Scores, base_name: str) -> Scores:
    """Name the segments of a table as the base names those with the same outputs."""
    expected = {cell[:2]: cell[2] for cell in _list_cells(base) if cell[2]}
    cells = dict.fromkeys(_list_cells(table))
    wanted = [cell for cell in cells if cell[1] and cell[2] and cell[0] in base.systems]
    same = {cell for cell in wanted if expected.get(cell[:2]) == cell[2]}
    odd = [cell for cell in wanted if cell[:2] in expected and cell not in same]
    places: dict[tuple[str, str], list[str]] = {}
    for (system, segment), text in expected.items():
        if (system, segment, text) not in same:
            places.setdefault((system, text), []).append(segment)
    moved = [cell for cell in odd if (cell[0], cell[2]) in places]
    _refuse_swapped(odd, [*same, *moved], expected, f"{name} and {base_name}")
    if len(moved) > 1:
        for system, segment, text in same:
            places.setdefault((system, text), []).append(segment)
        return _rename_segments(table, name, base_name, wanted, places)
    if not odd:
        return table
    note = (
        f"{name} and {base_name} differ in {format_count(len(odd), 'output')}, such as "
        f"that of {odd[0][0]} for segment {odd[0][1]}; joined by segment ids."
    )
    return replace(table, notes=(*table.notes, note))


def _rename_segments(
    table: Scores,
    name: str,
    base_name: str,
    wanted: Sequence[Cell],
    places: Mapping[tuple[str, str], Sequence[str]],
) -> Scores:
    """Rename segments; rows without a text of their own follow others of the segment.

    Of outputs with equal texts, those that other outputs do not tell apart are left out.
    """
    uses = Counter((system, text) for system, _, text in wanted)
    named: dict[Cell, str] = {}
    for cell in wanted:
        key = cell[0], cell[2]
        if uses[key] == 1 and len(places.get(key, ())) == 1:
            named[cell] = places[key][0]
    by_segment: dict[str, set[str]] = {}
    for (_, segment, _), new in named.items():
        by_segment.setdefault(segment, set()).add(new)
    # In a file that is shuffled for each system, outputs of a segment do not belong together.
    single = {old: min(new) for old, new in by_segment.items() if len(new) == 1}
    is_shared = (len(by_segment) - len(single)) * 10 < len(by_segment)
    common = single if is_shared else {}
    items, keep, unknown = [], [], 0
    for at, cell in zip(table.item.tolist(), _list_cells(table), strict=True):
        new = named.get(cell) or common.get(cell[1], "")
        keep.append(bool(new) or not cell[1])
        unknown += not keep[-1] and (cell[0], cell[2]) not in places
        items.append(table.items[at]._replace(segment=new))
    if unknown and not places.keys() <= uses.keys():
        msg = (
            f"{name} numbers segments otherwise than {base_name}, and "
            f"{format_count(unknown, 'score')} cannot be aligned, because the outputs "
            "differ or have no texts; give both files the same segment ids."
        )
        raise CorpusError(msg)
    moved = sum(cell[1] != new for cell, new in named.items())
    note = (
        f"{name} and {base_name} number segments otherwise: "
        f"{format_count(moved, 'output')} aligned by text"
    )
    if lost := keep.count(False):
        scores = format_count(lost, "score")
        note += f"; {scores} of other or ambiguous segments left out"
    names, codes = number_names(items)
    table = replace(table, items=names, item=codes, notes=(*table.notes, f"{note}."))
    return table.keep_lines(np.array(keep, bool)).compact()


def _refuse_swapped(
    odd: Sequence[Cell],
    named: Sequence[Cell],
    expected: Mapping[tuple[str, str], str],
    files: str,
) -> None:
    """Refuse a system of which more texts are those of another system than its own."""
    owners: dict[tuple[str, str], str] = {}
    for (system, segment), text in expected.items():
        owners.setdefault((segment, text), system)
    swapped = [cell for cell in odd if cell[1:] in owners]
    own, others = (
        Counter(system for system, _, _ in each) for each in (named, swapped)
    )
    for system, segment, text in swapped:
        if others[system] > own[system]:
            msg = (
                f"{files} do not agree on systems: the output of {system!r} for segment "
                f"{segment} is that of {owners[segment, text]!r} in the other; check the "
                "names of systems."
            )
            raise CorpusError(msg)


def _count_from_one(tables: Sequence[Scores], names: Sequence[str]) -> list[Scores]:
    """Count segments from 1 in tables that count from 0 if others count from 1."""
    counted = []
    numbers = [list_numbers([item.segment for item in table.items]) for table in tables]
    for table, own, name in zip(tables, numbers, names, strict=True):
        others = {
            other: theirs
            for other, theirs, each in zip(names, numbers, tables, strict=True)
            if {*table.languages} & {*each.languages}
            or "" in (*table.languages, *each.languages)
        }
        if partner := find_partner(own, name, others):
            note = f"{name} counts segments from 0, {partner} from 1: joined so."
            table = replace(_count_up(table), notes=(*table.notes, note))
        counted.append(table)
    return counted


def find_partner(own: set[int], name: str, others: Mapping[str, set[int]]) -> str:
    """Return a file that counts segments from 1 beside numbers from 0, or nothing.

    It has all segments, or as many; a file that may count from 0 or from 1 is refused.
    """
    last = max(own, default=0) + 1
    for other, theirs in others.items() if 0 in own else ():
        if not theirs or 0 in theirs:
            continue
        most = max(theirs)
        if most == last or len(theirs) == most >= last:
            return other
        if min(theirs) == 1:
            msg = (
                f"{name} counts segments from 0 to {last - 1}, but {other} from 1 to "
                f"{most}; count them from 0 or from 1 in both."
            )
            raise CorpusError(msg)
    return ""


def list_numbers(names: Iterable[str]) -> set[int]:
    """List the numbers that name segments; none if there are other names."""
    different = {name for name in names if name}
    is_number = all(name.isdecimal() and len(name) < 8 for name in different)
    return {*map(int, different)} if is_number else set()
