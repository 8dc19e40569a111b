"""Challenge sets: a good and a bad translation of each source, and the phenomenon.

Tables with columns as ACES has them, and JSON as DEMETR and ACES have it. A score of another
program stands in two columns, NAME-good and NAME-bad.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import nan

from metra.errors import FormatError
from metra.formats.headed_table import MISSING, read_headed_table
from metra.formats.lines import read_lines
from metra.formats.recognise import read_head
from metra.formats.stream import format_path, parse_json

#: What columns and fields are called: by us, in ACES and in DEMETR.
_NAMES = {
    "source": ("source", "src", "src_sent"),
    "good": ("good", "good-translation", "good_translation", "mt_sent"),
    "bad": ("bad", "incorrect-translation", "incorrect_translation", "pert_sent"),
    "reference": ("reference", "ref", "eng_sent"),
    "phenomenon": ("phenomenon", "phenomena", "pert_name", "category"),
    "lang": ("langpair", "lang", "lp", "lang_tag"),
}
_HEADINGS = frozenset(chain(*_NAMES.values()))
_SIDES = ("good", "bad")


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
    #: By name of the metric: the scores of the good and of the bad translations.
    scores: Mapping[str, tuple[Sequence[float], Sequence[float]]]

    def __len__(self) -> int:
        return len(self.good)


def read_challenge_set(path: str) -> ChallengeSet:
    """Read a table, a JSON array or JSON lines of contrastive pairs."""
    head = read_head(path)
    place = format_path(path)
    start = head.text.lstrip()[:1]
    rows = list(_read_json(path) if start in ("[", "{") else _read_table(path))
    if not rows:
        msg = f"{place} contains no pairs; expected the columns {', '.join(_SIDES)}."
        raise FormatError(msg)
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    columns = {
        role: next((name for name in names if name.strip().lower() in aliases), None)
        for role, aliases in _NAMES.items()
    }
    for role in _SIDES:
        if columns[role] is None:
            listed = ", ".join(_NAMES[role])
            msg = f"{place} has no column of {role} translations; expected one of {listed}."
            raise FormatError(msg)

    def get(role: str) -> list[str] | None:
        name = columns[role]
        return None if name is None else [row.get(name) or "" for _, row in rows]

    references = get("reference")
    return ChallengeSet(
        place,
        get("good") or (),
        get("bad") or (),
        get("source"),
        references and [text or None for text in references],
        get("phenomenon") or [""] * len(rows),
        get("lang") or [""] * len(rows),
        _collect_scores(names, rows, place),
    )


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
            msg = f"{at} is not an object; expected a pair with good and bad translations."
            raise FormatError(msg)
        yield at, {key: "" if v is None else str(v) for key, v in entry.items()}


def _collect_scores(
    names: Sequence[str], rows: Sequence[tuple[str, dict[str, str]]], place: str
) -> dict[str, tuple[list[float], list[float]]]:
    """Collect the columns NAME-good and NAME-bad; a column of texts is none of them."""
    scores = {}
    for name in names:
        metric, side = name[:-5], name[-5:]
        if side not in ("-good", "_good") or name in _HEADINGS or not metric:
            continue
        columns = [f"{metric}{side[0]}{end}" for end in _SIDES]
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
