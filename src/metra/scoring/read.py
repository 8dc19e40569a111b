"""Content of one file in memory: segments, a test set with outputs, or results."""

import math
import re
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, NamedTuple

from metra.corpus.batch import SegmentColumn
from metra.corpus.evalset import EvalSet
from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.recognise import PLAIN, choose_format, read_head
from metra.formats.stream import format_path, load_json
from metra.formats.texts.sources import list_sources
from metra.metrics.alignment import Alignment, Link, WordRange
from metra.metrics.units import Finding
from metra.scoring.compare import SignificanceSettings, SystemComparison
from metra.scoring.files import CHUNK, FileCorpus
from metra.scoring.json import SCHEMA
from metra.scoring.results import GroupScores, Results, Score, SystemScores
from metra.text.columns import window

# `metra` is the first key of every document that metra writes.
_METRA_JSON = re.compile(r'\s*\{\s*"metra"\s*:')


class FileTexts(NamedTuple):
    """The texts of a file: the arguments of `metra.evaluate` and `metra.compare`."""

    evalset: EvalSet
    #: Each system's segments by its name; there may be none.
    outputs: Mapping[str, list[str | None]]


def read(path: str | PathLike[str], *, input_format: str = "auto") -> Any:
    """Read a file into memory and return its texts or results.

    - A file with one text, such as one segment per line or a JSON array of strings, returns
      the list of its segments.
    - A file with several texts (a table, JSON lines, SGML, WMT XML, Parquet, …) returns an
      evaluation set and outputs by system: `evalset, outputs = metra.read("test.tsv")`.
    - Output of `metra score --format json`, `metra compare --format json` or
      `Results.to_json` returns `Results`.

    The format is recognised as on the command line; `input_format` overrides that.
    """
    file = fspath(path)
    if input_format == "auto" and _METRA_JSON.match(read_head(file).text):
        return read_results(file)
    if choose_format(file, input_format) is PLAIN:
        return read_lines(file)
    sources = list_sources([file], input_format=input_format, use="any")
    texts = _collect_texts(FileCorpus(sources))
    if len(texts.outputs) == 1 and not texts.evalset.has_streams():
        (segments,) = texts.outputs.values()
        return segments
    return texts


def read_results(path: str) -> Results:
    """Read the results that metra wrote as JSON."""
    place = format_path(path)
    try:
        document = load_json("\n".join(read_lines(path)), place)
        schema = document["schema"]
        if schema == SCHEMA:
            return parse_results(document)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = (
            f"{place} does not contain JSON results of metra ({type(error).__name__}: "
            f"{error})."
        )
        raise FormatError(msg) from None
    msg = f"{place} has the schema {schema}; this version of metra reads {SCHEMA}."
    raise FormatError(msg)


def parse_results(document: Mapping[str, Any]) -> Results:
    """Return the results that `Results.to_dict` gave as plain data."""
    shape = document["evalset"]
    comparisons = [*map(_parse_comparison, document.get("comparisons", ()))]
    return Results(
        systems=[*map(_parse_system, document["systems"])],
        segments=shape["segments"],
        references=shape["references"],
        documents=shape.get("documents"),
        layouts=shape.get("layouts", {}),
        comparisons=comparisons,
        terms=_parse_terms(comparisons[0].test) if comparisons else None,
        clusters=document.get("clusters"),
        groups=document.get("groups") and [*map(_parse_group, document["groups"])],
    )


def _parse_group(data: Mapping[str, Any]) -> GroupScores:
    systems = [*map(_parse_system, data["systems"])]
    return GroupScores(data["key"], data["segments"], systems)


def _collect_texts(corpus: FileCorpus) -> FileTexts:
    outputs: dict[str, list[str | None]] = {name: [] for name in corpus.systems}
    refs: list[list[str | None]] = []
    source: list[str | None] = []
    documents: list[str] = []

    def list_segments(column: SegmentColumn) -> list[str | None]:
        return window(column.text, 0, len(column.text))

    for chunk in corpus.chunks(CHUNK):
        for name, column in chunk.systems.items():
            outputs[name] += list_segments(column)
        refs = refs or [[] for _ in chunk.refs]
        for stream, column in zip(refs, chunk.refs, strict=True):
            stream += list_segments(column)
        if chunk.source:
            source += list_segments(chunk.source)
        documents += chunk.documents or ()
    evalset = EvalSet(refs or None, source or None, documents or None)
    return FileTexts(evalset, outputs)


def _parse_system(entry: Mapping[str, Any]) -> SystemScores:
    levels = ("documents", "segments", "alignments", "details")
    scores = {
        spec: _parse_score(data, *(entry.get(level, {}).get(spec) for level in levels))
        for spec, data in entry["scores"].items()
    }
    return SystemScores(entry["name"], scores)


def _parse_score(
    data: Mapping[str, Any],
    documents: Mapping[str, Any] | None,
    segments: list[Any] | None,
    alignments: list[Any] | None,
    details: list[Any] | None,
) -> Score:
    texts = ("signature", "higher_is_better", "target", "segment_signature")
    given: dict[str, Any] = {name: data.get(name) for name in texts}
    if segments is not None:
        import numpy as np

        given["segments"] = np.array(_parse_numbers(segments))
    if alignments is not None:
        given["alignments"] = {
            each["segment"]: [*map(_parse_alignment, each["references"])]
            for each in alignments
        }
    if details is not None:
        given["details"] = [
            Finding(d["note"], d["text"], d["about"], tuple(d["segments"]))
            for d in details
        ]
    return Score(
        score=_parse_numbers(data["score"]),
        interval=_parse_interval(data.get("interval")),
        parts=_parse_numbers(data["parts"]),
        documents=documents and _parse_numbers(documents),
        **given,
    )


def _parse_alignment(data: Mapping[str, Any]) -> Alignment:
    links = [
        Link(each["kind"], WordRange(*each["hyp"]), WordRange(*each["ref"]))
        for each in data["links"]
    ]
    texts = {name: data[name] for name in ("hyp", "ref", "chosen", "unit")}
    kinds, reference = [*data["counts"]], data["reference"] - 1
    return Alignment(links=links, kinds=kinds, reference=reference, **texts)


def _parse_comparison(data: Mapping[str, Any]) -> SystemComparison:
    given = dict(data, interval=_parse_interval(data["interval"]))
    for name in ("difference", "gain"):
        given[name] = _parse_numbers(data[name])
    return SystemComparison(**given)


def _parse_terms(signature: str) -> SignificanceSettings:
    """Read the terms of a test from the line that stands for them."""
    test, *pairs = signature.split("|")
    values: dict[str, Any] = dict(pair.split(":", 1) for pair in pairs)
    del values["version"]
    for name in ("units", "trials", "seed", "family_size"):
        values[name] = int(values[name])
    return SignificanceSettings(test, **values | {"alpha": float(values["alpha"])})


def _parse_interval(ends: list[Any] | None) -> tuple[float, float] | None:
    return None if ends is None else (_parse_numbers(ends[0]), _parse_numbers(ends[1]))


def _parse_numbers(value: Any) -> Any:
    """Read a number, or lists and objects of them; null stands for an undefined one."""
    if isinstance(value, list):
        return [*map(_parse_numbers, value)]
    if isinstance(value, Mapping):
        return {name: _parse_numbers(entry) for name, entry in value.items()}
    return math.nan if value is None else float(value)
