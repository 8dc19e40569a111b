"""`metra meta correlate`, `diff`, `compare`, `cross` and `tune`: questions about metrics."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared
from metra.meta.options import (
    CompareOptions,
    CorrelateOptions,
    CrossOptions,
    DiffOptions,
    TuneOptions,
)

if TYPE_CHECKING:
    from metra.meta.findings import MetaReport

#: What is compared, in captions.
LEVELS = {"sys": "systems", "seg": "segments", "doc": "documents"}


@shared.question(CompareOptions, *shared.GOLD, shared.METRIC, plot=True)
def compare(asked: shared.MetaQuestion, options: CompareOptions) -> "MetaReport":
    """Rank metrics by their agreement with human scores, with significance tests.

    For systems, the default is Williams' test of Pearson's r. The permutation tests swap
    the scores of two metrics at random, by system or, with --level seg, by segment, and
    count how often the difference is as large. Tests are two-sided, and p-values are
    corrected for multiple comparisons. --plot draws the p-values as a heat map.

    \b
    metra meta compare scores.tsv --gold mqm
    metra meta compare scores.tsv --gold mqm --level seg --coef acc*_eq:item --plot p.svg
    metra meta compare scores.tsv --gold da --test williams
    """
    from metra.meta.compare import compare_panels, parse_question, report_comparison

    asked.select_level(options.level, asked.gold)
    spec = parse_question(options)
    panels = asked.build_panels()
    (question,) = asked.fit_thresholds([spec], options.eps_from)
    comparisons = compare_panels(panels, question, options)
    if asked.plot:
        from metra.report.pictures.heatmap import Heatmap, draw_heatmap

        coefficient = options.coefficient or spec.heading.replace(" ", ":")
        title = f"{coefficient} with {asked.gold}: which metrics are better"
        maps = []
        for each in comparisons:
            caption = f"p-values ({each.test}, {each.tests.sides}); clusters framed"
            p = each.p.tolist()
            maps.append(Heatmap(title, caption, each.names, p, "p", each.clusters))
        asked.write_pictures(draw_heatmap, *maps)
    return report_comparison(
        panels,
        question,
        comparisons,
        rule=options.rule,
        most_pairs=options.most_pairs,
    )


@shared.question(CorrelateOptions, *shared.OWN, *shared.GOLD, shared.METRIC, plot=True)
def correlate(asked: shared.MetaQuestion, options: CorrelateOptions) -> "MetaReport":
    """Correlate metrics with human scores, with bootstrap intervals.

    With --output and -m, metra scores the outputs itself, and each resample of segments
    aggregates the statistics of corpus metrics such as BLEU again. --plot draws the
    coefficients with their intervals.

    \b
    metra meta correlate scores.tsv --gold mqm
    metra meta correlate scores.tsv --gold mqm --plot mqm.pdf --plot-width page
    metra meta correlate scores.tsv --gold mqm --level seg --coef acc*_eq:item --no-ci
    metra meta correlate scores.tsv --gold mqm --level doc --coef darr:item
    metra meta correlate test.tsv --gold mqm --level seg --eps-from dev.tsv
    metra meta correlate scores.tsv --gold mqm --level seg --cross-fit 5
    metra meta correlate metrics.json esa.csv --gold esa --coef pearson --coef differentials
    metra meta correlate mqm.tsv --gold mqm --output outputs.tsv -r ref.txt -m bleu -m recall
    """
    from metra.meta import correlate as question

    asked.add_own_scores()
    if options.level == "doc":
        asked.statistics = {}
    asked.select_level(options.level, asked.gold)
    panels = asked.build_panels()
    questions = asked.fit_thresholds(
        question.parse_questions(options), options.eps_from
    )
    ask = question.correlate_metrics
    correlations = [ask(panel, questions, options) for panel in panels]
    if asked.plot:
        from metra.report.pictures.forest import ForestPanel, ForestPlot, draw_forest

        plots = []
        for each in correlations:
            names = question.sort_metrics(each.answers[0])
            columns = [[results[name] for name in names] for results in each.answers]
            panels_drawn = [
                ForestPanel(
                    spec.heading,
                    [result.value for result in column],
                    [result.interval for result in column],
                )
                for spec, column in zip(questions, columns, strict=True)
            ]
            title = f"Agreement of metrics with {each.panel.place}{asked.gold}"
            caption = f"{len(each.panel.systems)} systems"
            caption += "" if options.no_ci else f", 95 % intervals ({options.interval})"
            plots.append(ForestPlot(title, caption, names, panels_drawn))
        asked.write_pictures(draw_forest, *plots)
    return question.report_correlation(correlations, options)


@shared.question(DiffOptions, *shared.OWN, *shared.GOLD, shared.METRIC, plot=True)
def diff(asked: shared.MetaQuestion, options: DiffOptions) -> "MetaReport":
    """Correlate differences between systems, and count correctly ordered pairs.

    Differentials are Pearson's r of the differences over all pairs of systems. Accuracy is
    given for all pairs, and for pairs whose human scores differ with p below .05, .01 and
    .001. --plot draws the pairs; with several metrics, one numbered chart each.

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

        asked.write_pictures(draw_scatter, *build_clouds(differences))
    return report_differences(differences, chosen, interval=interval)


@shared.question(CrossOptions, plot=True)
def cross(asked: shared.MetaQuestion, options: CrossOptions) -> "MetaReport":
    """Correlate all scorers with each other, similar ones next to each other.

    \b
    metra meta cross scores.tsv --level seg --plot cross.svg
    metra meta cross scores.tsv --scorer BLEU,chrF,mqm --coef spearman
    """
    from metra.meta.correlate import parse_specs
    from metra.meta.cross import cross_correlate, report_cross
    from metra.stats.correlation import Options

    shared.require_one_language(asked.scores)
    asked.select_level(options.level)
    scores = asked.scores
    chosen = parse_specs([options.coef], options.level, Options())[0].options
    names = options.scorers or scores.names
    crossed = cross_correlate(scores, names, options.level, chosen)
    if asked.plot:
        from metra.report.pictures.heatmap import Heatmap, draw_heatmap

        title = "Correlation between scorers"
        caption = f"{options.coef} of {LEVELS[options.level]}"
        heat = Heatmap(title, caption, crossed.names, crossed.values.tolist(), "r")
        asked.write_pictures(draw_heatmap, heat)
    return report_cross(scores, crossed, options.level, chosen)


@shared.question(TuneOptions, *shared.OWN, *shared.GOLD, plot=True)
def tune(asked: shared.MetaQuestion, options: TuneOptions) -> "MetaReport":
    """Find the value of a metric's option with the best agreement with human scores.

    The outputs are scored with every value, such as the recall weight of fmean (alpha), and
    the curve has bootstrap intervals. Cross-validation chooses the value on all folds of
    segments but one and evaluates it on that fold, next to the value in -m.

    \b
    metra meta tune mqm.tsv --gold mqm --output outputs.tsv -r ref.txt -m fmean
    metra meta tune mqm.tsv --gold mqm --output outputs.tsv -r ref.txt \\
        -m fmean -m fmean:stem=porter --values 0:1:0.1 --plot alpha.svg
    metra meta tune mqm.tsv --gold mqm --output outputs.tsv -r ref.txt \\
        -m chrf --parameter beta --values 0.5,1,2,3,4
    """
    if not (asked.outputs and asked.specs):
        msg = "metra meta tune scores outputs itself; give --output and -m."
        raise click.UsageError(msg)
    from metra.meta.correlate import parse_specs
    from metra.meta.tune import list_variants, report_tuning, tune_option
    from metra.stats.correlation import Options

    shared.require_one_language(asked.scores)
    variants = {
        spec: list_variants(spec, options.parameter, options.values)
        for spec in asked.specs
    }
    listed = (spec for _, each in variants.values() for spec in each.values())
    asked.specs = tuple(dict.fromkeys(listed))
    asked.metrics = asked.specs
    asked.add_own_scores()
    panel = asked.build_panels()[0]
    chosen = Options(trials=options.trials, seed=options.seed)
    (question,) = parse_specs([options.coef], options.level, chosen)
    curves = [
        tune_option(panel, spec, default, each, question, options)
        for spec, (default, each) in variants.items()
    ]
    if asked.plot:
        from metra.metrics.options import format_value
        from metra.report.pictures.curves import CurvePlot, draw_curves

        values = sorted({value for curve in curves for value in curve.values})
        plot = CurvePlot(
            f"{question.heading} with {asked.gold} by {options.parameter}",
            f"{len(panel.systems)} systems, {panel.compared:,} judged segments",
            options.parameter,
            question.options.coef,
            [format_value(value) for value in values],
            {curve.spec: curve.list_coefficients(values) for curve in curves},
            {curve.spec: curve.list_intervals(values) for curve in curves},
        )
        asked.write_pictures(draw_curves, plot)
    return report_tuning(panel, curves, question, options)
