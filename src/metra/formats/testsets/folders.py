"""Folders and files of test sets: mt-metrics-eval, WMT's XML, tables, plain text.

mt-metrics-eval keeps a folder for each set, with sources/PAIR.txt, references/PAIR.NAME.txt,
documents/PAIR.docs (a domain and a document a line) and system-outputs/PAIR/SYSTEM.txt.
`metra convert` writes source.txt, reference.NAME.txt, docs.txt and label.NAME.txt; sacreBLEU's
files are read in `sacrebleu_cache`.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from metra.errors import FormatError
from metra.formats.recognise import PLAIN, choose_format
from metra.formats.stream import split_file_name
from metra.formats.testsets.record import (
    ALL,
    DOCUMENTS,
    DOMAINS_AND_DOCUMENTS,
    OUTPUT,
    REFERENCE,
    SOURCE,
    SetLocation,
)
from metra.formats.testsets.sacrebleu_cache import list_cached_sets

MT_METRICS_EVAL = "mt-metrics-eval"

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


def list_mt_metrics_eval(
    name: str = "", _: str = "", root: Path | None = None
) -> Iterator[SetLocation]:
    """Yield the sets in a folder of mt-metrics-eval, or those of one name."""
    root = root or find_mt_metrics_eval()
    for folder in [root / name] if name else sorted(root.glob("*")):
        yield from list_metrics_eval_pairs(folder, folder.name)


def list_metrics_eval_pairs(folder: Path, name: str) -> Iterator[SetLocation]:
    """Yield the language pairs of one set of mt-metrics-eval."""
    for source in sorted((folder / "sources").glob("*.txt")):
        pair = source.stem
        files = {SOURCE: str(source)}
        for path in sorted((folder / "references").glob(f"{pair}.*.txt")):
            files[f"{REFERENCE}:{path.stem.removeprefix(f'{pair}.')}"] = str(path)
        documents = folder / "documents" / f"{pair}.docs"
        if documents.is_file():
            files[DOMAINS_AND_DOCUMENTS] = str(documents)
        for path in sorted((folder / "system-outputs" / pair).glob("*.txt")):
            files[f"{OUTPUT}:{path.stem}"] = str(path)
        standard = _find_standard_reference(f"{folder.name}:{pair}", files)
        yield SetLocation(name, pair, MT_METRICS_EVAL, files, standard)


def list_scores(location: SetLocation) -> list[str]:
    """List people's scores of a set, and metrics' by its usual reference or by none."""
    if SOURCE not in location.files:
        return []
    folder, pair = Path(location.files[SOURCE]).parents[1], location.pair
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
        if f"{REFERENCE}:{name}" in files:
            return (name,)
    return ()


def recognise_path(path: str, pair: str = "") -> list[SetLocation]:
    """Return the language pairs of the test set in a folder or a file."""
    place = Path(path).expanduser().absolute()
    if not place.exists():
        msg = f"{path} does not exist; give a folder or a file with a test set."
        raise FormatError(msg)
    if place.is_dir():
        sets = recognise_folder(place, place.name, pair)
    else:
        sets = [recognise_file(str(place), split_file_name(path)[0], pair)]
    names = sorted({each.name for each in sets})
    if len(names) > 1:
        msg = (
            f"{path} contains several test sets: {', '.join(names)}; give one of them."
        )
        raise FormatError(msg)
    return [each if each.origin else each._replace(origin=path) for each in sets]


def recognise_folder(folder: Path, name: str, pair: str) -> list[SetLocation]:
    """Return the sets that a folder holds, whichever layout it has.

    `name` is for a set whose folder does not say it, `pair` for files that do not.
    """
    if (folder / "sources").is_dir():
        return list(list_metrics_eval_pairs(folder, name))
    if any(folder.glob("*/sources")):
        return list(list_mt_metrics_eval(root=folder))
    if sets := list(list_cached_sets(root=folder)):
        return sets
    files = _list_converted_files(folder)
    if SOURCE in files or any(key.startswith(REFERENCE) for key in files):
        return [SetLocation(name, pair, "", files)]
    msg = (
        f"{folder} contains no recognised test set; expected mt-metrics-eval's or "
        "sacreBLEU's folders, or source.txt and reference.txt; give WMT XML file by "
        "file, and other files with `references` and `source`."
    )
    raise FormatError(msg)


def _list_converted_files(folder: Path) -> dict[str, str]:
    """List plain files as `metra convert` names them."""
    files = {}
    for path in sorted(folder.glob("*.txt")):
        kind, _, name = path.stem.partition(".")
        if kind == "source":
            files[SOURCE] = str(path)
        elif kind in ("reference", "ref"):
            files[f"{REFERENCE}:{name}" if name else REFERENCE] = str(path)
        elif kind == "docs":
            files[DOCUMENTS] = str(path)
        elif kind == "label" and name:
            files[name] = str(path)
    for path in sorted((folder / "outputs").glob("*.txt")):
        files[f"{OUTPUT}:{path.stem}"] = str(path)
    return files


def recognise_file(path: str, name: str, pair: str) -> SetLocation:
    """Return the set that a file holds all of: WMT's XML, or a table."""
    if choose_format(path) is PLAIN:
        msg = (
            f"{path} is plain text; give it with `references` or `source`, or give a "
            "table or WMT XML."
        )
        raise FormatError(msg)
    named = _PAIR_IN_NAME.search(Path(path).name)
    return SetLocation(name, pair or (named[0] if named else ""), "", {ALL: path})
