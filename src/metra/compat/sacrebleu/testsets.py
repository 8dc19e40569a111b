"""Test sets as sacreBLEU's flags and functions name them: fields, references, subsets.

Sets are found and read as those of `metra testsets` are. Tags of documents, which `--subset`
asks for, are part of sacreBLEU itself and read from there where it is installed.
"""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from metra.errors import MissingResourceError, OptionError
from metra.formats.testsets.lookup import find_set, list_sets, read_set
from metra.formats.testsets.record import REFERENCE, SOURCE, concatenate_sets
from metra.formats.testsets.sacrebleu_cache import (
    find_cache,
    find_definition,
    load_definitions,
    read_fields,
    read_raw_set,
)

if TYPE_CHECKING:
    DATASETS: Mapping[str, Any]
    SACREBLEU_DIR: str

Lines = list[str]

#: How subsets by country are named.
_COUNTRY = "country:"


def __getattr__(name: str) -> object:
    """Return sacreBLEU's definitions of test sets, or the folder of its cache."""
    if name == "DATASETS":
        return load_definitions()
    if name == "SACREBLEU_DIR":
        return str(find_cache())
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def get_available_testsets() -> list[str]:
    """List the names of the test sets on this machine, the latest first."""
    return sorted({location.name for location in list_sets()}, reverse=True)


def get_available_testsets_for_langpair(langpair: str) -> list[str]:
    """List the names of the test sets on this machine for two languages."""
    pairs = langpair, "-".join(reversed(langpair.split("-")))
    return sorted({each.name for pair in pairs for each in list_sets("", pair)})


def get_langpairs_for_testset(testset: str) -> list[str]:
    """List the language pairs of a test set that are on this machine."""
    return sorted({location.pair for location in list_sets(testset)})


def get_source_file(test_set: str, langpair: str) -> str:
    """Return the path of the source text."""
    return _list_files(test_set, langpair)[SOURCE]


def get_reference_files(test_set: str, langpair: str) -> list[str]:
    """Return the paths of the references that the test set is scored with."""
    files = _list_files(test_set, langpair)
    names = {
        key: key.partition(":")[2] or key
        for key in files
        if key.partition(":")[0] == REFERENCE
    }
    usual = find_set(test_set, langpair).references
    chosen = [key for key, name in names.items() if name in usual]
    return [files[key] for key in chosen or names]


def download_test_set(test_set: str, langpair: str | None = None) -> list[str]:
    """Download a test set that sacreBLEU defines, and return the paths of its texts."""
    from metra.formats.testsets.download import fetch_set

    fetch_set(test_set, langpair or "")
    locations = list_sets(test_set, langpair or "")
    return [path for location in locations for path in location.files.values()]


def _list_files(name: str, pair: str) -> dict[str, str]:
    location = find_set(name, pair)
    if SOURCE not in location.files or location.reader is read_raw_set:
        msg = (
            f"{location.title} has no plain files of its own on this machine; sacreBLEU "
            f"writes them, or `metra testsets fetch {name} -l {pair}`."
        )
        raise MissingResourceError(msg)
    return dict(location.files)


def describe_test_sets(name: str | None, pair: str | None) -> str:
    """Write what is there: test sets, or the language pairs and fields of one of them."""
    if name:
        pairs = [pair] if pair else get_langpairs_for_testset(name)
        fields = [read_fields(find_set(name, each)) for each in pairs or [""]]
        texts = zip(pairs, map(", ".join, fields), strict=True)
        return "\n".join(f"{each}: {text}" for each, text in texts)
    if pair:
        heading = f"The available test sets for {pair} are:"
        names = get_available_testsets_for_langpair(pair)
    else:
        heading = "The available test sets are:"
        names = sorted(get_available_testsets())
    lines = (f"{each:<30}: {_describe_set(each)}" for each in names)
    return "\n".join([heading, *lines])


def _describe_set(name: str) -> str:
    definition = find_definition(name)
    if definition is None:
        return " ".join(get_langpairs_for_testset(name))
    return str(definition.description).strip()


def cite_test_sets(names: Sequence[str]) -> str:
    """Write the citations of test sets, which are part of sacreBLEU."""
    definitions = load_definitions()
    if not definitions:
        raise MissingResourceError(_describe_need("The citations of test sets are"))
    citations = []
    for name in names:
        citation = getattr(definitions.get(name), "citation", None)
        if not citation:
            msg = f"sacreBLEU has no citation of the test set {name}."
            raise MissingResourceError(msg)
        citations.append(citation)
    return "\n".join(citations)


def read_references(names: Sequence[str], pair: str) -> list[Lines]:
    """Read the references of test sets, one set after the other."""
    sets = concatenate_sets([read_set(find_set(name, pair)) for name in names])
    return [[text or "" for text in each] for each in sets.references.values()]


def choose_fields(name: str, pair: str, wanted: Sequence[str]) -> list[Lines]:
    """Read fields of a test set; `all` stands for all of them, `ref` for any reference."""
    fields = read_fields(find_set(name, pair))
    if "all" in wanted and len(wanted) > 1:
        msg = "all stands for every field; give no other fields with it."
        raise OptionError(msg)
    columns = []
    for field in fields if "all" in wanted else wanted:
        known = field
        if field == REFERENCE and field not in fields:
            known = min(each for each in fields if each.startswith(REFERENCE))
        if known not in fields:
            msg = f"{name} has no field {field!r} for {pair}; it has: {', '.join(fields)}."
            raise OptionError(msg)
        columns.append(fields[known])
    return columns


class SegmentLabels(NamedTuple):
    """What is known of segments: their original languages, and tags such as US-crime."""

    languages: Lines
    tags: Lines
    #: Domains, and countries as country:US, that the tags name.
    subsets: list[str]

    def choose(self, language: str | None, subset: str | None) -> list[bool]:
        """Say of each segment whether it is of a language and its tag matches."""
        if language is not None and not any(self.languages):
            msg = "The original languages of these segments are not known."
            raise MissingResourceError(msg)
        if subset is not None and not self.subsets:
            msg = "The segments have no domains or tags that --subset could choose by."
            raise MissingResourceError(msg)
        pattern = _compile_subset(subset or "")
        pairs = zip(self.languages, self.tags, strict=True)
        return [
            _is_language(found, language)
            and (subset is None or (tag != "" and pattern.search(tag) is not None))
            for found, tag in pairs
        ]

    def list_languages(self) -> list[str]:
        """List the original languages of the segments, where any are known."""
        return sorted({language for language in self.languages if language})


def read_labels(names: Sequence[str], pair: str, *, tagged: bool) -> SegmentLabels:
    """Read the languages of the segments of test sets, and their tags if wanted."""
    languages: Lines = []
    tags: Lines = []
    subsets: set[str] = set()
    for name in names:
        fields = read_fields(find_set(name, pair))
        languages += fields.get("origlang") or [""] * len(fields[SOURCE])
        if not tagged:
            found = [""] * len(fields[SOURCE])
        elif "domain" in fields:
            found = fields["domain"]
            subsets.update(found)
        else:
            found = _read_tags(name, fields)
            parts = [tag.split("-") for tag in found if tag]
            subsets.update(
                each for part in parts for each in (_COUNTRY + part[0], part[1])
            )
        tags += found
    return SegmentLabels(languages, tags, sorted(subsets))


def _read_tags(name: str, fields: dict[str, Lines]) -> Lines:
    """Read the tag of each segment's document, such as US-crime; empty where unknown."""
    try:
        subsets: Any = import_module("sacrebleu.dataset").SUBSETS
    except ImportError:
        need = _describe_need("The tags of documents are")
        raise MissingResourceError(need) from None
    tags = subsets.get(name, {})
    documents = fields.get("docid") or [""] * len(fields[SOURCE])
    return [tags.get(document, "") for document in documents]


def _describe_need(what: str) -> str:
    return (
        f"{what} part of sacreBLEU, which is not installed; install it with: "
        "pip install sacrebleu"
    )


def _is_language(found: str, wanted: str | None) -> bool:
    if wanted is None:
        return True
    if wanted.startswith("non-"):
        return found != wanted.removeprefix("non-")
    return found == wanted


def _compile_subset(subset: str) -> re.Pattern[str]:
    try:
        return re.compile(subset.removeprefix(_COUNTRY))
    except re.error as error:
        msg = f"--subset {subset!r} is not a regular expression: {error}."
        raise OptionError(msg) from None
