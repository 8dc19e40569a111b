"""`metra testsets`: test sets by name: list, add, remove, path, fetch."""

import os
from typing import TYPE_CHECKING

import click

from metra.cli import Commands, options
from metra.cli.options import option
from metra.errors import FormatError, OptionError

if TYPE_CHECKING:
    from metra.formats.testsets.record import SetLocation


@click.group(cls=Commands)
def testsets() -> None:
    """Find and register test sets for -t NAME.

    metra looks for a test set in its registry, in sacreBLEU's cache ($SACREBLEU, or
    ~/.sacrebleu; needs the package sacrebleu) and in the mt-metrics-eval folder
    (~/.mt-metrics-eval/mt-metrics-eval-v2), in this order; PLACE:NAME selects the place, as
    in sacrebleu:wmt23. The registry is a file in your configuration folder, or the file
    that $METRA_TESTSETS names. Only `fetch` downloads anything.

    \b
    metra testsets list
    metra score out.txt -t wmt23 -l en-de
    """


_pair = option("-l --language-pair pair PAIR", "Language pair, such as en-de.", "")


@testsets.command("list")
@click.argument("name", required=False, default="")
@option("-l --language-pair pair PAIR", "Only this language pair, such as en-de.", "")
@options.table_or_json
def list_(name: str, pair: str, form: str) -> None:
    """List the test sets on this machine, or the contents of NAME.

    \b
    metra testsets list
    metra testsets list -l en-de
    metra testsets list wmt23
    """
    from metra.cli.output import build_style, write_output
    from metra.formats.testsets.lookup import (
        describe_places,
        find_set,
        list_sets,
        read_whole_set,
    )
    from metra.formats.testsets.sacrebleu_cache import (
        MISSING_PACKAGE,
        find_cache,
        is_installed,
    )
    from metra.report.writers.testsets import render_set_details, render_set_list

    sets = list_sets(name, pair)
    style = build_style()
    if find_cache().is_dir() and not is_installed():
        click.echo(f"{find_cache()} was skipped. {MISSING_PACKAGE}", err=True)
    if name:
        if not sets:
            find_set(name, pair)
        details = [(location, read_whole_set(location)) for location in sets]
        write_output(render_set_details(details, form, style), None)
        return
    if not sets and form != "json":
        places = describe_places()
        remedy = "register one with `metra testsets add`"
        click.echo(f"No test sets found in {places}; {remedy}.", err=True)
        return
    write_output(render_set_list(sets, form, style), None)


@testsets.command()
@click.argument("path", required=False)
@option(
    "--name", "Name of the test set; by default the name of the folder or file.", ""
)
@_pair
@options.references
@options.source
@options.documents
@option(
    "--replace",
    "Replace a test set with the same name and language pair.",
    is_flag=True,
)
def add(
    path: str | None,
    name: str,
    pair: str,
    references: tuple[str, ...],
    source: str | None,
    documents: str | None,
    replace: bool,
) -> None:
    """Register the test sets in PATH, or one given by -r, -s and --docs.

    PATH is a folder (of mt-metrics-eval or sacreBLEU, or plain files as `metra convert`
    writes them), or a single file: WMT XML or a table. Give WMT SGML files with -s and -r.
    The files stay where they are.

    \b
    metra testsets add data/wmttest2023.en-de.all.xml --name general23
    metra testsets add data/mt-metrics-eval-v2
    metra testsets add --name mine -l en-de -s src.txt -r refA.txt -r refB.txt --docs docs.txt
    """
    from metra.formats.testsets.registry import add_sets, find_registry

    if (path is None) == (not references and source is None):
        msg = "Give either a folder or file, or separate files with -r and -s."
        raise click.UsageError(msg)
    if path is None:
        sets = [_build_location(name, pair, references, source, documents)]
    else:
        sets = _recognise(path, name, pair)
    if any(not each.pair for each in sets):
        msg = (
            f"The language pair of {sets[0].name} is unknown; give -l PAIR, such as "
            "en-de."
        )
        raise click.UsageError(msg)
    _check_readable(sets)
    add_sets(sets, replace=replace)
    for each in sets:
        click.echo(each.title)
    click.echo(f"Registered in {find_registry()}.", err=True)


def _recognise(path: str, name: str, pair: str) -> "list[SetLocation]":
    """Find the sets in a folder or a file, of one language pair or of all."""
    from pathlib import Path

    from metra.formats.stream import split_file_name
    from metra.formats.testsets import folders

    if not os.path.exists(path):
        msg = f"{path} does not exist; give a folder or a file with a test set."
        raise FormatError(msg)
    if os.path.isdir(path):
        folder = Path(os.path.abspath(path))
        sets = folders.recognise_folder(folder, name or folder.name, pair)
    else:
        own_name = split_file_name(path)[0]
        sets = [folders.recognise_file(path, name or own_name, pair)]
    names = {each.name for each in sets}
    if name and names != {name}:
        msg = (
            f"{path} contains test sets that have names ({', '.join(sorted(names))}), "
            "so --name cannot be given."
        )
        raise OptionError(msg)
    if pair and not any(each.pair == pair for each in sets):
        pairs = ", ".join(sorted({each.pair for each in sets}))
        msg = f"{path} contains nothing for {pair}; it has: {pairs}."
        raise OptionError(msg)
    return [each for each in sets if pair in ("", each.pair)]


def _build_location(
    name: str,
    pair: str,
    references: tuple[str, ...],
    source: str | None,
    documents: str | None,
) -> "SetLocation":
    """Make a set of single files; references are named as `metra score` names them."""
    from metra.formats.testsets.record import DOCUMENTS, REFERENCE, SOURCE, SetLocation
    from metra.formats.texts.sources import list_sources

    if not name:
        msg = "A test set from separate files needs a name; give --name NAME."
        raise click.UsageError(msg)
    files = {SOURCE: source} if source else {}
    for file in list_sources([], references):
        key = f"{REFERENCE}:{file.name}"
        while key in files:
            key += "-2"
        files[key] = file.path
    if documents:
        files[DOCUMENTS] = documents
    return SetLocation(name, pair, "", files)


def _check_readable(sets: "list[SetLocation]") -> None:
    """Refuse sets that cannot be read before any is registered."""
    from metra.formats.testsets.lookup import read_set

    for each in sets:
        texts = read_set(each)
        if texts.source is None and not texts.references:
            msg = f"{each.title} has neither a source nor a reference."
            raise FormatError(msg)


@testsets.command()
@click.argument("name")
@_pair
def remove(name: str, pair: str) -> None:
    """Remove the test set NAME from the registry; its files are not deleted.

    \b
    metra testsets remove mine
    metra testsets remove mine -l en-de
    """
    from metra.formats.testsets.registry import remove_sets

    for location in remove_sets(name, pair):
        click.echo(f"{location.title} is no longer registered.", err=True)


@testsets.command()
@click.argument("name")
@_pair
@option(
    "--field NAME",
    "Only files of this field: src, ref, ref:NAME, docid, hyp or a label.",
    "",
)
def path(name: str, pair: str, field: str) -> None:
    """Print the paths of the files of the test set NAME, one per line.

    \b
    metra testsets path wmt23 -l en-de
    metra score $(metra testsets path wmt23 -l en-de --field hyp) -t wmt23 -l en-de
    """
    from metra.formats.testsets.lookup import find_set

    location = find_set(name, pair)
    wanted = {
        key: file
        for key, file in location.files.items()
        if field in ("", key, key.partition(":")[0])
    }
    if not wanted:
        fields = ", ".join(location.files)
        msg = f"{location.title} has no files of the field {field!r}; it has: {fields}."
        raise OptionError(msg)
    click.echo("\n".join(wanted.values()))


@testsets.command()
@click.argument("name")
@_pair
def fetch(name: str, pair: str) -> None:
    """Download the test set NAME into sacreBLEU's cache.

    The package sacrebleu (pip install '.[testsets]') defines and downloads the test
    sets. A failed download or a wrong checksum is an error, and nothing is kept.

    \b
    metra testsets fetch wmt23 -l en-de
    """
    from metra.formats.testsets.sacrebleu_cache import fetch_set

    def report(address: str) -> None:
        click.echo(f"Fetching {address} …", err=True)

    for archive in fetch_set(name, pair, report=report):
        click.echo(archive)
