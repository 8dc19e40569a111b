"""Other programs' files as judgements or as texts: what each file is, its content tells.

A folder of mt-metrics-eval: judgements with the texts that lie beside them.
"""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from metra.campaign.files import appraise, jsonl, marot, mt_metrics_eval, pearmut
from metra.campaign.files.pearmut import JudgedText
from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import FormatError, OptionError, UnknownNameError, no_such
from metra.formats.scores.judgement import Judgement

_SCORED = ("da", "da-sqm")


class _FolderTexts(NamedTuple):
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
    texts = _read_folder_texts(file.resolve().parent.parent, pair)
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
    return [_build_judgement(path, asked, (source, target), row, texts) for row in rows]


def _build_judgement(
    path: str,
    asked: str,
    languages: tuple[str, str],
    row: tuple[str, int, str, dict[str, Any]],
    texts: _FolderTexts,
) -> Judgement:
    system, segment, judge, value = row
    protocol = PROTOCOLS[asked]
    output = _get_line(texts.outputs.get(system, []), segment) or ""
    shown = _get_line(texts.sources, segment)
    inside = {"output": output} | ({} if shown is None else {"source": shown})
    name = f"{judge}:{system}:{segment}"
    marks = value.get("mqm")
    if isinstance(marks, list):
        for mark in marks:
            mark.setdefault("category", "other")
    try:
        value = protocol.relax_rules().check(value, inside)
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
        document=(_get_line(texts.documents, segment) or "").rpartition("\t")[2],
        segment=segment,
        source=shown,
        outputs=(output,),
        value=value,
    )


def _read_folder_texts(folder: Path, pair: str) -> _FolderTexts:
    outputs = folder / "system-outputs" / pair
    files = sorted(outputs.glob("*.txt")) if outputs.is_dir() else []
    return _FolderTexts(
        _read_lines(folder / "sources" / f"{pair}.txt"),
        _read_lines(folder / "documents" / f"{pair}.docs"),
        {file.stem: _read_lines(file) for file in files},
    )


def _read_lines(file: Path) -> list[str]:
    if not file.is_file():
        return []
    return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _get_line(lines: list[str], segment: int) -> str | None:
    return lines[segment - 1] if segment <= len(lines) else None


#: Files of texts without judgements.
TEXTS = ("pearmut-campaign", "appraise-batches")
_UNKNOWN = ("und", "und")


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file, what it is, and its text."""

    path: str
    kind: str
    text: str

    @property
    def name(self) -> str:
        """What the campaign is called after."""
        return Path(self.path).name.partition(".")[0]


class _ImportOptions(NamedTuple):
    """What files do not say of themselves."""

    languages: tuple[str, str]
    protocol: str | None
    outputs: dict[tuple[str, str, str], tuple[str | None, str]]


def read_file(path: str) -> ImportedFile:
    """Read a file as UTF-8 text, and tell what it is."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
        raise FormatError(msg) from None
    return _recognise_file(path, content)


def _recognise_file(path: str, content: bytes) -> ImportedFile:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8."
        raise FormatError(msg) from None
    return ImportedFile(path, _detect_kind(path, text), text)


def recognise_upload(name: str, content: bytes) -> ImportedFile:
    """Take a file that was sent; nothing beside it can be read."""
    place = name.replace("\\", "/").rpartition("/")[2]
    found = _recognise_file(place, content)
    if found.kind == "mt-metrics-eval":
        msg = (
            f"{place} belongs to a folder with its texts, which cannot be sent; use metra "
            "judge import --store."
        )
        raise OptionError(msg)
    return found


def read_judgements(
    paths: Sequence[str],
    *,
    languages: tuple[str, str] | None = None,
    protocol: str | None = None,
) -> list[Judgement]:
    """Read the judgements of files; texts that belong to them may be among the files."""
    files = [read_file(path) for path in paths]
    return parse_judgements(files, languages=languages, protocol=protocol)


def parse_judgements(
    files: Sequence[ImportedFile],
    *,
    languages: tuple[str, str] | None = None,
    protocol: str | None = None,
) -> list[Judgement]:
    """The judgements of files that have been read.

    Appraise's batches bring the texts of its export, and a campaign of Pearmut says which
    protocol its results followed.
    """
    if protocol is not None and protocol not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", protocol, PROTOCOLS))
    outputs: dict[tuple[str, str, str], tuple[str | None, str]] = {}
    for file in files:
        if file.kind == "appraise-batches":
            outputs |= appraise.index_outputs(file.text, file.path)
        elif file.kind == "pearmut-campaign":
            protocol = protocol or pearmut.find_protocol(file.text, file.path)
    known = _ImportOptions(languages or _UNKNOWN, protocol, outputs)
    found: list[Judgement] = []
    for file in files:
        if file.kind in _READERS:
            found += _READERS[file.kind](file, known)
    if not found:
        kinds = ", ".join(f"{file.path} ({file.kind})" for file in files)
        msg = f"There are no judgements in {kinds}."
        raise FormatError(msg)
    return found


def read_texts(paths: Sequence[str]) -> list[JudgedText]:
    """Read the texts of campaigns that other programs made."""
    found: list[JudgedText] = []
    for path in paths:
        file = read_file(path)
        if file.kind not in TEXTS:
            msg = (
                f"{path} holds no campaign's texts; expected a campaign of Pearmut or "
                "batches of Appraise."
            )
            raise OptionError(msg)
        reader = (
            pearmut.read_campaign
            if file.kind == "pearmut-campaign"
            else appraise.read_batches
        )
        found += reader(file.text, file.path)
    return found


def split_language_pair(name: str | None) -> tuple[str, str] | None:
    """Take a pair of languages apart.

    >>> split_language_pair("en-de")
    ('en', 'de')
    """
    if name is None:
        return None
    source, dash, target = name.partition("-")
    if not (source and dash and target):
        msg = f"The languages are {name!r}; expected two codes, such as en-de."
        raise OptionError(msg)
    return source, target


def _read_metra(file: ImportedFile, _: _ImportOptions) -> list[Judgement]:
    return jsonl.read(file.text, file.path)


def _read_pearmut(file: ImportedFile, known: _ImportOptions) -> list[Judgement]:
    return pearmut.read_results(
        file.text,
        file.path,
        languages=known.languages,
        campaign=file.name,
        protocol=known.protocol,
    )


def _read_appraise(file: ImportedFile, known: _ImportOptions) -> list[Judgement]:
    return appraise.read(
        file.text, file.path, outputs=known.outputs, campaign=file.name
    )


def _read_marot(file: ImportedFile, known: _ImportOptions) -> list[Judgement]:
    return marot.read(
        file.text, file.path, languages=known.languages, campaign=file.name
    )


def _read_folder(file: ImportedFile, _: _ImportOptions) -> list[Judgement]:
    return read(file.text, file.path)


_READERS: dict[str, Callable[[ImportedFile, _ImportOptions], list[Judgement]]] = {
    "metra": _read_metra,
    "pearmut": _read_pearmut,
    "appraise": _read_appraise,
    "marot": _read_marot,
    "mt-metrics-eval": _read_folder,
}


def _detect_kind(path: str, text: str) -> str:
    if path.endswith((".seg.rating", ".seg.score")):
        return "mt-metrics-eval"
    first = text.partition("\n")[0].rstrip("\r")
    if tuple(first.split("\t")) == marot.COLUMNS:
        return "marot"
    found = _detect_json_kind(text, first)
    if found:
        return found
    cells = next(csv.reader([first]), [])
    if len(cells) >= 11 and cells[3] in appraise.TYPES.values():
        return "appraise"
    msg = (
        f"{path} begins with {first[:60]!r}, which no reader knows; expected judgements of "
        "metra, Pearmut, Appraise, Marot or mt-metrics-eval."
    )
    raise FormatError(msg)


def _detect_json_kind(text: str, first: str) -> str:
    """Tell JSON lines by their first line, and a whole file of JSON by its top."""
    if not text.lstrip().startswith(("{", "[")):
        return ""
    try:
        entry = json.loads(first)
    except ValueError:
        entry = None
    if isinstance(entry, dict) and "schema" in entry:
        return "metra"
    if isinstance(entry, dict) and "annotation" in entry and "user_id" in entry:
        return "pearmut"
    try:
        whole = json.loads(text)
    except ValueError:
        return ""
    if isinstance(whole, dict) and "data" in whole:
        return "pearmut-campaign"
    return "appraise-batches" if isinstance(whole, list) else ""
