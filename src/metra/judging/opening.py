"""A campaign from its file: what it wishes in TOML, and where its texts are.

    name = "spring"
    protocol = "ldc"
    source_language = "fr"
    target_language = "en"
    judges = ["ann", "bob", "cleo", "dan"]

    [files]
    outputs = ["one=outputs/one.txt", "two=outputs/two.txt"]
    references = ["reference.txt"]

Paths are seen from the folder of the file. Protocols that need more name it there, too:
questions, templates, baseline, judged, marks or entities. Own words for what judges read are in
[wording].
"""

from pathlib import Path
from typing import Any

from metra.annotations.toml_file import read_toml
from metra.errors import FormatError
from metra.human.campaign import Campaign, campaign
from metra.human.prefilled import checked
from metra.human.settings import settings
from metra.io import open_corpus
from metra.judging.material import READERS, placed, read_material
from metra.judging.own_wording import in_words

_LISTS = ("outputs", "references")
_SINGLE = ("source", "documents")
_NAMES = (*_LISTS, *_SINGLE, *READERS)


def open_campaign(path: str) -> Campaign:
    """Read a campaign's file and texts, and freeze them."""
    table = read_toml(path, "a campaign")
    files = table.pop("files", None)
    if not isinstance(files, dict) or not files.get("outputs"):
        msg = (
            f'{path} has no [files] with outputs; expected outputs = ["NAME=PATH", …].'
        )
        raise FormatError(msg)
    for name, value in files.items():
        _check(name, value, path)
    words = table.pop("wording", None)
    wishes = settings(table, path)
    here = Path(path).parent
    corpus = open_corpus(
        [_placed(output, here) for output in files["outputs"]],
        [_placed(reference, here) for reference in files.get("references", ())],
        *(_placed(files[name], here) if name in files else None for name in _SINGLE),
    )
    material = {name: files[name] for name in READERS if name in files}
    frozen = campaign(wishes, corpus, read_material(placed(material, here)))
    return in_words(checked(frozen), words, path)


def _check(name: str, value: Any, path: str) -> None:
    if name not in _NAMES:
        msg = f"{path} has files.{name}; expected {', '.join(_NAMES)}."
        raise FormatError(msg)
    listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
    if not (listed if name in _LISTS else isinstance(value, str)):
        expected = "a list of paths" if name in _LISTS else "a path"
        msg = f"{path}: files.{name} is {value!r}; expected {expected}."
        raise FormatError(msg)


def _placed(file: str, here: Path) -> str:
    """Find a file from the campaign's folder; its name before `=` stays."""
    name, equals, path = file.rpartition("=")
    return f"{name}{equals}{here / path}"
