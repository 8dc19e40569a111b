"""Test sets as sacreBLEU's flags and functions name them: fields, references, subsets.

Sets are found and read as those of `metra testsets` are. Citations of sets and tags of
documents, which `--subset` selects by, come from the package sacrebleu.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from metra.errors import CorpusError, MissingResourceError, OptionError
from metra.formats.lines import read_lines
from metra.formats.testsets.lookup import find_set, list_sets, read_set
from metra.formats.testsets.record import (
    DOCUMENTS,
    OUTPUT,
    REFERENCE,
    SOURCE,
    SetLocation,
)
from metra.formats.testsets.sacrebleu_cache import (
    fetch_set,
    find_cache,
    find_definition,
    load_definitions,
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
    """List the language pairs of a test set on this machine."""
    return sorted({location.pair for location in list_sets(testset)})


def get_source_file(test_set: str, langpair: str) -> str:
    """Return the path of the source text."""
    return _find_plain_set(test_set, langpair).files[SOURCE]


def get_reference_files(test_set: str, langpair: str) -> list[str]:
    """Return the paths of the references that the test set is scored with."""
    location = _find_plain_set(test_set, langpair)
    names = {
        key.removeprefix(f"{REFERENCE}:"): path
        for key, path in location.files.items()
        if key.partition(":")[0] == REFERENCE
    }
    usual = [path for name, path in names.items() if name in location.references]
    return usual or list(names.values())


def _find_plain_set(name: str, pair: str) -> SetLocation:
    location = find_set(name, pair)
    if SOURCE not in location.files:
        msg = f"{location.title} has no plain files of its own on this machine."
        raise MissingResourceError(msg)
    return location


def download_test_set(test_set: str, langpair: str | None = None) -> list[str]:
    """Download a test set that sacreBLEU defines, and return the paths of its texts."""
    fetch_set(test_set, langpair or "")
    locations = list_sets(test_set, langpair or "")
    return [path for location in locations for path in location.files.values()]


def describe_test_sets(name: str | None, pair: str | None) -> str:
    """Write the list of test sets, or the language pairs and fields of one of them."""
    if name:
        pairs = [pair] if pair else get_langpairs_for_testset(name)
        fields = [read_fields(_find_plain_set(name, each)) for each in pairs or [""]]
        texts = zip(pairs, map(", ".join, fields), strict=True)
        return "\n".join(f"{each}: {text}" for each, text in texts)
    if pair:
        heading = f"The available test sets for {pair} are:"
        names = get_available_testsets_for_langpair(pair)
    else:
        heading = "The available test sets are:"
        names = sorted(get_available_testsets())
    lines = []
    for each in names:
        definition = find_definition(each)
        text = definition.description if definition else ""
        text = text.strip() or " ".join(get_langpairs_for_testset(each))
        lines.append(f"{each:<30}: {text}")
    return "\n".join([heading, *lines])


def cite_test_sets(names: Sequence[str]) -> str:
    """Write the citations of test sets, which are part of sacreBLEU."""
    definitions = load_definitions()
    citations = [
        getattr(definitions.get(name), "citation", None) or "" for name in names
    ]
    for name, citation in zip(names, citations, strict=True):
        if not citation:
            msg = f"sacreBLEU has no citation of the test set {name}."
            raise MissingResourceError(msg)
    return "\n".join(citations)


def read_references(names: Sequence[str], pair: str) -> list[Lines]:
    """Read the references of test sets, one set after the other."""
    sets = [read_set(find_set(name, pair)) for name in names]
    if len({len(texts.references) for texts in sets}) > 1:
        counts = (f"{len(texts.references)} of {texts.title}" for texts in sets)
        numbers = ", ".join(counts)
        msg = f"The test sets differ in their number of references ({numbers})."
        raise CorpusError(msg)
    columns = zip(*(texts.references.values() for texts in sets), strict=True)
    return [[text or "" for text in chain(*column)] for column in columns]


#: The kinds of fields in the order in which sacreBLEU lists them.
_ORDER = (SOURCE, REFERENCE, DOCUMENTS, "genre", "origlang", OUTPUT, "domain")


def read_fields(location: SetLocation) -> dict[str, Lines]:
    """Read every field of a set as sacreBLEU names and orders them.

    These are src, ref or ref:NAME, labels of the segments, and systems by their names.
    """
    files = location.files
    keys = [key for key in files if key.partition(":")[0] in _ORDER]
    keys.sort(key=lambda key: _ORDER.index(key.partition(":")[0]))
    return {key.removeprefix(f"{OUTPUT}:"): read_lines(files[key]) for key in keys}


def choose_fields(name: str, pair: str, wanted: Sequence[str]) -> list[Lines]:
    """Read fields of a test set; `all` stands for all of them, `ref` for any reference."""
    fields = read_fields(_find_plain_set(name, pair))
    if "all" in wanted and len(wanted) > 1:
        msg = "all stands for every field; give no other fields with it."
        raise OptionError(msg)
    columns = []
    for field in fields if "all" in wanted else wanted:
        if field == REFERENCE and field not in fields:
            field = min(each for each in fields if each.startswith(REFERENCE))
        if field not in fields:
            msg = f"{name} has no field {field!r} for {pair}; it has: {', '.join(fields)}."
            raise OptionError(msg)
        columns.append(fields[field])
    return columns


class SegmentLabels(NamedTuple):
    """Original languages of segments, and tags such as US-crime."""

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
        wanted = (language or "").removeprefix("non-")
        # Without a language every segment counts; non-en negates en.
        is_same = language is None or language == wanted
        return [
            (language is None or (own == wanted) == is_same)
            and (subset is None or (tag != "" and pattern.search(tag) is not None))
            for own, tag in zip(self.languages, self.tags, strict=True)
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
        fields = read_fields(_find_plain_set(name, pair))
        languages += fields.get("origlang") or [""] * len(fields[SOURCE])
        if not tagged:
            own = [""] * len(fields[SOURCE])
        elif "domain" in fields:
            own = fields["domain"]
            subsets.update(own)
        else:
            own = _read_tags(name, fields)
            parts = [tag.split("-") for tag in own if tag]
            subsets.update(
                each for part in parts for each in (_COUNTRY + part[0], part[1])
            )
        tags += own
    return SegmentLabels(languages, tags, sorted(subsets))


def _read_tags(name: str, fields: dict[str, Lines]) -> Lines:
    """Read the tag of each segment's document, such as US-crime; empty where unknown."""
    load_definitions()
    from sacrebleu.dataset import SUBSETS

    tags = SUBSETS.get(name, {})
    documents = fields.get(DOCUMENTS) or [""] * len(fields[SOURCE])
    return [tags.get(document, "") for document in documents]


def _compile_subset(subset: str) -> re.Pattern[str]:
    try:
        return re.compile(subset.removeprefix(_COUNTRY))
    except re.error as error:
        msg = f"--subset {subset!r} is not a regular expression: {error}."
        raise OptionError(msg) from None
