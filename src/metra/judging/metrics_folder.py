"""A folder of mt-metrics-eval: judgements with the texts that lie beside them.

    human-scores/LP.NAME.JUDGE.seg.rating   marks of one judge
    human-scores/LP.NAME.seg.score          one score of each output
    sources/LP.txt   documents/LP.docs   system-outputs/LP/SYSTEM.txt

Marks are read as MQM; scores as DA, of a judge who is called after the file.
"""

from pathlib import Path
from typing import Any, NamedTuple

from metra.errors import FormatError
from metra.human.files import mt_metrics_eval
from metra.human.judgement import Judgement
from metra.human.protocols import PROTOCOLS

_SCORED = ("da", "da-sqm")


class _Texts(NamedTuple):
    """The lines of the folder's texts; empty where a file is not there."""

    sources: list[str]
    documents: list[str]
    outputs: dict[str, list[str]]


def read(text: str, path: str) -> list[Judgement]:
    """Read one rating or score file; its name tells the languages and what was asked."""
    file = Path(path)
    pair, _, rest = file.name.partition(".")
    source, dash, target = pair.partition("-")
    name, _, level = rest.partition(".seg.")
    if not dash or not name:
        msg = f"{path}: expected a name such as en-de.mqm.seg.rating."
        raise FormatError(msg)
    texts = _texts(file.resolve().parent.parent, pair)
    asked, _, who = name.partition(".")
    rows: list[tuple[str, int, str, dict[str, Any]]]
    if level == "rating":
        rows = [
            (system, segment, judge, {"mqm": marks})
            for system, segment, judge, marks in mt_metrics_eval.read_ratings(
                text, path, judge=who or asked
            )
            if marks is not None
        ]
        asked = "mqm"
    elif asked in _SCORED:
        rows = [
            (system, segment, name, {asked: score})
            for system, segment, score in mt_metrics_eval.read_scores(text, path)
            if score is not None
        ]
    else:
        msg = (
            f"{path} holds scores of {asked}, which are no whole answers; read marks "
            "(.seg.rating) or scores of da, or give the file to metra meta."
        )
        raise FormatError(msg)
    return [_judgement(path, asked, (source, target), row, texts) for row in rows]


def _judgement(
    path: str,
    asked: str,
    languages: tuple[str, str],
    row: tuple[str, int, str, dict[str, Any]],
    texts: _Texts,
) -> Judgement:
    system, segment, judge, value = row
    protocol = PROTOCOLS[asked]
    output = _line(texts.outputs.get(system, []), segment) or ""
    shown = _line(texts.sources, segment)
    inside = {"output": output} | ({} if shown is None else {"source": shown})
    name = f"{judge}:{system}:{segment}"
    marks = value.get("mqm")
    if isinstance(marks, list):
        for mark in marks:
            mark.setdefault("category", "other")
    try:
        value = protocol.recorded().check(value, inside)
    except ValueError as error:
        msg = (
            f"{path}, segment {segment} of {system}: {error} The texts are looked for in "
            "sources/ and system-outputs/ beside the folder of the file."
        )
        raise FormatError(msg) from None
    return Judgement(
        id=name,
        campaign="mt-metrics-eval",
        protocol=asked,
        protocol_version=protocol.version,
        source_language=languages[0],
        target_language=languages[1],
        judge=judge,
        task=name,
        kind="judged",
        systems=(system,),
        document=(_line(texts.documents, segment) or "").rpartition("\t")[2],
        segment=segment,
        source=shown,
        outputs=(output,),
        value=value,
    )


def _texts(folder: Path, pair: str) -> _Texts:
    outputs = folder / "system-outputs" / pair
    files = sorted(outputs.glob("*.txt")) if outputs.is_dir() else []
    return _Texts(
        _lines(folder / "sources" / f"{pair}.txt"),
        _lines(folder / "documents" / f"{pair}.docs"),
        {file.stem: _lines(file) for file in files},
    )


def _lines(file: Path) -> list[str]:
    if not file.is_file():
        return []
    return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _line(lines: list[str], segment: int) -> str | None:
    return lines[segment - 1] if segment <= len(lines) else None
