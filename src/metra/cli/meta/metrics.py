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
    from metra.meta.findings import MetaReport

#: What is compared, in captions.
LEVELS = {"sys": "systems", "seg": "segments", "doc": "documents"}


@click.command()
@shared.question
@shared.gold
@shared.metrics
@options_from(CompareOptions)
@shared.plot
def compare(asked: shared.MetaQuestion, options: CompareOptions) -> "MetaReport":
    """Rank metrics by how well they agree with people, and say which differences count.

    The default exchanges the scores of two metrics at random, cell by cell, and asks how
    often that makes as large a difference. --plot draws the p-values as a heat map.

    \b
    metra meta compare scores.tsv --gold mqm
    metra meta compare scores.tsv --gold mqm --level seg --coef acc*_eq:item --plot p.svg
    metra meta compare scores.tsv --gold da --test williams
    """
    from metra.meta.compare import compare, parse_question, report_comparison

    asked.select_level(options.level, asked.gold)
    spec, test = parse_question(options)
    panels = asked.build_panels()
    (question,) = asked.fit_thresholds([spec], options.eps_from)
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
    if asked.plot:
        coefficient = options.coefficient or spec.heading.replace(" ", ":")
        pictures = [
            shared.draw_heatmap(
                f"{coefficient} with {asked.gold}: which metrics are better",
                f"p-values, row better than column ({each.test}); clusters framed",
                each.names,
                each.p,
                "p",
                each.clusters,
            )
            for each in comparisons
        ]
        asked.write_pictures(*pictures)
    return report_comparison(
        panels, question, comparisons, alpha=options.alpha, rule=options.rule
    )


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.metrics
@options_from(CorrelateOptions)
def correlate(asked: shared.MetaQuestion, options: CorrelateOptions) -> "MetaReport":
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

    asked.add_own_scores()
    if options.level == "doc":
        asked.statistics = {}
    asked.select_level(options.level, asked.gold)
    panels = asked.build_panels()
    questions = asked.fit_thresholds(parse_questions(options), options.eps_from)
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
def diff(asked: shared.MetaQuestion, options: DiffOptions) -> "MetaReport":
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

    asked.add_own_scores()
    chosen = Options(orient=options.orient, trials=options.trials, seed=options.seed)
    interval = not options.no_ci
    differences = [
        correlate_differences(panel, chosen, interval=interval)
        for panel in asked.build_panels()
    ]
    if asked.plot:
        from metra.report.pictures.scatter import draw_scatter

        asked.write_pictures(*map(draw_scatter, build_clouds(differences)))
    return report_differences(differences, chosen, interval=interval)


@click.command()
@shared.question
@options_from(CrossOptions)
@shared.plot
def cross(asked: shared.MetaQuestion, options: CrossOptions) -> "MetaReport":
    """Correlate every scorer with every other; alike ones stand side by side.

    \b
    metra meta cross scores.tsv --level seg --plot cross.svg
    metra meta cross scores.tsv --scorer BLEU,chrF,mqm --coef spearman
    """
    from metra.meta.correlate import parse_specs
    from metra.meta.cross import cross_correlate, report_cross
    from metra.stats.correlation import Options

    asked.require_one_language()
    asked.select_level(options.level)
    scores = asked.scores
    chosen = parse_specs([options.coef], options.level, Options())[0].options
    names = options.scorers or scores.names
    crossed = cross_correlate(scores, names, options.level, chosen)
    if asked.plot:
        caption = f"{options.coef} of {LEVELS[options.level]}"
        picture = shared.draw_heatmap(
            "How the scorers agree", caption, crossed.names, crossed.values, "r"
        )
        asked.write_pictures(picture)
    return report_cross(scores, crossed, options.level, chosen)
