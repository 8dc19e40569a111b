"""`metra segment`: sentences, and outputs segmented like their references."""

from typing import TYPE_CHECKING, Any

import click

from metra.cli import Commands, options
from metra.cli.options import option
from metra.formats.recognise import FORMATS
from metra.text.sentences import UNSURE_BELOW

if TYPE_CHECKING:
    from metra.formats.texts.columns import ColumnNames, ReadingOptions

_lang = option(
    "--lang LANG",
    "Language of the texts, whose abbreviations are then known: en, de, pt-BR, …",
    "",
    show_default="any",
)
_compare = option(
    "--compare",
    "Whether letter case and the punctuation around words count: loose or exact.",
    choices=["loose", "exact"],
)
_out = option(
    "-o --out OUT",
    "File or folder to write; a text for one output, else a table or a folder with the "
    "references; packed if it ends in .gz, .xz or .zst; - is the screen.",
    required=True,
)
_to = option(
    "--to",
    "Format to write; auto goes by OUT's name, and is plain for a folder or a text.",
    choices=["auto", *(form.name for form in FORMATS.values() if form.is_written)],
)
_report = option(
    "--report FILE", "Write here, instead of to the screen, where it was unsure."
)
_format = option(
    "--format form",
    "How the report is written; tsv and json list all segments.",
    choices=["table", "tsv", "json"],
)
_unsure = option(
    "--unsure-below",
    "Confidence below which a segment is called unsure.",
    UNSURE_BELOW,
    type=click.FloatRange(0, 1),
)


@click.group(cls=Commands)
def segment() -> None:
    """Split texts into sentences, and align outputs with their references.

    For texts whose lines do not correspond: outputs of whole documents, or of speech. What
    comes out has a line for each segment of the reference, and goes into `metra score`.

    \b
    metra segment split reference.txt --lang en -o sentences.txt
    metra segment align output.txt -r sentences.txt --lang en -o aligned.txt
    metra segment resegment output.txt -r sentences.txt -o aligned.txt
    metra score aligned.txt -r sentences.txt
    """


@segment.command()
@click.argument("text", metavar="TEXT")
@_lang
@option("--wrapped", "Only empty lines end a paragraph: join the others.", is_flag=True)
@option(
    "--format form",
    "How the sentences are written; tsv and json number them.",
    choices=["text", "tsv", "json"],
)
@options.out
@options.input_format
@options.tables
def split(
    text: str,
    lang: str,
    wrapped: bool,
    form: str,
    out: str | None,
    input_format: str,
    **tables: Any,
) -> None:
    """Split TEXT into sentences, one a line.

    A line break ends a sentence, unless the text is --wrapped. Abbreviations, initials,
    numbers, ellipses, and quotation marks and brackets behind the stop are known in Latin,
    Cyrillic, Greek and other scripts, Chinese and Japanese included.

    \b
    metra segment split reference.txt --lang en -o sentences.txt
    metra segment split book.txt --lang de --wrapped --format tsv
    """
    from metra.analysis.segmentation import list_sentences, read_text_lines
    from metra.cli.output import write_output
    from metra.report.writers.segmentation import SENTENCE_WRITERS

    lines = read_text_lines(text, input_format=input_format, **tables)
    sentences = list_sentences(lines, lang, wrapped=wrapped)
    write_output(SENTENCE_WRITERS[form](sentences), out)


@segment.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.references
@options.source
@options.documents
@_out
@_to
@_lang
@option(
    "--sentences",
    "Cut the lines of outputs into sentences first, or take each line as one.",
    choices=["split", "lines"],
)
@_compare
@_unsure
@_report
@_format
@options.input_format
@options.tables
def align(sentences: str, **given: Any) -> None:
    """Match the sentences of each OUTPUT with the segments of the references.

    One sentence may correspond to one segment, to several, to none, and the other way round.
    Lengths and common words, above all rare ones, decide. Nothing is lost: sentences with no
    segment are added to the one before, a segment with no sentence is an empty line, and a
    sentence for several segments is cut as `metra segment resegment` cuts.

    \b
    metra segment align output.txt -r reference.txt --lang en -o aligned.txt
    metra segment align sysA.txt sysB.txt -r ref.txt -o aligned.tsv --report unsure.txt
    metra score aligned.tsv
    """
    _segment_files("align", split=sentences == "split", **given)


@segment.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.references
@options.source
@options.documents
@_out
@_to
@_lang
@_compare
@option(
    "--slack",
    "How many edits more than necessary a cut at the end of a sentence may cost.",
    0,
    least=0,
)
@_unsure
@_report
@_format
@options.input_format
@options.tables
def resegment(**given: Any) -> None:
    """Cut each OUTPUT, whatever its lines, like the segments of the references.

    The output is taken as one sequence of words (of characters, in scripts without blanks)
    and cut so that the edit distance to the references is minimal, as mwerSegmenter does; of
    several references of a segment, the nearest counts. It needs no punctuation, so that it
    suits transcribed speech. Where several cuts are as good, it cuts where a sentence ends;
    for a text with punctuation, --slack 2 puts nearly all cuts there.

    \b
    metra segment resegment output.txt -r reference.txt -o aligned.txt
    metra segment resegment talk.txt -r refA.txt -r refB.txt --compare exact -o aligned.tsv
    """
    _segment_files("resegment", **given)


def _segment_files(
    method: Any,
    *,
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    documents: str | None,
    input_format: str,
    out: str,
    to: str,
    report: str | None,
    form: str,
    columns: "ColumnNames | None",
    reading: "ReadingOptions",
    **settings: Any,
) -> None:
    """Read, segment and write; report where that is unsure."""
    from metra.analysis.segmentation import (
        SegmentationSettings,
        read_unaligned_texts,
        segment_outputs,
        write_segmented,
    )
    from metra.cli.output import build_style, show_progress, write_output
    from metra.report.writers.segmentation import SEGMENTATION_WRITERS

    chosen = SegmentationSettings(method=method, **settings)
    texts = read_unaligned_texts(
        outputs,
        references,
        source,
        documents,
        input_format=input_format,
        columns=columns,
        reading=reading,
    )
    segmented = []
    with show_progress("outputs") as progress:
        for output in segment_outputs(texts, chosen):
            segmented.append(output)
            progress(len(segmented), len(segmented) / len(texts.outputs))
    write_segmented(segmented, texts, out, to)
    text = SEGMENTATION_WRITERS[form](segmented, chosen, build_style(report))
    if out == "-" and report is None:
        click.echo(text, err=True)
    else:
        write_output(text, report)
