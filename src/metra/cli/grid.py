"""`metra grid`: one segment's words against its references', matched and unmatched."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from metra.cli import GroupedCommand, options
from metra.cli.options import option

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles


@click.command(cls=GroupedCommand)
@click.argument("output", metavar="OUTPUT")
@options.input_files("references")
@option(
    "-n --segment number", "Segment to show, counted from 1.", least=1, required=True
)
@option(
    "-m --metric spec SPEC", "Metric that aligns words: gtm, meteor, wer, …", "gtm:e=2"
)
@option("--system NAME", "System to show, if OUTPUT has several.")
@options.out
def grid(
    output: str,
    files: "CorpusFiles",
    number: int,
    spec: str,
    system: str | None,
    out: str | None,
) -> None:
    """Show which words of a segment match which words of its references.

    Rows are words of the output, columns are words of the reference. Equal words are
    marked, and the runs that the metric matches are highlighted. With -o grid.svg, .pdf or
    .png the grid is written as a picture.

    \b
    metra grid sysA.txt -r ref.txt --segment 3
    metra grid sysA.txt -r ref1.txt -r ref2.txt --segment 3 -m gtm:e=2,match=exact -o grid.svg
    metra grid sysA.txt -r ref.txt --segment 3 -m wer
    """
    from metra.cli.output import build_style, write_output
    from metra.metrics.registry import metric
    from metra.report.picture_file import FORMATS, check_picture_path, convert_picture
    from metra.report.pictures import grid as picture
    from metra.report.pictures import grid_text
    from metra.scoring.alignments import read_aligned_segment

    chosen = metric(spec)
    corpus = files._replace(outputs=[output]).open()
    segment = read_aligned_segment(corpus, system, number, chosen, spec)
    suffix = Path(out or "").suffix.lower()
    if suffix in FORMATS:
        check_picture_path(str(out))
        write_output(convert_picture(picture.render(segment), suffix), out)
    else:
        style = build_style()
        color, width = style.color and not out, style.width or 80
        text = grid_text.render(segment, style._replace(color=color, width=width))
        write_output(text, out)
