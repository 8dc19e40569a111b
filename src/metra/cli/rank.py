"""`metra rank`: systems ranked by the average of their ranks on every document."""

from typing import TYPE_CHECKING

import click

from metra.cli import options, output

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, metavar="[OUTPUT]...")
@options.input_files("references", "source", "documents")
@options.metrics("bleu")
@options.option(
    "--expected FILE",
    "Ranking to compare with: a system, a tab and its rank on each line, or a table "
    "with the columns system and rank.",
)
@options.option(
    "--combine METHOD",
    "autorank: one ranking from all metrics, over the whole test set.",
    type=click.Choice(["autorank"]),
)
@options.table_or_json
@options.out
def rank(
    files: "CorpusFiles",
    metrics: tuple[str, ...],
    combine: str | None,
    expected: str | None,
    form: str,
    out: str | None,
) -> None:
    """Rank systems by the average of their ranks on every document.

    Systems are ranked on each document by the metric, and tied systems share the mean of
    their ranks. The ranks are averaged over the documents, and the averages are ranked. The
    X-score ranks systems in this way; it works with every metric. With --expected, such as
    a human ranking, the distance between two rankings is the number of pairs in the
    opposite order, plus one half for each pair tied in one of them.

    The expected ranking may have ties and may leave out systems; systems without a rank are
    not compared. `metra meta rank` ranks systems by judgements or by the rankings of judges.
    The most complete partial ranking ties those systems that the metric puts in the opposite
    order.

    --combine autorank ranks systems by several metrics as WMT 2025 does: each metric's
    scores are centred on their median and divided by the range from the lower quartile to
    the best; then the metrics are averaged and mapped so that the best system is 1 and the
    last is the number of systems. Scores from other programs need no outputs.

    \b
    metra rank sys*.txt -m xscore:parses=parses/{system}.conllu --docs docs.txt
    metra rank sys*.txt -r ref.txt -m bleu -m chrf --docs docs.txt --expected people.tsv
    metra rank --scores automatic_scores --combine autorank
    """
    from metra.meta.document_rank import rank_by_autorank, rank_by_documents
    from metra.report.writers.ranking import RANKING_WRITERS
    from metra.scores.long_table import read_ranks
    from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
    from metra.scoring.files import open_scored

    options.require_outputs(files.outputs, metrics)
    ranks = read_ranks(expected) if expected else None
    named = metrics or (() if files.score_columns else ("bleu",))
    corpus, chosen = open_scored(files, make_metrics(named) if named else {})
    asked = EvaluationOptions(documents=combine is None)
    with output.show_text_warnings(strict=False), output.show_progress() as progress:
        results = evaluate_corpus(corpus, chosen, asked, progress=progress)
    if combine:
        rankings = [rank_by_autorank(results, ranks)]
    else:
        rankings = rank_by_documents(results, ranks)
    output.write_output(RANKING_WRITERS[form](rankings, results), out)
