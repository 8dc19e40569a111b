"""`metra meta spans`: questions about uses of metrics."""

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from metra.cli.derive import options_from
from metra.cli.meta import options as shared
from metra.cli.options import option
from metra.meta.options import SpanOptions

if TYPE_CHECKING:
    from metra.meta.findings import MetaReport


def file_question(
    record: type, *takes: Callable[..., Any], files: str
) -> Callable[[Callable[..., "MetaReport"]], click.Command]:
    """Make a command that asks a question of files that hold no scores."""
    paths = click.argument("paths", nargs=-1, required=True, metavar=files)

    def decorate(answer: Callable[..., "MetaReport"]) -> click.Command:
        def command(form: str, out: str | None, digits: int, **given: Any) -> None:
            shared.show_report(answer(**given), form, out, digits)

        command.__name__, command.__doc__ = answer.__name__, answer.__doc__
        added = [paths, *takes, options_from(record), *shared.RESULT]
        return click.command()(reduce(lambda c, add: add(c), reversed(added), command))

    return decorate


@file_question(
    SpanOptions,
    option(
        "--output outputs OUTPUT",
        "The outputs: a file a system, or a table of several systems. They tell where "
        "errors are whose words alone are known, and how many characters nobody marked.",
        multiple=True,
    ),
    files="ERRORS...",
)
def spans(
    paths: tuple[str, ...], outputs: tuple[str, ...], options: SpanOptions
) -> "MetaReport":
    """Compare marked errors with those that people marked, and people with each other.

    ERRORS are files with errors that were marked: MQM, ESA by Appraise, ratings of
    mt-metrics-eval, judgements of metra, xCOMET's JSON, JSON lines. Precision, recall and F
    are of characters, as in WMT 2025's task of error spans, of spans that are matched one to
    one, and of spans at exactly the same place; intervals draw segments.

    \b
    metra meta spans mqm.tsv
    metra meta spans mqm.tsv xcomet.json --output sysA.txt --output sysB.txt
    metra meta spans mqm.tsv xcomet.json --gold rater1,rater2 --combine any --credit 1
    """
    from metra.formats.scores.error_spans import read_error_spans
    from metra.meta.spans import evaluate_spans, report_spans

    files = [read_error_spans(path) for path in paths]
    texts = None
    if outputs:
        from metra.scoring.files import open_corpus

        corpus = open_corpus(outputs, (), None, None)
        texts = {name: [] for name in corpus.systems}
        for chunk in corpus.chunks(2048):
            for name, column in chunk.systems.items():
                texts[name] += column.text
    return report_spans(evaluate_spans(files, options, outputs=texts), options)
