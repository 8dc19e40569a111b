"""Files for a campaign, looked at before anybody is asked: do they belong together?"""

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from metra.corpus import Chunk, EvalSet, Outputs
from metra.errors import FormatError, MetraError
from metra.io import open_corpus
from metra.io.fields import Field
from metra.io.formats import WITH_IDS
from metra.io.sources import Source, sources

Use = Literal["output", "reference", "source", "document"]
_CHUNK = 4096
#: What a packed corpus may unpack to.
_MOST = 256_000_000


class Upload(NamedTuple):
    """A file that somebody chose: what it is for, what it is called, its bytes."""

    use: Use
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Looked:
    """What is in a file, column by column."""

    file: str
    use: str
    name: str
    segments: int
    empty: int
    #: Segments whose text has come before.
    repeated: int


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a campaign to be: everything is as long as the outputs."""

    outputs: dict[str, list[str]]
    references: list[list[str | None]]
    source: list[str] | None
    documents: list[str] | None

    def as_corpus(self) -> Outputs:
        """The same as a corpus."""
        return Outputs(
            EvalSet(self.references or None, self.source, self.documents),
            self.outputs,
        )

    def packed(self) -> str:
        """The same as a short line of letters, for a page to carry along."""
        content = json.dumps(asdict(self), separators=(",", ":")).encode()
        return base64.b85encode(zlib.compress(content, 6)).decode()


@dataclass(frozen=True, slots=True)
class Pairing:
    """What was found, and what is wrong with it, if anything is."""

    files: tuple[Looked, ...]
    texts: Texts | None
    problem: str
    warnings: tuple[str, ...]


def paired(uploads: Sequence[Upload]) -> Pairing:
    """Read the files and join them; whatever is wrong is said in a sentence."""
    with TemporaryDirectory(prefix="metra-") as folder:
        try:
            return _paired(uploads, Path(folder))
        except MetraError as error:
            problem = str(error).replace(f"{folder}/", "")
            return Pairing((), None, _without_places(problem), ())


def unpacked(line: str) -> Texts:
    """Undo `Texts.packed`; what somebody has changed on the way is refused."""
    try:
        raw = zlib.decompressobj()
        content = raw.decompress(base64.b85decode(line.strip()), _MOST)
        return Texts(**json.loads(content))
    except (ValueError, TypeError, zlib.error):
        msg = "The texts did not come back whole; choose the files again."
        raise FormatError(msg) from None


def _paired(uploads: Sequence[Upload], folder: Path) -> Pairing:
    paths: dict[str, list[str]] = {}
    looked: list[Looked] = []
    for number, upload in enumerate(uploads, 1):
        # A folder for each: two files may have the same name.
        place = folder / str(number)
        place.mkdir()
        path = place / _safe_name(upload.name)
        path.write_bytes(upload.content)
        paths.setdefault(upload.use, []).append(str(path))
        looked += _looked(upload, str(path))
    outputs = paths.get("output", [])
    if not outputs:
        msg = "There is no output to judge; choose at least one file of outputs."
        raise FormatError(msg)
    for use in ("source", "document"):
        if len(paths.get(use, [])) > 1:
            msg = f"There are {len(paths[use])} files for the {use}; choose one."
            raise FormatError(msg)
    try:
        corpus = open_corpus(
            outputs,
            paths.get("reference", []),
            *(paths.get(use, [None])[0] for use in ("source", "document")),
        )
        texts = _texts(corpus.chunks(_CHUNK))
    except MetraError as error:
        problem = _without_places(str(error).replace(f"{folder}/", ""))
        return Pairing(tuple(looked), None, problem, ())
    return Pairing(tuple(looked), texts, "", tuple(_warnings(looked)))


def _looked(upload: Upload, path: str) -> list[Looked]:
    """Count what a file holds; files with ids are counted when they are joined."""
    [file] = sources([path])
    if upload.use != "output":
        file = file._replace(use=upload.use)
    if file.format in WITH_IDS:
        return []
    return [
        Looked(
            Path(path).name,
            field.role,
            field.name,
            len(texts),
            sum(not (text or "").strip() for text in texts),
            len(texts) - len(set(texts)) if field.role != "document" else 0,
        )
        for field, texts in _columns(file).items()
        if field.role != "label"
    ]


def _columns(file: Source) -> dict[Field, list[str | None]]:
    found: dict[Field, list[str | None]] = {}
    with closing(file.open()) as reader:
        while True:
            columns = reader.read(_CHUNK)
            for field, values in columns.items():
                found.setdefault(field, []).extend(
                    values[at] for at in range(len(values))
                )
            if len(next(iter(columns.values()))) < _CHUNK:
                return found


def _texts(chunks: Iterable[Chunk]) -> Texts:
    outputs: dict[str, list[str]] = {}
    references: list[list[str | None]] = []
    source: list[str] = []
    documents: list[str] = []
    for chunk in chunks:
        size = range(len(chunk))
        for name, column in chunk.systems.items():
            outputs.setdefault(name, []).extend(column.text[at] or "" for at in size)
        for number, column in enumerate(chunk.refs):
            if number == len(references):
                references.append([])
            references[number].extend(column.text[at] for at in size)
        if chunk.source is not None:
            source += [chunk.source.text[at] or "" for at in size]
        if chunk.documents is not None:
            documents += chunk.documents
    return Texts(outputs, references, source or None, documents or None)


def _warnings(looked: Sequence[Looked]) -> Iterable[str]:
    for one in looked:
        what = f"{one.name} ({one.file})"
        if one.empty and one.use != "document":
            yield f"{what} has {one.empty} empty {_many('segment', one.empty)}."
        if one.repeated > one.segments // 10:
            yield (
                f"{what} says the same again in {one.repeated} of {one.segments} "
                "segments; judges will notice."
            )
    outputs = [one for one in looked if one.use == "output"]
    if len(outputs) == 1:
        yield "There is one system only: its scores can be held against no other's."


def _many(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def _safe_name(name: str) -> str:
    """The last part of a name, with nothing in it that a file system reads as more.

    >>> _safe_name("../a b=c.txt"), _safe_name("..")
    ('a b-c.txt', 'file')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(
        letter if letter.isprintable() and letter not in '=:*?"<>|' else "-"
        for letter in last
    )[-100:].strip(". ")
    return kept or "file"


def _without_places(problem: str) -> str:
    """Take the numbers of our folders out of a message: 3/a.txt is a.txt to the user."""
    import re

    return re.sub(r"(?<![\w/.])\d+/(?=[^\s/])", "", problem)
