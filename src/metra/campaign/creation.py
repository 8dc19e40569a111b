"""Files for a campaign, looked at before anybody is asked: do they belong together?

A campaign from its file: what it wishes in TOML, and where its texts are.
What a campaign asks of its judges, in a sentence, before anybody is asked.
What a campaign would ask of its judges, before it is kept.
"""

import base64
import json
import secrets
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from metra.campaign.assignment import assign
from metra.campaign.campaign import Campaign, campaign
from metra.campaign.material import READERS, checked, placed, read_material
from metra.campaign.own_wording import in_words
from metra.campaign.settings import settings
from metra.campaign.task import COUNTED, Task
from metra.corpus.evalset import Chunk, EvalSet, Outputs
from metra.errors import FormatError, MetraError
from metra.formats.recognise import WITH_IDS
from metra.formats.stream import read_toml
from metra.formats.texts.columns import Field
from metra.formats.texts.sources import Source, sources
from metra.scoring.files import open_corpus

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


_LISTS = ("outputs", "references")
_SINGLE = ("source", "documents")
_NAMES = (*_LISTS, *_SINGLE, *READERS)


def open_campaign(path: str) -> Campaign:
    """Read a campaign's file and texts, and freeze them."""
    table = read_toml(path, "a campaign")
    files = table.pop("files", None)
    if not isinstance(files, dict) or not files.get("outputs"):
        msg = (
            f'{path} has no [files] with outputs; expected outputs = ["NAME=PATH", …].'
        )
        raise FormatError(msg)
    for name, value in files.items():
        _check(name, value, path)
    words = table.pop("wording", None)
    wishes = settings(table, path)
    here = Path(path).parent
    corpus = open_corpus(
        [_placed(output, here) for output in files["outputs"]],
        [_placed(reference, here) for reference in files.get("references", ())],
        *(_placed(files[name], here) if name in files else None for name in _SINGLE),
    )
    material = {name: files[name] for name in READERS if name in files}
    frozen = campaign(wishes, corpus, read_material(placed(material, here)))
    return in_words(checked(frozen), words, path)


def _check(name: str, value: Any, path: str) -> None:
    if name not in _NAMES:
        msg = f"{path} has files.{name}; expected {', '.join(_NAMES)}."
        raise FormatError(msg)
    listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
    if not (listed if name in _LISTS else isinstance(value, str)):
        expected = "a list of paths" if name in _LISTS else "a path"
        msg = f"{path}: files.{name} is {value!r}; expected {expected}."
        raise FormatError(msg)


def _placed(file: str, here: Path) -> str:
    """Find a file from the campaign's folder; its name before `=` stays."""
    name, equals, path = file.rpartition("=")
    return f"{name}{equals}{here / path}"


def cost(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Say how many items each judge has, for how long, and how the judges overlap."""
    judges = campaign.settings.judges
    items = Counter(dict.fromkeys(judges, 0))
    for task in tasks:
        items[task.judge] += len(task.items)
    most, least = max(items.values()), min(items.values())
    minutes = round(most * campaign.protocol.seconds / 60)
    counted = f"{most}" if most == least else f"{least} to {most}"
    each = campaign.settings.each
    shared = overlaps(tasks, judges)
    fewest = min(shared.values(), default=0)
    pairs = (
        f"; each of the {len(shared)} pairs of judges shares at least {fewest}"
        if shared
        else ""
    )
    return (
        f"{len(judges)} {_many('judge', len(judges))} × {counted} items ≈ {minutes} min "
        f"each; every item by {each} {_many('judge', each)}{pairs}."
    )


def overlaps(
    tasks: Sequence[Task], judges: Sequence[str]
) -> dict[tuple[str, str], int]:
    """How many outputs each pair of judges has in common, calibration included."""
    seen: dict[str, set[tuple[str, int]]] = {judge: set() for judge in judges}
    for task in tasks:
        if task.kind in COUNTED or task.kind == "calibration":
            seen[task.judge] |= {(item.system, item.segment) for item in task.items}
    return {
        (one, other): len(seen[one] & seen[other])
        for one, other in combinations(judges, 2)
    }


@dataclass(frozen=True, slots=True)
class Plan:
    """The cost in a sentence, and how many tasks of each kind there are."""

    cost: str
    kinds: dict[str, int]


def plan(campaign: Campaign) -> Plan:
    """Share the work out as it would be, and count."""
    tasks = assign(campaign, secret=secrets.token_bytes(16))
    return Plan(cost(campaign, tasks), dict(Counter(task.kind for task in tasks)))
