"""`metra meta pseudo`, `refs`, `robust`, `scatter` and `task`: questions about designs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from metra.cli.derive import options_from
from metra.cli.meta import options as shared
from metra.meta.options import (
    PseudoOptions,
    RefsOptions,
    RobustOptions,
    ScatterOptions,
    TaskOptions,
)

if TYPE_CHECKING:
    from metra.meta.findings import MetaReport
    from metra.stats.panel import ScorePanel


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.metrics
@options_from(PseudoOptions)
@shared.plot
def pseudo(asked: shared.MetaQuestion, options: PseudoOptions) -> "MetaReport":
    """Rank systems on documents of n segments drawn at random: metrics, and judges.

    People's score is the mean of one judgement a segment, chosen at random. With --output
    and -m, corpus measures are pooled from their statistics; other scores are averaged.
    Where segments were judged twice, judges are compared with judges.

    \b
    metra meta pseudo scores.tsv --gold esa --plot curve.svg
    metra meta pseudo esa.tsv --gold esa --output outputs.tsv -r ref.txt -m bleu -m gtm
    """
    from metra.meta.pseudo import JUDGES, draw_curves, report_pseudo

    asked.require_one_language()
    asked.gold = asked.normalise_scores(asked.gold, options.scaling)
    asked.add_own_scores()
    panel = asked.build_panels()[0]
    curves = draw_curves(asked.scores, panel, options)
    if asked.plot:
        means = {name: curves.mean(name) for name in curves.by_name}
        if curves.judges:
            means[JUDGES] = curves.judge_mean()
        picture = _draw_curves(
            f"Mean {options.coef} with {asked.gold} by length of document",
            f"{len(panel.systems)} systems, {options.documents:,} documents of each length",
            "segments in a document",
            options.coef,
            [str(n) for n in curves.lengths],
            means,
            dashed=[JUDGES],
        )
        asked.write_pictures(picture)
    return report_pseudo(panel, curves, options)


@click.command()
@shared.question
@shared.own
@shared.gold
@options_from(RefsOptions)
@shared.plot
def refs(asked: shared.MetaQuestion, options: RefsOptions) -> "MetaReport":
    """Show how agreement grows with references: outputs are scored with subsets of them.

    \b
    metra meta refs da.tsv --gold da --output out.tsv -r r1.txt -r r2.txt -r r3.txt -m bleu
    """
    if not (asked.outputs and asked.specs and asked.references):
        msg = "Give --output, two or more -r and a measure (-m): what to score, with what."
        raise click.UsageError(msg)
    from metra.formats.scores.panel import build_panel
    from metra.formats.scores.record import concatenate_scores
    from metra.meta.correlate import parse_specs
    from metra.meta.refs import correlate_subsets, report_references
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.scorers import ReferenceSubset, count_streams, score_systems
    from metra.stats.correlation import Options

    asked.require_one_language()
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
        picture = _draw_curves(
            f"{question.heading} with {asked.gold} by number of references",
            f"mean over subsets, at most {options.most} of each number",
            "references",
            question.options.coef,
            [str(count) for count in curves.counts],
            {name: curves.mean(name) for name in curves.values},
        )
        asked.write_pictures(picture)
    return report_references(curves, panel, question)


@click.command()
@shared.question
@shared.gold
@shared.metrics
@options_from(RobustOptions)
@shared.plot
def robust(asked: shared.MetaQuestion, options: RobustOptions) -> "MetaReport":
    """Show the agreement over fewer systems: the best, neighbours, all but one, or any.

    A metric that tells hopeless systems from good ones may still be blind among good ones.

    \b
    metra meta robust scores.tsv --gold mqm --metric BLEU,COMET --plot top.svg
    """
    from metra.meta.robust import compute_robustness, report_robustness
    from metra.stats.correlation import Options

    panels = asked.build_panels()
    chosen = Options(coef=options.coef, seed=options.seed)
    choice, window = options.choice, options.window
    robustness = [
        compute_robustness(panel, chosen, choice=choice, window=window)
        for panel in panels
    ]
    if asked.plot:
        across = {
            "top": "best systems",
            "window": "systems by rank",
            "subsets": "systems drawn at random",
            "leave-one-out": "system left out",
        }
        pictures = [
            _draw_curves(
                f"{options.coef} with {asked.gold} over fewer systems",
                panel.lang or f"{len(panel.systems)} systems",
                across[choice],
                options.coef,
                [label.removeprefix("without ") for label in each.labels],
                each.curves,
            )
            for panel, each in zip(panels, robustness, strict=True)
        ]
        asked.write_pictures(*pictures)
    return report_robustness(panels, robustness, chosen, choice=choice, window=window)


@click.command()
@shared.question
@shared.gold
@shared.metrics
@options_from(ScatterOptions)
@shared.plot
def scatter(asked: shared.MetaQuestion, options: ScatterOptions) -> "MetaReport":
    """Plot systems by gold and metric, with a fitted line, its band and the outliers.

    Outliers are marked and the coefficient is given with and without them. With several
    metrics the pictures are numbered: plot-1.svg, plot-2.svg and so on.

    \b
    metra meta scatter scores.tsv --gold mqm --metric BLEU --plot bleu.svg
    """
    from metra.formats.lines import read_lines
    from metra.formats.scores.long_table import read_named_pairs
    from metra.meta.scatter import (
        build_system_clouds,
        correlate_choices,
        report_scatter,
    )
    from metra.stats.correlation import Options

    asked.require_one_language()
    named = options.outliers != "mad"
    scattered = correlate_choices(
        asked.build_panels()[0],
        Options(coef=options.coef),
        classes=read_named_pairs(options.classes) if options.classes else None,
        outliers=[*filter(None, read_lines(options.outliers))] if named else None,
    )
    if asked.plot:
        from metra.report.pictures.scatter import draw_scatter

        asked.write_pictures(*map(draw_scatter, build_system_clouds(scattered)))
    return report_scatter(scattered, named=named)


@click.command()
@click.argument("protocol", type=click.Choice(["wmt23", "wmt24", "wmt25"]))
@shared.question
@shared.gold
@shared.metrics
@options_from(TaskOptions)
def task(
    asked: shared.MetaQuestion, protocol: str, options: TaskOptions
) -> "MetaReport":
    """Score metrics by the protocol of a WMT metrics task.

    wmt23: accuracy of systems over all language pairs, and for each of them Pearson's r of
    systems and of segments and acc*_eq. wmt24, wmt25: soft pairwise accuracy and acc*_eq.

    \b
    metra meta task wmt23 en-de=ende.tsv he-en=heen.tsv zh-en=zhen.tsv --gold mqm
    """
    from metra.meta.task import report_task, score_task
    from metra.stats.correlation import Options

    chosen = Options(trials=options.trials, seed=options.seed, wmt=options.wmt)
    panels = asked.build_panels()
    return report_task(score_task(protocol, panels, chosen, test=options.test), chosen)


def _draw_curves(
    title: str,
    caption: str,
    across: str,
    down: str,
    labels: Sequence[str],
    curves: Mapping[str, Sequence[float]],
    dashed: Sequence[str] = (),
) -> str:
    from metra.report.pictures.curves import CurvePlot, draw_curves

    lines = {name: shared.convert_nan([line])[0] for name, line in curves.items()}
    return draw_curves(
        CurvePlot(title, caption, across, down, labels, lines, dashed=dashed)
    )
