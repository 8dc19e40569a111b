"""`metra meta compare`: which metrics are better than which, beyond chance.

`metra meta correlate`: how well metrics agree with people.
`metra meta diff`: do differences between systems agree?
`metra meta cross`: how scorers agree with each other.
"""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.formats.scores.record import Scores
    from metra.meta.findings import MetaReport


TESTS = (
    "auto",
    "perm-both",
    "perm-sys",
    "perm-input",
    "pairs",
    "williams",
    "wilcoxon",
)


@click.command()
@shared.question
@shared.gold
@shared.metrics
@shared.level
@click.option(
    "--coef",
    metavar="NAME[:GROUP]",
    help="The coefficient; pearson for systems, acc*_eq:item for segments by default.",
)
@click.option(
    "--test",
    type=click.Choice(TESTS),
    default="auto",
    show_default=True,
    help="auto: exchange cells (perm-both), or segments where the coefficient is theirs; "
    "segments for spa, whose cells take a second for each two metrics.",
)
@click.option(
    "--absolute", is_flag=True, help="Williams test of absolute correlations."
)
@shared.thresholds
@shared.alpha
@click.option(
    "--clusters",
    "rule",
    type=click.Choice(["greedy", "wmt"]),
    default="greedy",
    show_default=True,
    help="greedy: beaten by one of the cluster; wmt: all above beat all below.",
)
@click.option(
    "--wmt",
    is_flag=True,
    help="As WMT's scorer: pairs test for accuracies of segments, cells exchanged for spa, "
    "else systems; p = b/k.",
)
@click.option(
    "--spa-p",
    type=click.Choice(["normal", "permutation"]),
    default="normal",
    show_default=True,
    help="p-values of soft pairwise accuracy after an exchange: by the normal limit, or drawn "
    "anew each time, which takes some ten seconds for each two metrics.",
)
@shared.trials
@shared.seed
@shared.plot
def compare(
    scores: "Scores",
    gold: str,
    metrics: list[str],
    level: str,
    coef: str | None,
    test: str,
    absolute: bool,
    eps: float | None,
    eps_from: tuple[str, ...],
    folds: int | None,
    alpha: float,
    rule: str,
    wmt: bool,
    spa_p: str,
    trials: int,
    seed: int,
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
    from metra.meta.compare import report_comparison
    from metra.meta.correlate import parse_specs
    from metra.stats.correlation import Options

    coef = coef or ("pearson" if level == "sys" else "acc*_eq:item")
    if level == "doc":
        from metra.formats.scores.panel import average_documents

        scores = average_documents(scores, gold)
    if wmt and test == "auto":
        test = "pairs" if coef.startswith("acc") and level != "sys" else "auto"
        if level == "sys":
            test = "perm-both" if coef == "spa" else "perm-sys"
    options = Options(
        trials=trials,
        seed=seed,
        wmt=wmt,
        eps=eps,
        folds=folds or 0,
        swapped_p=spa_p,  # type: ignore[arg-type]  # click has checked it
    )
    questions = parse_specs([coef], level, options)
    findings, found = report_comparison(
        shared.build_panels(scores, gold, metrics),
        shared.fit_thresholds(questions, eps_from, scores, gold, metrics)[0],
        test=test,  # type: ignore[arg-type]  # click has checked these
        alpha=alpha,
        rule=rule,  # type: ignore[arg-type]
        absolute=absolute,
    )
    if plot:
        from metra.report.pictures.heatmap import Heatmap, draw_heatmap

        shared.write_pictures(
            plot,
            [
                draw_heatmap(
                    Heatmap(
                        f"{coef} with {gold}: which metrics are better",
                        f"p-values, row better than column ({one.test}); clusters framed",
                        one.names,
                        shared.convert_nan(one.p),
                        "p",
                        one.clusters,
                    )
                )
                for one in found
            ],
        )
    return findings


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.metrics
@shared.level
@shared.names(
    "--coef",
    "coefs",
    "Coefficients, as NAME or NAME:GROUP (none, item, sys). Systems: pearson, spearman, "
    "accuracy, spa by default; segments: acc*_eq:item, kendall-b:item, pearson.",
)
@click.option(
    "--average",
    type=click.Choice(["macro", "micro"]),
    default="macro",
    show_default=True,
    help="All groups weigh the same, or as much as they have values.",
)
@click.option(
    "--nan",
    type=click.Choice(["drop", "zero"]),
    default="drop",
    show_default=True,
    help="What groups without a coefficient count: nothing, or zero.",
)
@shared.thresholds
@click.option(
    "--spa-p",
    type=click.Choice(["permutation", "normal"]),
    default="permutation",
    show_default=True,
    help="Where the p-values of soft pairwise accuracy come from.",
)
@click.option(
    "--wmt", is_flag=True, help="Soft pairwise accuracy as WMT's scorer has it."
)
@click.option("--no-ci", is_flag=True, help="Leave out the intervals.")
@click.option(
    "--interval",
    type=click.Choice(["bootstrap", "fisher"]),
    default="bootstrap",
    show_default=True,
    help="Resample, or take Fisher's formula: for pearson, spearman and kendall-b.",
)
@click.option(
    "--resample",
    type=click.Choice(["both", "sys", "item"]),
    default="both",
    show_default=True,
    help="What the bootstrap draws: systems, segments, or both.",
)
@shared.trials
@shared.seed
def correlate(
    scores: "Scores",
    own: shared.OwnOutputs,
    gold: str,
    metrics: list[str],
    level: str,
    coefs: list[str],
    average: str,
    nan: str,
    eps: float | None,
    eps_from: tuple[str, ...],
    folds: int | None,
    spa_p: str,
    wmt: bool,
    no_ci: bool,
    interval: str,
    resample: str,
    trials: int,
    seed: int,
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
    from metra.meta.correlate import parse_specs, report_correlation
    from metra.stats.correlation import Options

    scores, statistics = shared.add_own_scores(scores, own)
    if level == "doc":
        from metra.formats.scores.panel import average_documents

        scores, statistics = average_documents(scores, gold), {}
    chosen = Options(
        average=average,  # type: ignore[arg-type]  # click has checked these
        nan=nan,  # type: ignore[arg-type]
        eps=eps,
        folds=folds or 0,
        p=spa_p,  # type: ignore[arg-type]
        trials=trials,
        seed=seed,
        wmt=wmt,
    )
    questions = parse_specs(coefs, level, chosen)
    return report_correlation(
        shared.build_panels(scores, gold, metrics, statistics),
        shared.fit_thresholds(questions, eps_from, scores, gold, metrics),
        interval="none" if no_ci else interval,  # type: ignore[arg-type]
        drawn=resample,  # type: ignore[arg-type]
    )


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.metrics
@click.option(
    "--orient",
    type=click.Choice(["gold", "both"]),
    default="gold",
    show_default=True,
    help="Which system stands first: the one people like better, or each in turn.",
)
@click.option("--no-ci", is_flag=True, help="Leave out the bootstrap intervals.")
@shared.trials
@shared.seed
@shared.plot
def diff(
    scores: "Scores",
    own: shared.OwnOutputs,
    gold: str,
    metrics: list[str],
    orient: str,
    no_ci: bool,
    trials: int,
    seed: int,
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
    from metra.meta.diff import report_differences
    from metra.stats.correlation import Options

    scores, statistics = shared.add_own_scores(scores, own)
    options = Options(orient=orient, trials=trials, seed=seed)  # type: ignore[arg-type]
    findings, clouds = report_differences(
        shared.build_panels(scores, gold, metrics, statistics),
        options,
        interval=not no_ci,
    )
    if plot:
        from metra.report.pictures.scatter import draw_scatter

        notes = shared.write_pictures(plot, [draw_scatter(cloud) for cloud in clouds])
        findings = shared.add_notes(findings, notes)
    return findings


LEVELS = {"sys": "systems", "seg": "segments", "doc": "documents"}


@click.command()
@shared.question
@shared.names(
    "--scorer", "scorers", "Scorers to compare, people's too; all by default."
)
@shared.level
@click.option(
    "--coef",
    default="pearson",
    show_default=True,
    metavar="NAME[:GROUP]",
    help="The coefficient, for segments with its grouping.",
)
@shared.plot
def cross(
    scores: "Scores",
    scorers: list[str],
    level: str,
    coef: str,
    plot: str | None,
) -> "MetaReport":
    """Correlate every scorer with every other; alike ones stand side by side.

    \b
    metra meta cross scores.tsv --level seg --plot cross.svg
    metra meta cross scores.tsv --scorer BLEU,chrF,mqm --coef spearman
    """
    from metra.meta.correlate import parse_specs
    from metra.meta.cross import report_cross
    from metra.stats.correlation import Options

    scores = shared.require_one_language(scores)
    if level == "doc":
        from metra.formats.scores.panel import average_documents

        scores = average_documents(scores)
    options = parse_specs([coef], level, Options())[0].options
    findings, found = report_cross(scores, scorers or scores.names, level, options)
    if plot:
        from metra.report.pictures.heatmap import Heatmap, draw_heatmap

        caption = f"{coef} of {LEVELS[level]}"
        heat = Heatmap(
            "How the scorers agree",
            caption,
            found.names,
            shared.convert_nan(found.values),
            "r",
        )
        shared.write_pictures(plot, [draw_heatmap(heat)])
    return findings
