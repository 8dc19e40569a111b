"""Other programs' files as judgements or as texts; the content tells what a file is.

To add a format, write its reader in `metra.formats.scores` and add a line to `_FORMATS`.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from metra.campaign.judgement import check_imported
from metra.campaign.protocols.registry import PROTOCOLS, protocol
from metra.campaign.protocols.spans import find_marks
from metra.errors import FormatError, OptionError, UnknownNameError, no_such
from metra.formats.recognise import FileHead, recognise
from metra.formats.scores import (
    appraise,
    judgement_jsonl,
    mqm,
    mt_metrics_eval,
    pearmut,
)
from metra.formats.scores.judgement import AnswerStep, JudgedText, Judgement
from metra.formats.stream import ByteStream

_UNKNOWN = ("und", "und")


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file, the name of its format, and its text."""

    path: str
    kind: str
    text: str

    @property
    def name(self) -> str:
        """What the campaign is called after."""
        return Path(self.path).name.partition(".")[0]

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        lines = self.text.removesuffix("\n").split("\n")
        return [line.removesuffix("\r") for line in lines]


class ImportOptions(NamedTuple):
    """What files do not say of themselves."""

    languages: tuple[str, str]
    protocol: str | None
    #: The source and the text of each system, item and type of Appraise's.
    outputs: dict[tuple[str, str, str], tuple[str | None, str]]


class ImportFormat(NamedTuple):
    """How files of a format are recognised, and what is read from them."""

    name: str
    #: Takes the whole file.
    looks_like: Callable[[FileHead], bool]
    read_judgements: Callable[[ImportedFile, ImportOptions], list[Judgement]] | None = (
        None
    )
    #: For files of texts without judgements.
    read_texts: Callable[[str, str], list[JudgedText]] | None = None
    #: Add what a file says about the other files.
    add_options: Callable[[ImportedFile, ImportOptions], ImportOptions] | None = None
    #: Whether the texts lie in folders beside the file.
    needs_folder: bool = False


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
    """Parse the judgements of files that have been read.

    Appraise's batches bring the texts of its export, and a campaign of Pearmut says which
    protocol its results followed.
    """
    if protocol is not None and protocol not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", protocol, PROTOCOLS))
    options = ImportOptions(languages or _UNKNOWN, protocol, {})
    for file in files:
        add_options = _FORMATS[file.kind].add_options
        options = add_options(file, options) if add_options is not None else options
    judgements: list[Judgement] = []
    for file in files:
        read = _FORMATS[file.kind].read_judgements
        judgements += read(file, options) if read is not None else []
    if not judgements:
        kinds = ", ".join(f"{file.path} ({file.kind})" for file in files)
        msg = f"There are no judgements in {kinds}."
        raise FormatError(msg)
    return judgements


def parse_judgement_lines(lines: Iterable[str], path: str) -> list[Judgement]:
    """Parse judgements as metra exports them, in JSON lines."""
    return judgement_jsonl.parse_judgements(
        lines, path, protocols=PROTOCOLS, check=check_imported
    )


def read_texts(paths: Sequence[str]) -> list[JudgedText]:
    """Read the texts of campaigns that other programs made."""
    texts: list[JudgedText] = []
    for path in paths:
        file = read_file(path)
        read = _FORMATS[file.kind].read_texts
        if read is None:
            msg = (
                f"{path} holds no campaign's texts; expected a campaign of Pearmut or "
                "batches of Appraise."
            )
            raise OptionError(msg)
        texts += read(file.text, file.path)
    return texts


def read_file(path: str) -> ImportedFile:
    """Read a file as UTF-8 text, and recognise its format."""
    with closing(ByteStream(path)) as stream:
        return _recognise_file(path, b"".join(iter(stream.read, b"")))


def recognise_upload(name: str, content: bytes) -> ImportedFile:
    """Recognise a file that was sent; nothing beside it can be read."""
    place = name.replace("\\", "/").rpartition("/")[2]
    file = _recognise_file(place, content)
    if _FORMATS[file.kind].needs_folder:
        msg = (
            f"{place} belongs to a folder with its texts, which cannot be sent; use metra "
            "judge import --store."
        )
        raise OptionError(msg)
    return file


def _recognise_file(path: str, content: bytes) -> ImportedFile:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8."
        raise FormatError(msg) from None
    head = FileHead(path, text.encode())
    form = recognise(head, _FORMATS.values())
    if form is not None:
        return ImportedFile(path, form.name, text)
    msg = (
        f"{path} begins with {head.first_line[:60]!r}, which no reader knows; expected "
        "judgements of metra, Pearmut, Appraise, Marot or mt-metrics-eval."
    )
    raise FormatError(msg)


def split_language_pair(name: str | None) -> tuple[str, str] | None:
    """Split a pair of languages.

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


def _read_metra(file: ImportedFile, _: ImportOptions) -> list[Judgement]:
    return parse_judgement_lines(file.lines, file.path)


def _read_pearmut(file: ImportedFile, options: ImportOptions) -> list[Judgement]:
    return pearmut.parse_results(
        file.lines,
        file.path,
        languages=options.languages,
        steps_of=list_answer_steps,
        check=check_imported,
        campaign=file.name,
        protocol=options.protocol,
    )


def list_answer_steps(name: str) -> list[AnswerStep]:
    """List the steps of a protocol as readers of answers need them."""
    steps = []
    for step in protocol(name).steps:
        marks = find_marks([step.asks])
        if marks is None:
            steps.append(AnswerStep(step.name))
        else:
            has_categories = bool(marks.categories)
            steps.append(AnswerStep(step.name, marks.severities, has_categories))
    return steps


def _read_appraise(file: ImportedFile, options: ImportOptions) -> list[Judgement]:
    return appraise.parse_appraise_judgements(
        file.lines,
        file.path,
        outputs=options.outputs,
        check=check_imported,
        campaign=file.name,
    )


def _read_marot(file: ImportedFile, options: ImportOptions) -> list[Judgement]:
    return mqm.parse_marot(
        file.lines,
        file.path,
        languages=options.languages,
        check=check_imported,
        campaign=file.name,
    )


def _read_folder(file: ImportedFile, _: ImportOptions) -> list[Judgement]:
    return mt_metrics_eval.parse_folder_judgements(
        file.lines, file.path, check=check_imported
    )


def _add_protocol(file: ImportedFile, options: ImportOptions) -> ImportOptions:
    protocol = options.protocol or pearmut.find_protocol(file.text, file.path)
    return options._replace(protocol=protocol)


def _add_outputs(file: ImportedFile, options: ImportOptions) -> ImportOptions:
    outputs = appraise.index_batches(file.text, file.path)
    return options._replace(outputs=options.outputs | outputs)


def _is_folder_file(head: FileHead) -> bool:
    return head.path.endswith((".seg.rating", ".seg.score"))


def _is_marot(head: FileHead) -> bool:
    return tuple(head.columns) == mqm.COLUMNS


def _is_metra(head: FileHead) -> bool:
    return "schema" in (head.first_object or {})


def _is_pearmut(head: FileHead) -> bool:
    return {"annotation", "user_id"} <= (head.first_object or {}).keys()


def _is_pearmut_campaign(head: FileHead) -> bool:
    content = _parse_json(head)
    return isinstance(content, dict) and "data" in content


def _is_batches(head: FileHead) -> bool:
    return isinstance(_parse_json(head), list)


def _parse_json(head: FileHead) -> object:
    if not head.text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(head.text)
    except ValueError:
        return None


#: The first format that a file looks like reads it.
_FORMATS = {
    form.name: form
    for form in (
        ImportFormat(
            "mt-metrics-eval", _is_folder_file, _read_folder, needs_folder=True
        ),
        ImportFormat("marot", _is_marot, _read_marot),
        ImportFormat("metra", _is_metra, _read_metra),
        ImportFormat("pearmut", _is_pearmut, _read_pearmut),
        ImportFormat(
            "pearmut-campaign",
            _is_pearmut_campaign,
            read_texts=pearmut.parse_campaign,
            add_options=_add_protocol,
        ),
        ImportFormat(
            "appraise-batches",
            _is_batches,
            read_texts=appraise.parse_batches,
            add_options=_add_outputs,
        ),
        ImportFormat("appraise", appraise.is_appraise, _read_appraise),
    )
}
#: Formats of texts without judgements.
TEXTS = tuple(name for name, form in _FORMATS.items() if form.read_texts is not None)
