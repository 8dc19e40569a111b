"""What a database says when it cannot go on, in a sentence with a remedy."""

from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

#: What databases say, and what to do about it.
_REMEDIES = {
    "unable to open database file": (
        "its folder is not there, or may not be read and written",
        "name another place with --store",
    ),
    "readonly database": (
        "it may not be written",
        "check the rights of the file and of its folder",
    ),
    "disk is full": ("the disk is full", "make room; nothing was half-written"),
    "disk i/o error": ("the disk fails", "check the disk and its rights"),
    "not a database": ("the file holds something else", "name a store of metra's"),
    "malformed": ("the file is damaged", "go back to a copy of it"),
    "locked": (
        "another program has held it for half a minute",
        "end that program, or try again",
    ),
}


def sentence(error: SQLAlchemyError) -> str:
    """Say what is wrong with the store, in one sentence.

    >>> sentence(DBAPIError(None, None, Exception("database or disk is full")))
    'The store cannot be used: the disk is full; make room; nothing was half-written.'
    """
    if isinstance(error, ArgumentError):
        return (
            "The store's address cannot be understood; expected a path or "
            "postgresql://USER@HOST/DATABASE."
        )
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    for words, (reason, remedy) in _REMEDIES.items():
        if words in said.lower():
            return f"The store cannot be used: {reason}; {remedy}."
    first = " ".join(said.split("\n")[0].split())
    return (
        f"The store cannot be used: {first.rstrip('.')}; check its address and that its "
        "server runs."
    )
