"""`metra meta rank`: systems in order, and which cannot be told apart.

`metra meta agree`: how far judges agree with each other.
`metra meta normalise`: judges' values on one scale.
"""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.formats.scores.record import Scores
    from metra.meta.findings import MetaReport


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
) -> "MetaReport":
    """Rank systems by judgements or a metric, with clusters and rank ranges.

    A rank range is how far up or down a system could stand before a significant loss or
    win. --plot draws the p-values as a heat map.

    \b
    metra meta rank esa.csv --scorer esa --by z
    metra meta rank esa.csv --scorer esa --macro domain
    metra meta rank ranking.tsv --by trueskill --runs 1000
    metra meta rank scores.tsv --scorer mqm --against BLEU,COMET --auto BLEU,chrF,COMET
    """
    from metra.meta.rank import report_ranking

    scores = shared.require_one_language(scores)
    findings, found = report_ranking(
        scores,
        shared.choose_scorer(scores, name),
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
        from metra.report.pictures.heatmap import Heatmap, draw_heatmap

        heat = Heatmap(
            "Which systems are better",
            "p-values, row better than column; clusters framed",
            found.systems,
            shared.convert_nan(found.p),
            "p",
            found.clusters,
        )
        shared.write_pictures(plot, [draw_heatmap(heat)])
    return findings


@click.command()
@shared.question
@shared.scorer
@click.option(
    "--within",
    type=float,
    default=1.0,
    show_default=True,
    help="Judgements this far apart still count as near.",
)
@shared.method
@click.option(
    "--pairs",
    "most_pairs",
    type=click.IntRange(0),
    default=15,
    show_default=True,
    help="Pairs of judges to show; 0 for all.",
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Units to list that judges disagree about most.",
)
@click.option("--no-ci", is_flag=True, help="Leave out the bootstrap intervals.")
@shared.trials
@shared.seed
@shared.plot
def agree(
    scores: "Scores",
    name: str | None,
    within: float,
    method: str,
    most_pairs: int,
    worst: int,
    no_ci: bool,
    trials: int,
    seed: int,
    plot: str | None,
) -> "MetaReport":
    """Say how far judges agree: pair by pair, as a whole, and with themselves.

    The table needs a column that names the judge. --plot draws the two judges who agree
    least (plot-1.svg) and how far judgements are apart (plot-2.svg).

    \b
    metra meta agree ratings.tsv
    metra meta agree mqm.tsv --scorer mqm --normalise z --plot judges.svg
    """
    from metra.formats.scores.panel import collect_ratings
    from metra.meta.agree import report_agreement

    name = shared.choose_scorer(scores, name)
    scores, name, notes = shared.normalise_scores(scores, name, method)
    findings, found = report_agreement(
        collect_ratings(scores, name),
        name,
        within=within,
        trials=0 if no_ci else trials,
        seed=seed,
        most_pairs=most_pairs,
        worst=worst,
    )
    if plot:
        from metra.meta.judge_plots import build_gap_histogram, build_judge_plot
        from metra.report.pictures.judges import draw_histogram, draw_judge_plot

        pictures = [
            draw_judge_plot(build_judge_plot(found, name, seed=seed)),
            draw_histogram(build_gap_histogram(found, name)),
        ]
        shared.write_pictures(plot, pictures)
    return shared.add_notes(findings, notes)


@click.command()
@shared.question
@shared.scorer
@click.option(
    "--method",
    type=click.Choice(["z", "min-max", "rank", "none"]),
    default="z",
    show_default=True,
    help="z: mean 0, deviation 1; min-max and rank: 0 to 1; none: only quality control.",
)
@shared.names("--without-judge", "left_out", "Judges to leave out.")
@click.option(
    "--bad",
    metavar="SYSTEM",
    help="The system of degraded outputs: judges who do not see that it is worse, by a "
    "paired t-test with p below .05, are left out, and the system too.",
)
@click.option(
    "--scores", "to", metavar="FILE", help="Write the new scorer here, as a long table."
)
def normalise(
    scores: "Scores",
    name: str | None,
    method: str,
    left_out: list[str],
    bad: str | None,
    to: str | None,
) -> "MetaReport":
    """Put each judge's values on one scale, and report on the judges.

    The new scorer is called NAME-METHOD, such as mqm-z. Judges who always gave the same
    value are left out and listed.

    \b
    metra meta normalise ratings.tsv --scores z.tsv
    metra meta normalise da.csv --method rank --bad BAD_REF --scores ranks.tsv
    """
    from metra.cli.output import write_output
    from metra.formats.scores.long_table import format_long_table
    from metra.meta.normalise import find_failing_judges, report_normalisation

    name = shared.choose_scorer(scores, name)
    failed: dict[str, str] = {}
    if bad:
        failed = find_failing_judges(scores, name, bad)
        scores = scores.only(without_systems=[bad])
    made, findings = report_normalisation(
        scores,
        name,
        method,  # type: ignore[arg-type]  # click has checked it
        # A judge of degraded outputs only has gone with them.
        left_out=[*left_out, *(j for j in failed if j in scores.judges)],
    )
    if failed:
        told = ", ".join(f"{judge} ({why})" for judge, why in failed.items())
        note = f"Did not tell {bad} from the rest: {told}."
        findings = shared.add_notes(findings, [note])
    if to:
        write_output(format_long_table(made), to)
    return findings
