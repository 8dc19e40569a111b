"""`metra meta diff`: do differences between systems agree?"""

import click

from metra.cli.meta import options as shared


@click.command()
@shared.inputs
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
@shared.outputs
def diff(
    paths: tuple[str, ...],
    lower: list[str],
    without: list[str],
    lang: str | None,
    domain: str | None,
    input_format: str,
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    specs: tuple[str, ...],
    gold: str,
    metrics: list[str],
    orient: str,
    no_ci: bool,
    trials: int,
    seed: int,
    form: str,
    out: str | None,
    digits: int,
) -> None:
    """Correlate differences between systems, and count pairs in the right order.

    Differentials are Pearson's r of the differences of all pairs of systems. Accuracy is
    given for all pairs, and for those that people tell apart with p below .05, .01 and .001.

    \b
    metra meta diff scores.tsv --gold mqm
    """
    from metra.meta.correlation import Options
    from metra.meta.differing import differing

    scores = shared.read_scores(
        paths,
        lower=lower,
        without=without,
        lang=lang,
        domain=domain,
        input_format=input_format,
    )
    scores, statistics = shared.with_own(scores, outputs, references, specs)
    options = Options(orient=orient, trials=trials, seed=seed)  # type: ignore[arg-type]
    found = differing(
        shared.panels(scores, gold, metrics, statistics), options, interval=not no_ci
    )
    shared.show(found, form, out, digits)
