"""Baselines: saved statistics of systems, and later outputs checked against them.

A baseline keeps each segment's statistics, so that new outputs can be tested against it
without its texts; digests tell whether the references are still the same.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from metra.corpus.batch import CorpusChunk
from metra.errors import (
    CorpusError,
    FormatError,
    OptionError,
    UnknownNameError,
    no_such,
)
from metra.formats.lines import read_lines
from metra.formats.stream import load_json
from metra.metrics.options import parse_spec
from metra.metrics.record import Array, Metric
from metra.metrics.registry import metric as make_metric
from metra.scoring.compare import (
    ComparisonSettings,
    SystemComparison,
    choose_trials,
    compare_statistics,
)
from metra.scoring.evaluate import (
    NO_DOCUMENTS,
    EvaluationOptions,
    count_guarded,
    evaluate_statistics,
)
from metra.scoring.json import SCHEMA
from metra.scoring.results import Results
from metra.scoring.statistics import CorpusStatistics, Tally
from metra.scoring.totals import Total, Totals
from metra.stats import totals as exact
from metra.stats.parallel import Progress
from metra.text.columns import window

if TYPE_CHECKING:
    from metra.corpus.outputs import Corpus


@dataclass(frozen=True, slots=True)
class Baseline:
    """Statistics of systems, with digests of the texts that they were counted on."""

    #: By system and spec: each segment's.
    rows: Mapping[str, Mapping[str, Array]]
    #: By spec.
    signatures: Mapping[str, str]
    #: Of each reference's text, then of the source's and the documents' where a metric
    #: depends on them.
    digests: Sequence[str]

    @property
    def specs(self) -> list[str]:
        """List the metrics, by their specs."""
        return list(self.signatures)


class GateCheck(NamedTuple):
    """The check of one output by one metric."""

    system: str
    metric: str
    #: `worse`: compared with the baseline; `below`: held against a bound.
    condition: str
    passed: bool
    score: float
    #: The score of the baseline, or the bound.
    expected: float
    #: The comparison with the baseline, where there was one.
    comparison: SystemComparison | None = None
    #: Digits that its scores are shown with beyond those of others.
    more_digits: int = 0

    @property
    def difference(self) -> float:
        """The score minus that of the baseline, or minus the bound."""
        return self.score - self.expected


@dataclass(frozen=True, slots=True)
class GateConditions:
    """Conditions under which an output fails."""

    #: Whether it fails if it is significantly worse than the baseline.
    worse: bool = True
    #: By spec, the score that it must reach; for error rates, that it must not exceed. With
    #: a target, it must be at least as close to it as this.
    bounds: Mapping[str, float] = field(default_factory=dict)
    #: A drop of no more points than this passes.
    tolerance: float = 0.0


class _Digests:
    """A visitor of chunks that computes digests of what outputs are compared with."""

    def __init__(self, metrics: Collection[Metric]) -> None:
        self._hashes: list[Any] = []
        self._with_source = any("source" in metric.needs for metric in metrics)
        self._with_documents = any(
            metric.needs & {"documents", "whole_documents"} for metric in metrics
        )

    def visit(self, chunk: CorpusChunk) -> None:
        columns = [*chunk.refs]
        if self._with_source and chunk.source is not None:
            columns.append(chunk.source)
        texts: list[Sequence[str | None]] = [
            window(column.text, 0, len(column.text)) for column in columns
        ]
        if self._with_documents and chunk.documents is not None:
            texts.append(chunk.documents)
        if not self._hashes:
            self._hashes = [sha256() for _ in texts]
        for digest, column in zip(self._hashes, texts, strict=True):
            for text in column:
                # A missing text is not an empty one.
                digest.update(b"\0\n" if text is None else f"{text}\n".encode())

    def list_digests(self) -> list[str]:
        return [digest.hexdigest() for digest in self._hashes]


def count_baseline(
    corpus: "Corpus",
    metrics: Mapping[str, Metric],
    options: EvaluationOptions = EvaluationOptions(),  # noqa: B008, it cannot change
    *,
    progress: Progress = lambda *_: None,
) -> tuple[Results, Baseline]:
    """Score a corpus, and keep the statistics for later comparisons."""
    if options.documents and not corpus.has_documents:
        raise CorpusError(NO_DOCUMENTS)
    statistics, digests = _count_with_digests(corpus, metrics, progress)
    rows: dict[str, dict[str, Array]] = {name: {} for name in statistics.systems}
    for (system, spec), tally in statistics.tallies.items():
        rows[system][spec] = tally.rows
    baseline = Baseline(rows, _list_signatures(statistics), digests)
    return evaluate_statistics(statistics, options), baseline


def _count_with_digests(
    corpus: "Corpus", metrics: Mapping[str, Metric], progress: Progress
) -> tuple[CorpusStatistics, list[str]]:
    """Count every segment, compute digests of the texts, and warn of likely mistakes."""
    digests = _Digests(metrics.values())
    statistics = count_guarded(
        corpus, metrics, keep=True, visitors=[digests.visit], progress=progress
    )
    return statistics, digests.list_digests()


def convert_baseline(baseline: Baseline) -> dict[str, Any]:
    """Return a baseline as plain data for JSON, a short text for each segment."""
    return {
        "signatures": dict(baseline.signatures),
        "digests": list(baseline.digests),
        "rows": {
            system: {
                spec: [" ".join(map(_format_number, row)) for row in rows.tolist()]
                for spec, rows in by_spec.items()
            }
            for system, by_spec in baseline.rows.items()
        },
    }


def read_baseline(path: str) -> Baseline:
    """Read a baseline that `metra score --save` wrote."""
    import numpy as np

    text = "\n".join(read_lines(path))
    try:
        document = load_json(text, path)
        schema, data = document["schema"], document["baseline"]
    except (KeyError, TypeError, ValueError):
        raise FormatError(_describe_no_baseline(path)) from None
    if schema != SCHEMA:
        msg = (
            f"{path} is a baseline of schema {schema}, and this version of metra reads "
            f"schema {SCHEMA}; install the metra that wrote it, or save the baseline again."
        )
        raise FormatError(msg)
    try:
        rows = {
            system: {
                spec: np.array([[float(n) for n in row.split()] for row in texts])
                for spec, texts in by_spec.items()
            }
            for system, by_spec in data["rows"].items()
        }
        baseline = Baseline(rows, dict(data["signatures"]), list(data["digests"]))
        arrays = [each for by_spec in rows.values() for each in by_spec.values()]
        is_whole = (
            bool(arrays)
            and all(set(by_spec) == set(baseline.specs) for by_spec in rows.values())
            and all(isinstance(each, str) for each in baseline.signatures.values())
            and all(each.ndim == 2 and np.isfinite(each).all() for each in arrays)
            and len({len(each) for each in arrays}) == 1
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        is_whole = False
    if not is_whole:
        raise FormatError(_describe_no_baseline(path))
    return baseline


def _describe_no_baseline(path: str) -> str:
    return f"{path} is not a baseline; save one with metra score … --save FILE."


def check_outputs(
    corpus: "Corpus",
    baseline: Baseline,
    conditions: GateConditions,
    settings: ComparisonSettings,
    *,
    scores: Sequence[str] = (),
    progress: Progress = lambda *_: None,
) -> list[GateCheck]:
    """Check every output of a corpus against the baseline and the bounds.

    All outputs are one family: p-values are corrected for their number, as in `compare`.
    `scores` are specs of scores made elsewhere, each in the place of the metric of the
    baseline that has the same name.
    """
    # What cannot be is refused before the work begins.
    rivals = {name: _find_rival(baseline, name) for name in corpus.systems}
    old_names = _name_rivals(rivals)
    pairs = [(old_names[rival], name) for name, rival in rivals.items()]
    choose_trials([*old_names.values(), *rivals], settings, len(pairs))
    for spec in conditions.bounds:
        if spec not in baseline.signatures:
            raise UnknownNameError(no_such("metric", spec, baseline.specs))
    metrics = _make_metrics(baseline, scores)
    statistics, digests = _count_with_digests(corpus, metrics, progress)
    _check_corpus(baseline, statistics, digests)
    joined = _join_baseline(statistics, baseline, old_names)
    results = compare_statistics(joined, settings, pairs=pairs)
    return [
        check
        for name in corpus.systems
        for comparison in results.comparisons
        if comparison.system == name
        for check in _list_checks(results, comparison, conditions)
    ]


def _make_metrics(baseline: Baseline, scores: Sequence[str]) -> dict[str, Metric]:
    """Make the metrics of the baseline, with new files of scores in place of the old."""
    specs = {_name_scores(spec): spec for spec in baseline.specs}
    files = {}
    for new in scores:
        if _name_scores(new) not in specs:
            replaceable = [name for name, spec in specs.items() if name != spec]
            name = _name_scores(new)
            problem = no_such(
                "metric", name, replaceable or ["none"], owner="The baseline"
            )
            msg = f"{problem} Scores from other programs are replaced by name."
            raise UnknownNameError(msg)
        files[specs[_name_scores(new)]] = new
    return {spec: make_metric(files.get(spec, spec)) for spec in baseline.specs}


def _name_scores(spec: str) -> str:
    """Return the name of scores made elsewhere, `NAME@FILE`; any other spec as it is."""
    name, options = parse_spec(spec)
    return options.get("name", spec) if name == "outside" else spec


def _find_rival(baseline: Baseline, system: str) -> str:
    """Find the system of the baseline that an output is held against."""
    if system in baseline.rows:
        return system
    if len(baseline.rows) == 1:
        return next(iter(baseline.rows))
    problem = no_such("system", system, baseline.rows, owner="The baseline")
    msg = f"{problem} Write NAME=FILE to say which one the output is."
    raise UnknownNameError(msg)


def _check_corpus(
    baseline: Baseline, statistics: CorpusStatistics, digests: Sequence[str]
) -> None:
    """Refuse a baseline that was counted on another test set or by other metrics."""
    rows = next(iter(next(iter(baseline.rows.values())).values()))
    if len(rows) != statistics.segments:
        msg = (
            f"The baseline has {len(rows)} segments, the output {statistics.segments}; both "
            "must be of the same test set. Save the baseline again if the test set changed."
        )
        raise CorpusError(msg)
    if list(baseline.digests) != list(digests):
        msg = (
            "The baseline was scored with other references, another source or other "
            "documents; give the same files, or save the baseline again."
        )
        raise CorpusError(msg)
    system = statistics.systems[0]
    for spec, signature in _list_signatures(statistics).items():
        saved = baseline.signatures[spec]
        shape = statistics.tallies[system, spec].rows.shape
        if any(by_spec[spec].shape != shape for by_spec in baseline.rows.values()):
            msg = (
                f"The baseline has other statistics of {spec}; save the baseline again."
            )
            raise OptionError(msg)
        drop = _drop_file if statistics.metrics[spec].notes.scored else _drop_version
        if drop(signature) != drop(saved):
            msg = (
                f"{spec} was {saved} in the baseline and is {signature} now; save the "
                "baseline again."
            )
            raise OptionError(msg)


def _list_signatures(statistics: CorpusStatistics) -> dict[str, str]:
    return {
        spec: metric.signature(nrefs=statistics.nrefs)
        for spec, metric in statistics.metrics.items()
    }


def _drop_version(signature: str) -> str:
    # A change of numbers means a new name, so versions may differ. So may what is removed
    # from outputs, and files of each system.
    whole = signature.rpartition("|version:")[0]
    whole = re.sub(r"(\{system\}[^|;\[]*)\[[^|;\]]*\]", r"\1", whole)
    return re.sub(r"\|clean:[^|]*", "", whole)


def _drop_file(signature: str) -> str:
    # New outputs have scores of their own, in another file.
    parts = _drop_version(signature).split("|")
    return "|".join(part for part in parts if not part.startswith("file:"))


def _join_baseline(
    statistics: CorpusStatistics, baseline: Baseline, old_names: Mapping[str, str]
) -> CorpusStatistics:
    """Put systems of the baseline before the outputs, as if all had been counted together."""
    first = statistics.systems[0]
    totals: dict[tuple[str, str], Total] = {}
    tallies: dict[tuple[str, str], Tally] = {}
    for rival, name in old_names.items():
        for spec in statistics.metrics:
            rows = baseline.rows[rival][spec]
            sums = exact.sum_parts(rows)
            totals[name, spec] = statistics.totals.whole[first, spec]._replace(
                sums=sums
            )
            tallies[name, spec] = Tally(rows, exact.sum_rows(rows))
    return replace(
        statistics,
        systems=[*old_names.values(), *statistics.systems],
        totals=Totals(totals | dict(statistics.totals.whole)),
        tallies=tallies | dict(statistics.tallies),
    )


def _name_rivals(rivals: Mapping[str, str]) -> dict[str, str]:
    """Name the compared systems of the baseline, never like an output."""
    names = {}
    for rival in rivals.values():
        name = f"{rival} (baseline)"
        while name in rivals:
            name += " (baseline)"
        names[rival] = name
    return names


def _list_checks(
    results: Results, comparison: SystemComparison, conditions: GateConditions
) -> Iterable[GateCheck]:
    system, spec = comparison.system, comparison.metric
    score = results[system][spec]
    bound = conditions.bounds.get(spec)
    if conditions.worse:
        is_worse = comparison.verdict == "worse"
        passed = not (is_worse and -comparison.gain > conditions.tolerance)
        expected = results[comparison.baseline][spec].score
        yield GateCheck(
            *(system, spec, "worse", passed, score.score, expected),
            comparison=comparison,
            more_digits=score.more_digits,
        )
    if bound is not None:
        orient = score.direction.orient
        passed = orient(score.score) >= orient(bound)
        yield GateCheck(
            *(system, spec, "below", passed, score.score, bound),
            more_digits=score.more_digits,
        )


def _format_number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
