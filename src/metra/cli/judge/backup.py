"""`metra judge backup` and `restore`: copies of a store."""

import json
import os
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metra.cli.judge.campaigns import AT_KEYBOARD, open_store, store_option
from metra.cli.options import option
from metra.errors import FormatError, OptionError, StoreError

if TYPE_CHECKING:
    from metra.store.backup import Content, Salvage


@click.command()
@click.argument("out", metavar="FILE")
@store_option
def backup(out: str, url: str) -> None:
    """Write a backup of the whole store to FILE, while judges work.

    If FILE is a folder, the backup is named by the time. The backup is a store in a file,
    also that of a PostgreSQL database; it holds one state of the store, was compared with it,
    and can be read by its owner only.

    \b
    metra judge backup judge-monday.db
    metra judge backup /var/backups/metra/
    """
    now = time.time()
    if Path(out).is_dir():
        out = str(Path(out) / time.strftime("judge-%Y%m%d-%H%M%S.db", time.gmtime(now)))
    with closing(open_store(url)) as store:
        from metra.store import audit
        from metra.store.backup import write_backup

        # A store that can only be read needs a backup most.
        with suppress(StoreError), store.transaction() as db:
            audit.add_entry(db, AT_KEYBOARD, "backup", {}, now=now)
        content = write_backup(store, out)
    click.echo(f"{out}: {_describe_content(content)}.")


@click.command()
@click.argument("file", metavar="FILE")
@store_option
@option("--replace", "Delete what the store holds.", is_flag=True)
@option("--salvage", "FILE is a damaged store: take what can be read.", is_flag=True)
def restore(file: str, url: str, replace: bool, salvage: bool) -> None:
    """Put a backup into a store: a new one, an empty one, or with --replace any one.

    All of it is restored or nothing, and compared with FILE. The store may be of the other
    kind: a backup of a file can be put into PostgreSQL. A server that is running serves what
    was restored at once.

    With --salvage, FILE is a store that is damaged. Rows that can be read are put into a new
    store; those that belong to rows that cannot are written to a file beside it.

    \b
    metra judge restore judge-monday.db --store judge.db
    metra judge restore judge.db --salvage --store salvaged.db
    """
    if salvage and replace:
        msg = "--salvage writes to a new store only; leave --replace out."
        raise OptionError(msg)
    if not Path(file).is_file():
        msg = f"There is no file {file}; expected a backup or a store."
        raise FormatError(msg)
    is_new = "://" not in url and not Path(url).exists()
    try:
        with closing(open_store(url, create=True)) as store:
            from metra.store import backup as backups

            if salvage:
                _report_salvage(file, backups.salvage_store(file, store))
            else:
                content = backups.restore_backup(file, store, replace=replace)
                click.echo(f"Restored {_describe_content(content)}.")
    except BaseException:
        if is_new:
            for end in ("", "-wal", "-shm"):
                Path(url + end).unlink(missing_ok=True)
        raise


#: What is counted for people; the other tables are bookkeeping.
_COUNTED = {"campaign": "campaigns", "judge": "judges", "judgement": "answers"}


def _describe_content(content: "Content") -> str:
    return _describe_rows({name: rows for name, (rows, _) in content.items()})


def _describe_rows(rows: dict[str, int]) -> str:
    counts = [
        f"{rows[name]:,} {plural.removesuffix('s') if rows[name] == 1 else plural}"
        for name, plural in _COUNTED.items()
    ]
    return f"{', '.join(counts)}; {sum(rows.values()):,} rows in all"


def _report_salvage(file: str, found: "Salvage") -> None:
    click.echo(f"Salvaged {_describe_rows(found.rows)}.")
    for name, count in found.lost.items():
        click.echo(f"{name}: {count:,} cannot be read.")
    if found.unplaced:
        path = f"{file}.unplaced.jsonl"
        lines = "".join(json.dumps(row) + "\n" for row in found.unplaced)
        flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
        with open(os.open(path, flags, 0o600), "w", encoding="utf-8") as out:
            out.write(lines)
        click.echo(f"{len(found.unplaced):,} belong to rows that are lost: see {path}.")
