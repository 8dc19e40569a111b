"""Exceptions for wrong input, one a kind, and the sentences of their messages."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any


class MetraError(ValueError):
    """Invalid input or usage; the message addresses the user.

    Quotations from files are shortened, and control characters in them replaced.
    """

    def __init__(self, message: object = "", *more: object) -> None:
        """Keep a message of one line."""
        super().__init__(format_message(str(message)), *more)


#: A message is at most this long.
LONGEST_MESSAGE = 1000
_CONTROLS = dict.fromkeys((9, 10, 13), " ") | dict.fromkeys(
    (*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(55296, 57344)), "�"
)


def format_message(message: str) -> str:
    r"""Write a message on one line, without control characters, and shorten a long one.

    >>> format_message("a\nb\x1b[2J")
    'a b\ufffd[2J'
    >>> len(format_message("x" * 5000))
    1000
    """
    if not message.isprintable():
        message = message.translate(_CONTROLS)
    if len(message) > LONGEST_MESSAGE:
        # What was found comes first, what to do about it last.
        rest = LONGEST_MESSAGE * 2 // 5
        message = f"{message[: LONGEST_MESSAGE - rest - 3]} … {message[-rest:]}"
    return message


class CorpusError(MetraError):
    """Segments, references or documents that do not fit together."""


class MissingReferenceError(CorpusError):
    """A metric that compares with references, and a corpus without any."""


class LengthError(CorpusError):
    """Two streams that should be parallel have different numbers of segments."""


class FormatError(MetraError):
    """A file that cannot be read as what it is taken for."""


class UnknownNameError(MetraError):
    """A metric, option or other name that does not exist."""


class OptionError(MetraError):
    """An option whose value is not among the possible ones."""


class UnfittedError(MetraError):
    """A metric with corpus weights that was asked to score before it had them."""


class MissingResourceError(MetraError):
    """A missing package, model or dictionary."""


class EndpointError(MetraError):
    """A service on the network that refuses, fails, or answers what cannot be read."""


class StoreError(MetraError):
    """A store of judgements that cannot be reached, read or written.

    `kind` is full, read-only, damaged, busy, unreachable, or a fault of metra.
    """

    def __init__(self, message: object, kind: str = "unreachable") -> None:
        """Keep what kind of trouble it is, so that a server knows what to reply."""
        super().__init__(message)
        self.kind = kind


class TextWarning(UserWarning):
    """Texts that look like a mistake in files or settings, such as equal outputs."""


def refuse_first(
    wrong: Mapping[str, bool], place: str, error: type[MetraError]
) -> None:
    """Raise an error for the first problem at a place."""
    for what, is_wrong in wrong.items():
        if is_wrong:
            msg = f"{place}: {what}."
            raise error(msg)


def not_possible(given: str, expected: str) -> str:
    """Say that a value cannot be, and what was expected.

    >>> not_possible("n=0", "a whole number of at least 1")
    'n=0 is not possible; expected a whole number of at least 1.'
    """
    return f"{given} is not possible; expected {expected}."


def format_count(count: int, noun: str) -> str:
    """Write a number and its noun.

    >>> format_count(1, "segment"), format_count(3003, "segment")
    ('1 segment', '3,003 segments')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def missing_package(what: str, package: str, extra: str) -> str:
    """Say that something needs a package, and which extra of metra installs it.

    >>> missing_package("Scoring on Dask", "dask", "dask")
    "Scoring on Dask needs the package 'dask', which is not installed; install it with: \
pip install '.[dask]' in metra's source folder"
    """
    return (
        f"{what} needs the package {package!r}, which is not installed; install it with: "
        f"{write_install_command(extra)}"
    )


def import_package(module: str, what: str, package: str, extra: str) -> Any:
    """Import a module that an extra of metra installs, or say which."""
    try:
        return import_module(module)
    except ImportError:
        msg = missing_package(what, package, extra)
        raise MissingResourceError(msg) from None


def write_install_command(extra: str) -> str:
    """Write how an extra of metra is installed, which no index of packages has yet.

    >>> write_install_command("judge")
    "pip install '.[judge]' in metra's source folder"
    """
    return f"pip install '.[{extra}]' in metra's source folder"


def no_such(
    what: str,
    name: str,
    known: Iterable[str],
    *,
    owner: str = "",
    near: Iterable[str] | None = None,
) -> str:
    """Say that a name does not exist, with the nearest known name and all of them.

    The nearest is looked for among `near`, if given; letter case does not matter.

    >>> no_such("metric", "blue", ["bleu", "chrf"])
    "No metric named 'blue'. Did you mean 'bleu'? Known: bleu, chrf."
    """
    from difflib import get_close_matches

    names = sorted(known)
    folded = {each.lower(): each for each in (names if near is None else near)}
    nearest = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    place = f"{owner} has no {what}" if owner else f"No {what}"
    guess = f" Did you mean {folded[nearest[0]]!r}?" if nearest else ""
    return f"{place} named {name!r}.{guess} Known: {', '.join(names)}."
