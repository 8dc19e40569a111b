"""`metra grid`: one segment's words against its references', matched and unmatched."""

import click

from metra.cli import options


@click.command()
@click.argument("output", metavar="OUTPUT")
@options.references
@click.option(
    "-n",
    "--segment",
    "number",
    type=click.IntRange(1),
    required=True,
    help="Which segment to show, counted from 1.",
)
@click.option(
    "-m",
    "--metric",
    "spec",
    default="gtm:e=2",
    metavar="SPEC",
    show_default=True,
    help="A measure that aligns words: gtm, meteor, wer, …",
)
@click.option(
    "--system",
    metavar="NAME",
    help="Which system to show, where OUTPUT has several.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["auto", "text", "svg"]),
    default="auto",
    show_default=True,
    help="Text for the terminal or a picture; auto: a picture if FILE ends in .svg.",
)
@click.option(
    "-o", "--out", metavar="FILE", help="Write here instead of to the screen."
)
@options.input_format
def grid(
    output: str,
    references: tuple[str, ...],
    number: int,
    spec: str,
    system: str | None,
    form: str,
    out: str | None,
    input_format: str,
) -> None:
    """Show which words of a segment match which words of its references.

    Output words go down, reference words across; a sign stands where both are equal, and
    the runs that the measure matches are marked. With -o grid.svg it becomes a picture.

    \b
    metra grid sysA.txt -r ref.txt --segment 3
    metra grid sysA.txt -r ref1.txt -r ref2.txt --segment 3 -m gtm:e=2,match=exact -o grid.svg
    metra grid sysA.txt -r ref.txt --segment 3 -m wer
    """
    from metra.cli.output import get_screen_width, wants_color, write_output
    from metra.metrics.registry import metric
    from metra.report.pictures import grid as picture
    from metra.report.pictures import grid_text
    from metra.report.table import Style
    from metra.scoring.alignments import read_aligned_segment
    from metra.scoring.files import open_corpus

    chosen = metric(spec)
    corpus = open_corpus([output], references, input_format=input_format)
    segment = read_aligned_segment(corpus, system, number, chosen, spec)
    as_picture = form == "svg" or (
        form == "auto" and out is not None and out.endswith(".svg")
    )
    if as_picture:
        write_output(picture.render(segment), out)
    else:
        style = Style(color=wants_color() and not out, width=get_screen_width() or 80)
        write_output(grid_text.render(segment, style), out)
