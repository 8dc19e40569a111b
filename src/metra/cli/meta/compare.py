"""`metra meta compare`: which metrics are better than which, beyond chance."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores

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
) -> "Findings":
    """Rank metrics by how well they agree with people, and say which differences count.

    The default exchanges the scores of two metrics at random, cell by cell, and asks how
    often that makes as large a difference. --plot draws the p-values as a heat map.

    \b
    metra meta compare scores.tsv --gold mqm
    metra meta compare scores.tsv --gold mqm --level seg --coef acc*_eq:item --plot p.svg
    metra meta compare scores.tsv --gold da --test williams
    """
    from metra.meta.comparing import compared
    from metra.meta.correlating import asked
    from metra.meta.correlation import Options

    coef = coef or ("pearson" if level == "sys" else "acc*_eq:item")
    if level == "doc":
        from metra.meta.documents import by_document

        scores = by_document(scores, gold)
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
    questions = asked([coef], level, options)
    findings, found = compared(
        shared.panels(scores, gold, metrics),
        shared.fitted(questions, eps_from, scores, gold, metrics)[0],
        test=test,  # type: ignore[arg-type]  # click has checked these
        alpha=alpha,
        rule=rule,  # type: ignore[arg-type]
        absolute=absolute,
    )
    if plot:
        from metra.report.heatmap import Heat, render

        shared.draw(
            plot,
            [
                render(
                    Heat(
                        f"{coef} with {gold}: which metrics are better",
                        f"p-values, row better than column ({one.test}); clusters framed",
                        one.names,
                        shared.plain(one.p),
                        "p",
                        one.clusters,
                    )
                )
                for one in found
            ],
        )
    return findings
