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
from metra.campaign.campaign import Campaign, freeze_campaign
from metra.campaign.material import READERS, check_marks, read_material, resolve_paths
from metra.campaign.own_wording import add_wordings
from metra.campaign.settings import check_settings
from metra.campaign.task import Task
from metra.corpus.batch import CorpusChunk
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import FormatError, MetraError
from metra.formats.scores.judgement import COUNTED
from metra.formats.stream import read_toml
from metra.formats.texts.columns import Field
from metra.formats.texts.sources import Source, list_sources
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
class ColumnCounts:
    """What is in a file, column by column."""

    file: str
    use: str
    name: str
    segments: int
    empty: int
    #: Segments whose text has come before.
    repeated: int


@dataclass(frozen=True, slots=True)
class CampaignTexts:
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
class PairedUploads:
    """What was found, and what is wrong with it, if anything is."""

    files: tuple[ColumnCounts, ...]
    texts: CampaignTexts | None
    problem: str
    warnings: tuple[str, ...]


def pair_uploads(uploads: Sequence[Upload]) -> PairedUploads:
    """Read the files and join them; whatever is wrong is said in a sentence."""
    with TemporaryDirectory(prefix="metra-") as folder:
        try:
            return _pair_in_folder(uploads, Path(folder))
        except MetraError as error:
            problem = str(error).replace(f"{folder}/", "")
            return PairedUploads((), None, _strip_folders(problem), ())


def unpack_texts(line: str) -> CampaignTexts:
    """Undo `Texts.packed`; what somebody has changed on the way is refused."""
    try:
        raw = zlib.decompressobj()
        content = raw.decompress(base64.b85decode(line.strip()), _MOST)
        return CampaignTexts(**json.loads(content))
    except (ValueError, TypeError, zlib.error):
        msg = "The texts did not come back whole; choose the files again."
        raise FormatError(msg) from None


def _pair_in_folder(uploads: Sequence[Upload], folder: Path) -> PairedUploads:
    paths: dict[str, list[str]] = {}
    looked: list[ColumnCounts] = []
    for number, upload in enumerate(uploads, 1):
        # A folder for each: two files may have the same name.
        place = folder / str(number)
        place.mkdir()
        path = place / _safe_name(upload.name)
        path.write_bytes(upload.content)
        paths.setdefault(upload.use, []).append(str(path))
        looked += _inspect_upload(upload, str(path))
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
        texts = _collect_texts(corpus.chunks(_CHUNK))
    except MetraError as error:
        problem = _strip_folders(str(error).replace(f"{folder}/", ""))
        return PairedUploads(tuple(looked), None, problem, ())
    return PairedUploads(tuple(looked), texts, "", tuple(_find_warnings(looked)))


def _inspect_upload(upload: Upload, path: str) -> list[ColumnCounts]:
    """Count what a file holds; files with ids are counted when they are joined."""
    [file] = list_sources([path])
    if upload.use != "output":
        file = file._replace(use=upload.use)
    if file.format.has_ids:
        return []
    return [
        ColumnCounts(
            Path(path).name,
            field.role,
            field.name,
            len(texts),
            sum(not (text or "").strip() for text in texts),
            len(texts) - len(set(texts)) if field.role != "document" else 0,
        )
        for field, texts in _read_columns(file).items()
        if field.role != "label"
    ]


def _read_columns(file: Source) -> dict[Field, list[str | None]]:
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


def _collect_texts(chunks: Iterable[CorpusChunk]) -> CampaignTexts:
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
    return CampaignTexts(outputs, references, source or None, documents or None)


def _find_warnings(looked: Sequence[ColumnCounts]) -> Iterable[str]:
    for one in looked:
        what = f"{one.name} ({one.file})"
        if one.empty and one.use != "document":
            yield f"{what} has {one.empty} empty {_format_count('segment', one.empty)}."
        if one.repeated > one.segments // 10:
            yield (
                f"{what} says the same again in {one.repeated} of {one.segments} "
                "segments; judges will notice."
            )
    outputs = [one for one in looked if one.use == "output"]
    if len(outputs) == 1:
        yield "There is one system only: its scores can be held against no other's."


def _format_count(word: str, count: int) -> str:
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


def _strip_folders(problem: str) -> str:
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
        _check_files(name, value, path)
    words = table.pop("wording", None)
    wishes = check_settings(table, path)
    here = Path(path).parent
    corpus = open_corpus(
        [_resolve_path(output, here) for output in files["outputs"]],
        [_resolve_path(reference, here) for reference in files.get("references", ())],
        *(
            _resolve_path(files[name], here) if name in files else None
            for name in _SINGLE
        ),
    )
    material = {name: files[name] for name in READERS if name in files}
    frozen = freeze_campaign(
        wishes, corpus, read_material(resolve_paths(material, here))
    )
    return add_wordings(check_marks(frozen), words, path)


def _check_files(name: str, value: Any, path: str) -> None:
    if name not in _NAMES:
        msg = f"{path} has files.{name}; expected {', '.join(_NAMES)}."
        raise FormatError(msg)
    listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
    if not (listed if name in _LISTS else isinstance(value, str)):
        expected = "a list of paths" if name in _LISTS else "a path"
        msg = f"{path}: files.{name} is {value!r}; expected {expected}."
        raise FormatError(msg)


def _resolve_path(file: str, here: Path) -> str:
    """Find a file from the campaign's folder; its name before `=` stays."""
    name, equals, path = file.rpartition("=")
    return f"{name}{equals}{here / path}"


def describe_cost(campaign: Campaign, tasks: Sequence[Task]) -> str:
    """Say how many items each judge has, for how long, and how the judges overlap."""
    judges = campaign.settings.judges
    items = Counter(dict.fromkeys(judges, 0))
    for task in tasks:
        items[task.judge] += len(task.items)
    most, least = max(items.values()), min(items.values())
    minutes = round(most * campaign.protocol.seconds / 60)
    counted = f"{most}" if most == least else f"{least} to {most}"
    each = campaign.settings.each
    shared = count_overlaps(tasks, judges)
    fewest = min(shared.values(), default=0)
    pairs = (
        f"; each of the {len(shared)} pairs of judges shares at least {fewest}"
        if shared
        else ""
    )
    return (
        f"{len(judges)} {_format_count('judge', len(judges))} × {counted} items ≈ "
        f"{minutes} min "
        f"each; every item by {each} {_format_count('judge', each)}{pairs}."
    )


def count_overlaps(
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
class WorkloadPlan:
    """The cost in a sentence, and how many tasks of each kind there are."""

    cost: str
    kinds: dict[str, int]


def plan_workload(campaign: Campaign) -> WorkloadPlan:
    """Share the work out as it would be, and count."""
    tasks = assign(campaign, secret=secrets.token_bytes(16))
    return WorkloadPlan(
        describe_cost(campaign, tasks), dict(Counter(task.kind for task in tasks))
    )
