"""Files that there is one of for each system, named by a pattern."""

from metra.corpus.evalset import Place
from metra.errors import OptionError


def of_system(owner: str, path: str, place: Place) -> str:
    """Put the system's name in the place of `{system}`; `owner` is for the message."""
    if "{system}" not in path:
        return path
    if place.system is None:
        msg = (
            f"{owner}: {path} names a file for each system, but which system this is is "
            "not known; give the file's own name."
        )
        raise OptionError(msg)
    return path.replace("{system}", place.system)
