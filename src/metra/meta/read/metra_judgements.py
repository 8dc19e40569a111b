"""Judgements as metra exports them, in JSON lines: the last revisions' scores."""

from contextlib import closing

from metra.errors import FormatError
from metra.human.files import jsonl, long_table, undefined
from metra.io.stream import ByteStream, shown
from metra.meta.read.cells import columns_of, numbers
from metra.meta.read.long_table import ROLES, assembled
from metra.meta.scores import Scores


def read(path: str) -> Scores:
    """Read the scores of all answers, checks as scorers of their own."""
    with closing(ByteStream(path)) as stream:
        content = b"".join(iter(stream.read, b""))
    judgements = jsonl.read(content.decode("utf-8-sig"), shown(path))
    header, *rows = (
        line.split("\t") for line in long_table.write(judgements).split("\n")[:-1]
    )
    if not rows:
        why = {
            reason
            for said in undefined.by_system(judgements).values()
            for reason in said
        }
        because = f": {'; '.join(sorted(why))}" if why else ""
        msg = f"{shown(path)} has judgements but no score in them{because}."
        raise FormatError(msg)
    found = columns_of(header)
    columns = list(zip(*rows, strict=True))
    return assembled(
        {
            role: columns[found[role]] if role in found else [""] * len(rows)
            for role in ROLES
        },
        numbers(columns[found["value"]], path, "the value"),
        path,
    )
