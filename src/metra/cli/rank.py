"""`metra rank`: systems ranked by the average of their ranks on every document."""

from typing import Any

import click

from metra.cli import options


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.references
@options.source
@options.test_set
@options.metrics
@options.documents
@options.option(
    "--expected FILE",
    "A ranking to hold the others against: a system, a tab and its rank on each line; or a "
    "table of rankings by people, with columns system, rank, segment and judge.",
)
@options.table_or_json
@options.out
@options.input_format
@options.tables
@options.strict
def rank(
    metrics: tuple[str, ...],
    expected: str | None,
    form: str,
    out: str | None,
    strict: bool,
    **files: Any,
) -> None:
    """Rank systems by the average of their ranks on every document.

    On each document the systems are ranked by the measure, equals sharing the mean of
    their ranks; the ranks are averaged over the documents, and the averages ranked. This
    is how the X-score ranks systems, and it works with every measure. With --expected,
    such as a ranking by people, the distance between the rankings is the number of pairs
    in the opposite order, plus half for each pair that is tied in one of them.

    People's rankings may have ties, and may leave out systems: what is not ranked is not
    compared. Of a table of rankings, each of a judge and a segment (or document), ranks are
    averaged; rank r of m systems counts as r (S + 1) / (m + 1), its expectation among all
    S. The most complete partial ranking ties those systems that the measure puts in the
    opposite order.

    \b
    metra rank sys*.txt -m xscore:parses=parses/{system}.conllu --docs docs.txt
    metra rank sys*.txt -r ref.txt -m bleu -m chrf --docs docs.txt --expected people.tsv
    """
    from metra.cli.output import show_progress, show_text_warnings, write_output
    from metra.formats.scores.long_table import read_ranks
    from metra.meta.document_rank import rank_by_documents
    from metra.report.writers.ranking import RANKING_WRITERS
    from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
    from metra.scoring.files import open_corpus

    ranks = read_ranks(expected) if expected else None
    chosen = make_metrics(metrics or ["bleu"])
    corpus = open_corpus(**files)
    with show_text_warnings(strict=strict), show_progress() as progress:
        results = evaluate_corpus(
            corpus, chosen, EvaluationOptions(documents=True), progress=progress
        )
    rankings = rank_by_documents(results, ranks)
    write_output(RANKING_WRITERS[form](rankings, results.documents or 0), out)
