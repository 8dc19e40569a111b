"""`metra segment`: sentences, and outputs segmented like their references."""

from typing import TYPE_CHECKING, Any

import click

from metra.cli import Commands, options, output
from metra.cli.options import option
from metra.formats.recognise import FORMATS

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles

_lang = option(
    "--lang LANG",
    "Language of the texts, for its abbreviations: en, de, pt-BR, …",
    "",
    show_default="any",
)
_out = option(
    "-o --out OUT",
    "File or folder to write: a text for one output, else a table or a folder with "
    "the references; compressed if the name ends in .gz, .xz or .zst; - writes to "
    "the screen.",
    required=True,
)
_to = option(
    "--to",
    "Format to write; auto detects it from OUT; plain for a folder or a text.",
    choices=["auto", *(form.name for form in FORMATS.values() if form.is_written)],
)
_report = option(
    "--report FILE",
    "Write the list of unsure segments to this file instead of the screen.",
)
_format = option(
    "--format form",
    "Format of the report; json lists all segments.",
    choices=["table", "json"],
)


@click.group(cls=Commands)
def segment() -> None:
    """Split texts into sentences, and align outputs with their references.

    Use this for outputs whose lines do not match the reference, such as translations of
    whole documents or of speech. The result has one line for each segment of the reference,
    ready for `metra score`.

    \b
    metra segment split reference.txt --lang en -o sentences.txt
    metra segment align output.txt -r sentences.txt --lang en -o aligned.txt
    metra segment resegment output.txt -r sentences.txt -o aligned.txt
    metra score aligned.txt -r sentences.txt
    """


@segment.command()
@click.argument("text", metavar="TEXT")
@_lang
@options.out
@options.input_files()
def split(text: str, lang: str, out: str | None, files: "CorpusFiles") -> None:
    """Split TEXT into sentences, one per line.

    A line break ends a sentence. Abbreviations, initials,
    numbers, ellipses, and quotation marks and brackets after the full stop are recognised
    in Latin, Cyrillic, Greek and other scripts, including Chinese and Japanese.

    \b
    metra segment split reference.txt --lang en -o sentences.txt
    """
    from metra.analysis.segmentation import read_text_lines
    from metra.text.sentences.splitter import split_sentences

    lines = read_text_lines(text, **files.reading_options)
    sentences = [each for line in lines for each in split_sentences(line, lang)]
    output.write_output("\n".join(sentences), out)


@segment.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.input_files("references", "source", "documents")
@_out
@_to
@_lang
@option(
    "--sentences",
    "Split the lines of outputs into sentences first, or treat each line as one "
    "sentence.",
    choices=["split", "lines"],
)
@_report
@_format
def align(sentences: str, **given: Any) -> None:
    """Match the sentences of each OUTPUT with the segments of the references.

    One sentence may correspond to one segment, several or none, and vice versa. The
    alignment uses lengths and shared words, above all rare ones. No text is dropped: a
    sentence without a segment is added to the previous one, a segment without a sentence
    becomes an empty line, and a sentence for several segments is split as in `metra segment
    resegment`.

    \b
    metra segment align output.txt -r reference.txt --lang en -o aligned.txt
    metra segment align sysA.txt sysB.txt -r ref.txt -o aligned.tsv --report unsure.txt
    metra score aligned.tsv
    """
    _segment_files("align", split=sentences == "split", **given)


@segment.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.input_files("references", "source", "documents")
@_out
@_to
@_lang
@option(
    "--slack",
    "Number of extra edits that a split at the end of a sentence may cost.",
    0,
    least=0,
)
@_report
@_format
def resegment(**given: Any) -> None:
    """Split each OUTPUT into the segments of the references, ignoring its line breaks.

    The output is read as one sequence of words (characters, in scripts without spaces) and
    split so that the edit distance to the references is minimal, as mwerSegmenter does; if
    a segment has several references, the nearest counts. No punctuation is needed, so this
    works for transcribed speech. If several splits are equally good, it splits at the end
    of a sentence; for texts with punctuation, --slack 2 puts nearly all splits there.

    \b
    metra segment resegment output.txt -r reference.txt -o aligned.txt
    metra segment resegment talk.txt -r refA.txt -r refB.txt -o aligned.tsv
    """
    _segment_files("resegment", **given)


def _segment_files(
    method: Any,
    *,
    files: "CorpusFiles",
    out: str,
    to: str,
    report: str | None,
    form: str,
    **settings: Any,
) -> None:
    """Read, segment and write; report unsure segments."""
    from metra.analysis import segmentation
    from metra.report.writers.analysis import build_segmentation_report
    from metra.report.writers.meta import render

    chosen = segmentation.SegmentationSettings(method=method, **settings)
    texts = segmentation.read_unaligned_texts(*files[:4], **files.reading_options)
    segmented = []
    with output.show_progress("outputs") as progress:
        for each in segmentation.segment_outputs(texts, chosen):
            segmented.append(each)
            progress(len(segmented), len(segmented) / len(texts.outputs))
    segmentation.write_segmented(segmented, texts, out, to)
    shown = build_segmentation_report(segmented, chosen)
    text = render(shown, form, output.build_style(report))
    if out == "-" and report is None:
        click.echo(text, err=True)
    else:
        output.write_output(text, report)
