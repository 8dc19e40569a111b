"""Which columns of a file are used, as what, and under which names."""

from collections.abc import Sequence

from metra.errors import CorpusError, FormatError
from metra.io.fields import HELP, Field
from metra.io.formats import WITH_IDS
from metra.io.sources import Source
from metra.io.stream import shown

_TEXTS = ("source", "reference", "output")


class Choice:
    """Chooses the columns of one file after the other; no two may have the same name."""

    def __init__(self, files: Sequence[Source]) -> None:
        self.taken: set[Field] = set()
        self._files = files
        self._order: list[tuple[int, Field]] = []

    def __call__(self, file: Source, fields: Sequence[Field]) -> dict[Field, Field]:
        """Choose columns: what each is called in the file, and what it is used as."""
        chosen = {
            found: self._distinct(wanted, file)
            for found, wanted in _wanted(file, fields).items()
        }
        place = self._files.index(file)
        self._order += [(place, field) for field in chosen.values()]
        return chosen

    def in_order(self) -> list[Field]:
        """List what was chosen in the order of the files."""
        return [field for _, field in sorted(self._order, key=lambda entry: entry[0])]

    def _distinct(self, field: Field, file: Source) -> Field:
        if field.role == "label":
            return field
        if field.role in ("source", "document"):
            field = Field(field.role, "source" if field.role == "source" else "doc")
        if field in self.taken:
            field = self._renamed(field, file)
        self.taken.add(field)
        return field

    def _renamed(self, field: Field, file: Source) -> Field:
        """Number references that are files of their own; other names are for users to give."""
        if field.role in ("source", "document"):
            msg = f"The {field.role} is given 2 times; give it once."
            raise CorpusError(msg)
        if field.role == "reference" and file.use == "reference":
            number = 2
            while field._replace(name=f"{field.name}-{number}") in self.taken:
                number += 1
            return field._replace(name=f"{field.name}-{number}")
        remedy = ": NAME=FILE" if field.role == "output" else ""
        msg = (
            f"Two {field.role}s are called {field.name!r}; give each a name of its own"
            f"{remedy}."
        )
        raise CorpusError(msg)


def _wanted(file: Source, fields: Sequence[Field]) -> dict[Field, Field]:
    """Choose all of an output's columns, else those of the role that the file is for."""
    outputs = [field for field in fields if field.role == "output"]
    if file.named and file.format in WITH_IDS:
        if len(outputs) != 1:
            msg = (
                f"{file.name}={shown(file.path)} gives a name to a file that holds "
                f"{len(outputs)} outputs; give a name only where there is one."
            )
            raise FormatError(msg)
        renamed = {outputs[0]: Field("output", file.name)}
    else:
        renamed = {}
    if file.use == "any":
        return {field: field for field in fields} | renamed
    if file.use == "output":
        if outputs:
            labels = file.columns.labels if file.columns else ()
            kept = [f for f in fields if f.role != "label" or f.name in labels]
            return {f: f for f in kept} | renamed
    else:
        found = {f: f for f in fields if f.role in (file.use, "label")}
        if any(field.role == file.use for field in found):
            return found
    texts = [field for field in fields if field.role in _TEXTS]
    if len(texts) == 1 and (file.format in WITH_IDS or texts == outputs):
        return {texts[0]: Field(file.use, file.name)}
    names = ", ".join(field.name for field in fields)
    msg = (
        f"{shown(file.path)} has no column for the {file.use}; it has: {names}. "
        f"Columns are recognised by name: {HELP}."
    )
    raise FormatError(msg)
