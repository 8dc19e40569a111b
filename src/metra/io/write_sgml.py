"""NIST's SGML, written: one file with all sets, or a folder with a file for each.

A folder holds what mteval takes: src.sgm, ref.sgm with every reference, and SYSTEM.sgm.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from metra.errors import FormatError
from metra.io.carried import Chunk, check_names, present
from metra.io.fields import Field, Role
from metra.io.runs import Rules, Run, runs, texts_of
from metra.io.sgml import SETS
from metra.io.spool import emptied, spool

_TAGS = {role: tag for tag, role in SETS.items()}
_RULES = Rules(
    "sgml",
    label=re.compile(r"(?!(?:docid|sysid)$)[a-z_][a-z0-9_.-]*"),
    bad=re.compile(r"[\r\n]"),
)


def pieces(
    fields: Sequence[Field], chunks: Iterable[Chunk], about: Mapping[str, str]
) -> Iterator[bytes]:
    """Give the bytes of one file that holds all sets."""
    with ExitStack() as stack:
        texts = _texts(fields, chunks, stack)
        yield b"<mteval>\n"
        for role in _TAGS:
            files = [file for text, file in texts.items() if text.role == role]
            if files:
                yield from _set(role, files, about)
        yield b"</mteval>\n"


def fill(
    folder: Path,
    fields: Sequence[Field],
    chunks: Iterable[Chunk],
    about: Mapping[str, str],
) -> None:
    """Write src.sgm, ref.sgm and a file for each output."""
    with ExitStack() as stack:
        sets: dict[str, tuple[Role, list[IO[bytes]]]] = {}
        for text, file in _texts(fields, chunks, stack).items():
            sets.setdefault(_file_name(text), (text.role, []))[1].append(file)
        for name, (role, files) in sets.items():
            with open(folder / name, "wb") as target:
                target.writelines(_set(role, files, about))


def _file_name(text: Field) -> str:
    if text.role != "output":
        return "src.sgm" if text.role == "source" else "ref.sgm"
    name = text.name
    if "/" in name or len(name.encode()) > 200 or name in ("src", "ref"):
        msg = (
            f"The output {name!r} cannot be a file of that name beside src.sgm and ref.sgm; "
            "give it another, short and without a slash: NAME=FILE."
        )
        raise FormatError(msg)
    return f"{name}.sgm"


def _texts(
    fields: Sequence[Field], chunks: Iterable[Chunk], stack: ExitStack
) -> dict[Field, IO[bytes]]:
    """Write the documents of each text to a temporary file: the sets come one by one."""
    texts = texts_of(fields)
    check_names(texts, "sgml")
    files = {text: spool(stack) for text in texts}
    begun = False
    for run in runs(fields, chunks, _RULES):
        for text, file in files.items():
            end = "</doc>\n" if begun and run.begins else ""
            begin = _document(run, text) if run.begins else ""
            file.write(f"{end}{begin}{''.join(_segments(run, text))}".encode())
        begun = True
    for file in files.values():
        file.write(b"</doc>\n")
    return files


def _document(run: Run, text: Field) -> str:
    system = {} if text.role == "source" else {"sysid": text.name}
    return f"<doc{_attributes({'docid': run.document} | system | run.labels)}>\n"


def _segments(run: Run, text: Field) -> Iterator[str]:
    found = present(run.chunk, text, "sgml", _problem)
    for id_, segment in zip(run.ids, found, strict=True):
        yield f"<seg{_attributes({'id': id_})}>{_escaped(segment)}</seg>\n"


def _problem(text: str) -> str | None:
    return "holds a line break" if "\n" in text or "\r" in text else None


def _set(
    role: Role, files: Sequence[IO[bytes]], about: Mapping[str, str]
) -> Iterator[bytes]:
    found = {
        "setid": about.get("setid", "test"),
        "srclang": about.get("srclang", "any"),
        "trglang": about.get("trglang", "any"),
    }
    if role == "source":
        del found["trglang"]
    yield f"<{_TAGS[role]}{_attributes(found)}>\n".encode()
    for file in files:
        yield from emptied(file)
    yield f"</{_TAGS[role]}>\n".encode()


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(
        ' {}="{}"'.format(name, _escaped(value).replace('"', "&quot;"))
        for name, value in values.items()
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
