"""Test sets by name, from all places of this machine where they may lie.

A set that the user has registered comes before one of sacreBLEU's cache, and that before
one of mt-metrics-eval; `PLACE:NAME` names the place. Nothing is downloaded.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from metra.errors import FormatError, MetraError, MissingResourceError, OptionError
from metra.formats.testsets import folders, registry, sacrebleu_cache
from metra.formats.testsets.record import (
    NamedSet,
    SetLocation,
    choose_references,
    concatenate_sets,
    read_files,
    select_segments,
)


class _SetPlace(NamedTuple):
    """A place where sets lie: its path, and a function that lists them by name and pair."""

    find: Callable[[], Path]
    list_sets: Callable[[str, str], Iterator[SetLocation]]


def _list_registered(name: str, _: str) -> Iterator[SetLocation]:
    for entry in registry.read_registry():
        if name in ("", entry.location.name):
            yield entry.location


def _list_metrics_eval(name: str, _: str) -> Iterator[SetLocation]:
    return folders.list_mt_metrics_eval(folders.find_mt_metrics_eval(), name)


def _list_cached(name: str, pair: str) -> Iterator[SetLocation]:
    return sacrebleu_cache.list_cached_sets(None, name, pair)


#: The places in the order in which they are asked.
_PLACES = {
    registry.ORIGIN: _SetPlace(registry.find_registry, _list_registered),
    sacrebleu_cache.ORIGIN: _SetPlace(sacrebleu_cache.find_cache, _list_cached),
    folders.MT_METRICS_EVAL: _SetPlace(
        folders.find_mt_metrics_eval, _list_metrics_eval
    ),
}


def list_sets(name: str = "", pair: str = "") -> list[SetLocation]:
    """List the sets of this machine, or those of a name or a language pair.

    A name may begin with the place, as in sacrebleu:wmt23.
    """
    return list(_walk_places(name, pair))


def _walk_places(name: str, pair: str) -> Iterator[SetLocation]:
    """Yield the sets of each place in turn; a place is looked at when its turn comes."""
    origin, name = _split_name(name)
    for place in _choose_places(origin).values():
        for location in place.list_sets(name, pair):
            if pair in ("", location.pair):
                yield location


def _split_name(name: str) -> tuple[str, str]:
    """Split PLACE:NAME; the place is empty where none is named."""
    origin, colon, rest = name.rpartition(":")
    if colon and origin not in _PLACES:
        msg = (
            f"{origin!r} in {name!r} is not a source of test sets; expected one of "
            f"{', '.join(_PLACES)}, or a name alone."
        )
        raise OptionError(msg)
    if rest.startswith(("/", ".")) or ".." in rest.split("/"):
        msg = f"{rest!r} is a path, not the name of a test set; register it first."
        raise OptionError(msg)
    return origin, rest


def _choose_places(origin: str) -> Mapping[str, _SetPlace]:
    return {origin: _PLACES[origin]} if origin else _PLACES


def find_set(name: str, pair: str = "") -> SetLocation:
    """Find a set by its name; the pair may be left out where the set has but one."""
    sets = list(islice(_walk_places(name, pair), 1 if pair else None))
    if not sets:
        raise MissingResourceError(_describe_missing(name, pair))
    pairs = list(dict.fromkeys(location.pair for location in sets))
    if len(pairs) > 1:
        msg = (
            f"{name} has {len(pairs)} language pairs; choose one with `pair`: "
            f"{', '.join(pairs)}."
        )
        raise OptionError(msg)
    return sets[0]


def list_score_files(name: str, pair: str = "") -> list[str]:
    """List the files of scores beside a set of mt-metrics-eval, of one pair or all.

    Of a metric, the scores by the usual reference of the set count, or those without any.
    """
    sets = list_sets(name, pair)
    files = [file for location in sets for file in folders.list_scores(location)]
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
    """Say what is missing, where it was looked for, and what would help."""
    title = f"{name}:{pair}" if pair else name
    pairs = sorted({location.pair for location in list_sets(name)})
    if pairs:
        start = f"The test set {name} has no {pair}; it has: {', '.join(pairs)}"
    else:
        start = f"No test set {title} on this machine{_guess_name(name)}"
    origin, plain = _split_name(name)
    definition = sacrebleu_cache.find_definition(plain)
    can_fetch = definition is not None and pair in ("", *definition.langpairs)
    flag = f" -l {pair}" if pair else ""
    remedy = (
        f"`metra testsets fetch {plain}{flag}` downloads it"
        if can_fetch
        else "add it with `metra testsets add`"
    )
    return f"{start}; looked in {describe_places(origin)}; {remedy}."


def describe_places(origin: str = "") -> str:
    """Name the paths where sets are looked for, and which of them are not there."""
    paths = [place.find() for place in _choose_places(origin).values()]
    return ", ".join(f"{p}{'' if p.exists() else ' (not there)'}" for p in paths)


def _guess_name(name: str) -> str:
    from difflib import get_close_matches

    known = {location.name for location in list_sets()}
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""


def read_set(location: SetLocation, references: Sequence[str] = ()) -> NamedSet:
    """Read a set, with its usual references or with those that are named."""
    texts = read_whole_set(location)
    return choose_references(texts, references, location.references)


def read_whole_set(location: SetLocation) -> NamedSet:
    """Read a set with all of its references."""
    for path in location.files.values():
        if not Path(path).is_file():
            msg = (
                f"{location.title} needs {path}, which no longer exists; restore the "
                "file, or add the test set again."
            )
            raise FormatError(msg)
    return (location.reader or read_files)(location)


def load_test_set(
    name: str,
    pair: str = "",
    *,
    references: Sequence[str] = (),
    subset: Sequence[str] = (),
) -> NamedSet:
    """Load the texts of a test set by its name and language pair.

    Several names, separated by commas, are concatenated. `references` names the references to
    use instead of the default ones. `subset` lists conditions such as origlang=en,
    domain=news or doc!=bbc.*; values of the same label are alternatives.
    """
    names = [part.strip() for part in name.split(",")]
    if not all(names):
        msg = (
            f"{name!r} is not a test set; expected a name, or several separated by "
            "commas."
        )
        raise OptionError(msg)
    parts = [read_set(find_set(each, pair), references) for each in names]
    return select_segments(concatenate_sets(parts), subset)


def describe_set(texts: NamedSet) -> str:
    """Say in a line what was loaded: where from, how many segments, which references."""
    count = texts.segments if texts.kept is None else sum(texts.kept)
    whole = "" if texts.kept is None else f" of {texts.segments}"
    noun = "segment" if count == 1 and not whole else "segments"
    names = ", ".join(texts.references) or "none"
    plural = "" if len(texts.references) == 1 else "s"
    left_out = (
        f"; {texts.left_out} of test suites or without a reference excluded"
        if texts.left_out
        else ""
    )
    return (
        f"{texts.title} ({texts.origin}): {count}{whole} {noun}, "
        f"reference{plural} {names}{left_out}"
    )


class CheckedFile(NamedTuple):
    """A file of a set, and what is wrong with it; nothing if it is as it was."""

    location: SetLocation
    path: str
    problem: str


def check_sets(name: str = "", pair: str = "") -> Iterator[CheckedFile]:
    """Check the files of sets: registered ones by their checksums, all by reading them.

    The archives of sacreBLEU's cache are compared with its own checksums, where sacreBLEU
    is installed.
    """
    entries = registry.read_registry()
    for location in list_sets(name, pair):
        sums = (entry.checksums for entry in entries if entry.location == location)
        checksums = next(sums, {})
        problems = list(_check_checksums(location, checksums))
        if not problems:
            problems = list(_check_texts(location))
        yield from problems or [CheckedFile(location, "", "")]
    origin, plain = _split_name(name)
    if origin in ("", sacrebleu_cache.ORIGIN):
        yield from _check_archives(plain)


def _check_checksums(
    location: SetLocation, checksums: Mapping[str, str]
) -> Iterator[CheckedFile]:
    for key, path in location.files.items():
        if not Path(path).is_file():
            yield CheckedFile(location, path, "is missing")
        elif key in checksums and registry.compute_checksum(path) != checksums[key]:
            yield CheckedFile(location, path, "has changed since it was added")


def _check_texts(location: SetLocation) -> Iterator[CheckedFile]:
    try:
        read_set(location)
    except MetraError as error:
        yield CheckedFile(location, "", f"cannot be read: {error}")


def _check_archives(name: str) -> Iterator[CheckedFile]:
    """Compare the archives in the cache with sacreBLEU's checksums."""
    cache = sacrebleu_cache.find_cache()
    if not cache.is_dir():
        return
    for known, definition in sacrebleu_cache.load_definitions().items():
        if name not in ("", known) or not (cache / known / "raw").is_dir():
            continue
        for path, _, expected in sacrebleu_cache.list_archives(cache, definition):
            if not expected or not path.is_file():
                continue
            location = SetLocation(known, "", sacrebleu_cache.ORIGIN, {})
            is_same = sacrebleu_cache.compute_md5(path) == expected
            problem = "" if is_same else "is not the file that sacreBLEU expects (MD5)"
            yield CheckedFile(location, str(path), problem)
