"""`metra meta refs`: agreement by number of references."""

from collections.abc import Sequence
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
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    specs: tuple[str, ...],
    gold: str,
    level: str,
    coef: str | None,
    counts: tuple[int, ...],
    most: int,
    seed: int,
    plot: str | None,
) -> "Findings":
    """Show how agreement grows with references: outputs are scored with subsets of them.

    \b
    metra meta refs da.tsv --gold da --output out.tsv -r r1.txt -r r2.txt -r r3.txt -m bleu
    """
    if not (outputs and specs and references):
        msg = "Give --output, two or more -r and a measure (-m): what to score, with what."
        raise click.UsageError(msg)
    from metra.evaluation import by_spec
    from metra.io import open_corpus
    from metra.meta.correlating import asked
    from metra.meta.correlation import Options
    from metra.meta.panel import Panel, panel
    from metra.meta.references import references as tried
    from metra.meta.scores import joined
    from metra.repool import WithReferences, reference_streams, scored

    scores = shared.one_language(scores)
    corpus = open_corpus(outputs, references, None, None)
    measures = by_spec(specs)
    where = scores.languages[0]

    def score(chosen: Sequence[int]) -> Panel:
        mine, statistics = scored(WithReferences(corpus, chosen), measures, lang=where)
        both = joined([scores, mine])
        return panel(both, gold, list(measures), statistics=statistics)

    question = asked([coef or "pearson"], level, Options(seed=seed))[0]
    findings, found = tried(
        score, reference_streams(corpus), question, counts=counts, most=most, seed=seed
    )
    if plot:
        from metra.report.curves import Curves, render

        curves = Curves(
            f"{question.heading} with {gold} by number of references",
            f"mean over subsets, at most {most} of each number",
            "references",
            question.options.coef,
            [str(count) for count in found.counts],
            {name: shared.plain([found.mean(name)])[0] for name in found.found},
        )
        shared.draw(plot, [render(curves)])
    return findings
