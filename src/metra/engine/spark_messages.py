"""What Spark says when something is wrong, in a sentence instead of Java's stack traces."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from metra import errors
from metra.errors import (
    CorpusError,
    FormatError,
    MetraError,
    MissingResourceError,
    OptionError,
)
from metra.io.arrow_rows import NullValueError


@contextmanager
def sentences() -> Iterator[None]:
    """Raise what Spark raises inside as an error of ours, told in one sentence."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise in_a_sentence(str(error)) from None


def in_a_sentence(said: str) -> MetraError:
    """Find out what happened from all that Spark said about it."""
    for pattern, told in _KNOWN:
        found = re.search(pattern, said, re.MULTILINE)
        if found:
            return told(*map(shown_path, found.groups()))
    causes = re.findall(r"^(?:Caused )?(?:by)?: *[\w.$]+: (.+)$", said, re.MULTILINE)
    first = (causes or [said.strip().split("\n")[0]])[-1]
    return OptionError(f"Spark gave up: {shown_path(first)}")


def shown_path(text: str) -> str:
    """Write paths as people do, and leave out how databases number errors.

    >>> shown_path("file:///data/my%20files/a.parquet. SQLSTATE: KD001")
    '/data/my files/a.parquet.'
    """
    text = re.sub(
        r"\bfile:/+(\S*)", lambda found: "/" + unquote(found[1]), text.strip()
    )
    return re.sub(r" *SQLSTATE: \w+", "", text)


def _null(row: str, column: str) -> MetraError:
    return NullValueError(column, int(row) - 1)


def _ours(kind: str, message: str) -> MetraError:
    return getattr(errors, kind, CorpusError)(message)


def _no_module(name: str) -> MetraError:
    return MissingResourceError(
        f"The Python of Spark's workers has no module {name!r}; install metra[spark] on "
        "every worker, and set PYSPARK_PYTHON to the Python that has it."
    )


def _other_type(path: str, more: str) -> MetraError:
    return FormatError(
        f"{path} does not fit the other files: {more.rstrip('.')}; a column must have the "
        "same type in all of them."
    )


def _damaged(path: str) -> MetraError:
    return FormatError(
        f"{path} cannot be read as Parquet: it is damaged or cut off, or is something "
        "else; write it again, or leave it out."
    )


def _not_there(path: str) -> MetraError:
    return FormatError(f"{path} cannot be read: there is no such file or folder.")


def _nothing_there() -> MetraError:
    return FormatError(
        "There is no Parquet in what was given: only empty files, or none at all."
    )


def _taken(path: str) -> MetraError:
    return OptionError(
        f"{path} is there already; name a folder that is not, or remove it first."
    )


def _no_folder(path: str) -> MetraError:
    return FormatError(f"{path} cannot be made a folder for scores; name another.")


def _full() -> MetraError:
    return FormatError(
        "A disk is full, so Spark gave up; nothing that it had begun to write is kept."
    )


def _too_large() -> MetraError:
    return OptionError(
        "What Spark has to send back is larger than its limit; raise it, for example with "
        "--spark-conf spark.driver.maxResultSize=4g."
    )


def _memory() -> MetraError:
    return OptionError(
        "Java's memory was too small; give it more, for example with --spark-conf "
        "spark.driver.memory=4g, or on a cluster spark.executor.memory."
    )


def _gone() -> MetraError:
    return OptionError("Spark has stopped in the middle of the work; start again.")


# In this order: what went wrong first is often followed by what came of it.
_KNOWN: list[tuple[str, Callable[..., MetraError]]] = [
    (
        r"NullValueError: Row (\d+) of a batch is null in the column '(.+?)', where",
        _null,
    ),
    (r"^metra\.(?:\w+\.)*(\w+): (.+)$", _ours),
    (r"ModuleNotFoundError: No module named '([\w.]+)'", _no_module),
    (r"No space left on device|Disk quota exceeded", _full),
    (
        r"_TYPE_MISMATCH\] Encountered error while reading file (\S+)\. (.+)$",
        _other_type,
    ),
    (
        r"\[FAILED_READ_FILE[\w.]*\] Encountered error while reading file (\S+)\. ",
        _damaged,
    ),
    (r"\[PATH_NOT_FOUND\] Path does not exist: (.+?)\. SQLSTATE", _not_there),
    (r"\[UNABLE_TO_INFER_SCHEMA\]", _nothing_there),
    (r"\[PATH_ALREADY_EXISTS\] Path (.+?) already exists", _taken),
    (r"Mkdirs failed to create (\S+?)/_temporary", _no_folder),
    (r"spark\.driver\.maxResultSize", _too_large),
    (r"OutOfMemoryError", _memory),
    (r"SparkContext was shut down|Answer from Java side is empty", _gone),
]
