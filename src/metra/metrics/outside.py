"""Scores that another program made, as a metric: `comet@scores.tsv`, or a table in memory."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from metra.corpus.batch import Batch
from metra.errors import CorpusError, OptionError, UnknownNameError, no_such
from metra.formats.recognise import read_head
from metra.formats.stream import compute_file_version
from metra.formats.texts.join import MARK, RowKeys, match_rows
from metra.metrics import record
from metra.metrics.options import parse_spec
from metra.metrics.record import AnyBatch, Array, Basis, Metric, Notes, metric_factory
from metra.metrics.units import Extent, measure_extent
from metra.scores import model_scores
from metra.scores.columns import (
    ALIASES,
    are_different,
    guess_direction,
    is_string_metric,
)
from metra.scores.model_scores import NAMELESS
from metra.scores.registry import read_scores
from metra.scores.selection import DEFAULT
from metra.scores.spans import number_segments
from metra.scores.table import ScoredItem, Scorer, Scores, build_score_table
from metra.stats.direction import HIGHER, LOWER

if TYPE_CHECKING:
    from metra.scores.spans import Spans

#: Scores of no larger numbers are shown with so many digits more.
SMALL, MORE_DIGITS = 1.5, 2
#: The basis of scores of another metric, and of one that compares strings.
_BASES: tuple[Basis, Basis] = ("neural", "string")


@metric_factory(title="Scores from other programs")
def outside(
    *,
    file: str = "",
    name: str = "",
    scorer: str = "",
    better: Literal["auto", "higher", "lower"] = "auto",
    lang: str = "",
) -> Metric:
    """Scores from another program, read from a file: `comet@scores.tsv`.

    The score of a system is the mean over its segments; intervals, tests, documents and
    buckets work as for other metrics. `NAME@FILE` is short for
    `outside:name=NAME,file=FILE`; options follow as in `judge@scores.tsv:better=lower`.
    The file may be COMET's JSON (`comet-score --to_json`) or its printed lines,
    MetricX's JSON lines, mt-metrics-eval's .seg.score, WMT 2025's JSON lines, a table
    with columns system, segment and one per metric, a long table, the output of
    `metra score`, or one number per line. A folder has one file per system.

    Segments are matched by documents or ids if the test set has them too, otherwise by
    their numbers, or by their order if they have other ids.
    Every system needs a finite score for each segment of the test set, and is found by
    its name; a file without system names is for one system only. Whether higher is
    better is known for COMET, MetricX, BLEURT and other metrics, and for the metrics of
    metra; otherwise set `better`.

    Options:
        file: file or folder with the scores.
        name: name of the metric.
        scorer: name of the metric in the file; optional if there is only one.
        better: whether higher or lower is better; auto: from the file, or known for the
            metric.
        lang: language pair, if the file has several.
    """
    if not file:
        msg = (
            "outside needs a file of scores; give NAME@FILE, such as comet@scores.tsv."
        )
        raise OptionError(msg)
    scores, version = _read_files(file)
    chosen = _choose_scorer(scores, scorer or name, file, lang)
    title = name or chosen.scorers[0].name
    _check_repeats(chosen, file)
    _check_order(chosen, file)
    texts = collect_texts(chosen)
    table = ValueTable(collect_values(chosen), f"The scores of {file}", texts)
    if better == "auto":
        is_higher = _find_direction(chosen, title, table, file)
    else:
        is_higher = better == "higher"
    settled = {
        "file": version,
        "scorer": chosen.names[0],
        "better": "higher" if is_higher else "lower",
        "lang": chosen.languages[0] or "none",
    }
    notes = Notes(
        scored=chosen,
        marked=_read_errors(file),
        basis="people" if chosen.scorers[0].human else _BASES[is_string_metric(title)],
    )
    return _build_checked(title, table, notes, is_higher, settled)


def _read_errors(path: str) -> "Callable[[], Spans] | None":
    """Read the errors that xCOMET marks beside its scores, None if there are none."""
    if Path(path).is_dir() or not model_scores.is_comet_json(read_head(path)):
        return None
    spans = model_scores.read_comet_spans(path)
    return (lambda: spans) if len(spans.system) else None


def import_scores(
    name: str,
    scores: Mapping[str, Sequence[float]] | Sequence[float],
    *,
    higher_is_better: bool | None = None,
) -> Metric:
    """Create a metric from existing segment scores of each system.

    A list applies to a single system of any name. `higher_is_better` is optional for metrics
    whose direction is known, such as COMET.

    >>> comet = import_scores("comet", {"a": [0.5, 0.75], "b": [0.25, 0.5]})
    >>> from metra.scoring.memory import EvalSet, evaluate
    >>> results = evaluate(EvalSet(), {"a": ["x", "y"], "b": ["x", "y"]}, [comet])
    >>> [score.score for system in results.systems for score in system.scores.values()]
    [0.625, 0.375]
    """
    by_system = scores if isinstance(scores, Mapping) else {NAMELESS: scores}
    values = {system: np.array(list(v), np.float64) for system, v in by_system.items()}
    table = ValueTable(values, f"The scores of {name}", {})
    if higher_is_better is None:
        higher_is_better = guess_direction(name, table.pool())
    if higher_is_better is None:
        msg = f"The direction of {name!r} is unknown; give higher_is_better."
        raise OptionError(msg)
    digest = sha256(repr([(s, v.tolist()) for s, v in values.items()]).encode())
    settled = {
        "scores": f"[sha256:{digest.hexdigest()[:12]}]",
        "better": "higher" if higher_is_better else "lower",
    }
    scored = build_score_table(
        [system for system, each in values.items() for _ in each],
        [ScoredItem(str(n + 1)) for v in values.values() for n in range(len(v))],
        {Scorer(name): np.concatenate([*values.values(), np.empty(0)])},
    )
    notes = Notes(scored=scored, basis=_BASES[is_string_metric(name)])
    metric = _build_checked(name, table, notes, higher_is_better, settled)
    again = partial(import_scores, higher_is_better=higher_is_better)
    return record.set_recipe(metric, again, name, dict(by_system))


def collect_values(scores: Scores) -> dict[str, Array]:
    """Return each system's values of one scorer in the order of segments, NaN if missing."""
    matrix = scores.matrix(scores.names[0])
    places = number_segments([scores.items[at].segment for at in scores.segments])
    spread = np.full((len(matrix), int(places.max(initial=-1)) + 1), np.nan)
    spread[:, places] = matrix
    return dict(zip(scores.systems, spread, strict=True))


def collect_texts(scores: Scores) -> dict[str, list[str]]:
    """Return each system's outputs in the order of segments, as far as scores have them."""
    if not len(scores.output):
        return {}
    items = [scores.items[at].segment for at in scores.segments]
    places = dict(zip(scores.segments.tolist(), number_segments(items), strict=True))
    texts = {system: [""] * (max(places.values()) + 1) for system in scores.systems}
    columns = (scores.system.tolist(), scores.item.tolist(), scores.output.tolist())
    for system, item, text in zip(*columns, strict=True):
        texts[scores.systems[system]][places[item]] = (*scores.texts, "")[text]
    return texts


def list_documents(scores: Scores) -> list[str]:
    """List the document of each segment; none if the scores do not name all of them."""
    documents = [item.document for item in list_segments(scores)]
    return documents if all(documents) else []


def list_segments(scores: Scores) -> list[ScoredItem]:
    """List the segments in order; none if numbers of segments are missing."""
    items = [scores.items[at] for at in scores.segments]
    places = number_segments([item.segment for item in items])
    is_whole = len(items) == int(places.max(initial=-1)) + 1
    return [items[at] for at in np.argsort(places)] if is_whole else []


class ValueTable(NamedTuple):
    """The scores of each system's segments; messages begin with the `source`."""

    values: Mapping[str, Array]
    source: str
    #: Outputs that were scored, by system, with an empty text where it is unknown.
    texts: Mapping[str, Sequence[str]]

    def pool(self) -> Array:
        """Return the finite scores of all systems."""
        pooled = np.concatenate([*self.values.values(), np.empty(0)])
        return pooled[np.isfinite(pooled)]

    def find(self, system: str | None, systems: Sequence[str] = ()) -> Array:
        """Return the scores of a system; scores that name none are for one only."""
        if system is None:
            msg = (
                f"{self.source} belong to the segments of a test set, by number and "
                "system; they cannot score a single segment or a pair of texts."
            )
            raise CorpusError(msg)
        if list(self.values) == [NAMELESS]:
            if len(systems) > 1:
                msg = (
                    f"{self.source} belong to one unnamed system, but there are "
                    f"{len(systems)} systems; give a table with a column system, or a "
                    "folder with a file for each system."
                )
                raise CorpusError(msg)
            return self.values[NAMELESS]
        if system not in self.values:
            advice = no_such("system", system, self.values)
            msg = f"{self.source} lack a system. {advice} NAME=FILE names an output."
            raise UnknownNameError(msg)
        return self.values[system]

    def rows(self, batch: AnyBatch) -> Array:
        """The score of each segment, and 1: (segments, 2)."""
        place, end = batch.place, batch.place.first + len(batch)
        scores = self.find(place.system, place.systems)[place.first : end]
        if len(scores) != len(batch):
            msg = f"{self.source} have no segment {end} of {place.system!r}."
            raise CorpusError(msg)
        self._check_texts(batch)
        return np.stack([scores, np.ones(len(batch))], axis=1)

    def _check_texts(self, batch: AnyBatch) -> None:
        """Raise an error if outputs were scored in another place or as another system's."""
        first, system = batch.place.first, batch.place.system or NAMELESS
        name = system if system in self.texts else NAMELESS
        scored = self.texts.get(name, ())
        texts, misplaced, is_certain = {*scored} - {""}, [], False
        count = len(batch) if scored else 0
        outputs = [" ".join((batch.hyps.text[at] or "").split()) for at in range(count)]
        for place, text in enumerate(outputs, first):
            if not text or scored[place] in ("", text):
                continue
            owners = [other for other, own in self.texts.items() if own[place] == text]
            # A long text of another segment is no change of this one.
            is_other = len(scored[place].split()) > 3 and scored[place] in outputs
            is_certain |= is_other
            if owners or is_other or text in texts:
                misplaced.append((place + 1, [*owners, name][0]))
        if is_certain or len(misplaced) > 1:
            number, owner = misplaced[0]
            msg = (
                f"{self.source} are of other texts: output {number} of {system!r} is in "
                f"another place of the file, as one of {owner!r}; score the outputs in "
                "the same order and by the same names."
            )
            raise CorpusError(msg)

    def check_finite(self) -> None:
        """Raise an error if a score is infinite; missing ones are not looked at."""
        for system, scores in self.values.items():
            for place in np.flatnonzero(np.isinf(scores))[:1]:
                msg = (
                    f"{self.source} have {scores[place]} for segment {place + 1} of "
                    f"{system!r}; expected a finite number."
                )
                raise OptionError(msg)

    def select(self, order: list[int]) -> "ValueTable":
        """Return the scores of some segments in this order."""
        values = {system: each[[*order]] for system, each in self.values.items()}
        texts = {name: [each[at] for at in order] for name, each in self.texts.items()}
        return self._replace(values=values, texts=texts)

    def check_extent(self, extent: Extent) -> None:
        """Raise an error unless there is a score for each segment of each system."""
        count = extent.segments
        systems = [system or NAMELESS for system in extent.systems]
        for system in systems:
            scores = self.find(system, systems)
            if len(scores) != count:
                msg = (
                    f"{self.source} have {len(scores)} segments of {system!r}, but the "
                    f"test set has {count}; expected a score for each segment."
                )
                raise CorpusError(msg)
            missing = np.flatnonzero(~np.isfinite(scores))
            if len(missing):
                msg = (
                    f"{self.source} have no number for segment {missing[0] + 1} of "
                    f"{system!r}; {len(missing)} of {count} are missing."
                )
                raise CorpusError(msg)


def _join(
    batches: Iterable[Batch], *, table: ValueTable, items: Sequence[ScoredItem]
) -> tuple[str, list[int]]:
    """Find the place of each segment's score: by ids, by documents, else none, in order."""
    extent, source = measure_extent(batches), table.source
    named, documents = ([getattr(i, n) for i in items] for n in ("segment", "document"))
    pairs = [re.fullmatch(r"(.+)[#:_/-](\d{1,7})", name) for name in named]
    numbers = [int(pair[2]) for pair in pairs if pair]
    if len(numbers) == len(items) and not any(documents):
        own = [pair[1] for pair in pairs if pair]
        documents = own if {*own} == {*extent.documents} else documents
    by, order = "", list[int]()
    rows: tuple[Sequence[str], ...] = ()
    if not {*documents}.isdisjoint(extent.documents) and all(documents):
        by = "document"
        rows = (
            _count_within(extent.documents, range(extent.segments)),
            _count_within(documents, numbers or range(len(items))),
        )
    elif not (all(map(str.isdecimal, named)) or {*named}.isdisjoint(extent.ids)):
        by, rows = "id", (extent.ids, named)
    elif all(documents):
        _check_documents(documents, extent.documents, source)
    if by:
        places = "the test set", source.removeprefix("The scores of ")
        ours, theirs = (
            RowKeys(place, (by, "place"), own)
            for place, own in zip(places, rows, strict=True)
        )
        order = [at for at in match_rows(ours, theirs) if at is not None]
    is_moved = order != [*range(len(order))]
    (table.select(order) if is_moved else table).check_extent(extent)
    return (by, order) if is_moved else ("", [])


def _count_within(documents: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Name segments by their documents and their places in them, in order of numbers."""
    seen, names = Counter[str](), [""] * len(documents)
    for at in sorted(range(len(documents)), key=numbers.__getitem__):
        seen[documents[at]] += 1
        names[at] = f"{documents[at]}{MARK}{seen[documents[at]]}"
    return names


def _check_documents(
    documents: Sequence[str], expected: Sequence[str], source: str
) -> None:
    """Raise an error if documents end elsewhere; their names may be others."""
    if not expected or len(expected) != len(documents):
        return
    # The numbers of the last segments of documents, counted from 1.
    ends = (
        accumulate(len([*run]) for _, run in groupby(each))
        for each in (expected, documents)
    )
    for place, (ours, theirs) in enumerate(zip(*ends, strict=False), 1):
        if ours != theirs:
            msg = (
                f"{source} end document {place} after segment {theirs}, the test "
                f"set after segment {ours}; expected scores of the same segments in "
                "the same order."
            )
            raise CorpusError(msg)


def _build_checked(
    name: str,
    table: ValueTable,
    notes: Notes,
    is_higher: bool,
    settled: Mapping[str, object],
) -> Metric:
    """Make a metric of scores, which are checked now and against the test set later."""
    table.check_finite()
    is_small = np.abs(table.pool()).max(initial=0) <= SMALL
    metric = Metric(
        name=name,
        columns=("score", "segments"),
        rows=table.rows,
        aggregate=record.compute_mean,
        direction=HIGHER if is_higher else LOWER,
        needs=frozenset(),
        more_digits=MORE_DIGITS if is_small else 0,
        settled=settled,
        notes=notes,
    )
    items = list_segments(notes.scored) if notes.scored is not None else []

    def join(joined: tuple[str, list[int]]) -> Metric:
        by, order = joined
        rows = table.select(order).rows if by else table.rows
        return record.settle(replace(metric, rows=rows), **({"join": by} if by else {}))

    fit = record.Fit(count=partial(_join, table=table, items=items), apply=join)
    return replace(metric, fit=fit)


def list_specs(files: Sequence[str]) -> list[str]:
    """List the specs of files of scores, each `[NAME=]FILE[:option=value,…]`.

    A file without a name has as many specs as scorers with scores of segments.
    """
    specs = []
    for entry in files:
        named = re.fullmatch(r"([^@:=/]+)=(.+)", entry)
        if named:
            specs.append(f"{named[1]}@{named[2]}")
            continue
        scores, _ = _read_files(parse_spec(f"any@{entry}")[1]["file"])
        used = np.unique(scores.scorer[np.isin(scores.item, scores.segments)])
        names = (_clean_name(scores.scorers[at].name) for at in used.tolist())
        specs += [f"{name}@{entry}" for name in names]
    return specs


def _clean_name(name: str) -> str:
    """Replace the marks of a spec in the name of a scorer.

    >>> _clean_name("bleu:tok=intl")
    'bleu-tok-intl'
    """
    return re.sub(r"[:=,@]", "-", name)


def _read_files(path: str) -> tuple[Scores, str]:
    """Read a file, or a folder of files; also return what identifies it."""
    scores = DEFAULT.select(read_scores(path))
    if not Path(path).is_dir():
        return scores, compute_file_version(path)
    files = model_scores.list_score_files(path)
    versions = "\n".join(map(compute_file_version, files))
    return scores, f"{path}[sha256:{sha256(versions.encode()).hexdigest()[:12]}]"


def _choose_scorer(scores: Scores, name: str, path: str, lang: str) -> Scores:
    """Keep the segments' scores of one scorer, the only one or the named one."""
    if lang:
        scores = scores.only(lang=lang)
    languages = [pair for pair in scores.languages if pair]
    if len(languages) > 1:
        listed = ", ".join(languages)
        msg = f"{path} has several language pairs ({listed}); choose one with lang=…"
        raise OptionError(msg)
    scores = scores.keep_lines(np.isin(scores.item, scores.segments)).only()
    if not len(scores):
        msg = f"{path} has no segment scores; system scores alone cannot be resampled."
        raise CorpusError(msg)
    wanted = _clean_name(name).lower()
    matching = [n for n in scores.names if _clean_name(n).lower() == wanted]
    if not matching and len(scores.names) > 1:
        raise UnknownNameError(no_such("scorer", name, scores.names, owner=path))
    only = scores.names[0]
    # A column judge names judges beside one of scores.
    is_judge = (
        wanted in ALIASES["judge"] and scores.judges and not scores.scorers[0].human
    )
    if not matching and (is_judge or are_different(name, only)):
        msg = (
            f"{path} has scores of {only}, not of {name}; write {_clean_name(only)}@{path}, "
            f"or {name}@{path}:scorer={only} if they are scores of {name}."
        )
        raise UnknownNameError(msg)
    return scores.only(scorers=matching[:1] or scores.names)


def _check_repeats(scores: Scores, path: str) -> None:
    """Refuse several scores of a segment, unless they are of several judges."""
    if not scores.scorers[0].human and scores.count_repeats():
        msg = (
            f"{path} has several scores of a system's segment by {scores.names[0]}; "
            "expected one, or a column that distinguishes them."
        )
        raise CorpusError(msg)


def _check_order(scores: Scores, path: str) -> None:
    """Refuse segments counted within documents whose rows are in another order."""
    items = [scores.items[at] for at in scores.segments]
    counted = [(item.document, item.segment) for item in items]
    if len({segment for _, segment in counted}) == len(counted):
        return
    last: dict[str, int] = {}
    for (document, segment), (before, _) in zip(
        counted, [("", ""), *counted], strict=False
    ):
        number = int(segment) if segment.isdecimal() else last.get(document, -1) + 1
        if number <= last.get(document, -1) or (
            document in last and document != before
        ):
            msg = (
                f"{path} counts segments within documents, and segment {segment} of "
                f"{document!r} does not follow the one before it; give the segments in the "
                "order of the test set, or number them throughout."
            )
            raise CorpusError(msg)
        last[document] = number


def _find_direction(scores: Scores, name: str, table: ValueTable, path: str) -> bool:
    """Return True if higher is better: as the file says, or as is known of the metric."""
    scorer = scores.scorers[0]
    if scorer.higher_is_better is None:
        msg = (
            f"{path} has {scorer.name!r}, of which {scorer.direction.words}, but higher "
            "or lower scores of a metric are better; add better=higher or better=lower."
        )
        raise OptionError(msg)
    if scorer.is_declared or (scorer.kind and not scores.list_ambiguous()):
        return scorer.higher_is_better
    for each in (name, scorer.name):
        direction = guess_direction(each, table.pool())
        if direction is not None:
            return direction
    msg = (
        f"{path} does not give the direction of {name!r}; add better=higher or "
        f"better=lower, as in {name}@{path}:better=higher."
    )
    raise OptionError(msg)
