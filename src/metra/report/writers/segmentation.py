"""Outputs segmented like their references, with their unsure segments."""

from collections.abc import Sequence

from metra.analysis.segmentation import SegmentationSettings, SegmentedOutput
from metra.errors import format_count
from metra.report.table import Style, render_tsv
from metra.report.terminal import escape_controls, render_table, shorten_text
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
    rows = []
    for record in unsure[:LISTED]:
        texts = record.reason, record.output, record.reference
        rows.append(
            (str(record.number), [Cell(record.confidence), *map(_shorten, texts)])
        )
    caption = f"{output.system}: {len(unsure)} unsure"
    if len(unsure) > LISTED:
        caption += f", the first {LISTED}"
    names = ("why", "output", "reference")
    headings = [Column("confidence"), *(Column(name, "left") for name in names)]
    return render_table(make_table("segment", headings, rows, caption=caption), style)


def _shorten(text: str) -> Cell:
    return Cell(shorten_text(escape_controls(text), _WIDTH))


def render_segmentation_tsv(
    outputs: Sequence[SegmentedOutput], _: SegmentationSettings, __: Style
) -> str:
    """Write a line for each segment of each system, with all digits."""
    lines = [("system", "segment", "kind", "confidence", "edits", "unsure")]
    for output in outputs:
        for record in output.segments:
            edits = "" if record.edits is None else str(record.edits)
            about = output.system, str(record.number), record.kind
            lines.append((*about, repr(record.confidence), edits, record.reason))
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
    about = {"method": settings.method, "signature": settings.format_signature()}
    return render_json({**about, "systems": systems})


#: The functions that write each format.
SEGMENTATION_WRITERS = {
    "table": render_segmentation_table,
    "tsv": render_segmentation_tsv,
    "json": render_segmentation_json,
}
