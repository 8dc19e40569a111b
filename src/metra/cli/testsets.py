"""`metra testsets`: test sets by name: list."""

import click

from metra.cli import Commands, options, output
from metra.cli.options import option


@click.group(cls=Commands)
def testsets() -> None:
    """Find test sets for -t NAME.

    NAME is a test set in sacreBLEU's cache ($SACREBLEU, or ~/.sacrebleu; needs the package
    sacrebleu), or the path of a folder (of a set in mt-metrics-eval, or plain files as
    `metra convert` writes them) or of a file that holds a whole test set: WMT XML or a
    table. Only `metra sacrebleu --download NAME -l PAIR` downloads anything.

    \b
    metra testsets list
    metra score out.txt -t wmt23 -l en-de
    metra score out.txt -t data/wmttest2023.en-de.all.xml
    """


_pair = option("-l --language-pair pair PAIR", "Language pair, such as en-de.", "")


@testsets.command("list")
@click.argument("name", required=False, default="")
@_pair
@options.table_or_json
def list_(name: str, pair: str, form: str) -> None:
    """List the test sets on this machine, or the contents of NAME.

    \b
    metra testsets list
    metra testsets list -l en-de
    metra testsets list wmt23
    """
    from metra.formats.testsets.lookup import (
        MISSING_PACKAGE,
        describe_cache,
        find_cache,
        find_set,
        is_installed,
        list_sets,
    )
    from metra.formats.testsets.record import read_files
    from metra.report.writers.meta import render
    from metra.report.writers.testsets import build_set_details, build_set_list

    sets = list_sets(name, pair)
    style = output.build_style()
    if find_cache().is_dir() and not is_installed():
        click.echo(f"{find_cache()} was skipped. {MISSING_PACKAGE}", err=True)
    if name:
        if not sets:
            find_set(name, pair)
        details = [(location, read_files(location)) for location in sets]
        output.write_output(render(build_set_details(details), form, style), None)
        return
    if not sets and form != "json":
        remedy = "`metra sacrebleu --download NAME -l PAIR` downloads one"
        click.echo(f"No test sets found in {describe_cache()}; {remedy}.", err=True)
        return
    output.write_output(render(build_set_list(sets), form, style), None)
