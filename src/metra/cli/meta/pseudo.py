"""`metra meta pseudo`: agreement by length of document."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores


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
@shared.question
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
@shared.method
@click.option(
    "--test", is_flag=True, help="Wilcoxon's test of each two metrics at each length."
)
@shared.seed
@shared.plot
def pseudo(
    scores: "Scores",
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
) -> "Findings":
    """Rank systems on documents of n segments drawn at random: metrics, and judges.

    People's score is the mean of one judgement a segment, chosen at random. With --output
    and -m, corpus measures are pooled from their statistics; other scores are averaged.
    Where segments were judged twice, judges are compared with judges.

    \b
    metra meta pseudo scores.tsv --gold esa --plot curve.svg
    metra meta pseudo esa.tsv --gold esa --output outputs.tsv -r ref.txt -m bleu -m gtm
    """
    from metra.meta.pseudo import JUDGES
    from metra.meta.pseudo import pseudo as drawn

    scores = shared.one_language(scores)
    scores, gold, notes = shared.on_one_scale(scores, gold, method)
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
    return shared.noted(findings, notes)
