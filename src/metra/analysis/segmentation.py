"""Outputs whose lines are not those of the references: segmented like them, and written.

The texts of all systems are read apart from each other, because nothing about their lines is
known; references, source and documents are read side by side.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from metra import __version__
from metra.errors import CorpusError, format_count
from metra.formats.atomic import is_folder_name
from metra.formats.convert import choose_written_format
from metra.formats.recognise import find_format_by_suffix
from metra.formats.stream import format_path
from metra.formats.texts.columns import DOCUMENT, Field
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.rows import (
    RowChunk,
    check_names,
    check_values,
    find_line_problem,
    write_lines,
)
from metra.formats.texts.sources import Source, list_sources
from metra.text.sentences.alignment import SentenceMatch, align_sentences
from metra.text.sentences.resegmentation import OutputPart, resegment

Method: TypeAlias = Literal["align", "resegment"]
UNSURE_BELOW = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationSettings:
    """Settings of a segmentation."""

    method: Method
    lang: str = ""
    #: Whether lines of outputs are cut into sentences first; for `align` only.
    split: bool = True
    #: Edits that a cut at the end of a sentence may cost; for `resegment` only.
    slack: int = 0

    def format_signature(self) -> str:
        """Name the method with all its settings."""
        parts = [f"lang:{self.lang or 'any'}"]
        if self.method == "align":
            parts.append(f"split:{'yes' if self.split else 'no'}")
        else:
            parts.append(f"slack:{self.slack}")
        return "|".join([self.method, *parts, f"version:{__version__}"])


class SegmentRecord(NamedTuple):
    """A segment of the reference, and what a system's output has for it."""

    number: int
    kind: str
    confidence: float
    #: Why the match is unsure; "" if it is not.
    reason: str
    output: str
    reference: str
    #: Edits to the nearest reference; None if sentences were aligned.
    edits: int | None = None


@dataclass(frozen=True, slots=True)
class SegmentedOutput:
    """The output of a system, segmented like the references."""

    system: str
    segments: Sequence[SegmentRecord]
    #: Sentences that correspond to no segment.
    added: int = 0
    #: The documents that were segmented apart from each other; 0 if none are known.
    documents: int = 0

    @property
    def unsure(self) -> list[SegmentRecord]:
        """The segments whose match is unsure, the least sure first."""
        unsure = [record for record in self.segments if record.reason]
        return sorted(unsure, key=lambda record: (record.confidence, record.number))

    @property
    def confidence(self) -> float:
        """The mean confidence of the segments."""
        total = sum(record.confidence for record in self.segments)
        return total / len(self.segments)


class OutputLines(NamedTuple):
    """The lines of an output, and the document of each where they are known."""

    lines: list[str]
    documents: list[str]


@dataclass(frozen=True, slots=True)
class UnalignedTexts:
    """Lines of outputs by system, and the parallel columns."""

    outputs: Mapping[str, OutputLines]
    columns: Mapping[Field, list[str | None]]

    @property
    def references(self) -> list[list[str | None]]:
        """The streams of references."""
        columns = self.columns.items()
        return [column for field, column in columns if field.role == "reference"]

    @property
    def documents(self) -> list[str | None] | None:
        """The document of each segment of the references, None if they are not known."""
        return self.columns.get(DOCUMENT)


def read_text_lines(path: str, **options: Any) -> list[str]:
    """Read the lines of one text, in any format; the options are those of `list_sources`."""
    texts = _read_outputs(list_sources([path], **options))
    if len(texts) != 1:
        problem = f"{format_path(path)} holds {len(texts)} texts"
        msg = f"{problem}: {', '.join(texts)}; give a file with one text."
        raise CorpusError(msg)
    (text,) = texts.values()
    return text.lines


def read_unaligned_texts(
    outputs: Sequence[str],
    references: Sequence[str],
    source: str | None = None,
    documents: str | None = None,
    **options: Any,
) -> UnalignedTexts:
    """Read outputs whose lines are not those of the references.

    The options are those of `list_sources`.
    """
    if not references:
        msg = "Segmentation needs references; give `references`."
        raise CorpusError(msg)
    files = list_sources(outputs, references, source, documents, **options)
    table = ParallelTable([file for file in files if file.use != "output"])
    # A file of references may hold outputs too, which are of no use here.
    fields = [field for field in table.fields if field.role != "output"]
    texts = _read_outputs([file for file in files if file.use == "output"])
    return UnalignedTexts(texts, table.read_columns(fields))


def _read_outputs(files: Sequence[Source]) -> dict[str, OutputLines]:
    """Read the lines of every output; a line feed inside of a segment ends a line too."""
    outputs: dict[str, OutputLines] = {}
    for file in files:
        table = ParallelTable([file])
        table.check_order()
        wanted = [f for f in table.fields if f.role == "output" or f == DOCUMENT]
        columns = table.read_columns(wanted)
        documents = columns.pop(DOCUMENT, None)
        for field, column in columns.items():
            if field.name in outputs:
                problem = f"Two outputs are named {field.name!r}"
                msg = f"{problem}; give each a name of its own: NAME=FILE."
                raise CorpusError(msg)
            parts = [(text or "").split("\n") for text in column]
            lines = [line for part in parts for line in part]
            pairs = zip(documents, parts, strict=True) if documents else ()
            names = [name or "" for name, part in pairs for _ in part]
            outputs[field.name] = OutputLines(lines, names)
    return outputs


def segment_outputs(
    texts: UnalignedTexts, settings: SegmentationSettings
) -> Iterator[SegmentedOutput]:
    """Segment every output like the references, each document apart if they are known."""
    shown = [
        next((text for text in row if text is not None), "")
        for row in zip(*texts.references, strict=True)
    ]
    for system, output in texts.outputs.items():
        documents = _pair_documents(texts.documents, system, output)
        numbered: dict[int, SegmentRecord] = {}
        added = 0
        for lines, places in documents or [(output.lines, range(len(shown)))]:
            references = [[stream[at] for at in places] for stream in texts.references]
            texts_shown = [shown[at] for at in places]
            records, extra = _segment_text(lines, references, texts_shown, settings)
            for place, record in zip(places, records, strict=True):
                numbered[place] = record._replace(number=place + 1)
            added += extra
        segments = [numbered[place] for place in range(len(shown))]
        yield SegmentedOutput(system, segments, added, len(documents))


def _pair_documents(
    documents: Sequence[str | None] | None, system: str, output: OutputLines
) -> list[tuple[list[str], Sequence[int]]]:
    """List each document's lines of an output, and the places of its reference segments.

    The list is empty if documents are not known on both sides.
    """
    if documents is None or not output.documents:
        return []
    lines: dict[str, list[str]] = {}
    for line, name in zip(output.lines, output.documents, strict=True):
        lines.setdefault(name, []).append(line)
    places: dict[str, list[int]] = {}
    for place, document in enumerate(documents):
        places.setdefault(document or "", []).append(place)
    unknown = next((name for name in lines if name not in places), None)
    if unknown is not None:
        problem = f"The output {system!r} has a document {unknown!r}"
        msg = f"{problem}, which the references do not have; the names must agree."
        raise CorpusError(msg)
    return [(lines.get(name, []), where) for name, where in places.items()]


def _segment_text(
    lines: Sequence[str],
    references: Sequence[Sequence[str | None]],
    shown: Sequence[str],
    settings: SegmentationSettings,
) -> tuple[list[SegmentRecord], int]:
    """Segment one text; return also the number of sentences with no segment."""
    records = []
    if settings.method == "align":
        matches = align_sentences(
            lines, references, split=settings.split, lang=settings.lang
        )
        for match, text in zip(matches, shown, strict=True):
            about = match.confidence, _explain_match(match), match.text, text
            records.append(SegmentRecord(0, match.kind, *about))
        return records, sum(len(match.added) for match in matches)
    parts = resegment(lines, references, slack=settings.slack, lang=settings.lang)
    for part, text in zip(parts, shown, strict=True):
        kind = "cut" if part.text else "empty"
        about = part.confidence, _explain_part(part, text), part.text, text
        records.append(SegmentRecord(0, kind, *about, part.edits))
    return records, 0


_FEW_WORDS = "few words in common"


def _explain_match(match: SentenceMatch) -> str:
    reasons = []
    if match.kind == "omitted":
        reasons.append("no sentence corresponds")
    elif match.confidence < UNSURE_BELOW:
        reasons.append(_FEW_WORDS)
    if match.kind == "divided":
        reasons.append("shares sentences with its neighbours")
    if match.added:
        reasons.append(f"{len(match.added)} added")
    return ", ".join(reasons)


def _explain_part(part: OutputPart, reference: str) -> str:
    reasons = []
    if not part.text and reference:
        reasons.append("no words left for it")
    elif part.confidence < UNSURE_BELOW:
        reasons.append(_FEW_WORDS)
    if part.loose_words:
        words = format_count(part.loose_words, "word")
        reasons.append(f"start uncertain by {words}")
    return ", ".join(reasons)


def write_segmented(
    outputs: Sequence[SegmentedOutput],
    texts: UnalignedTexts,
    out: str,
    to: str = "auto",
) -> None:
    """Write the outputs, a line for each segment of the references.

    A single output may be a file of plain text. Else references, source and documents are
    written as well, in the format that the name of the result or `to` tells.
    """
    rows: dict[Field, Sequence[str | None]] = dict(texts.columns)
    for output in outputs:
        field = Field("output", output.system)
        rows[field] = [record.output for record in output.segments]
    chunk = RowChunk(0, rows)
    is_plain = to == "plain" or (to == "auto" and find_format_by_suffix(out) is None)
    if is_plain and len(outputs) == 1 and not is_folder_name(out):
        field = Field("output", outputs[0].system)
        write_lines(out, [check_values(chunk, field, "plain", find_line_problem)])
        return
    form = choose_written_format(out, to)
    fields = list(rows)
    check_names(fields, form.name)
    form.write(out, fields, [chunk])
