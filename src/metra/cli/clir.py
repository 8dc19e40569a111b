"""`metra clir`: whether documents are found through their translations."""

from typing import Any

import click

from metra.cli import GroupedCommand, options
from metra.cli.options import option
from metra.stats import defaults


@click.command(cls=GroupedCommand)
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.references
@options.test_set
@options.documents
@option(
    "--queries FILE",
    "Queries in the target language: a table with the columns query and text.",
    required=True,
)
@option(
    "--qrels FILE", "Relevance judgements in TREC format: query, 0, document, degree."
)
@option(
    "--top",
    "Without --qrels: number of top documents of the reference run that count as "
    "relevant.",
    1,
    least=1,
)
@options.tok
@option("--stem", "Compare stems: no, porter, or a Snowball language.", "english")
@option("--trials", "Number of resamples of the queries.", defaults.TRIALS, least=1)
@options.seed
@options.table_or_json
@options.out
@options.input_format
@options.tables
def clir(
    queries: str,
    qrels: str | None,
    top: int,
    tok: str,
    stem: str,
    trials: int,
    seed: int,
    form: str,
    out: str | None,
    **files: Any,
) -> None:
    """Evaluate translations by cross-language retrieval: can documents be found?

    The queries are run with BM25 on the translated documents and on the first reference
    (needs the extra retrieval). Each run gets its mean average precision and nDCG, and
    systems are compared with the run on the reference. Retrieval ranks all documents at
    once, so this is a command and not a metric of segments. Intervals resample queries.

    \b
    pip install '.[retrieval]'
    metra clir sysA.txt sysB.txt -r ref.txt --docs docs.txt --queries queries.tsv
    metra clir sysA.txt -r ref.txt --docs docs.txt --queries queries.tsv --qrels qrels.txt

    \b
    queries.tsv (tabs)            qrels.txt (spaces)
    query  text                   q1 0 market-1 1
    q1     flood of the market    q1 0 brake-2 0
    """
    from metra.analysis.retrieval import evaluate_retrieval
    from metra.cli.output import write_output
    from metra.formats.annotations.relevance import read_qrels, read_queries
    from metra.report.writers.ranking import RETRIEVAL_WRITERS
    from metra.scoring.files import open_corpus
    from metra.text.preparation import make_preparation

    text = make_preparation(tok=tok, case="lower", stem=stem)
    asked = read_queries(queries)
    judged = read_qrels(qrels) if qrels else None
    found = evaluate_retrieval(
        open_corpus(**files),
        asked,
        judged,
        text=text,
        top=top,
        trials=trials,
        seed=seed,
    )
    write_output(RETRIEVAL_WRITERS[form](found), out)
