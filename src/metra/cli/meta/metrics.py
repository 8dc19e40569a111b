"""`metra meta correlate`, `diff`, `compare` and `cross`: questions about metrics."""

from typing import TYPE_CHECKING

import click

from metra.cli.derive import options_from
from metra.cli.meta import options as shared
from metra.meta.options import (
    CompareOptions,
    CorrelateOptions,
    CrossOptions,
    DiffOptions,
)

if TYPE_CHECKING:
    from metra.formats.scores.record import Scores
    from metra.meta.findings import MetaReport

#: What is compared, in captions.
LEVELS = {"sys": "systems", "seg": "segments", "doc": "documents"}


@click.command()
@shared.question
@shared.gold
@shared.metrics
@options_from(CompareOptions)
@shared.plot
def compare(
    scores: "Scores",
    gold: str,
    metrics: tuple[str, ...],
    options: CompareOptions,
    plot: str | None,
) -> "MetaReport":
    """Rank metrics by how well they agree with people, and say which differences count.

    The default exchanges the scores of two metrics at random, cell by cell, and asks how
    often that makes as large a difference. --plot draws the p-values as a heat map.

    \b
    metra meta compare scores.tsv --gold mqm
    metra meta compare scores.tsv --gold mqm --level seg --coef acc*_eq:item --plot p.svg
    metra meta compare scores.tsv --gold da --test williams
    """
    from metra.meta.compare import compare, parse_question, report_comparison

    scores = shared.select_level(scores, options.level, gold)
    asked, test = parse_question(options)
    panels = shared.build_panels(scores, gold, metrics)
    (question,) = shared.fit_thresholds(
        [asked], options.eps_from, scores, gold, metrics
    )
    comparisons = [
        compare(
            panel,
            question,
            test=test,
            alpha=options.alpha,
            rule=options.rule,
            absolute=options.absolute,
        )
        for panel in panels
    ]
    if plot:
        coefficient = options.coefficient or asked.heading.replace(" ", ":")
        pictures = [
            shared.draw_heatmap(
                f"{coefficient} with {gold}: which metrics are better",
                f"p-values, row better than column ({each.test}); clusters framed",
                each.names,
                each.p,
                "p",
                each.clusters,
            )
            for each in comparisons
        ]
        shared.write_pictures(plot, pictures)
    return report_comparison(
        panels, question, comparisons, alpha=options.alpha, rule=options.rule
    )


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.metrics
@options_from(CorrelateOptions)
def correlate(
    scores: "Scores",
    own: shared.OwnOutputs,
    gold: str,
    metrics: tuple[str, ...],
    options: CorrelateOptions,
) -> "MetaReport":
    """Say how well metrics agree with people, with bootstrap intervals.

    With --output and -m, outputs are scored here and now, and each resample of segments
    pools the statistics of corpus measures such as BLEU anew.

    \b
    metra meta correlate scores.tsv --gold mqm
    metra meta correlate scores.tsv --gold mqm --level seg --coef acc*_eq:item --no-ci
    metra meta correlate scores.tsv --gold mqm --level doc --coef darr:item
    metra meta correlate test.tsv --gold mqm --level seg --eps-from dev.tsv
    metra meta correlate scores.tsv --gold mqm --level seg --cross-fit 5
    metra meta correlate metrics.json esa.csv --gold esa --coef pearson --coef differentials
    metra meta correlate mqm.tsv --gold mqm --output outputs.tsv -r ref.txt -m bleu -m recall
    """
    from metra.meta.correlate import (
        correlate_metrics,
        parse_questions,
        report_correlation,
    )

    scores, statistics = shared.add_own_scores(scores, own)
    if options.level == "doc":
        statistics = {}
    scores = shared.select_level(scores, options.level, gold)
    panels = shared.build_panels(scores, gold, metrics, statistics)
    questions = shared.fit_thresholds(
        parse_questions(options), options.eps_from, scores, gold, metrics
    )
    interval = "none" if options.no_ci else options.interval
    correlations = [
        correlate_metrics(panel, questions, interval=interval, drawn=options.resample)
        for panel in panels
    ]
    return report_correlation(correlations, interval=interval, drawn=options.resample)


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.metrics
@options_from(DiffOptions)
@shared.plot
def diff(
    scores: "Scores",
    own: shared.OwnOutputs,
    gold: str,
    metrics: tuple[str, ...],
    options: DiffOptions,
    plot: str | None,
) -> "MetaReport":
    """Correlate differences between systems, and count pairs in the right order.

    Differentials are Pearson's r of the differences of all pairs of systems. Accuracy is
    given for all pairs, and for those that people tell apart with p below .05, .01 and .001.
    --plot draws the pairs, a numbered picture for each metric where there are several.

    \b
    metra meta diff scores.tsv --gold mqm
    metra meta diff scores.tsv --gold mqm --metric BLEU --plot pairs.svg
    """
    from metra.meta.diff import build_clouds, correlate_differences, report_differences
    from metra.stats.correlation import Options

    scores, statistics = shared.add_own_scores(scores, own)
    chosen = Options(orient=options.orient, trials=options.trials, seed=options.seed)
    interval = not options.no_ci
    differences = [
        correlate_differences(panel, chosen, interval=interval)
        for panel in shared.build_panels(scores, gold, metrics, statistics)
    ]
    report = report_differences(differences, chosen, interval=interval)
    if plot:
        from metra.report.pictures.scatter import draw_scatter

        pictures = [draw_scatter(cloud) for cloud in build_clouds(differences)]
        report = shared.add_notes(report, shared.write_pictures(plot, pictures))
    return report


@click.command()
@shared.question
@options_from(CrossOptions)
@shared.plot
def cross(scores: "Scores", options: CrossOptions, plot: str | None) -> "MetaReport":
    """Correlate every scorer with every other; alike ones stand side by side.

    \b
    metra meta cross scores.tsv --level seg --plot cross.svg
    metra meta cross scores.tsv --scorer BLEU,chrF,mqm --coef spearman
    """
    from metra.meta.correlate import parse_specs
    from metra.meta.cross import cross_correlate, report_cross
    from metra.stats.correlation import Options

    scores = shared.require_one_language(scores)
    scores = shared.select_level(scores, options.level)
    chosen = parse_specs([options.coef], options.level, Options())[0].options
    names = options.scorers or scores.names
    crossed = cross_correlate(scores, names, options.level, chosen)
    if plot:
        caption = f"{options.coef} of {LEVELS[options.level]}"
        picture = shared.draw_heatmap(
            "How the scorers agree", caption, crossed.names, crossed.values, "r"
        )
        shared.write_pictures(plot, [picture])
    return report_cross(scores, crossed, options.level, chosen)
