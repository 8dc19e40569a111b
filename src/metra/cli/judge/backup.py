"""`metra judge backup` and `restore`: copies of a store."""

import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metra.cli.judge.campaigns import AT_KEYBOARD, open_store, store_option
from metra.cli.options import option
from metra.errors import FormatError, StoreError

if TYPE_CHECKING:
    from metra.store.backup import Content


@click.command()
@click.argument("out", metavar="FILE")
@store_option
def backup(out: str, url: str) -> None:
    """Write a backup of the store to FILE; the server may keep running.

    If FILE is a folder, the backup is named by the current time. A backup is a store file,
    even for a PostgreSQL database. It is a consistent snapshot, is verified against the
    store, and is readable by its owner only.

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
@option("--replace", "Delete the current contents of the store.", is_flag=True)
def restore(file: str, url: str, replace: bool) -> None:
    """Restore a backup into a new or empty store, or into any store with --replace.

    The backup is restored as a whole or not at all, and verified against FILE. The store
    may be of another kind: a backup of a file can be restored into PostgreSQL. A running
    server uses the restored data at once.

    \b
    metra judge restore judge-monday.db --store judge.db
    """
    if not Path(file).is_file():
        msg = f"File {file} does not exist; expected a backup or a store."
        raise FormatError(msg)
    is_new = "://" not in url and not Path(url).exists()
    try:
        with closing(open_store(url, create=True)) as store:
            from metra.store.backup import restore_backup

            content = restore_backup(file, store, replace=replace)
            click.echo(f"Restored {_describe_content(content)}.")
    except BaseException:
        if is_new:
            for end in ("", "-wal", "-shm"):
                Path(url + end).unlink(missing_ok=True)
        raise


#: What is counted for people; the other tables are bookkeeping.
_COUNTED = {"campaign": "campaigns", "judge": "judges", "judgement": "answers"}


def _describe_content(content: "Content") -> str:
    rows = {name: count for name, (count, _) in content.items()}
    counts = [
        f"{rows[name]:,} {plural.removesuffix('s') if rows[name] == 1 else plural}"
        for name, plural in _COUNTED.items()
    ]
    return f"{', '.join(counts)}; {sum(rows.values()):,} rows in all"
