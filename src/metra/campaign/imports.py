"""Other programs' files as judgements; `metra.scores.registry` has the formats."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metra.campaign.judgement import check_imported
from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import FormatError, OptionError, UnknownNameError, no_such
from metra.formats.recognise import FileHead, recognise
from metra.formats.stream import find_encoding, read_bytes, refuse_damage
from metra.scores import appraise, pearmut
from metra.scores.judgement import Judgement
from metra.scores.registry import SCORE_FORMATS
from metra.text.scripts import is_language_code

_UNKNOWN = ("und", "und")
_FORMATS = [f for f in SCORE_FORMATS.values() if f.read_judgements or f.completes]


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file, the name of its format, and its text."""

    path: str
    kind: str
    text: str

    @property
    def name(self) -> str:
        """Name for the campaign."""
        return Path(self.path).name.partition(".")[0]

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        lines = self.text.removesuffix("\n").split("\n")
        return [line.removesuffix("\r") for line in lines]


def parse_judgements(
    files: Sequence[ImportedFile],
    *,
    languages: tuple[str, str] | None = None,
    protocol: str | None = None,
) -> list[Judgement]:
    """Parse the judgements of files; texts that belong to them may be among the files.

    Appraise's batches bring the texts of its export, and a campaign of Pearmut says which
    protocol its results followed.
    """
    if protocol is not None and protocol not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", protocol, PROTOCOLS))
    outputs: dict[tuple[str, str, str], tuple[str | None, str]] = {}
    for file in files:
        if file.kind == "pearmut-campaign":
            protocol = protocol or pearmut.find_protocol(file.text, file.path)
        if file.kind == "appraise-batches":
            outputs |= appraise.index_batches(file.text, file.path)
    options: dict[str, Any] = {
        "languages": languages or _UNKNOWN,
        "protocol": protocol,
        "outputs": outputs,
        "protocols": PROTOCOLS,
    }
    judgements: list[Judgement] = []
    for file in files:
        form = SCORE_FORMATS[file.kind]
        if form.read_judgements is not None:
            given = options | {"campaign": file.name}
            chosen = {name: given[name] for name in form.options}
            with refuse_damage(file.path):
                judgements += form.read_judgements(
                    file.lines, file.path, check=check_imported, **chosen
                )
    if not judgements:
        kinds = ", ".join(f"{file.path} ({file.kind})" for file in files)
        msg = f"There are no judgements in {kinds}."
        raise FormatError(msg)
    return judgements


def read_file(path: str) -> ImportedFile:
    """Read a file as UTF-8 text, and recognise its format."""
    content = read_bytes(path)
    encoding = find_encoding(content, None, path)
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8."
        raise FormatError(msg) from None
    head = FileHead(path, text.encode())
    form = recognise(head, _FORMATS)
    if form is not None:
        return ImportedFile(path, form.name, text)
    msg = (
        f"{path} begins with {head.first_line[:60]!r}, which is not a known format; "
        "expected judgements from metra, Pearmut or Appraise; `metra meta` reads scores and "
        "marked errors of other programs."
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
    if not (dash and is_language_code(source) and is_language_code(target)):
        msg = f"The languages are {name!r}; expected two codes, such as en-de."
        raise OptionError(msg)
    return source, target
