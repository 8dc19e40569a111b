"""`metra meta pseudo`: agreement by length of document."""

import click

from metra.cli.meta import options as shared


def _lengths(_: click.Context, __: click.Parameter, value: str) -> list[int]:
    try:
        found = [0 if n.strip() == "all" else int(n) for n in value.split(",")]
    except ValueError:
        found = [-1]
    if min(found) < 0:
        msg = f"{value!r} is no list of lengths; expected numbers and `all`, as in 1,10,all."
        raise click.BadParameter(msg)
    return found


@click.command()
@shared.inputs
@shared.own
@shared.gold
@shared.metrics
@click.option(
    "--lengths",
    default="1,2,5,10,20,50,100,200,all",
    show_default=True,
    callback=_lengths,
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
@click.option(
    "--normalise",
    "method",
    type=click.Choice(["none", "z", "min-max", "rank"]),
    default="none",
    show_default=True,
    help="Put each judge's values on one scale first.",
)
@click.option(
    "--test", is_flag=True, help="Wilcoxon's test of each two metrics at each length."
)
@shared.seed
@shared.plot
@shared.outputs
def pseudo(
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
    lengths: list[int],
    documents: int,
    coef: str,
    method: str,
    test: bool,
    seed: int,
    plot: str | None,
    form: str,
    out: str | None,
    digits: int,
) -> None:
    """Rank systems on documents of n segments drawn at random: metrics, and judges.

    People's score is the mean of one judgement a segment, chosen at random. With --output
    and -m, corpus measures are pooled from their statistics; other scores are averaged.
    Where segments were judged twice, judges are compared with judges.

    \b
    metra meta pseudo scores.tsv --gold esa --plot curve.svg
    metra meta pseudo esa.tsv --gold esa --output outputs.tsv -r ref.txt -m bleu -m gtm
    """
    from metra.meta.normalising import normalise
    from metra.meta.pseudo import JUDGES
    from metra.meta.pseudo import pseudo as drawn
    from metra.meta.scores import joined

    scores = shared.one_language(
        shared.read_scores(
            paths,
            lower=lower,
            without=without,
            lang=lang,
            domain=domain,
            input_format=input_format,
        )
    )
    if method != "none":
        made, _ = normalise(scores, gold, method)  # type: ignore[arg-type]
        scores = joined([scores, made])
        gold = made.names[0]
    scores, statistics = shared.with_own(scores, outputs, references, specs)
    panel = shared.panels(scores, gold, metrics, statistics)[0]
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
        from metra.report.curves import Curves, render

        means = {name: found.mean(name) for name in found.by_name}
        if found.judges:
            means[JUDGES] = found.judge_mean()
        curves = Curves(
            f"Mean {coef} with {gold} by length of document",
            f"{len(panel.systems)} systems, {documents:,} documents of each length",
            "segments in a document",
            coef,
            [str(n) for n in found.lengths],
            {name: shared.plain([line])[0] for name, line in means.items()},
            dashed=[JUDGES],
        )
        shared.draw(plot, [render(curves)])
    shared.show(findings, form, out, digits)
