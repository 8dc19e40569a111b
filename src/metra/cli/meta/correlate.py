"""`metra meta correlate`: how well metrics agree with people."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores


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
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    specs: tuple[str, ...],
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
) -> "Findings":
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
    from metra.meta.correlating import asked, correlated
    from metra.meta.correlation import Options

    scores, statistics = shared.with_own(scores, outputs, references, specs)
    if level == "doc":
        from metra.meta.documents import by_document

        scores, statistics = by_document(scores, gold), {}
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
    questions = asked(coefs, level, chosen)
    return correlated(
        shared.panels(scores, gold, metrics, statistics),
        shared.fitted(questions, eps_from, scores, gold, metrics),
        interval="none" if no_ci else interval,  # type: ignore[arg-type]
        drawn=resample,  # type: ignore[arg-type]
    )
