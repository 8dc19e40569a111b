"""`metra meta spans`, `challenge`, `select`, `deltas`, `sentinel`: uses of metrics."""

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from metra.cli.derive import options_from
from metra.cli.meta import options as shared
from metra.cli.options import option
from metra.meta.options import (
    ChallengeOptions,
    DeltaOptions,
    SelectOptions,
    SentinelOptions,
    SpanOptions,
)

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


@file_question(
    ChallengeOptions,
    option(
        "-m --score-with specs SPEC",
        "Score both translations by this metric (see `metra metrics`).",
        multiple=True,
    ),
    files="PAIRS",
)
def challenge(
    paths: tuple[str, ...], specs: tuple[str, ...], options: ChallengeOptions
) -> "MetaReport":
    """Count how often a metric prefers the good translation of a challenge set.

    PAIRS is a table with the columns good and bad, and where there are any, source,
    reference, phenomenon and langpair; the names of ACES and DEMETR are known, and so is
    their JSON. Other programs' scores stand in columns NAME-good and NAME-bad.

    \b
    metra meta challenge aces.tsv -m bleu -m chrf
    metra meta challenge scored.tsv --coef tau --lower-is-better MetricX
    """
    from metra.formats.annotations.challenge_set import read_challenge_set
    from metra.meta.challenge import report_challenge, score_challenge

    if len(paths) > 1:
        msg = f"One challenge set at a time; found {len(paths)} files."
        raise click.UsageError(msg)
    pairs = read_challenge_set(paths[0])
    return report_challenge(score_challenge(pairs, specs, options), options)


@shared.question(SelectOptions, *shared.OWN, *shared.GOLD, shared.METRIC)
def select(asked: shared.MetaQuestion, options: SelectOptions) -> "MetaReport":
    """Ask whether a metric keeps the good outputs, and takes the best of several.

    Filtering keeps outputs that score at least a threshold, which is chosen on other
    segments; F counts precision twice. Re-ranking takes the output that scores highest.

    \b
    metra meta select scores.tsv --gold mqm --good -4
    """
    from metra.meta.select import report_selection, select_outputs

    asked.add_own_scores()
    selections = [select_outputs(panel, options) for panel in asked.build_panels()]
    return report_selection(selections, options)


@shared.question(DeltaOptions, *shared.OWN, *shared.GOLD, shared.METRIC, plot=True)
def deltas(asked: shared.MetaQuestion, options: DeltaOptions) -> "MetaReport":
    """Say which difference between two systems people notice, for each metric.

    A logistic curve is fitted to all pairs of systems: the share that people order alike
    grows with the difference, from one half. --plot draws the curves.

    \b
    metra meta deltas scores.tsv --gold mqm --metric BLEU,chrF
    metra meta deltas scores.tsv --gold mqm --metric BLEU --at 0.5,1,2,4 --sure 0.05
    """
    from metra.meta.deltas import build_curves, measure_differences, report_deltas

    asked.add_own_scores()
    panels = asked.build_panels()
    noticed = measure_differences(panels, options)
    if asked.plot:
        from metra.report.pictures.curves import CurvePlot, draw_curves

        plots = [
            CurvePlot(
                f"How often people ({asked.gold}) agree with a difference of {name}",
                caption,
                f"difference of {name}",
                "share of pairs",
                labels,
                curves,
                intervals,
            )
            for name, caption, labels, curves, intervals in build_curves(noticed)
        ]
        asked.write_pictures(*map(draw_curves, plots))
    return report_deltas(panels, noticed, options)


@shared.question(SentinelOptions, *shared.OWN, *shared.GOLD, shared.METRIC)
def sentinel(asked: shared.MetaQuestion, options: SentinelOptions) -> "MetaReport":
    """Hold metrics against sentinels, which cannot tell how good an output is.

    Two sentinels know people's mean of the segment or of the system. With --output, -s and
    -r, others are fitted to lengths and characters of the source, the output or the
    reference. What they reach, a metric can reach without comparing texts.

    \b
    metra meta sentinel scores.tsv --gold mqm
    metra meta sentinel scores.tsv --gold mqm --output outputs.tsv -s source.txt -r ref.txt
    """
    from metra.meta.sentinel import (
        collect_features,
        correlate_sentinels,
        report_sentinels,
    )

    features = None
    if asked.outputs:
        shared.require_one_language(asked.scores)
        features = collect_features(asked.open_corpus())
        if asked.specs:
            asked.add_own_scores()
    correlations = [
        correlate_sentinels(panel, options, features) for panel in asked.build_panels()
    ]
    return report_sentinels(correlations, options)
