"""Score files of mt-metrics-eval: a system and a score a line, segments in order.

A directory of them, or a zip, is read as a whole. The files are called `LP.NAME.seg.score`
(judgements) or `LP/NAME.seg.score` (metrics), and `.sys.score` for whole systems. Freitag et
al. 2023.
"""

import re
import zipfile
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

from metra.errors import FormatError
from metra.formats.scores.record import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.formats.stream import format_path
from metra.formats.table import parse_numbers, read_packed_lines

_NAME = re.compile(r"(?:([a-z]{2,3}-[a-z]{2,3})\.)?(.+)\.(seg|sys)\.score")
_LARGEST = 1 << 30
_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}")


def read_mt_metrics_eval(path: str) -> Scores:
    """Read a score file, or all that lie in a directory or zip and the folders in it."""
    if Path(path).is_dir():
        return _read_folder(Path(path), path)
    if not zipfile.is_zipfile(path):
        return _read_file(Path(path))
    with TemporaryDirectory() as folder:
        _unpack_zip(path, folder)
        return _read_folder(Path(folder), path)


def _unpack_zip(path: str, folder: str) -> None:
    """Take the score files out of a zip."""
    with zipfile.ZipFile(path) as packed:
        names = [name for name in packed.namelist() if name.endswith(".score")]
        if sum(packed.getinfo(name).file_size for name in names) > _LARGEST:
            msg = (
                f"{path} holds scores of more than {_LARGEST >> 20:,} MB; unpack it and "
                "give the folder."
            )
            raise FormatError(msg)
        try:
            packed.extractall(folder, names)
        except (zipfile.BadZipFile, zlib.error, RuntimeError) as error:
            # A password is asked for by a RuntimeError.
            msg = (
                f"{path} cannot be unpacked: {error}; expected a whole zip without a "
                "password."
            )
            raise FormatError(msg) from None


def _read_folder(folder: Path, path: str) -> Scores:
    files = sorted(
        file for file in folder.rglob("*.score") if _NAME.fullmatch(file.name)
    )
    if not files:
        msg = f"{path} has no .seg.score or .sys.score file in it."
        raise FormatError(msg)
    return concatenate_scores([_read_file(file) for file in files])


def _read_file(file: Path) -> Scores:
    named = _NAME.fullmatch(file.name)
    if named is None:
        msg = f"{format_path(str(file))}: expected a name such as en-de.mqm.seg.score."
        raise FormatError(msg)
    lang, name, level = named.groups()
    if lang is None and _PAIR.fullmatch(file.parent.name):
        lang = file.parent.name
    systems, cells = [], []
    for at, line in enumerate(read_packed_lines(str(file)), 1):
        pieces = line.split()
        if len(pieces) != 2:
            msg = (
                f"{file}, line {at} is {line!r}; expected a system's name and its score, "
                "or None where it is missing."
            )
            raise FormatError(msg)
        systems.append(pieces[0])
        cells.append(pieces[1])
    human = "human" in file.parent.name
    scorer = Scorer(name, "human" if human else "metric")
    values = parse_numbers(cells, str(file), "the score", 1)
    items = [ScoredItem(lang=lang or "")] * len(systems)
    if level == "seg":
        items = _number_items(systems, lang or "", file)
    return build_score_table(systems, items, {scorer: values})


def _number_items(systems: list[str], lang: str, file: Path) -> list[ScoredItem]:
    """Number each system's lines; all systems must have as many."""
    counts: dict[str, int] = {}
    items = []
    for system in systems:
        counts[system] = counts.get(system, 0) + 1
        items.append(ScoredItem(str(counts[system]), lang=lang))
    if len(set(counts.values())) > 1:
        least, most = (
            min(counts, key=counts.__getitem__),
            max(counts, key=counts.__getitem__),
        )
        msg = (
            f"{file} has {counts[most]} segments of {most} but {counts[least]} of {least}; "
            "each system needs a line a segment, with None where a score is missing."
        )
        raise FormatError(msg)
    return items
