"""`metra weights`: lists of the salience of each word in each document."""

from functools import partial
from typing import TYPE_CHECKING

import click

from metra.cli import Commands, options, output
from metra.cli.options import FiniteRange, option

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles
    from metra.text.preparation import Preparation


@click.group(cls=Commands)
def weights() -> None:
    """Build, show and analyse word lists with salience weights, as used by the metric ltv.

    A list is a tab-separated table with a header and a line for each word of each document:

    \b
    word     document  tf  df  N  P_doc    P_rest   P_corp   tf.idf  S
    harbour  news-7    3   2   9  0.00831  0.00031  0.00111  3.1565  1.7261
    the      news-7    21  9   9  0.05817  0.05600  0.05622  0

    tf is the frequency of the word in the document, and df the number of the N documents
    that contain it; the P columns are its relative frequencies in the document, in the rest
    of the corpus and in the whole corpus; tf.idf = (1 + ln tf) · ln(N / df); S = ln[(P_doc
    - P_rest) · (N - df)/N / P_corp], empty if the word is no more frequent in this document
    than elsewhere, or occurs in every document. Your own lists need the columns word and
    the weight in use, in any order, or counts from which ltv computes it: tf, df and N for
    tf.idf; word, document and tf alone for both weights. Without a document column there is
    one list for all documents.
    """


@weights.command()
@click.argument("paths", nargs=-1, required=True, metavar="CORPUS...")
@options.input_files("documents")
@option("-o --out FILE", "Write the list to this file instead of the screen.")
@options.text_preparation(tok="13a", case="mixed", stem="no")
def build(
    paths: tuple[str, ...], files: "CorpusFiles", out: str | None, text: "Preparation"
) -> None:
    """Count the words of a CORPUS and write its list.

    With --docs, or in a format with document ids, the files are parallel, as references
    are, and a document's words are counted over all of them. Otherwise each plain file is
    one document.

    \b
    metra weights build ref.txt --docs docs.txt -o list.tsv
    metra weights build texts/*.txt --text case=lower -o list.tsv
    metra score sysA.txt -r ref.txt --docs docs.txt -m ltv:weights=list.tsv
    """
    from metra.formats.annotations.weights import format_salience_list
    from metra.scoring.files import read_tokens
    from metra.text.salience import Salience

    counts = Salience(read_tokens(files._replace(outputs=paths), text))
    output.write_output("\n".join(format_salience_list(counts)), out)


@weights.command()
@click.argument("path", metavar="LIST")
@option("--document ID", "Show only this document.")
@option("--by", "Weight that ranks the words.", choices=["tfidf", "s"])
@option("--top", "Number of words to show per document.", 10, least=1)
def show(path: str, document: str | None, by: str, top: int) -> None:
    """Show the most salient words of each document of a LIST.

    \b
    metra weights show list.tsv --by s --top 20
    metra weights show list.tsv --document news-7
    """
    from metra.formats.annotations.weights import WEIGHTS, read_salience_table
    from metra.report.writers.salience import render_word_list

    table = read_salience_table(path, ("word", WEIGHTS[by]))
    words = render_word_list(
        table, output.build_style(), by=by, document=document, top=top
    )
    output.write_output(words, None)


@weights.command()
@click.argument("first", metavar="REF1")
@click.argument("second", metavar="REF2")
@options.input_files("documents")
@options.form
@options.out
@options.picture
@option(
    "--width",
    "Width of the salience classes in the frequency polygons.",
    0.5,
    type=FiniteRange(0, min_open=True),
)
@options.text_preparation(tok="13a", case="mixed", stem="no")
def stability(
    first: str,
    second: str,
    files: "CorpusFiles",
    form: str,
    out: str | None,
    plot: str | None,
    print_width: float | None,
    width: float,
    text: "Preparation",
) -> None:
    """Analyse which words two translations of the same documents share.

    The report gives the overlap, the mean salience of shared words (scored by each
    translation's own list) and of words that only one translation has, and the distribution
    of each set over salience classes.

    \b
    metra weights stability refA.txt refB.txt --docs docs.txt --plot polygons.svg
    """
    from metra.analysis.word_stability import compute_stability
    from metra.formats.stream import name_system
    from metra.report.pictures.plots import draw_polygons
    from metra.report.writers.meta import render
    from metra.report.writers.salience import build_stability_report
    from metra.scoring.files import open_texts, read_streams

    corpus = open_texts(files._replace(outputs=[first, second]))
    result = compute_stability(
        *read_streams(corpus, text)[0],
        names=(name_system(first), name_system(second)),
        width=width,
    )
    if plot is not None:
        draw = partial(draw_polygons, result)
        output.write_picture(draw, plot, print_width)
    report = build_stability_report(result)
    output.write_output(render(report, form, output.build_style(out)), out)


@weights.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.input_files("references", "documents")
@option("--by", "Weight that measures salience.", choices=["tfidf", "s"])
@option(
    "--threshold", "Weights above this count as high salience.", 3.0, type=FiniteRange()
)
@option("-n length N", "Longest n-grams to count, in words.", 1, least=1)
@options.form
@options.out
@options.text_preparation(tok="13a", case="mixed", stem="no")
def matches(
    files: "CorpusFiles",
    by: str,
    threshold: float,
    length: int,
    form: str,
    out: str | None,
    text: "Preparation",
) -> None:
    """Show whether the matches of each OUTPUT are on salient words or on others.

    The n-grams of a reference are divided into four sets: common (also in the other
    reference) or different, each with high or low salience: ch, cl, dh and dl. Two systems
    with equally many matches may match different sets. Give two references; each is divided
    by its own list.

    \b
    metra weights matches sysA.txt sysB.txt -r refA.txt -r refB.txt --docs docs.txt
    metra weights matches sys*.txt -r refA.txt -r refB.txt --docs docs.txt --by s
    """
    from metra.analysis.word_stability import compute_match_sets
    from metra.formats.annotations.weights import WEIGHTS
    from metra.formats.stream import name_system
    from metra.report.writers.meta import render
    from metra.report.writers.salience import build_match_report
    from metra.scoring.files import read_streams

    corpus = files.open()
    if not corpus.has_documents:
        msg = "Document ids are needed; give --docs with the document of each line."
        raise click.UsageError(msg)
    streams, outputs_by_system = read_streams(corpus, text)
    references = files.references
    first, second = map(name_system, references) if len(references) == 2 else _UNNAMED
    sets = compute_match_sets(
        streams,
        outputs_by_system,
        names=(first, second),
        weight=WEIGHTS[by],
        threshold=threshold,
        n=length,
    )
    report = build_match_report(sets)
    output.write_output(render(report, form, output.build_style(out)), out)


#: References that a table brings along.
_UNNAMED = ("reference 1", "reference 2")
