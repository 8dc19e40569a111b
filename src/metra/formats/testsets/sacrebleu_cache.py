"""The cache of sacreBLEU: test sets by name and language pair, as sacreBLEU reads them.

The cache is $SACREBLEU or ~/.sacrebleu. A set has a folder of its name, in which sacreBLEU
writes a plain file for each field, NAME.PAIR.FIELD (a slash in the name becomes an
underscore, and ref:A the field ref-A), from what it has unpacked in the folder `raw`. It
writes only the pairs that were asked for; others are read here from `raw` by the same
rules, so that a segment is the same whoever reads it.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from metra.formats.lines import read_lines
from metra.formats.testsets.record import (
    ALL,
    DOCUMENTS,
    OUTPUT,
    REFERENCE,
    SOURCE,
    NamedSet,
    SetLocation,
    choose_references,
    read_files,
)
from metra.text.columns import check_lengths

ORIGIN = "sacrebleu"
RAW = "raw"

_PAIR = r"[a-z]{2,3}(?:_[A-Za-z]+)?-[a-z]{2,3}(?:_[A-Za-z]+)?"
_MARKED_UP = (".sgm", ".sgml", ".xml")
_LABELS = ("docid", "origlang", "domain", "genre")

# Which references of WMT's XML files sacreBLEU 2.6 scores against: for all pairs of a
# set, and for single pairs. Where a set is not listed, all of them count.
_REFERENCES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("wmt24", "wmt23"), ("refA",)),
    **dict.fromkeys(("wmt23:en-he", "wmt23:he-en"), ("refB",)),
    **dict.fromkeys(("wmt22", "wmt21", "wmt21/systems"), ("A",)),
    **dict.fromkeys(("wmt22:cs-en", "wmt22:en-cs"), ("B",)),
    **dict.fromkeys(("wmt22:liv-en", "wmt22:ru-sah"), ("",)),
    "wmt21/B": ("B",),
    "wmt21/AB": ("A", "B"),
    "wmt21/C": ("C",),
    "wmt21/AC": ("A", "C"),
    "wmt21/D": ("D",),
    "wmt21/dev": ("A", ""),
}


def find_cache() -> Path:
    """Return the folder of the cache, whether it is there or not."""
    return Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu")


def list_cached_sets(
    cache: Path | None = None, name: str = "", pair: str = ""
) -> Iterator[SetLocation]:
    """Yield the sets of the cache in every language pair that can be read.

    With a `name`, and with a `pair`, only what is asked for is looked at.
    """
    root = find_cache() if cache is None else cache
    folders = _list_folders(root) if not name else [root / name]
    for folder in folders:
        yield from _list_pairs(folder, folder.relative_to(root).as_posix(), pair)


def _list_pairs(folder: Path, name: str, wanted: str) -> Iterator[SetLocation]:
    """Yield the pairs of a set: as sacreBLEU has written them, else as unpacked."""
    if not folder.is_dir():
        return
    whole = {
        pair: files
        for pair, files in _list_processed(folder, name).items()
        if SOURCE in files and _has_references(files) and wanted in ("", pair)
    }
    # Definitions take a while to load, and are needed for unpacked files only.
    raw = {} if wanted in whole else _list_raw(folder / RAW, name)
    for pair in sorted(whole.keys() | raw.keys()):
        if wanted in ("", pair):
            files, reader = whole.get(pair), read_processed_set
            if files is None:
                files, reader = raw[pair], read_raw_set
            chosen = get_references(name, pair)
            yield SetLocation(name, pair, ORIGIN, files, chosen, reader)


def _list_folders(root: Path) -> Iterator[Path]:
    """Yield the folders of sets: a name such as wmt20/robust/set1 is a folder in another."""
    if not root.is_dir():
        return
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if folder.name in (RAW, "models"):
            continue
        yield folder
        yield from _list_folders(folder)


def _has_references(files: Iterable[str]) -> bool:
    return any(key.partition(":")[0] == REFERENCE for key in files)


def _list_processed(folder: Path, name: str) -> dict[str, dict[str, str]]:
    """List the files that sacreBLEU has written, by pair and by what they hold."""
    prefix = re.escape(name.replace("/", "_"))
    pattern = re.compile(rf"{prefix}\.({_PAIR})\.(.+)")
    pairs: dict[str, dict[str, str]] = {}
    for path in sorted(folder.iterdir()):
        named = pattern.fullmatch(path.name)
        if named and path.is_file():
            pair, field = named.groups()
            pairs.setdefault(pair, {})[_name_field(field)] = str(path)
    return pairs


def _name_field(field: str) -> str:
    """Return what a file of the cache holds, by the end of its name.

    >>> _name_field("ref-A"), _name_field("docid"), _name_field("online-B")
    ('ref:A', 'docid', 'hyp:online-B')
    """
    kind, dash, name = field.partition("-")
    if kind == REFERENCE:
        return f"{kind}:{name}" if dash else kind
    return field if field in (SOURCE, *_LABELS) else f"{OUTPUT}:{field}"


def _list_raw(raw: Path, name: str) -> dict[str, dict[str, str]]:
    """List the unpacked files of each pair, as sacreBLEU defines them or by their names."""
    if not raw.is_dir():
        return {}
    definition = find_definition(name)
    if definition is None:
        from metra.formats.testsets.folders import list_wmt_files

        return list_wmt_files(raw)
    pairs = {}
    for pair, paths in definition.langpairs.items():
        given = [paths["path"]] if isinstance(paths, dict) else paths
        files = _name_raw_files([str(raw / path) for path in given])
        # Tables, whose columns are numbered, are read only after sacreBLEU has cut them.
        if all(os.path.isfile(path) for path in files.values()):
            pairs[pair] = files
    return pairs


def _name_raw_files(paths: Sequence[str]) -> dict[str, str]:
    """Say what the unpacked files of a pair hold; several references are numbered."""
    if len(paths) == 1:
        return {ALL: paths[0]}
    names = [f"{REFERENCE}:{index}" for index in range(len(paths) - 1)]
    keys = [SOURCE, *(names if len(names) > 1 else [REFERENCE])]
    return dict(zip(keys, paths, strict=True))


def find_definition(name: str) -> Any:
    """Return sacreBLEU's definition of a set; None where it has none or is not installed."""
    return load_definitions().get(name)


def load_definitions() -> Mapping[str, Any]:
    """Return the sets that the installed sacreBLEU defines, none where there is none."""
    try:
        from sacrebleu.dataset import DATASETS
    except ImportError:
        return {}
    return DATASETS


def list_archives(cache: Path, definition: Any) -> Iterator[tuple[Path, str, str]]:
    """Yield each archive of a set: its path in the cache, its address and its MD5."""
    raw = cache / definition.name / RAW
    prefix = definition.name.replace("/", "_")
    sums = definition.md5 or [""] * len(definition.data)
    for address, checksum in zip(definition.data, sums, strict=True):
        yield raw / f"{prefix}.{address.rpartition('/')[2]}", address, checksum


def compute_md5(path: Path) -> str:
    """Return the MD5 of a file, which is what sacreBLEU knows of its archives."""
    from hashlib import file_digest

    with open(path, "rb") as file:
        return file_digest(file, "md5").hexdigest()


def get_references(name: str, pair: str) -> tuple[str, ...]:
    """Return the names of the references that sacreBLEU scores against; empty: all.

    >>> get_references("wmt23", "en-de"), get_references("wmt14", "en-de")
    (('refA',), ())
    """
    names = _REFERENCES.get(f"{name}:{pair}", _REFERENCES.get(name, ()))
    return tuple(reference or REFERENCE for reference in names)


def read_processed_set(location: SetLocation) -> NamedSet:
    """Read the plain files that sacreBLEU has written."""
    return _build_set(location, _read_processed_columns(location))


def _read_processed_columns(location: SetLocation) -> dict[str, list[str]]:
    return {key: read_lines(path) for key, path in location.files.items()}


def read_raw_set(location: SetLocation) -> NamedSet:
    """Read unpacked files as sacreBLEU reads them: white space is one blank, or none."""
    if ALL in location.files:
        texts = read_files(location)
        source = None if texts.source is None else list(map(squeeze, texts.source))
        references: dict[str, list[str | None]] = {
            name: [squeeze(text or "") for text in column]
            for name, column in texts.references.items()
        }
        outputs: dict[str, list[str | None]] = {
            name: [squeeze(text or "") for text in column]
            for name, column in texts.outputs.items()
        }
        return texts._replace(source=source, references=references, outputs=outputs)
    return _build_set(location, _read_raw_columns(location))


def _read_raw_columns(location: SetLocation) -> dict[str, list[str]]:
    columns = {key: _read_raw_text(path) for key, path in location.files.items()}
    source_path = location.files[SOURCE]
    if source_path.endswith(_MARKED_UP):
        lines = read_lines(source_path)
        for label in ("docid", "genre", "origlang"):
            columns[label] = list(_repeat_attribute(lines, label))
    return columns


#: The kinds of fields in the order in which sacreBLEU lists them.
_ORDER = (SOURCE, REFERENCE, DOCUMENTS, "genre", "origlang", OUTPUT, "domain")


def read_fields(location: SetLocation) -> dict[str, list[str]]:
    """Read every field of a set as sacreBLEU names and orders them.

    These are src, ref or ref:NAME, labels of the segments, and systems by their names.
    """
    if location.reader is read_processed_set:
        fields = _read_processed_columns(location)
    elif location.reader is read_raw_set and ALL not in location.files:
        fields = _read_raw_columns(location)
    else:
        fields = _name_columns((location.reader or read_files)(location))
    keys = sorted(fields, key=lambda key: _ORDER.index(key.partition(":")[0]))
    return {key.removeprefix(f"{OUTPUT}:"): fields[key] for key in keys}


def _name_columns(texts: NamedSet) -> dict[str, list[str]]:
    references = {
        name if name == REFERENCE else f"{REFERENCE}:{name}": column
        for name, column in texts.references.items()
    }
    columns: dict[str, Iterable[str | None] | None] = {
        SOURCE: texts.source,
        **references,
        DOCUMENTS: texts.documents,
        **{name: texts.labels.get(name) for name in _LABELS if name != DOCUMENTS},
        **{f"{OUTPUT}:{name}": column for name, column in texts.outputs.items()},
    }
    return {
        key: [text or "" for text in column]
        for key, column in columns.items()
        if column is not None
    }


def _read_raw_text(path: str) -> list[str]:
    """Read one text: plain, or SGML line by line with its entities as they are."""
    lines = read_lines(path)
    if not path.endswith(_MARKED_UP):
        return [line.rstrip() for line in lines]
    return [
        squeeze(re.sub(r"<seg.*?>(.*)</seg>.*?", r"\1", line))
        for line in lines
        if line.startswith("<seg ")
    ]


def _repeat_attribute(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield an attribute of the document of each segment."""
    value = ""
    for line in lines:
        if line.startswith("<doc "):
            given = re.search(rf'{name}="(.*?)"', line)
            value = given[1] if given else value
        elif line.startswith("<seg "):
            yield value


def squeeze(text: str) -> str:
    """Return a text with one blank for any white space, and none at its ends.

    >>> squeeze("  a \\t b ")
    'a b'
    """
    return re.sub(r"\s+", " ", text.strip())


def _build_set(location: SetLocation, columns: Mapping[str, list[str]]) -> NamedSet:
    # The source is what the others are compared with.
    keys = sorted(columns, key=lambda key: key != SOURCE)
    lengths = {location.files.get(key, key): len(columns[key]) for key in keys}
    rule = "the cached files must be parallel; fetch the test set again"
    check_lengths(lengths, rule)
    texts: dict[str, dict[str, list[str | None]]] = {REFERENCE: {}, OUTPUT: {}}
    for key, column in columns.items():
        kind, _, name = key.partition(":")
        if kind in texts:
            texts[kind][name or kind] = list(column)
    labels: dict[str, list[str | None]] = {
        name: list(columns[name])
        for name in _LABELS
        if name != DOCUMENTS and any(columns.get(name, ()))
    }
    documents = columns.get(DOCUMENTS)
    return NamedSet(
        location.title,
        location.origin,
        columns.get(SOURCE),
        texts[REFERENCE],
        documents if documents and any(documents) else None,
        labels,
        outputs=texts[OUTPUT],
    )


def read_cached_set(
    name: str, pair: str, references: Sequence[str] = ()
) -> NamedSet | None:
    """Read a set of the cache with the references that sacreBLEU uses, or with others.

    None if the cache does not have the set in this language pair.
    """
    for location in list_cached_sets(name=name, pair=pair):
        if location.reader:
            texts = location.reader(location)
            return choose_references(texts, references, location.references)
    return None
