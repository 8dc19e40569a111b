"""`metra meta power`, `pseudo`, `refs`, `robust`, `scatter` and `task`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from metra.cli.meta import options as shared
from metra.meta.judge_options import PowerOptions
from metra.meta.options import (
    PseudoOptions,
    RefsOptions,
    RobustOptions,
    ScatterOptions,
    TaskOptions,
)
from metra.stats.defaults import TRIALS

if TYPE_CHECKING:
    from metra.meta.findings import MetaReport
    from metra.meta.task import TaskScores
    from metra.scores.mqm import MqmWeighting
    from metra.scores.table import Scores
    from metra.stats.correlation import Options
    from metra.stats.panel import ScorePanel


@shared.question(PowerOptions, shared.SCORER, plot=True, needs_scores=False)
def power(asked: shared.MetaQuestion, options: PowerOptions) -> "MetaReport":
    """Plan a study: how many segments and raters separate the systems.

    The plan uses the judgements of a pilot study, or assumed variances (--like, --sd).
    --plot draws the share of separated pairs, or the detectable difference, by number of
    segments. `metra meta variance` explains the variances.

    \b
    metra meta power pilot.tsv --scorer esa --segments 200,400,800 --raters 1,2,3
    metra meta power pilot.tsv --scorer esa --plot power.pdf --plot-width column
    metra meta power --like esa --systems 12 --difference 1,2,4
    metra meta power --sd system=2,system×segment=10,rating=15 --segments 300,600
    """
    from metra.meta import power as question

    name = ""
    if asked.has_scores:
        shared.require_one_language(asked.scores)
        name = asked.normalise_scores(asked.choose_scorer(), options.scaling)
        curves = question.plan_from_pilot(asked.scores, name, options)
    else:
        curves = question.plan_from_variances(options)
    if asked.plot:
        from metra.report.pictures.curves import CurvePlot, draw_curves

        power, pairs = f"power {options.power:g}", len(curves.pairs)
        plot = CurvePlot(
            f"Pairs of systems separated with {power}"
            if pairs
            else f"Smallest detectable difference with {power}",
            f"{curves.systems} systems, alpha {options.alpha:g}"
            + (" by all pairs" if options.corrected else ""),
            "segments",
            f"% of {pairs} pairs" if pairs else "difference",
            [f"{count:,}" for count in options.segments],
            question.list_curves(curves, options),
        )
        asked.write_pictures(draw_curves, plot)
    return question.report_power(curves, options, name)


@shared.question(PseudoOptions, *shared.OWN, *shared.GOLD, shared.METRIC, plot=True)
def pseudo(asked: shared.MetaQuestion, options: PseudoOptions) -> "MetaReport":
    """Measure agreement on random documents of n segments, for metrics and judges.

    The human score is the mean of one random judgement per segment. With --output and -m,
    corpus metrics are aggregated from their statistics; other scores are averaged. If
    segments were judged twice, judges are compared with each other, even without a metric.
    Judges use different scales: if the same judges judged all systems of a segment,
    --judges-by segment, the default for such data, draws the same judge for all systems.

    \b
    metra meta pseudo scores.tsv --gold esa --plot curve.svg
    metra meta pseudo ratings.tsv --gold adequacy,fluency --judges-by document
    metra meta pseudo esa.tsv --gold esa --output outputs.tsv -r ref.txt -m bleu -m gtm
    """
    from metra.meta.pseudo import correlate_documents, report_pseudo

    shared.require_one_language(asked.scores)
    asked.gold = asked.normalise_scores(asked.gold, options.scaling)
    asked.add_own_scores()
    panel = asked.build_panels(None if asked.has_metrics else ())[0]
    curves = correlate_documents(asked.scores, panel, options)
    if asked.plot:
        from metra.meta.pseudo import JUDGES, average_curves
        from metra.report.pictures.curves import CurvePlot, draw_curves

        plot = CurvePlot(
            f"Mean {options.coef} with {asked.gold} by length of document",
            f"{len(panel.systems)} systems, {options.documents:,} documents of each length"
            + (f", judges drawn by {curves.judges_by}" if curves.judges_by else ""),
            "segments in a document",
            options.coef,
            [str(n) for n in curves.lengths],
            average_curves(curves),
            dashed=[JUDGES],
        )
        asked.write_pictures(draw_curves, plot)
    return report_pseudo(panel, curves, options)


@shared.question(RefsOptions, *shared.OWN, *shared.GOLD, plot=True)
def refs(asked: shared.MetaQuestion, options: RefsOptions) -> "MetaReport":
    """Show how agreement depends on the number of references, by scoring with subsets of them.

    \b
    metra meta refs da.tsv --gold da --output out.tsv -r r1.txt -r r2.txt -r r3.txt -m bleu
    """
    if not (asked.outputs and asked.specs and asked.references):
        msg = (
            "metra meta refs scores outputs itself; give --output, at least two "
            "-r, and -m."
        )
        raise click.UsageError(msg)
    from metra.meta.correlate import parse_specs
    from metra.meta.refs import correlate_subsets, report_references
    from metra.scores.table import concatenate_scores
    from metra.scores.views import build_panel
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.scorers import ReferenceSubset, count_streams, score_systems
    from metra.stats.correlation import Options

    shared.require_one_language(asked.scores)
    corpus = asked.open_corpus()
    measures = make_metrics(asked.specs)
    lang = asked.scores.languages[0]

    def score(chosen: Sequence[int]) -> "ScorePanel":
        own_scores, statistics = score_systems(
            ReferenceSubset(corpus, chosen), measures, lang=lang
        )
        both = concatenate_scores([asked.scores, own_scores])
        return build_panel(both, asked.gold, list(measures), statistics=statistics)

    (question,) = parse_specs(
        [options.coef or "pearson"], options.level, Options(seed=options.seed)
    )
    curves, panel = correlate_subsets(
        score,
        count_streams(corpus),
        question,
        counts=options.counts,
        most=options.most,
        seed=options.seed,
    )
    if asked.plot:
        from metra.report.pictures.curves import CurvePlot, draw_curves

        plot = CurvePlot(
            f"{question.heading} with {asked.gold} by number of references",
            f"mean over subsets, at most {options.most} of each number, and their range",
            "references",
            question.options.coef,
            [str(count) for count in curves.counts],
            {name: curves.mean(name) for name in curves.values},
            errors={name: curves.list_spans(name) for name in curves.values},
        )
        asked.write_pictures(draw_curves, plot)
    return report_references(curves, panel, question)


@shared.question(RobustOptions, *shared.GOLD, shared.METRIC, plot=True)
def robust(asked: shared.MetaQuestion, options: RobustOptions) -> "MetaReport":
    """Show the agreement over subsets of systems: the best, neighbours, all but one, random.

    A metric that separates very bad systems from good ones may still fail among good ones.

    \b
    metra meta robust scores.tsv --gold mqm --metric BLEU,COMET --plot top.svg
    """
    from metra.meta.robust import compute_robustness, report_robustness

    panels = asked.build_panels()
    robustness = [compute_robustness(panel, options) for panel in panels]
    if asked.plot:
        from metra.report.pictures.curves import CurvePlot, draw_curves

        across = {
            "top": "best systems",
            "window": "systems by rank",
            "subsets": "systems drawn at random",
            "leave-one-out": "system left out",
        }
        plots = [
            CurvePlot(
                f"{options.coef} with {asked.gold} over fewer systems",
                panel.lang or f"{len(panel.systems)} systems",
                across[options.choice],
                options.coef,
                [label.removeprefix("without ") for label in each.labels],
                each.curves,
                errors=each.spread,
            )
            for panel, each in zip(panels, robustness, strict=True)
        ]
        asked.write_pictures(draw_curves, *plots)
    return report_robustness(panels, robustness, options)


@shared.question(ScatterOptions, *shared.GOLD, shared.METRIC, plot=True)
def scatter(asked: shared.MetaQuestion, options: ScatterOptions) -> "MetaReport":
    """Plot systems by gold and metric, with a fitted line, its band and outliers.

    Outliers are marked, and the coefficient is given with and without them. With several
    metrics the charts are numbered: plot-1.svg, plot-2.svg and so on.

    \b
    metra meta scatter scores.tsv --gold mqm --metric BLEU --plot bleu.svg
    """
    from metra.formats.lines import read_lines
    from metra.meta import scatter as question
    from metra.scores.long_table import read_named_pairs
    from metra.stats.correlation import Options

    shared.require_one_language(asked.scores)
    named = options.outliers != "mad"
    scattered = question.correlate_choices(
        asked.build_panels()[0],
        Options(coef=options.coef),
        classes=read_named_pairs(options.classes) if options.classes else None,
        outliers=[*filter(None, read_lines(options.outliers))] if named else None,
    )
    if asked.plot:
        from metra.report.pictures.scatter import draw_scatter

        clouds = question.build_system_clouds(scattered)
        asked.write_pictures(draw_scatter, *clouds)
    return question.report_scatter(scattered, named=named)


def _check_study(given: dict[str, Any]) -> None:
    """Refuse what a study says itself, and a protocol without scores or a gold."""
    path = given["protocol"]
    if not path.endswith(".toml"):
        if not given["paths"]:
            msg = "SCORES are missing; name files, or a study such as study.toml."
            raise click.UsageError(msg)
        if not given["gold"]:
            msg = (
                "metra meta task needs --gold NAMES, the scorer with the human "
                "judgements."
            )
            raise click.UsageError(msg)
        return
    params = {param.name: param for param in click.get_current_context().command.params}
    for name in ("paths", "gold", "gold_from", "metrics", *shared.ABOUT_SCORES):
        if given[name] not in (None, (), "", "auto"):
            what = "SCORES" if name == "paths" else params[name].opts[-1]
            msg = f"{path} is a study, which defines its own scores; leave out {what}."
            raise click.UsageError(msg)


def _score_study(path: str, options: TaskOptions, chosen: "Options") -> "TaskScores":
    """Read a study and its scores, and score its metrics."""
    from metra.meta.compare import choose_rule
    from metra.meta.study import load_study, read_study
    from metra.meta.task import score_study
    from metra.scores.registry import read_scores
    from metra.scores.selection import DEFAULT

    def read(file: str, weights: "MqmWeighting | None") -> "Scores":
        scores = read_scores(file, wmt=options.wmt, mqm_weights=weights)
        return DEFAULT.select(scores)

    study = read_study(path)
    loaded = load_study(study, read)
    rule = choose_rule(options) if options.test or study.test else None
    return score_study(study, loaded, chosen, test=rule)


_protocol = click.argument("protocol", metavar="{wmt23|wmt24|wmt25|STUDY.toml}")


@shared.question(
    *(TaskOptions, *shared.OPTIONAL_GOLD, shared.METRIC),
    first=_protocol,
    plot=True,
    needs_scores=False,
    check=_check_study,
)
def task(asked: shared.MetaQuestion, options: TaskOptions) -> "MetaReport":
    """Rank metrics by the protocol of a WMT metrics task, or by a study file.

    wmt23: system accuracy over all language pairs, and for each pair Pearson's r of systems
    and of segments and acc*_eq. wmt24, wmt25: soft pairwise accuracy and acc*_eq. A study
    file names its files, gold scores, systems, metrics and columns; with --format latex its
    table is a two-column float.

    \b
    metra meta task wmt23 en-de=ende.tsv he-en=heen.tsv zh-en=zhen.tsv --gold mqm
    metra meta task study.toml --wmt --test --format latex
    """
    from metra.meta.compare import choose_rule
    from metra.meta.task import (
        add_intervals,
        build_task_table,
        report_task,
        score_task,
    )
    from metra.stats.correlation import Options

    chosen = Options(
        trials=options.trials or TRIALS,
        draws=options.trials or (TRIALS if options.wmt else None),
        seed=options.seed,
        wmt=options.wmt,
    )
    if asked.protocol.endswith(".toml"):
        scores = _score_study(asked.protocol, options, chosen)
    else:
        panels = asked.build_panels()
        rule = choose_rule(options) if options.test else None
        scores = score_task(asked.protocol, panels, chosen, test=rule)
    if options.ci or asked.plot:
        scores = add_intervals(scores, chosen)
    if asked.plot:
        from metra.report.pictures.forest import ForestPanel, ForestPlot, draw_forest

        headings = ["average", *(column.name for column in scores.columns)]
        figures = [scores.average.tolist(), *scores.values.tolist()]
        plot = ForestPlot(
            build_task_table(scores).caption,
            "95 % bootstrap intervals over systems and segments",
            scores.metrics,
            [*map(ForestPanel, headings, figures, scores.intervals or [])],
            scores.clusters or (),
        )
        asked.write_pictures(draw_forest, plot)
    return report_task(scores, chosen)
