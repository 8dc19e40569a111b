"""The answers of judges so far, in a file that survives a kill.

Each answer is one line of JSON, appended by one write; nothing in the file is ever changed.
A line that a killed process left unfinished is skipped, and its question asked again.
Several processes may append to one file.
"""

import json
import os
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from metra.errors import FormatError, OptionError
from metra.formats.stream import DAMAGE, load_json
from metra.limits import check_limit

#: The value of METRA_CACHE with which nothing is kept.
NO_CACHE = "off"

_START = b'{"key"'
_TYPES = [str, str, int, int, str, bool]


class ModelAnswer(NamedTuple):
    """A judge's answer and its cost."""

    text: str
    #: Why the answer ended, as the endpoint says: stop, length, content_filter, …
    finish: str
    input_tokens: int
    output_tokens: int
    #: The model's name as the endpoint has it.
    model: str = ""
    #: Whether the tokens are an estimate, because the endpoint did not count them.
    estimated: bool = False


class AnswerCache:
    """Answers by the key of their question, read from a file and appended to it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._answers: dict[str, ModelAnswer] = {}
        self._read_to = 0
        self._lock = threading.Lock()
        self._is_torn = False

    def get(self, key: str) -> ModelAnswer | None:
        """Return the answer to a question, None where there is none yet."""
        return self._answers.get(key)

    def refresh(self) -> None:
        """Read what was appended to the file since it was last read."""
        with self._lock:
            try:
                with open(self.path, "rb") as file:
                    size = os.fstat(file.fileno()).st_size - self._read_to
                    check_limit("whole", size, self.path)
                    file.seek(self._read_to)
                    content = file.read()
            except FileNotFoundError:
                return
            except OSError as error:
                raise FormatError(self._describe(error, "read")) from None
            whole, newline, rest = content.rpartition(b"\n")
            self._is_torn = bool(rest)
            if rest and not _may_be_torn(rest):
                raise FormatError(self._refuse(rest))
            for line in whole.split(b"\n") if newline else ():
                self._read_line(line)
            self._read_to += len(whole) + len(newline)

    def add(self, key: str, answer: ModelAnswer, **about: object) -> None:
        """Append an answer; `about` is for readers of the file."""
        entry = {"key": key, **about, **answer._asdict()}
        line = json.dumps(entry, ensure_ascii=False).encode(errors="replace") + b"\n"
        with self._lock:
            if self._is_torn:
                line = b"\n" + line
            self._is_torn = True
            try:
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
                with open(self.path, "ab", buffering=0, opener=_open_private) as file:
                    if file.write(line) != len(line):
                        raise OSError(0, "the disk is full")
            except OSError as error:
                raise FormatError(self._describe(error, "written")) from None
            self._is_torn = False
            self._answers[key] = answer

    def _read_line(self, line: bytes) -> None:
        if not line:
            return
        try:
            entry = load_json(line.decode(), self.path)
            key = entry["key"]
            answer = ModelAnswer(*(entry[name] for name in ModelAnswer._fields))
            if [*map(type, (key, *answer))] != [str, *_TYPES]:
                raise TypeError
        except DAMAGE:
            if not _may_be_torn(line):
                raise FormatError(self._refuse(line)) from None
            return  # a process was killed as it wrote the line
        self._answers.setdefault(key, answer)

    def _refuse(self, line: bytes) -> str:
        shown = line[:40].decode(errors="replace")
        return (
            f"{self.path} contains {shown!r}, which is not an answer of a judge; give "
            "another cache file."
        )

    def _describe(self, error: OSError, done: str) -> str:
        return (
            f"{self.path} cannot be {done}: {error.strerror}; it stores the answers "
            "of judges."
        )


def find_default_path(model: str) -> str:
    """Return the file that keeps a model's answers if none is named."""
    folder = find_cache_folder()
    if folder is None:
        msg = (
            f"llm stores every answer, but METRA_CACHE is {NO_CACHE!r}; give "
            "cache=FILE, or set METRA_CACHE to a folder."
        )
        raise OptionError(msg)
    name = "".join(sign if sign.isalnum() or sign in "-." else "_" for sign in model)
    return str(folder / "llm" / f"{name}.jsonl")


def find_cache_folder() -> Path | None:
    """Return METRA_CACHE, or the folder where the platform keeps what can be made again.

    None where METRA_CACHE says that nothing is to be kept.
    """
    given = os.environ.get("METRA_CACHE")
    if given:
        return None if given == NO_CACHE else Path(given)
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "metra"


def _may_be_torn(line: bytes) -> bool:
    return line.startswith(_START) or _START.startswith(line)


def _open_private(path: str, flags: int) -> int:
    """Open a file that only its owner may read, if it is new."""
    return os.open(path, flags, 0o600)
