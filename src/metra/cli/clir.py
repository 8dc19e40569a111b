"""`metra clir`: whether documents are found through their translations."""

from typing import TYPE_CHECKING

import click

from metra.cli import GroupedCommand, options, output
from metra.cli.options import option

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles
    from metra.text.preparation import Preparation


@click.command(cls=GroupedCommand)
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.input_files("references", "documents")
@option(
    "--queries FILE",
    "Queries in the target language: a table with the columns query and text.",
    required=True,
)
@option(
    "--qrels FILE", "Relevance judgements in TREC format: query, 0, document, degree."
)
@options.text_preparation(tok="13a", stem="english", case="lower")
@options.form
@options.out
def clir(
    files: "CorpusFiles",
    queries: str,
    qrels: str | None,
    text: "Preparation",
    form: str,
    out: str | None,
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
    from metra.formats.annotations.table import read_qrels, read_queries
    from metra.report.writers.analysis import build_retrieval_report
    from metra.report.writers.meta import render

    asked = read_queries(queries)
    judged = read_qrels(qrels) if qrels else None
    result = evaluate_retrieval(files.open(), asked, judged, text=text)
    report = build_retrieval_report(result)
    output.write_output(render(report, form, output.build_style(out)), out)
