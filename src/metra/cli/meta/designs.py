"""`metra meta pseudo`: agreement by length of document.

`metra meta refs`: agreement by number of references.
`metra meta robust`: does agreement hang on a few systems?
`metra meta scatter`: systems by people and metric, in a picture.
`metra meta task`: the protocol of a WMT metrics task in one word.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.formats.scores.record import Scores
    from metra.meta.findings import MetaReport


def _parse_lengths(_: click.Context, __: click.Parameter, value: str) -> list[int]:
    try:
        found = [0 if n.strip() == "all" else int(n) for n in value.split(",")]
    except ValueError:
        found = [-1]
    if min(found) < 0:
        msg = f"{value!r} is no list of lengths; expected numbers and `all`, as in 1,10,all."
        raise click.BadParameter(msg)
    return found


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.metrics
@click.option(
    "--lengths",
    default="1,2,5,10,20,50,100,200,all",
    show_default=True,
    callback=_parse_lengths,
    help="Segments in a document.",
)
@click.option(
    "--documents",
    type=click.IntRange(2),
    default=1000,
    show_default=True,
    help="Documents to draw of each length.",
)
@click.option(
    "--coef",
    default="spearman",
    show_default=True,
    metavar="NAME",
    help="The coefficient of systems on a document.",
)
@shared.method
@click.option(
    "--test", is_flag=True, help="Wilcoxon's test of each two metrics at each length."
)
@shared.seed
@shared.plot
def pseudo(
    scores: "Scores",
    own: shared.OwnOutputs,
    gold: str,
    metrics: list[str],
    lengths: list[int],
    documents: int,
    coef: str,
    method: str,
    test: bool,
    seed: int,
    plot: str | None,
) -> "MetaReport":
    """Rank systems on documents of n segments drawn at random: metrics, and judges.

    People's score is the mean of one judgement a segment, chosen at random. With --output
    and -m, corpus measures are pooled from their statistics; other scores are averaged.
    Where segments were judged twice, judges are compared with judges.

    \b
    metra meta pseudo scores.tsv --gold esa --plot curve.svg
    metra meta pseudo esa.tsv --gold esa --output outputs.tsv -r ref.txt -m bleu -m gtm
    """
    from metra.meta.pseudo import JUDGES
    from metra.meta.pseudo import report_pseudo as drawn

    scores = shared.require_one_language(scores)
    scores, gold, notes = shared.normalise_scores(scores, gold, method)
    scores, statistics = shared.add_own_scores(scores, own)
    panel = shared.build_panels(scores, gold, metrics, statistics)[0]
    findings, found = drawn(
        scores,
        panel,
        lengths=lengths,
        documents=documents,
        coef=coef,
        seed=seed,
        test=test,
    )
    if plot:
        from metra.report.pictures.curves import CurvePlot, draw_curves

        means = {name: found.mean(name) for name in found.by_name}
        if found.judges:
            means[JUDGES] = found.judge_mean()
        curves = CurvePlot(
            f"Mean {coef} with {gold} by length of document",
            f"{len(panel.systems)} systems, {documents:,} documents of each length",
            "segments in a document",
            coef,
            [str(n) for n in found.lengths],
            {name: shared.convert_nan([line])[0] for name, line in means.items()},
            dashed=[JUDGES],
        )
        shared.write_pictures(plot, [draw_curves(curves)])
    return shared.add_notes(findings, notes)


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.level_without_documents
@click.option(
    "--coef",
    metavar="NAME[:GROUP]",
    help="The coefficient; pearson for systems and for segments by default.",
)
@click.option(
    "--count",
    "counts",
    multiple=True,
    type=click.IntRange(1),
    help="A number of references; may be repeated. By default all, or 1 to 8 and doubling.",
)
@click.option(
    "--subsets",
    "most",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="Try at most so many subsets of each number.",
)
@shared.seed
@shared.plot
def refs(
    scores: "Scores",
    own: shared.OwnOutputs,
    gold: str,
    level: str,
    coef: str | None,
    counts: tuple[int, ...],
    most: int,
    seed: int,
    plot: str | None,
) -> "MetaReport":
    """Show how agreement grows with references: outputs are scored with subsets of them.

    \b
    metra meta refs da.tsv --gold da --output out.tsv -r r1.txt -r r2.txt -r r3.txt -m bleu
    """
    if not (own.outputs and own.specs and own.references):
        msg = "Give --output, two or more -r and a measure (-m): what to score, with what."
        raise click.UsageError(msg)
    from metra.formats.scores.panel import build_panel
    from metra.formats.scores.record import concatenate_scores
    from metra.meta.correlate import parse_specs
    from metra.meta.refs import report_references as tried
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_corpus
    from metra.scoring.scorers import ReferenceSubset, count_streams, score_systems
    from metra.stats.correlation import Options
    from metra.stats.panel import ScorePanel

    scores = shared.require_one_language(scores)
    corpus = open_corpus(own.outputs, own.references, own.source, own.docs)
    measures = make_metrics(own.specs)
    where = scores.languages[0]

    def score(chosen: Sequence[int]) -> ScorePanel:
        mine, statistics = score_systems(
            ReferenceSubset(corpus, chosen), measures, lang=where
        )
        both = concatenate_scores([scores, mine])
        return build_panel(both, gold, list(measures), statistics=statistics)

    question = parse_specs([coef or "pearson"], level, Options(seed=seed))[0]
    findings, found = tried(
        score, count_streams(corpus), question, counts=counts, most=most, seed=seed
    )
    if plot:
        from metra.report.pictures.curves import CurvePlot, draw_curves

        curves = CurvePlot(
            f"{question.heading} with {gold} by number of references",
            f"mean over subsets, at most {most} of each number",
            "references",
            question.options.coef,
            [str(count) for count in found.counts],
            {name: shared.convert_nan([found.mean(name)])[0] for name in found.found},
        )
        shared.write_pictures(plot, [draw_curves(curves)])
    return findings


@click.command()
@shared.question
@shared.gold
@shared.metrics
@click.option(
    "--coef",
    default="pearson",
    show_default=True,
    metavar="NAME",
    help="The coefficient.",
)
@click.option(
    "--choice",
    type=click.Choice(["top", "window", "leave-one-out", "subsets"]),
    default="top",
    show_default=True,
    help="The best systems only, neighbours by quality, all but one, or so many drawn at "
    "random (200 times; the mean, and what holds 95 % of them).",
)
@click.option(
    "--window",
    type=click.IntRange(4),
    default=4,
    show_default=True,
    help="Systems in a window.",
)
@shared.seed
@shared.plot
def robust(
    scores: "Scores",
    gold: str,
    metrics: list[str],
    coef: str,
    choice: str,
    window: int,
    seed: int,
    plot: str | None,
) -> "MetaReport":
    """Show the agreement over fewer systems: the best, neighbours, all but one, or any.

    A metric that tells hopeless systems from good ones may still be blind among good ones.

    \b
    metra meta robust scores.tsv --gold mqm --metric BLEU,COMET --plot top.svg
    """
    from metra.meta.robust import report_robustness as tried
    from metra.stats.correlation import Options

    panels = shared.build_panels(scores, gold, metrics)
    findings, found = tried(
        panels,
        Options(coef=coef, seed=seed),
        kind=choice,  # type: ignore[arg-type]  # click has checked it
        window=window,
    )
    if plot:
        from metra.report.pictures.curves import CurvePlot, draw_curves

        across = {
            "top": "best systems",
            "window": "systems by rank",
            "subsets": "systems drawn at random",
        }
        shared.write_pictures(
            plot,
            [
                draw_curves(
                    CurvePlot(
                        f"{coef} with {gold} over fewer systems",
                        panel.lang or f"{len(panel.systems)} systems",
                        across.get(choice, "system left out"),
                        coef,
                        [label.removeprefix("without ") for label in one.labels],
                        {
                            name: shared.convert_nan([line])[0]
                            for name, line in one.curves.items()
                        },
                    )
                )
                for panel, one in zip(panels, found, strict=True)
            ],
        )
    return findings


@click.command()
@shared.question
@shared.gold
@shared.metrics
@click.option(
    "--coef",
    default="pearson",
    show_default=True,
    metavar="NAME",
    help="The coefficient.",
)
@click.option(
    "--outliers",
    metavar="mad|FILE",
    default="mad",
    show_default=True,
    help="By 2.5 robust deviations of the gold, or the systems a file names, one a line.",
)
@click.option(
    "--classes",
    metavar="FILE",
    help="A class for each system: its name, a tab, the class, one system a line.",
)
@shared.plot
def scatter(
    scores: "Scores",
    gold: str,
    metrics: list[str],
    coef: str,
    outliers: str,
    classes: str | None,
    plot: str | None,
) -> "MetaReport":
    """Plot systems by gold and metric, with a fitted line, its band and the outliers.

    Outliers are marked and the coefficient is given with and without them. With several
    metrics the pictures are numbered: plot-1.svg, plot-2.svg and so on.

    \b
    metra meta scatter scores.tsv --gold mqm --metric BLEU --plot bleu.svg
    """
    from metra.formats.lines import read_lines
    from metra.formats.scores.long_table import read_named_pairs
    from metra.meta.scatter import report_scatter as scattered
    from metra.stats.correlation import Options

    scores = shared.require_one_language(scores)
    panel = shared.build_panels(scores, gold, metrics)[0]
    findings, clouds = scattered(
        panel,
        Options(coef=coef),
        classes=read_named_pairs(classes) if classes else None,
        outliers=None if outliers == "mad" else [*filter(None, read_lines(outliers))],
    )
    if plot:
        from metra.report.pictures.scatter import draw_scatter

        notes = shared.write_pictures(plot, [draw_scatter(cloud) for cloud in clouds])
        findings = shared.add_notes(findings, notes)
    return findings


@click.command()
@click.argument("protocol", type=click.Choice(["wmt23", "wmt24", "wmt25"]))
@shared.question
@shared.gold
@shared.metrics
@click.option(
    "--wmt", is_flag=True, help="Soft pairwise accuracy as WMT's scorer has it."
)
@click.option(
    "--test",
    is_flag=True,
    help="Test the averages of all pairs of metrics; gives clusters.",
)
@shared.trials
@shared.seed
def task(
    scores: "Scores",
    protocol: str,
    gold: str,
    metrics: list[str],
    wmt: bool,
    test: bool,
    trials: int,
    seed: int,
) -> "MetaReport":
    """Score metrics by the protocol of a WMT metrics task.

    wmt23: accuracy of systems over all language pairs, and for each of them Pearson's r of
    systems and of segments and acc*_eq. wmt24, wmt25: soft pairwise accuracy and acc*_eq.

    \b
    metra meta task wmt23 en-de=ende.tsv he-en=heen.tsv zh-en=zhen.tsv --gold mqm
    """
    from metra.meta.task import report_task as done
    from metra.stats.correlation import Options

    options = Options(trials=trials, seed=seed, wmt=wmt)
    return done(
        protocol, shared.build_panels(scores, gold, metrics), options, test=test
    )
