"""`metra meta rank`: systems in order, and which cannot be told apart."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores


@click.command()
@shared.question
@shared.scorer
@click.option(
    "--by",
    type=click.Choice(["mean", "z", "arr", "wins", "trueskill"]),
    default="mean",
    show_default=True,
    help="mean of segments; z: of judges' z-scores; arr: average rank over documents; "
    "wins: expected wins; trueskill: skills learned from comparisons, as WMT did to 2016.",
)
@click.option(
    "--macro",
    type=click.Choice(["none", "document", "domain"]),
    default="none",
    show_default=True,
    help="Let each document or domain count the same, in the mean and in the test.",
)
@click.option(
    "--clusters",
    "rule",
    type=click.Choice(["wmt", "greedy", "range"]),
    default="wmt",
    show_default=True,
    help="wmt: all above beat all below; greedy: beaten by one of the cluster; range: no "
    "rank range reaches across (always so for trueskill).",
)
@click.option(
    "--test",
    type=click.Choice(["auto", "signed-rank", "rank-sum"]),
    default="auto",
    show_default=True,
    help="auto: Wilcoxon's signed ranks where systems share segments, else Mann-Whitney.",
)
@shared.alpha
@shared.names(
    "--against", "against", "Scorers whose rankings are held against this one."
)
@shared.names("--auto", "auto", "Metrics that AutoRank (WMT 2025) averages.")
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Times that trueskill learns from other draws; 95 % of the runs make a rank range.",
)
@click.option(
    "--matches",
    type=click.IntRange(1),
    help="Comparisons in one run of trueskill; as many as there are, at most 10,000, "
    "where not given.",
)
@shared.seed
@shared.plot
def rank(
    scores: "Scores",
    name: str | None,
    by: str,
    rule: str,
    test: str,
    alpha: float,
    against: list[str],
    auto: list[str],
    macro: str,
    runs: int,
    matches: int | None,
    seed: int,
    plot: str | None,
) -> "Findings":
    """Rank systems by judgements or a metric, with clusters and rank ranges.

    A rank range is how far up or down a system could stand before a significant loss or
    win. --plot draws the p-values as a heat map.

    \b
    metra meta rank esa.csv --scorer esa --by z
    metra meta rank esa.csv --scorer esa --macro domain
    metra meta rank ranking.tsv --by trueskill --runs 1000
    metra meta rank scores.tsv --scorer mqm --against BLEU,COMET --auto BLEU,chrF,COMET
    """
    from metra.meta.ranking import ranked

    scores = shared.one_language(scores)
    findings, found = ranked(
        scores,
        shared.one_scorer(scores, name),
        by=by,  # type: ignore[arg-type]  # click has checked these
        rule=rule,  # type: ignore[arg-type]
        test=test,  # type: ignore[arg-type]
        alpha=alpha,
        against=against,
        auto=auto,
        macro=macro,  # type: ignore[arg-type]
        runs=runs,
        matches=matches or 0,
        seed=seed,
    )
    if plot:
        from metra.report.heatmap import Heat, render

        heat = Heat(
            "Which systems are better",
            "p-values, row better than column; clusters framed",
            found.systems,
            shared.plain(found.p),
            "p",
            found.clusters,
        )
        shared.draw(plot, [render(heat)])
    return findings
