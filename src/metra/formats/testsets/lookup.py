"""Test sets by name, from all places of this machine where they may lie, or by path.

A set of sacreBLEU's cache comes before one of mt-metrics-eval; `PLACE:NAME` names the place.
Nothing is downloaded.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from metra.errors import FormatError, MissingResourceError, OptionError
from metra.formats.testsets import folders, sacrebleu_cache
from metra.formats.testsets.record import (
    SACREBLEU,
    NamedSet,
    SetLocation,
    choose_references,
    concatenate_sets,
    read_files,
    select_segments,
)

#: The places in the order in which they are searched: the path of each, and a function that
#: lists its sets by name and pair.
_PLACES: Mapping[str, tuple[Callable[[], Path], Callable[..., Iterator[SetLocation]]]]
_PLACES = {
    SACREBLEU: (sacrebleu_cache.find_cache, sacrebleu_cache.list_cached_sets),
    folders.MT_METRICS_EVAL: (
        folders.find_mt_metrics_eval,
        folders.list_mt_metrics_eval,
    ),
}


def list_sets(name: str = "", pair: str = "") -> list[SetLocation]:
    """List the sets of this machine, or those of a name, a path or a language pair.

    A name may begin with the place, as in sacrebleu:wmt23.
    """
    return list(_walk_places(name, pair))


def _walk_places(name: str, pair: str) -> Iterator[SetLocation]:
    """Yield the sets of each place in turn; a place is looked at when its turn comes."""
    if _is_path(name):
        sets: Iterator[SetLocation] = iter(folders.recognise_path(name, pair))
    else:
        origin, name = _split_name(name)
        places = [origin] if origin else _PLACES
        sets = (each for place in places for each in _PLACES[place][1](name, pair))
    yield from (location for location in sets if pair in ("", location.pair))


def _is_path(name: str) -> bool:
    """Return True for a path; a folder beside is one if a slash shows it: ./set or set/."""
    begins = name.startswith((".", "/", "~"))
    return begins or os.path.isfile(name) or ("/" in name and os.path.isdir(name))


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
        msg = f"{rest!r} is a path, not the name of a test set; give it alone."
        raise OptionError(msg)
    return origin, rest


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
    """Name the missing set, the places that were searched, and a remedy."""
    pairs = sorted({location.pair or "?" for location in list_sets(name)})
    if pairs:
        start = f"The test set {name} has no {pair}; it has: {', '.join(pairs)}"
    else:
        title = f"{name}:{pair}" if pair else name
        start = f"No test set {title} on this machine{_guess_name(name)}"
    if _is_path(name):
        return f"{start}."
    origin, plain = _split_name(name)
    definition = sacrebleu_cache.find_definition(plain)
    remedy = "name a folder or file with a test set by its path"
    if os.path.isdir(name):
        remedy = f"write ./{name} for the folder"
    elif definition is not None and pair in ("", *definition.langpairs):
        flag = f" -l {pair}" if pair else ""
        remedy = f"`metra testsets fetch {plain}{flag}` downloads it"
    return f"{start}; looked in {describe_places(origin)}; {remedy}."


def describe_places(origin: str = "") -> str:
    """Name the paths where sets are looked for, and which of them are not there."""
    paths = [_PLACES[place][0]() for place in ([origin] if origin else _PLACES)]
    return ", ".join(f"{p}{'' if p.exists() else ' (not there)'}" for p in paths)


def _guess_name(name: str) -> str:
    from difflib import get_close_matches

    names = {location.name for location in list_sets()}
    near = get_close_matches(name, sorted(names), n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""


def read_set(location: SetLocation, references: Sequence[str] = ()) -> NamedSet:
    """Read a set, with its usual references or with the named ones."""
    texts = read_whole_set(location)
    return choose_references(texts, references, location.references)


def read_whole_set(location: SetLocation) -> NamedSet:
    """Read a set with all of its references."""
    for path in location.files.values():
        if not Path(path).is_file():
            msg = (
                f"{location.title} needs {path}, which no longer exists; restore the "
                "file."
            )
            raise FormatError(msg)
    return read_files(location)


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
