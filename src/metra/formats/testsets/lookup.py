"""Test sets by name, from sacreBLEU's cache, or by path.

Nothing is downloaded. The package sacrebleu defines the sets of its cache, downloads them
and writes a plain file for each field of a language pair: NAME/NAME.PAIR.FIELD in $SACREBLEU
or ~/.sacrebleu (a slash in the name becomes an underscore, and ref:A the field ref-A).

A path is a folder of a set in mt-metrics-eval, with sources/PAIR.txt,
references/PAIR.NAME.txt and documents/PAIR.docs (a domain and a document a line); a folder
that `metra convert` wrote, with source.txt, reference.NAME.txt, docs.txt and label.NAME.txt;
or a file with a whole set. Outputs in such folders are left alone.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from metra.errors import (
    FormatError,
    MissingResourceError,
    OptionError,
    format_count,
    missing_package,
)
from metra.formats.recognise import PLAIN, choose_format
from metra.formats.stream import split_file_name
from metra.formats.testsets import record

# Where mt-metrics-eval's standard reference is another than refA, or ref in older sets.
_STANDARD_REFERENCES = {
    **dict.fromkeys(("wmt23:he-en", "wmt23:en-he"), "refB"),
    **dict.fromkeys(("wmt22:cs-en", "wmt22:en-cs"), "refB"),
    **dict.fromkeys(("wmt21.news:zh-en", "wmt21.tedtalks:zh-en"), "refB"),
    "wmt21.news:en-de": "refC",
}

_PAIR_IN_NAME = re.compile(r"(?<![A-Za-z])[a-z]{2,3}-[a-z]{2,3}(?![A-Za-z])")


def find_mt_metrics_eval() -> Path:
    """Return the folder that mt-metrics-eval keeps its sets in, there or not."""
    return Path.home() / ".mt-metrics-eval" / "mt-metrics-eval-v2"


def list_metrics_eval_pairs(folder: Path, name: str) -> Iterator[record.SetLocation]:
    """Yield the language pairs of one set of mt-metrics-eval."""
    for source in sorted((folder / "sources").glob("*.txt")):
        pair = source.stem
        files = {record.SOURCE: str(source)}
        for path in sorted((folder / "references").glob(f"{pair}.*.txt")):
            reference = path.stem.removeprefix(f"{pair}.")
            files[f"{record.REFERENCE}:{reference}"] = str(path)
        documents = folder / "documents" / f"{pair}.docs"
        if documents.is_file():
            files[record.DOMAINS_AND_DOCUMENTS] = str(documents)
        standard = _find_standard_reference(f"{folder.name}:{pair}", files)
        yield record.SetLocation(name, pair, "mt-metrics-eval", files, standard)


def list_sets(name: str = "", pair: str = "") -> list[record.SetLocation]:
    """List the sets of sacreBLEU's cache, or those of a name, a path or a language pair."""
    search = recognise_path if _is_path(name) else list_cached_sets
    return [each for each in search(name, pair) if pair in ("", each.pair)]


def _is_path(name: str) -> bool:
    """Return True for a path; a folder beside is one if a slash shows it: ./set or set/."""
    begins = name.startswith((".", "/", "~"))
    return begins or os.path.isfile(name) or ("/" in name and os.path.isdir(name))


def find_set(name: str, pair: str = "") -> record.SetLocation:
    """Find a set by its name; the pair may be left out where the set has but one."""
    sets = list_sets(name, pair)
    if not sets:
        raise MissingResourceError(_describe_missing(name, pair))
    if len(sets) > 1:
        msg = (
            f"{name} has {len(sets)} language pairs; choose one with `pair`: "
            f"{', '.join(location.pair for location in sets)}."
        )
        raise OptionError(msg)
    return sets[0]


def list_score_files(name: str, pair: str = "") -> list[str]:
    """List the files of scores beside a set of mt-metrics-eval, of one pair or all.

    Of a metric, the scores by the usual reference of the set count, or those without any.
    """
    sets = list_sets(name, pair)
    files = [file for location in sets for file in list_scores(location)]
    if not sets:
        raise MissingResourceError(_describe_missing(name, pair))
    if not files:
        msg = (
            f"The test set {sets[0].title} has no scores (human-scores and "
            "metric-scores, as in mt-metrics-eval); give score files."
        )
        raise OptionError(msg)
    return files


def _describe_missing(name: str, pair: str) -> str:
    """Name the missing set, the cache that was searched, and remedies."""
    pairs = sorted({location.pair or "?" for location in list_sets(name)})
    if pairs:
        start = f"The test set {name} has no {pair}; it has: {', '.join(pairs)}"
    else:
        title = f"{name}:{pair}" if pair else name
        start = f"No test set {title} on this machine"
    if _is_path(name):
        return f"{start}."
    fetch = f"metra sacrebleu --download {name}{f' -l {pair}' if pair else ''}"
    return (
        f"{start}; looked in {describe_cache()}. `{fetch}` downloads a set of sacreBLEU; "
        f"name other sets by their path, as in ./{name} or "
        f"{find_mt_metrics_eval() / name}."
    )


def describe_cache() -> str:
    """Name the folder of sacreBLEU's cache, and say if it is not there."""
    return f"{find_cache()}{'' if find_cache().exists() else ' (not there)'}"


def read_set(
    location: record.SetLocation, references: Sequence[str] = ()
) -> record.NamedSet:
    """Read a set, with its usual references or with the named ones."""
    texts = record.read_files(location)
    return record.choose_references(texts, references, location.references)


def load_test_set(
    name: str,
    pair: str = "",
    *,
    references: Sequence[str] = (),
    subset: Sequence[str] = (),
) -> record.NamedSet:
    """Load the texts of a test set by its name and language pair.

    `references` names the references to use instead of the default ones. `subset` lists
    conditions such as origlang=en, domain=news or doc!=bbc.1; values of the same label are
    alternatives.
    """
    if "," in name and not _is_path(name):
        msg = (
            f"{name!r} names several test sets; score them one by one, or as one with "
            "`metra sacrebleu -t`."
        )
        raise OptionError(msg)
    texts = read_set(find_set(name, pair), references)
    return record.select_segments(texts, subset)


def describe_set(texts: record.NamedSet) -> str:
    """Say in a line what was loaded: where from, how many segments, which references."""
    count = format_count(texts.segments, "segment")
    if texts.kept is not None:
        count = f"{sum(texts.kept)} of {count}"
    plural = "" if len(texts.references) == 1 else "s"
    references = f"reference{plural} {', '.join(texts.references) or 'none'}"
    if texts.left_out:
        kinds = "of test suites or without a reference"
        references += f"; {texts.left_out} {kinds} excluded"
    return f"{texts.title} ({texts.origin}): {count}, {references}"


def list_scores(location: record.SetLocation) -> list[str]:
    """List people's scores of a set, and metrics' by its usual reference or by none."""
    if record.SOURCE not in location.files:
        return []
    folder, pair = Path(location.files[record.SOURCE]).parents[1], location.pair
    files = sorted((folder / "human-scores").glob(f"{pair}.*.score"))
    for path in sorted((folder / "metric-scores" / pair).glob("*.score")):
        metric = path.name.rsplit(".", 2)[0]
        if metric.rpartition("-")[2] in ("src", *location.references):
            files.append(path)
    return [str(path) for path in files]


def _find_standard_reference(title: str, files: Collection[str]) -> tuple[str, ...]:
    """Return the reference that metrics are compared on; none: all of them count."""
    exception = _STANDARD_REFERENCES.get(title)
    for name in [exception] if exception else ["refA", "ref"]:
        if f"{record.REFERENCE}:{name}" in files:
            return (name,)
    return ()


def recognise_path(path: str, pair: str = "") -> list[record.SetLocation]:
    """Return the language pairs of the test set in a folder or a file."""
    place = Path(path).expanduser().absolute()
    if not place.exists():
        msg = f"{path} does not exist; give a folder or a file with a test set."
        raise FormatError(msg)
    if place.is_dir():
        sets = recognise_folder(place, place.name, pair)
    else:
        sets = [recognise_file(str(place), split_file_name(path)[0], pair)]
    return [each if each.origin else each._replace(origin=path) for each in sets]


def recognise_folder(folder: Path, name: str, pair: str) -> list[record.SetLocation]:
    """Return the sets that a folder holds, whichever layout it has.

    `name` is for a set whose folder does not say it, `pair` for files that do not.
    """
    if (folder / "sources").is_dir():
        return list(list_metrics_eval_pairs(folder, name))
    files = _list_converted_files(folder)
    if record.SOURCE in files or any(key.startswith(record.REFERENCE) for key in files):
        return [record.SetLocation(name, pair, "", files)]
    msg = (
        f"{folder} contains no recognised test set; expected the folder of a set in "
        "mt-metrics-eval, or source.txt and reference.txt; give WMT XML file by file, "
        "and other files with `references` and `source`."
    )
    raise FormatError(msg)


def _list_converted_files(folder: Path) -> dict[str, str]:
    """List plain files as `metra convert` names them."""
    files = {}
    for path in sorted(folder.glob("*.txt")):
        kind, _, name = path.stem.partition(".")
        if kind == "source":
            files[record.SOURCE] = str(path)
        elif kind in ("reference", "ref"):
            files[record.REFERENCE + (f":{name}" if name else "")] = str(path)
        elif kind == "docs":
            files[record.DOCUMENTS] = str(path)
        elif kind == "label" and name:
            files[name] = str(path)
    return files


def recognise_file(path: str, name: str, pair: str) -> record.SetLocation:
    """Return the set that a file holds all of: WMT's XML, or a table."""
    if choose_format(path) is PLAIN:
        msg = (
            f"{path} is plain text; give it with `references` or `source`, or give a "
            "table or WMT XML."
        )
        raise FormatError(msg)
    named = _PAIR_IN_NAME.search(Path(path).name)
    title = pair or (named[0] if named else "")
    return record.SetLocation(name, title, "", {record.ALL: path}, chosen_pair=pair)


#: The fields that a set of sacreBLEU has, in their order; others are outputs of systems.
_FIELDS = ("src", "ref", "docid", "origlang", "domain", "genre")
MISSING_PACKAGE = missing_package(
    "Reading test sets of sacreBLEU", "sacrebleu", "testsets"
)


def find_cache() -> Path:
    """Return the folder of the cache; it may not exist."""
    return Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu")


def load_definitions() -> Mapping[str, Any]:
    """Return the sets that sacreBLEU defines; refuse if it is not installed."""
    try:
        from sacrebleu.dataset import DATASETS
    except ImportError:
        raise MissingResourceError(MISSING_PACKAGE) from None
    return DATASETS


def is_installed() -> bool:
    """Tell whether the package sacrebleu is installed, without loading it."""
    from importlib.util import find_spec

    return find_spec("sacrebleu") is not None


def list_cached_sets(name: str = "", pair: str = "") -> Iterator[record.SetLocation]:
    """Yield the sets of the cache in every language pair that has plain files.

    Without the package sacrebleu, only a named set is an error.
    """
    root = find_cache()
    if not (root / name).is_dir() or not (name or is_installed()):
        return
    for own_name, definition in sorted(load_definitions().items()):
        if name not in ("", own_name) or not (root / own_name).is_dir():
            continue
        for each in sorted(definition.langpairs):
            files = _list_files(root, definition, each) if pair in ("", each) else {}
            has_reference = any(key.startswith(record.REFERENCE) for key in files)
            if has_reference and record.SOURCE in files:
                about = (own_name, each, record.SACREBLEU, files)
                yield record.SetLocation(*about, get_references(definition, each))


def _list_files(root: Path, definition: Any, pair: str) -> dict[str, str]:
    """List the plain files of a language pair by their fields, without outputs."""
    prefix = f"{definition.name.replace('/', '_')}.{pair}."
    paths = sorted((root / definition.name).glob(f"{prefix}*"))
    files = {path.name.removeprefix(prefix): str(path) for path in paths}
    return {
        name.replace("ref-", "ref:", 1): path
        for field in _FIELDS
        for name, path in files.items()
        if name == field or (field == "ref" and name.startswith("ref-"))
    }


def get_references(definition: Any, pair: str) -> tuple[str, ...]:
    """Return the names of the references that sacreBLEU scores against; empty: all."""
    names = definition.kwargs.get("refs", ())
    if isinstance(definition.langpairs[pair], dict):
        names = definition.langpairs[pair].get("refs", names)
    return tuple(name or record.REFERENCE for name in names)
