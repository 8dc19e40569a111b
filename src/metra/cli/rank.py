"""`metra rank`: systems ranked by the average of their ranks on every document."""

import click

from metra.cli import inputs


@click.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@inputs.references
@inputs.source
@inputs.metrics
@inputs.documents
@click.option(
    "--expected",
    metavar="FILE",
    help="A ranking to hold the others against: a system, a tab and its rank on each line.",
)
@inputs.table_or_json
@inputs.out
@inputs.input_format
def rank(
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    metrics: tuple[str, ...],
    docs: str | None,
    expected: str | None,
    form: str,
    out: str | None,
    input_format: str,
) -> None:
    """Rank systems by the average of their ranks on every document.

    On each document the systems are ranked by the measure, equals sharing the mean of
    their ranks; the ranks are averaged over the documents, and the averages ranked. This
    is how the X-score ranks systems, and it works with every measure. With --expected,
    such as a ranking by people, the distance between the rankings is the number of pairs
    in the opposite order, plus half for each pair that is tied in one of them.

    \b
    metra rank sys*.txt -m xscore:parses=parses/{system}.conllu --docs docs.txt
    metra rank sys*.txt -r ref.txt -m bleu -m chrf --docs docs.txt --expected people.tsv
    """
    from metra.cli.output import write
    from metra.cli.progress import Progress
    from metra.evaluation import Questions, by_spec, evaluate_corpus
    from metra.io import open_corpus
    from metra.meta.document_ranking import rankings, read_ranks
    from metra.report import ranking

    ranks = read_ranks(expected) if expected else None
    chosen = by_spec(metrics or ["bleu"])
    corpus = open_corpus(outputs, references, source, docs, input_format=input_format)
    with Progress() as progress:
        results = evaluate_corpus(
            corpus, chosen, Questions(documents=True), progress=progress
        )
    shown = ranking.as_json if form == "json" else ranking.as_table
    write(shown(rankings(results, ranks), results.documents or 0), out)
