"""Test sets in sacreBLEU's cache on this machine; nothing is downloaded.

sacreBLEU keeps each field of a test set as a text file, one segment a line:
`~/.sacrebleu/wmt20/tworefs/wmt20_tworefs.en-de.ref-0`. Tags of documents, which `--subset`
asks for, are part of sacreBLEU itself and read from there where it is installed.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from metra.errors import FormatError, LengthError, MissingResourceError, OptionError
from metra.formats.lines import read_lines
from metra.formats.stream import ByteStream

#: Fields in the order in which sacreBLEU lists them; hypotheses and others follow.
_ORDER = ("src", "ref", "docid", "genre", "origlang", "domain")

#: The references that a test set of WMT's XML is scored with, of those in its files. The
#: pairs of a language come before the set as a whole.
_REFERENCES: Mapping[str, Sequence[str]] = {
    "wmt21": ["A"],
    "wmt21/systems": ["A"],
    "wmt21/B": ["B"],
    "wmt21/AB": ["A", "B"],
    "wmt21/C": ["C"],
    "wmt21/AC": ["A", "C"],
    "wmt21/D": ["D"],
    "wmt21/dev": ["A", ""],
    "wmt22": ["A"],
    "wmt22 cs-en": ["B"],
    "wmt22 en-cs": ["B"],
    "wmt22 liv-en": [""],
    "wmt22 ru-sah": [""],
    "wmt23": ["refA"],
    "wmt23 en-he": ["refB"],
    "wmt23 he-en": ["refB"],
    "wmt24": ["refA"],
}


def get_cache_folder() -> Path:
    """Return sacreBLEU's folder: the environment's `SACREBLEU`, else in the home."""
    folder = os.environ.get("SACREBLEU")
    return Path(folder) if folder else Path.home() / ".sacrebleu"


def list_test_sets() -> list[str]:
    """List the names of the test sets that are there."""
    folder = get_cache_folder()
    names = {
        str(path.parent.relative_to(folder))
        for path in folder.glob("**/*.src")
        if path.name.startswith(f"{_name_files(path.parent, folder)}.")
    }
    return sorted(names)


def list_language_pairs(name: str) -> list[str]:
    """List the language pairs of a test set that are there."""
    start = f"{name.replace('/', '_')}."
    paths = (get_cache_folder() / name).glob(f"{start}*.src")
    return sorted(path.name.removeprefix(start).removesuffix(".src") for path in paths)


#: sacreBLEU's names of the two.
get_available_testsets = list_test_sets
get_langpairs_for_testset = list_language_pairs


def list_fields(name: str, pair: str) -> list[str]:
    """List the fields of a test set: src, ref or ref:A and more, docid and others."""
    start = f"{name.replace('/', '_')}.{pair}."
    paths = (get_cache_folder() / name).glob(f"{start}*")
    fields = [path.name.removeprefix(start).replace("-", ":", 1) for path in paths]
    return sorted(fields, key=_order_field)


def get_source_file(test_set: str, langpair: str) -> str:
    """Return the path of the source text."""
    return str(_find_file(test_set, langpair, "src"))


def get_reference_files(test_set: str, langpair: str) -> list[str]:
    """Return the paths of the references that the test set is scored with."""
    fields = _choose_references(test_set, langpair)
    return [str(_find_file(test_set, langpair, field)) for field in fields]


def describe_test_sets(name: str | None, pair: str | None) -> str:
    """Write what is there: test sets, or the language pairs and fields of one of them."""
    if name:
        pairs = [pair] if pair else list_language_pairs(name)
        for each in pairs or [pair or ""]:
            _find_file(name, each, "src")
        return "\n".join(
            f"{each}: {', '.join(list_fields(name, each))}" for each in pairs
        )
    pairs_by_name = {each: list_language_pairs(each) for each in list_test_sets()}
    if pair:
        pairs_by_name = {
            each: pairs for each, pairs in pairs_by_name.items() if pair in pairs
        }
    which = f" for {pair}" if pair else ""
    lines = [f"{each:<30}: {' '.join(pairs)}" for each, pairs in pairs_by_name.items()]
    return "\n".join([f"The available test sets{which} are:", *lines])


def read_references(names: Sequence[str], pair: str) -> list[list[str]]:
    """Read the references of test sets, one set after the other."""
    sets = [
        [read_lines(path) for path in get_reference_files(name, pair)] for name in names
    ]
    if len({len(streams) for streams in sets}) > 1:
        msg = (
            f"{', '.join(names)} have different numbers of references; expected as many in "
            "each."
        )
        raise LengthError(msg)
    return [
        [line for stream in streams for line in stream]
        for streams in zip(*sets, strict=True)
    ]


def read_fields(name: str, pair: str, fields: Sequence[str]) -> list[list[str]]:
    """Read fields of a test set; `all` reads all of them, `ref` the references."""
    known = list_fields(name, pair)
    wanted: list[str] = []
    for field in fields:
        if field == "all":
            wanted.extend(known)
        elif field == "ref" and field not in known:
            wanted.extend(_choose_references(name, pair))
        else:
            wanted.append(field)
    return [read_lines(str(_find_file(name, pair, field))) for field in wanted]


def choose_segments(
    names: Sequence[str], pair: str, language: str | None, subset: str | None
) -> list[bool]:
    """Say of each segment whether its document is of a language and its tag matches."""
    chosen: list[bool] = []
    for name in names:
        languages = read_lines(str(_find_file(name, pair, "origlang")))
        tags = read_tags(name, pair) if subset else [""] * len(languages)
        chosen.extend(
            _is_language(found, language) and _is_match(tag, subset)
            for found, tag in zip(languages, tags, strict=True)
        )
    return chosen


def read_tags(name: str, pair: str) -> list[str]:
    """Read the tag of each segment's document, such as US-crime; empty where unknown."""
    try:
        subsets: Any = import_module("sacrebleu.dataset").SUBSETS
    except ImportError:
        msg = (
            "The tags of documents are part of sacreBLEU, which is not installed; install "
            "it with: pip install sacrebleu"
        )
        raise MissingResourceError(msg) from None
    tags = subsets.get(name, {})
    documents = read_lines(str(_find_file(name, pair, "docid")))
    return [tags.get(document, "") for document in documents]


def list_subsets(names: Sequence[str], pair: str) -> list[tuple[str, str | None]]:
    """List parts of the test sets by label, with the expression that finds each."""
    tags = {tag for name in names for tag in read_tags(name, pair) if tag}
    countries = {tag.split("-")[0] for tag in tags}
    domains = {tag.split("-")[1] for tag in tags}
    return [
        ("domain=ALL", None),
        *((f"country={each}", f"^{re.escape(each)}-") for each in sorted(countries)),
        *((f"domain={each}", f"-{re.escape(each)}$") for each in sorted(domains)),
    ]


def list_languages(names: Sequence[str], pair: str) -> list[str]:
    """List the languages in which documents of the test sets were written."""
    files = [str(_find_file(name, pair, "origlang")) for name in names]
    return sorted({line for path in files for line in read_lines(path)})


def read_encoded_lines(path: str, encoding: str) -> list[str]:
    """Read the lines of a file in any encoding that Python knows."""
    try:
        text = b"".join(_read_blocks(path)).decode(encoding)
    except LookupError:
        msg = (
            f"There is no encoding named {encoding!r}; expected one that Python knows."
        )
        raise OptionError(msg) from None
    except UnicodeDecodeError as error:
        msg = f"{path} is not {encoding}: byte {error.start + 1} cannot be read."
        raise FormatError(msg) from None
    lines = text.removeprefix("\ufeff").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _read_blocks(path: str) -> Iterable[bytes]:
    stream = ByteStream(path)
    try:
        while block := stream.read():
            yield block
    finally:
        stream.close()


def _name_files(folder: Path, cache: Path) -> str:
    return str(folder.relative_to(cache)).replace(os.sep, "_")


def _order_field(field: str) -> tuple[int, str]:
    kind = field.partition(":")[0]
    return (_ORDER.index(kind) if kind in _ORDER else len(_ORDER), field)


def _find_file(name: str, pair: str, field: str) -> Path:
    """Find the file of a field; say what there is where it is missing."""
    file = f"{name.replace('/', '_')}.{pair}.{field.replace(':', '-')}"
    path = get_cache_folder() / name / file
    if path.is_file():
        return path
    pairs = list_language_pairs(name)
    if not pairs:
        known = ", ".join(list_test_sets()) or "none"
        msg = (
            f"Test set {name!r} is not on this machine, and nothing is downloaded; "
            f"expected it in {get_cache_folder()}. There: {known}."
        )
    elif pair not in pairs:
        there = ", ".join(pairs)
        msg = (
            f"Test set {name!r} is on this machine only for {there}, not for {pair!r}."
        )
    else:
        there = ", ".join(list_fields(name, pair))
        msg = f"Test set {name!r} has no field {field!r} for {pair}; it has {there}."
    raise MissingResourceError(msg)


def _choose_references(name: str, pair: str) -> list[str]:
    _find_file(name, pair, "src")
    fields = [each for each in list_fields(name, pair) if each.startswith("ref")]
    allowed = _REFERENCES.get(f"{name} {pair}", _REFERENCES.get(name))
    if allowed is None:
        return fields or ["ref"]
    chosen = [f"ref:{each}" if each else "ref" for each in allowed]
    return [each for each in chosen if each in fields] or chosen


def _is_language(found: str, wanted: str | None) -> bool:
    if wanted is None:
        return True
    if wanted.startswith("non-"):
        return found != wanted.removeprefix("non-")
    return found == wanted


def _is_match(tag: str, subset: str | None) -> bool:
    if subset is None:
        return True
    try:
        return re.search(subset, tag) is not None
    except re.error as error:
        msg = f"--subset {subset!r} is no regular expression: {error}."
        raise OptionError(msg) from None
