"""Outputs segmented like their references, with their unsure segments."""

from collections.abc import Sequence

from metra.analysis.segmentation import SegmentationSettings, SegmentedOutput
from metra.errors import format_count
from metra.report.table import Style, render_tsv
from metra.report.terminal import (
    escape_controls,
    render_table,
    shorten_text,
)
from metra.scoring.json import render_json
from metra.scoring.table import Cell, Column, make_table

#: So many unsure segments of each system are listed on the screen.
LISTED = 10
_WIDTH = 44

_KINDS = {
    "align": ("one", "joined", "divided", "omitted"),
    "resegment": ("cut", "empty"),
}


def render_segmentation_table(
    outputs: Sequence[SegmentedOutput], settings: SegmentationSettings, style: Style
) -> str:
    """Lay out the numbers of each system, then its least sure segments."""
    kinds = _KINDS[settings.method]
    is_aligned = settings.method == "align"
    extra = "added" if is_aligned else "edits"
    rows = []
    for output in outputs:
        counts = output.count_kinds()
        numbers = [counts.get(kind, 0) for kind in kinds]
        numbers.append(output.added if is_aligned else output.count_edits())
        numbers.append(len(output.unsure))
        rows.append(
            (output.system, [Cell(output.confidence), *(Cell(str(n)) for n in numbers)])
        )
    headings = ["confidence", *kinds, extra, "unsure"]
    blocks = [render_table(make_table("system", headings, rows), style)]
    blocks += [_list_unsure(output, style) for output in outputs if output.unsure]
    count = len(outputs[0].segments) if outputs else 0
    counted = format_count(count, "segment")
    documents = max((output.documents for output in outputs), default=0)
    if documents:
        counted += f", {format_count(documents, 'document')}, each aligned separately"
    blocks.append(f"{counted}\n{settings.format_signature()}")
    return "\n\n".join(blocks)


def _list_unsure(output: SegmentedOutput, style: Style) -> str:
    unsure = output.unsure
    rows = [
        (
            str(record.number),
            [
                Cell(record.confidence),
                *map(_shorten, (record.reason, record.output, record.reference)),
            ],
        )
        for record in unsure[:LISTED]
    ]
    caption = f"{output.system}: {len(unsure)} unsure"
    if len(unsure) > LISTED:
        caption += f", the first {LISTED}"
    headings = [
        Column("confidence"),
        *(Column(heading, "left") for heading in ("why", "output", "reference")),
    ]
    table = make_table("segment", headings, rows, caption=caption)
    return render_table(table, style)


def _shorten(text: str) -> Cell:
    return Cell(shorten_text(escape_controls(text), _WIDTH))


def render_segmentation_tsv(
    outputs: Sequence[SegmentedOutput], _: SegmentationSettings, __: Style
) -> str:
    """Write a line for each segment of each system, with all digits."""
    header = ("system", "segment", "kind", "confidence", "edits", "unsure")
    lines = [header]
    for output in outputs:
        for record in output.segments:
            edits = "" if record.edits is None else str(record.edits)
            lines.append(
                (
                    *(output.system, str(record.number), record.kind),
                    *(repr(record.confidence), edits, record.reason),
                )
            )
    return render_tsv(lines)


def render_segmentation_json(
    outputs: Sequence[SegmentedOutput], settings: SegmentationSettings, _: Style
) -> str:
    """Write everything for other programs."""
    systems = [
        {
            "name": output.system,
            "confidence": output.confidence,
            "added": output.added,
            "documents": output.documents,
            "segments": [record._asdict() for record in output.segments],
        }
        for output in outputs
    ]
    return render_json(
        {
            "method": settings.method,
            "signature": settings.format_signature(),
            "systems": systems,
        }
    )


#: The functions that write each format.
SEGMENTATION_WRITERS = {
    "table": render_segmentation_table,
    "tsv": render_segmentation_tsv,
    "json": render_segmentation_json,
}


def render_sentence_text(sentences: Sequence[tuple[int, str]]) -> str:
    """Write a sentence a line."""
    return "\n".join(sentence for _, sentence in sentences)


def render_sentence_tsv(sentences: Sequence[tuple[int, str]]) -> str:
    """Number the sentences, and say of which line or paragraph each is."""
    rows = [
        (str(number), str(line), sentence)
        for number, (line, sentence) in enumerate(sentences, 1)
    ]
    return render_tsv([("sentence", "line", "text"), *rows])


def render_sentence_json(sentences: Sequence[tuple[int, str]]) -> str:
    """Write the same for other programs."""
    listed = [
        {"sentence": number, "line": line, "text": sentence}
        for number, (line, sentence) in enumerate(sentences, 1)
    ]
    return render_json({"sentences": listed})


#: The functions that write the sentences of a text in each format.
SENTENCE_WRITERS = {
    "text": render_sentence_text,
    "tsv": render_sentence_tsv,
    "json": render_sentence_json,
}
