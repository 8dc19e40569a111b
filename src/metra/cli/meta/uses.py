"""`metra meta spans`, `challenge`, `select`, `deltas`, `sentinel` and `card`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from metra.cli import GroupedCommand, name_flags
from metra.cli.derive import options_from
from metra.cli.meta import options as shared
from metra.cli.options import option, split_specs
from metra.meta.options import (
    CardOptions,
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
    paths: Callable[..., Any] = click.argument(
        "paths", nargs=-1, required=True, metavar=files
    )

    def decorate(answer: Callable[..., "MetaReport"]) -> click.Command:
        @wraps(answer)
        def show(form: str, out: str | None, digits: int, **given: Any) -> None:
            shared.show_report(answer(**given), form, out, digits)

        command: Callable[..., Any] = show
        for add_option in reversed(
            [paths, *takes, options_from(record), *shared.RESULT]
        ):
            command = add_option(command)
        return click.command(cls=GroupedCommand)(command)

    return decorate


@file_question(
    SpanOptions,
    option(
        "--output outputs OUTPUT",
        "Outputs: one file per system, or a table with several systems. They are "
        "needed to locate errors that are given by their words only, and to count "
        "unmarked characters.",
        multiple=True,
    ),
    files="ERRORS...",
)
def spans(
    paths: tuple[str, ...], outputs: tuple[str, ...], options: SpanOptions
) -> "MetaReport":
    """Compare error spans with those marked by people, and raters with each other.

    ERRORS are files with error spans: MQM, ESA from Appraise, mt-metrics-eval ratings,
    results of Pearmut, metra judgements, xCOMET JSON, JSON lines. Precision, recall and F
    are computed over characters, as in WMT 2025's error span task, over spans matched one
    to one, and over identical spans. Intervals resample segments.

    \b
    metra meta spans mqm.tsv
    metra meta spans mqm.tsv xcomet.json --output sysA.txt --output sysB.txt
    metra meta spans mqm.tsv xcomet.json --gold rater1,rater2 --combine any --credit 1
    """
    from metra.meta.spans import evaluate_spans, report_spans
    from metra.scores.span_files import read_spans

    files = [read_spans(path) for path in paths]
    texts = _read_outputs(outputs)
    answer = report_spans(evaluate_spans(files, options, outputs=texts), options)
    words = dict.fromkeys(filter(None, (file.selection for file in files)))
    return replace(answer, selection=" / ".join(words))


def _read_outputs(paths: Sequence[str]) -> dict[str, list[str | None]]:
    """Read the texts of each system."""
    texts: dict[str, list[str | None]] = {}
    if paths:
        from metra.scoring.files import open_corpus

        for chunk in open_corpus(paths).chunks(2048):
            for name, column in chunk.systems.items():
                column_texts = [column.text[at] for at in range(len(column.text))]
                texts.setdefault(name, []).extend(column_texts)
    return texts


@file_question(
    ChallengeOptions,
    option(
        "-m --score-with specs SPEC",
        "Score both translations by this metric (see `metra metrics`).",
        multiple=True,
        callback=split_specs,
    ),
    files="PAIRS",
)
def challenge(
    paths: tuple[str, ...], specs: tuple[str, ...], options: ChallengeOptions
) -> "MetaReport":
    """Count how often a metric prefers the good translation of a challenge set.

    PAIRS is a table with the columns good and bad, and optionally source, reference,
    phenomenon and langpair; the column names and JSON of ACES and DEMETR are recognised.
    Scores from other programs are in columns NAME-good and NAME-bad.

    \b
    metra meta challenge aces.tsv -m bleu -m chrf
    metra meta challenge scored.tsv --coef tau --lower-is-better MetricX
    """
    from metra.formats.annotations.challenge_set import read_challenge_set
    from metra.meta.challenge import report_challenge, score_challenge

    if len(paths) > 1:
        msg = f"Give one challenge set; found {len(paths)} files."
        raise click.UsageError(msg)
    pairs = read_challenge_set(paths[0])
    return report_challenge(score_challenge(pairs, specs, options), options)


@shared.question(SelectOptions, *shared.OWN, *shared.GOLD, shared.METRIC)
def select(asked: shared.MetaQuestion, options: SelectOptions) -> "MetaReport":
    """Evaluate a metric for filtering outputs and for choosing the best of several.

    Filtering keeps outputs whose score reaches a threshold that is chosen on other
    segments; F weights precision twice. Re-ranking takes the output with the highest score.

    \b
    metra meta select scores.tsv --gold mqm --good -4
    """
    from metra.meta.select import report_selection, select_outputs

    asked.add_own_scores()
    selections = [select_outputs(panel, options) for panel in asked.build_panels()]
    return report_selection(selections, options)


@shared.question(DeltaOptions, *shared.OWN, *shared.GOLD, shared.METRIC, plot=True)
def deltas(asked: shared.MetaQuestion, options: DeltaOptions) -> "MetaReport":
    """Estimate, for each metric, which difference between two systems people notice.

    A logistic curve is fitted to all pairs of systems: the share of pairs that human scores
    order the same way, by the size of the difference, starting at one half. --plot draws
    the curves.

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
                f"Human agreement ({asked.gold}) with a difference of {each.metric}",
                each.caption,
                f"difference of {each.metric}",
                "share of pairs",
                each.labels,
                each.shares,
                each.bands,
            )
            for each in build_curves(noticed)
        ]
        asked.write_pictures(draw_curves, *plots)
    return report_deltas(panels, noticed, options)


@shared.question(SentinelOptions, *shared.OWN, *shared.GOLD, shared.METRIC)
def sentinel(asked: shared.MetaQuestion, options: SentinelOptions) -> "MetaReport":
    """Compare metrics with sentinels: baselines that do not compare output and source.

    Two sentinels predict the mean human score of the segment or of the system. With
    --output, -s and -r, others are fitted to lengths and characters of the source, the
    output or the reference. A metric that is no better than a sentinel may use only such
    cues.

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


@shared.question(
    CardOptions,
    *shared.OWN,
    *shared.GOLD,
    shared.METRIC,
    option("--html page FILE", "Write the card to this HTML file."),
    option(
        "--challenge contrasts PAIRS", "Challenge set, as for `metra meta challenge`."
    ),
    option(
        "--spans errors ERRORS",
        "Error spans marked by people or by the metric, as for `metra meta spans`.",
        multiple=True,
    ),
)
def card(asked: shared.MetaQuestion, options: CardOptions) -> "MetaReport":
    """Write a metric card: all meta-evaluation results for one metric on one page.

    --metric names the metric; its rank is among all metrics in the scores. --output, -s and
    -r add sentinels fitted to the texts. A challenge set contains the metric's scores in
    columns NAME-good and NAME-bad, or is scored with -m.

    \b
    metra meta card scores.tsv --gold mqm --metric COMET --html comet.html
    metra meta card scores.tsv --gold mqm --metric xCOMET --spans mqm.tsv \\
        --spans xcomet.json --html xcomet.html
    metra meta card mqm.tsv --gold mqm --output outputs.tsv -s src.txt -r ref.txt \\
        -m chrf --metric chrf --challenge aces.tsv --html chrf.html
    """
    from metra.meta.card import build_card, report_card
    from metra.scores.span_files import read_spans

    if len(asked.metrics) != 1:
        msg = (
            "A card describes one metric; name it with --metric (found "
            f"{len(asked.metrics)})."
        )
        raise click.UsageError(msg)
    (metric,) = asked.metrics
    features = challenge_set = None
    if asked.outputs:
        from metra.meta.sentinel import collect_features

        shared.require_one_language(asked.scores)
        features = collect_features(asked.open_corpus())
        if asked.specs:
            asked.add_own_scores()
    if asked.contrasts:
        from metra.formats.annotations.challenge_set import read_challenge_set

        challenge_set = read_challenge_set(asked.contrasts)
    asked.metrics = ()
    panels = asked.build_panels()
    for panel in panels:
        if metric not in panel.names:
            from metra.errors import UnknownNameError, no_such

            raise UnknownNameError(no_such("metric", metric, panel.names))
    scored = challenge_set is not None and metric in challenge_set.scores
    found = build_card(
        panels,
        metric,
        options,
        challenge=challenge_set,
        specs=() if scored else [spec for spec in asked.specs if spec == metric],
        features=features,
        spans=[read_spans(path) for path in asked.errors],
        outputs=_read_outputs(asked.outputs),
    )
    if asked.page:
        from metra.cli.output import build_provenance, write_output
        from metra.report.html.card import render_card

        named = {
            key: shared.name_note_flags(each) for key, each in found.answers.items()
        }
        shown = replace(found, notes=[*map(name_flags, found.notes)], answers=named)
        provenance = build_provenance([*asked.paths, *asked.outputs])
        write_output(render_card(shown, provenance), asked.page)
    return report_card(found)
