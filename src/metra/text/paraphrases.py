"""METEOR paraphrase tables: three lines an entry, probability, phrase and paraphrase."""

import gzip
import zlib
from hashlib import sha256
from pathlib import Path

from metra.errors import MissingResourceError


def paraphrase_table(path: str) -> str:
    """Read a table, packed with gzip or plain."""
    try:
        table = Path(path).read_bytes()
        if table.startswith(b"\x1f\x8b"):
            table = gzip.decompress(table)
        return table.decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        msg = (
            f"{path} cannot be read as a paraphrase table: {error}; expected METEOR's "
            "three lines an entry (probability, phrase, paraphrase) in UTF-8, plain or "
            "packed with gzip."
        )
        raise MissingResourceError(msg) from None


def table_digest(path: str) -> str:
    """Name a table by its digest, for signatures."""
    try:
        return f"sha256:{sha256(Path(path).read_bytes()).hexdigest()[:12]}"
    except OSError as error:
        msg = f"The paraphrase table {path} cannot be read: {error.strerror}."
        raise MissingResourceError(msg) from None
