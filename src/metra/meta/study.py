"""The manifest of a study, `study.toml`: language pairs, golds, systems and metrics.

A study names the files of scores of each language pair and describes them: which
scorer is the gold, which translations are people's, which second rater shows how well
people agree, which names are the same system's, which metrics are baselines or need no
reference. `metra meta task study.toml` makes the table of a metrics task of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import numpy as np

from metra.errors import CorpusError, FormatError, UnknownNameError, no_such
from metra.formats.lines import read_lines
from metra.formats.stream import read_toml
from metra.formats.table import BLANKS, split_rows
from metra.scores.columns import read_columns
from metra.scores.mqm import MqmWeighting, parse_weighting
from metra.scores.table import (
    LANGUAGE_PAIR,
    ScoredItem,
    Scores,
    add_total,
    concatenate_scores,
)
from metra.scores.views import average_documents, build_panel, list_metrics
from metra.stats.panel import ScorePanel

Status: TypeAlias = Literal["primary", "baseline", "contrastive"]
Record = TypeVar("Record", "StudyPair", "StudyColumn", "MetricNames", "MetricStudy")
#: Signs behind the names of metrics, by their meaning.
MARKS = {"needs no reference": "*", "baseline metric": "†", "contrastive metric": "‡"}
#: Level and coefficient of the columns of each language pair, by protocol.
_SOFT = (("sys", "spa"), ("seg", "acc*_eq:item"))
PROTOCOLS: dict[str, tuple[tuple[str, str], ...]] = {
    "wmt23": (("sys", "pearson"), ("seg", "pearson"), ("seg", "acc*_eq:item")),
    "wmt24": _SOFT,
    "wmt25": _SOFT,
}


@dataclass(frozen=True, kw_only=True)
class StudyPair:
    """A language pair: its scores, its gold, and facts about its systems."""

    lang: str
    gold: str = ""
    #: Files of scores, besides those of the whole study.
    scores: tuple[str, ...] = ()
    #: Files that the gold is taken from; the same scorer of other files is left out.
    gold_from: tuple[str, ...] = ()
    #: Other names of the language pair in files.
    aliases: tuple[str, ...] = ()
    #: A table with the document and the domain of each segment, or mt-metrics-eval's.
    documents: str = ""
    #: The domains that count; all if none is named.
    domains: tuple[str, ...] = ()
    #: Translations that metrics had as references; they do not count as systems.
    references: tuple[str, ...] = ()
    #: People's translations that count as systems.
    humans: tuple[str, ...] = ()
    #: Systems that are left out.
    without: tuple[str, ...] = ()
    #: A second scorer of people, or a judge of the gold: how well do people agree?
    ceiling: str = ""


@dataclass(frozen=True, kw_only=True)
class StudyColumn:
    """A column of the table: a coefficient at a level, for some language pairs."""

    level: str = ""
    coef: str = ""
    #: All language pairs of the study if none is named.
    pairs: tuple[str, ...] = ()
    domain: str = ""
    weight: float = 1.0
    #: True if the language pairs are pooled into one column.
    pooled: bool = False


@dataclass(frozen=True, kw_only=True)
class MetricNames:
    """Metrics by their role; names may have * and ? for parts that differ."""

    primary: tuple[str, ...] = ()
    baseline: tuple[str, ...] = ()
    contrastive: tuple[str, ...] = ()
    reference_free: tuple[str, ...] = ()
    lower_is_better: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    #: Other names by metric.
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find_status(self, name: str) -> Status | None:
        """Return a metric's status; None if the study has no place for it."""
        if _matches(name, self.without):
            return None
        for status in get_args(Status):
            if _matches(name, getattr(self, status)):
                return status
        return None if self.primary else "primary"

    def mark(self, name: str) -> str:
        """Return the signs behind a metric's name."""
        free = "*" if _matches(name, self.reference_free) else ""
        return free + MARKS.get(f"{self.find_status(name)} metric", "")


@dataclass(frozen=True, kw_only=True)
class MetricStudy:
    """A study, as its manifest says."""

    path: str
    name: str
    protocol: str = ""
    #: The gold of language pairs that name none.
    gold: str = ""
    pairs: tuple[StudyPair, ...] = ()
    columns: tuple[StudyColumn, ...] = ()
    #: Files of scores of several language pairs.
    scores: tuple[str, ...] = ()
    #: Each system's other names.
    systems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    metrics: MetricNames = MetricNames()
    mqm_weights: MqmWeighting | None = None
    with_humans: bool = True
    test: bool = False

    def resolve(self, name: str) -> str:
        """Return the path of a file that the manifest names."""
        return str(Path(self.path).parent / name)


@dataclass(frozen=True)
class StudyScores:
    """The scores of a language pair, with the study's names."""

    pair: StudyPair
    scores: Scores
    notes: tuple[str, ...] = ()

    def build_panel(
        self, metrics: Sequence[str], *, level: str, domain: str
    ) -> ScorePanel:
        """Line up the gold with metrics: segments, or documents, of all domains or one."""
        return self._line_up(self.select_domain(domain), metrics, level)

    def _line_up(
        self, scores: Scores, metrics: Sequence[str], level: str
    ) -> ScorePanel:
        gold = self.pair.gold
        scores = average_documents(scores, gold) if level == "doc" else scores
        return replace(build_panel(scores, gold, metrics), lang=self.pair.lang)

    def select_domain(self, domain: str) -> Scores:
        """Return the scores of a domain, if one is named."""
        if not domain:
            return self.scores
        items = self.scores.items
        domains = dict.fromkeys(item.domain for item in items if item.domain)
        if domain not in domains:
            listed = ", ".join(domains) or "none"
            lang = self.pair.lang
            msg = f"{lang} has no scores of the domain {domain}; known: {listed}."
            raise CorpusError(msg)
        return self.scores.only(domain=domain)

    def build_ceiling(self, *, level: str, domain: str) -> ScorePanel | None:
        """Line up the gold with the second rater; None if the study names none.

        A judge of the gold is held against the mean of the others.
        """
        ceiling = self.pair.ceiling
        if not ceiling:
            return None
        scores = self.select_domain(domain)
        if ceiling not in scores.names:
            scores = _split_off_judge(scores, self.pair)
        return self._line_up(scores, [ceiling], level)


def read_study(path: str) -> MetricStudy:
    """Read a manifest; FormatError names its mistake."""
    keys = [entry.name for entry in fields(MetricStudy) if entry.name != "path"]
    data = _check_table(read_toml(path, "a study"), keys, path)
    pairs, columns = data.pop("pairs", {}), data.pop("columns", [])
    if not isinstance(pairs, dict) or not pairs:
        msg = f"{path} has no language pairs; expected tables such as [pairs.en-de]."
        raise FormatError(msg)
    if bool(data.get("protocol")) == bool(columns):
        msg = (
            f"{path} needs a protocol (wmt23, wmt24 or wmt25), or tables [[columns]] with "
            "level and coef; one of them."
        )
        raise FormatError(msg)
    metrics = data.pop("metrics", {})
    study = _read_record(
        MetricStudy,
        {"name": Path(path).stem, **data},
        path,
        path=path,
        columns=tuple(_parse_columns(columns, tuple(pairs), path)),
        metrics=_read_record(MetricNames, metrics, f"{path}, [metrics]"),
    )
    return replace(
        study,
        pairs=tuple(_parse_pair(*each, study.gold, path) for each in pairs.items()),
    )


def _parse_pair(lang: str, entry: object, gold: str, path: str) -> StudyPair:
    place = f"{path}, [pairs.{lang}]"
    if not LANGUAGE_PAIR.fullmatch(lang):
        msg = (
            f"{place}: {lang!r} is not a language pair; expected one such as en-ko_KR."
        )
        raise FormatError(msg)
    pair = _read_record(StudyPair, entry, place, lang=lang)
    if not (pair.gold or gold):
        msg = f"{place} has no gold; give it here, or for the whole study."
        raise FormatError(msg)
    return replace(pair, gold=pair.gold or gold)


def _parse_columns(
    entries: object, pairs: Sequence[str], path: str
) -> Iterable[StudyColumn]:
    if not isinstance(entries, list):
        msg = f"{path}: columns are {entries!r}; expected tables [[columns]]."
        raise FormatError(msg)
    for number, entry in enumerate(entries, 1):
        place = f"{path}, column {number}"
        column = _read_record(StudyColumn, entry, place)
        unknown = [name for name in column.pairs if name not in pairs]
        msg = ""
        if column.level not in ("sys", "seg", "doc") or not column.coef:
            msg = " needs a level (sys, seg or doc) and a coef such as spa."
        elif unknown:
            msg = f": there is no pair {unknown[0]}; known: {', '.join(pairs)}."
        elif column.pooled and (column.level, column.coef) != ("sys", "accuracy"):
            msg = ": only accuracy of systems can be pooled over language pairs."
        if msg:
            raise FormatError(place + msg)
        yield replace(column, pairs=column.pairs or tuple(pairs))


def _read_record(
    record: type[Record], table: object, place: str, **given: Any
) -> Record:
    """Read the fields of a record from a table, as their annotations say."""
    kinds = {each.name: each.type for each in fields(record) if each.name not in given}
    values = {}
    for key, value in _check_table(table, list(kinds), place).items():
        convert, expected = _READERS[kinds[key]]
        try:
            values[key] = convert(value)
        except TypeError:
            msg = f"{place}: {key} is {value!r}; expected {expected}."
            raise FormatError(msg) from None
        except FormatError as reason:
            msg = f"{place}: {key}: {reason}"
            raise FormatError(msg) from None
    return record(**values, **given)


def _require(kind: type) -> Callable[[object], Any]:
    """Return a function that refuses values of other kinds; a text is stripped."""

    def convert(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError
        return value.strip() if isinstance(value, str) else value

    return convert


def _check_table(table: object, known: Sequence[str], place: str) -> dict[str, Any]:
    """Return a table whose keys are all known."""
    if not isinstance(table, dict):
        msg = f"{place} is {table!r}; expected a table with {', '.join(known)}."
        raise FormatError(msg)
    unknown = [key for key in table if key not in known]
    if unknown:
        msg = f"{place} has {unknown[0]!r}; known: {', '.join(known)}."
        raise FormatError(msg)
    return table


def _read_weight(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1e9:
        raise TypeError
    return float(value)


def _read_texts(value: object) -> tuple[str, ...]:
    """Return a list of texts; a lone text is a list of one."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError
    return tuple(texts)


def _read_names(value: object) -> dict[str, tuple[str, ...]]:
    """Return other names by name; no name may be another's too."""
    table = _require(dict)(value)
    names = {name: _read_texts(each) for name, each in table.items()}
    taken = [other for others in names.values() for other in others]
    twice = [other for other in taken if taken.count(other) > 1 or other in names]
    if twice:
        msg = f"{twice[0]!r} is used twice; expected each name once."
        raise FormatError(msg)
    return names


#: How the value of a field is read, by its annotation, and what is expected.
_READERS: dict[Any, tuple[Callable[[Any], Any], str]] = {
    str: (_require(str), "a text"),
    bool: (_require(bool), "true or false"),
    float: (_read_weight, "a number above 0"),
    tuple[str, ...]: (_read_texts, "a list of texts"),
    Mapping[str, tuple[str, ...]]: (_read_names, "a table of texts"),
    MqmWeighting | None: (
        lambda value: parse_weighting(_require(str)(value)),
        "a text",
    ),
}


def load_study(
    study: MetricStudy, read: Callable[[str, MqmWeighting | None], Scores]
) -> list[StudyScores]:
    """Read the scores of all language pairs; `read` reads a file with weights of MQM."""

    def read_files(files: Iterable[str], prefix: str = "") -> list[Scores]:
        paths = [f"{prefix}{study.resolve(file)}" for file in files]
        return [read(path, study.mqm_weights) for path in paths]

    shared = read_files(study.scores)
    return [_load_pair(study, pair, shared, read_files) for pair in study.pairs]


def _load_pair(
    study: MetricStudy,
    pair: StudyPair,
    shared: Sequence[Scores],
    read_files: Callable[[Iterable[str], str], list[Scores]],
) -> StudyScores:
    renamed = {other: name for name, each in study.systems.items() for other in each}

    def select(tables: Sequence[Scores]) -> Scores:
        """Keep the scores of the language pair, under the study's names."""
        kept = [_keep_language(table, pair) for table in tables]
        kept = [table.rename_systems(renamed) for table in kept if len(table)]
        if not kept:
            msg = f"{study.path}: no file has scores of {pair.lang}."
            raise CorpusError(msg)
        return _rename_metrics(concatenate_scores(kept), pair, study.metrics)

    scores = select([*shared, *read_files(pair.scores, f"{pair.lang}=")])
    notes = []
    if pair.gold_from:
        gold = select(read_files(pair.gold_from, f"{pair.lang}="))
        scores = scores.with_values_of(pair.gold, gold)
        files = ", ".join(Path(file).name for file in pair.gold_from)
        notes.append(f"{pair.gold} is taken from {files} only.")
    if pair.documents:
        scores = _add_documents(scores, study.resolve(pair.documents))
    if pair.domains:
        scores = scores.only(domain=pair.domains)
    humans = [name for name in pair.humans if name in scores.systems]
    gone = {*pair.references, *pair.without, *(() if study.with_humans else humans)}
    scores = scores.only(without_systems=gone & {*scores.systems})
    if humans and study.with_humans:
        notes.append(f"Human translations among the systems: {', '.join(humans)}.")
    patterns = study.metrics.lower_is_better
    lower = [name for name in scores.names if _matches(name, patterns)]
    scores, _ = add_total(scores.with_lower_is_better(lower), pair.gold)
    return StudyScores(pair, scores, tuple(notes))


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _keep_language(scores: Scores, pair: StudyPair) -> Scores:
    """Keep the lines of a language pair, which then all name it alike."""
    own = ("", pair.lang, *pair.aliases)
    is_own = np.array([item.lang in own for item in scores.items], bool)
    kept = scores.keep_lines(is_own[scores.item]).only()
    items = (item._replace(lang=pair.lang) for item in kept.items)
    return replace(kept, items=tuple(items))


def _rename_metrics(scores: Scores, pair: StudyPair, metrics: MetricNames) -> Scores:
    """Name metrics as the study does, without the reference that they used.

    mt-metrics-eval adds it to a metric's name: BLEU-refA, COMET-refA.refB, CometKiwi-src.
    Of several variants the one with the pair's own references counts.
    """
    own = "-" + ".".join(pair.references) if pair.references else ""
    renamed = {other: name for name, each in metrics.names.items() for other in each}
    bases: dict[str, list[str]] = {}
    for scorer in scores.scorers:
        base, _, used = scorer.name.rpartition("-")
        is_variant = used in ("src", "all") or used.lower().startswith("ref")
        if scorer.kind == "metric" and base and is_variant:
            bases.setdefault(base, []).append(scorer.name)
    for base, variants in bases.items():
        wanted = [name for name in variants if name in (f"{base}{own}", f"{base}-src")]
        chosen = wanted if len(variants) > 1 else variants
        if len(chosen) == 1 and base not in scores.names:
            renamed.setdefault(chosen[0], renamed.get(base, base))
    return scores.rename_scorers(renamed)


def _add_documents(scores: Scores, path: str) -> Scores:
    """Say which document and domain segments are of, where their scores do not."""
    places, items = read_documents(path), []
    for item in scores.items:
        document, domain = places.get(item.segment, ("", ""))
        document, domain = item.document or document, item.domain or domain
        items.append(ScoredItem(item.segment, document, domain, item.lang))
    # What is known of an item may make it one with another.
    return concatenate_scores(
        [replace(scores, items=tuple(items)), scores.only(scorers=())]
    )


def read_documents(path: str) -> dict[str, tuple[str, str]]:
    """Read the document and the domain of each segment, by the segment's name."""
    if path.endswith(".docs"):
        rows = split_rows(read_lines(path), BLANKS)
        lines = [(str(number), *reversed(cells)) for number, cells in rows]
        if any(len(line) != 3 for line in lines):
            msg = f"{path} has lines without a domain or a document; expected both."
            raise FormatError(msg)
        return {line[0]: (line[1], line[2]) for line in lines}
    table = read_columns(path)
    if not {"segment", "document"} <= table.roles.keys():
        listed = ", ".join(table.header)
        msg = f"{path} has columns {listed}; expected segment, document and domain."
        raise FormatError(msg)
    segments, *about = (table.get(role) for role in ("segment", "document", "domain"))
    return dict(zip(segments, zip(*about, strict=True), strict=True))


def _split_off_judge(scores: Scores, pair: StudyPair) -> Scores:
    """Make a scorer of one judge of the gold, and leave that judge out of the gold."""
    gold = scores.lines(pair.gold)
    judges = {scores.judges[judge] for judge in np.unique(gold.judge) if judge >= 0}
    if pair.ceiling not in judges or len(judges) < 2:
        people = [each.name for each in scores.scorers if each.human]
        listed = ", ".join([*people, *sorted(judges)])
        msg = f"{pair.lang}: there is no scorer or judge {pair.ceiling!r}; known: {listed}."
        raise CorpusError(msg)
    is_judge = gold.judge == scores.judges.index(pair.ceiling)
    own = gold.keep_lines(is_judge).only().rename_scorers({pair.gold: pair.ceiling})
    rest = gold.keep_lines(~is_judge).only()
    return concatenate_scores([rest, own])


def choose_metrics(
    study: MetricStudy, loaded: Sequence[StudyScores]
) -> tuple[list[str], list[str]]:
    """List the metrics that every language pair has and the study has a place for.

    The second list is of those that some language pair lacks.
    """
    by_pair = [
        [
            name
            for name in list_metrics(each.scores, each.pair.gold)
            if name != each.pair.ceiling and study.metrics.find_status(name)
        ]
        for each in loaded
    ]
    names = list(dict.fromkeys(name for names in by_pair for name in names))
    shared = [name for name in names if all(name in each for each in by_pair)]
    if not shared:
        msg = f"{study.path}: no metric has scores of every language pair."
        raise CorpusError(msg)
    return shared, [name for name in names if name not in shared]


def list_columns(protocol: str, langs: Sequence[str]) -> list[StudyColumn]:
    """List the columns of a protocol for some language pairs."""
    if protocol not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", protocol, PROTOCOLS))
    columns = [
        StudyColumn(level=level, coef=coef, pairs=(lang,))
        for lang in langs
        for level, coef in PROTOCOLS[protocol]
    ]
    if protocol != "wmt23":
        return columns
    about: dict[str, Any] = {
        "pairs": tuple(langs),
        "weight": len(langs),
        "pooled": True,
    }
    return [StudyColumn(level="sys", coef="accuracy", **about), *columns]
