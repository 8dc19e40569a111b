"""`metra judge exercise`: evaluators and metrics of several campaigns side by side."""

from typing import TYPE_CHECKING

import click

from metra.cli.judge.stores import open_store, store_option

if TYPE_CHECKING:
    from metra.judging.text_scores import TextScore


@click.command()
@click.argument("campaigns", nargs=-1)
@store_option
@click.option(
    "-r",
    "--results",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="Further results: a table with the columns metric, evaluator, text, translation "
    "and score, 0 to 100. May be given several times.",
)
@click.option(
    "-o", "--out", default="", metavar="FOLDER", help="Write the tables there, too."
)
def exercise(
    campaigns: tuple[str, ...], url: str, files: tuple[str, ...], out: str
) -> None:
    """Compare evaluators by metric, and metrics with each other, over CAMPAIGNS.

    Without CAMPAIGNS only the results in files are compared, and no store is needed. Texts
    and translations with the same names are taken for the same.

    \b
    metra judge exercise cloze clarity -r bleu.tsv -o exercise
    """
    from pathlib import Path

    from metra.judging.exercise import exercise as compared
    from metra.judging.exercise import of_text_scores
    from metra.judging.exercise_files import read_results

    results = of_text_scores(_scores(url, campaigns)) if campaigns else []
    results += [result for path in files for result in read_results(path)]
    found = compared(results)
    tables = found.tables()
    click.echo(tables["reliability.tsv"], nl=False)
    if found.correlations:
        click.echo()
        click.echo(tables["correlations.tsv"], nl=False)
    if out:
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in tables.items():
            (folder / name).write_text(text, encoding="utf-8")


def _scores(url: str, names: tuple[str, ...]) -> "list[TextScore]":
    from metra.judging.second_looks import completed
    from metra.judging.text_scores import text_scores
    from metra.store import campaigns

    store = open_store(url)
    found = []
    with store.reading() as db:
        for name in names:
            found += text_scores(completed(db, campaigns.named(db, name)))
    store.close()
    return found
