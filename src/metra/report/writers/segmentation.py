"""Outputs segmented like their references, with their unsure segments."""

from collections import Counter
from collections.abc import Sequence

from metra.analysis.segmentation import SegmentationSettings, SegmentedOutput
from metra.errors import format_count
from metra.meta.findings import MetaReport
from metra.report.terminal import shorten_text
from metra.scoring.table import Cell, Column, Table, make_table

LISTED = 10
_WIDTH = 44

_KINDS = {
    "align": ("one", "joined", "divided", "omitted"),
    "resegment": ("cut", "empty"),
}


def build_segmentation_report(
    outputs: Sequence[SegmentedOutput], settings: SegmentationSettings
) -> MetaReport:
    """Lay out the numbers of each system, then its least sure segments."""
    kinds = _KINDS[settings.method]
    is_aligned = settings.method == "align"
    rows = []
    for output in outputs:
        counts = Counter(record.kind for record in output.segments)
        numbers = [counts[kind] for kind in kinds]
        edits = sum(record.edits or 0 for record in output.segments)
        numbers.append(output.added if is_aligned else edits)
        numbers.append(len(output.unsure))
        rows.append((output.system, [Cell(output.confidence), *map(Cell, numbers)]))
    counted = (*kinds, "added" if is_aligned else "edits", "unsure")
    heads = [Column("confidence"), *(Column(name, digits=0) for name in counted)]
    tables = [make_table("system", heads, rows, name="systems")]
    tables += [_list_unsure(output) for output in outputs if output.unsure]
    note = format_count(len(outputs[0].segments) if outputs else 0, "segment")
    documents = max((output.documents for output in outputs), default=0)
    if documents:
        note += f", {format_count(documents, 'document')}, each aligned separately"
    segments = {o.system: [each._asdict() for each in o.segments] for o in outputs}
    signature = settings.format_signature()
    return MetaReport(tables, signature, [note], {"segments": segments})


def _list_unsure(output: SegmentedOutput) -> Table:
    unsure = output.unsure
    rows = []
    for record in unsure[:LISTED]:
        texts = (
            shorten_text(text, _WIDTH) for text in (record.output, record.reference)
        )
        cells = Cell(record.confidence), Cell(record.reason), *map(Cell, texts)
        rows.append((str(record.number), [*cells]))
    caption = f"{output.system}: {len(unsure)} unsure"
    if len(unsure) > LISTED:
        caption += f", the first {LISTED}"
    names = ("why", "output", "reference")
    heads = [Column("confidence"), *(Column(name, "left") for name in names)]
    about = {"caption": caption, "name": f"unsure-{output.system}"}
    return make_table("segment", heads, rows, **about)
