"""Two translations of each source: challenge sets, and corrections of outputs.

Tables with columns as ACES and WMT 2025 have them, and JSON as DEMETR and ACES have it. A
score of another program stands in two columns, NAME-good and NAME-bad of a challenge set,
NAME-corrected and NAME-original of corrections.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import nan
from typing import TypeAlias

from metra.errors import FormatError
from metra.formats.headed_table import MISSING, read_headed_table
from metra.formats.lines import read_lines
from metra.formats.recognise import read_head
from metra.formats.stream import format_path, parse_json

#: What columns and fields are called: by us, in ACES, in DEMETR and in WMT's corrections.
_NAMES = {
    "source": ("source", "src", "src_sent", "source_segment"),
    "good": ("good", "good-translation", "good_translation", "mt_sent"),
    "bad": ("bad", "incorrect-translation", "incorrect_translation", "pert_sent"),
    "reference": ("reference", "ref", "eng_sent"),
    "phenomenon": ("phenomenon", "phenomena", "pert_name", "category"),
    "lang": ("langpair", "lang", "lp", "lang_tag"),
    "original": ("original", "hypothesis_segment"),
    "corrected": ("corrected", "post_edit"),
    "system": ("system", "sys", "system_id"),
    "document": ("document", "doc", "doc_id"),
    "segment": ("segment", "seg", "segment_id", "seg_id"),
    "from": ("source_lang",),
    "to": ("target_lang",),
}
_HEADINGS = frozenset(chain(*_NAMES.values()))
_SIDES = ("good", "bad")
#: By name of the metric: the scores of one side, and of the other.
_Scores: TypeAlias = Mapping[str, tuple[Sequence[float], Sequence[float]]]


@dataclass(frozen=True)
class ChallengeSet:
    """Pairs of a good and a bad translation, with scores that other programs gave them."""

    path: str
    good: Sequence[str]
    bad: Sequence[str]
    #: None where the file has no such column; an empty reference is None.
    source: Sequence[str] | None
    reference: Sequence[str | None] | None
    phenomenon: Sequence[str]
    lang: Sequence[str]
    #: Of the good and of the bad translations.
    scores: _Scores

    def __len__(self) -> int:
        return len(self.good)


def read_challenge_set(path: str) -> ChallengeSet:
    """Read a table, a JSON array or JSON lines of contrastive pairs."""
    cells, scores = read_pairs(path, _SIDES)
    none, references = [""] * len(cells["good"]), cells.get("reference")
    return ChallengeSet(
        format_path(path),
        cells["good"],
        cells["bad"],
        cells.get("source"),
        references and [text or None for text in references],
        cells.get("phenomenon", none),
        cells.get("lang", none),
        scores,
    )


def read_pairs(
    path: str, sides: tuple[str, str]
) -> tuple[dict[str, list[str]], _Scores]:
    """Read the cells of the columns by role, and the scores of both sides."""
    place, start = format_path(path), read_head(path).text.lstrip()[:1]
    rows = list(_read_json(path) if start in ("[", "{") else _read_table(path))
    if not rows:
        msg = f"{place} contains no pairs; expected the columns {', '.join(sides)}."
        raise FormatError(msg)
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    cells = {
        role: [row.get(name) or "" for _, row in rows]
        for role, aliases in _NAMES.items()
        for name in [each for each in names if each.strip().lower() in aliases][:1]
    }
    for role in sides:
        if role not in cells:
            listed = ", ".join(_NAMES[role])
            msg = f"{place} has no column of {role} translations; expected one of {listed}."
            raise FormatError(msg)
    if "lang" not in cells and {"from", "to"} <= cells.keys():
        cells["lang"] = list(map("{}-{}".format, cells["from"], cells["to"]))
    return cells, _collect_scores(names, rows, place, sides)


def _read_table(path: str) -> Iterable[tuple[str, dict[str, str]]]:
    table = read_headed_table(path, _count_headings)
    for line, cells in table.rows:
        place = f"{table.path}, line {line}"
        yield place, dict(zip(table.header, cells, strict=True))


def _count_headings(header: Sequence[str]) -> int:
    return sum(name.strip().lower() in _HEADINGS for name in header)


def _read_json(path: str) -> Iterable[tuple[str, dict[str, str]]]:
    place = format_path(path)
    lines = read_lines(path)
    if lines and lines[0].lstrip().startswith("["):
        whole = parse_json("\n".join(lines), place)
        entries = [(f"{place}, entry {at}", entry) for at, entry in enumerate(whole, 1)]
    else:
        numbered = [(f"{place}, line {at}", line) for at, line in enumerate(lines, 1)]
        entries = [(at, parse_json(line, at)) for at, line in numbered if line.strip()]
    for at, entry in entries:
        if not isinstance(entry, dict):
            msg = f"{at} is not an object; expected one with two translations."
            raise FormatError(msg)
        yield at, {key: "" if v is None else str(v) for key, v in entry.items()}


def _collect_scores(
    names: Sequence[str],
    rows: Sequence[tuple[str, dict[str, str]]],
    place: str,
    sides: tuple[str, str],
) -> _Scores:
    """Collect the columns NAME-good and NAME-bad; a column of texts is none of them."""
    scores = {}
    width = len(sides[0]) + 1
    for name in names:
        metric, side = name[:-width], name[-width:]
        is_score = side[1:] == sides[0] and side[0] in "-_"
        if not is_score or name in _HEADINGS or not metric:
            continue
        columns = [f"{metric}{side[0]}{end}" for end in sides]
        if columns[1] not in names:
            msg = f"{place} has the column {name}, but no {columns[1]} beside it."
            raise FormatError(msg)
        good, bad = ([_parse_score(at, row, c) for at, row in rows] for c in columns)
        scores[metric] = good, bad
    return scores


def _parse_score(place: str, row: Mapping[str, str], column: str) -> float:
    cell = row.get(column, "").strip()
    if cell in MISSING:
        return nan
    try:
        return float(cell)
    except ValueError:
        msg = f"{place} has {cell!r} in the column {column}; expected a number."
        raise FormatError(msg) from None
