"""The public sets that the studies read, where the reader has them; nothing is copied.

Each set is a folder of tab-separated tables without quoting, packed with gzip where large.
"""

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.scores.views import build_panel
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import ReferenceSubset, score_systems
from metra.stats.panel import ScorePanel

Columns = dict[str, list[str]]

#: What people's error marks stand for: adequacy and fluency, by the first word of a category.
ADEQUACY_ERRORS = ("accuracy", "terminology", "non-translation", "non-translation!")
FLUENCY_ERRORS = ("fluency", "style", "locale convention")


@dataclass(frozen=True)
class JudgedSet:
    """Systems' outputs with references and documents, and what people say of them."""

    name: str
    evalset: EvalSet
    outputs: Mapping[str, list[str]]
    #: Judgements of segments, which are numbered from 1.
    people: Scores
    #: The stemmer for the language of the outputs; empty where there is none.
    stem: str = ""

    def line_up(
        self,
        gold: str,
        specs: Sequence[str],
        *,
        people: Scores | None = None,
        references: Sequence[int] | None = None,
    ) -> tuple[Scores, ScorePanel]:
        """Score the outputs, and put the scores beside a kind of judgement.

        `people` replaces the judgements, `references` chooses some of the streams.
        """
        corpus = Outputs(self.evalset, self.outputs)
        chosen = range(len(self.evalset.refs)) if references is None else references
        measures = make_metrics(specs)
        ours, statistics = score_systems(ReferenceSubset(corpus, chosen), measures)
        judged = people or self.people
        scores = concatenate_scores([judged, ours])
        # Judgements of whole systems say nothing about which segments to pool.
        pooled = statistics if len(judged.segments) else {}
        return scores, build_panel(scores, gold, list(measures), statistics=pooled)

    def with_segments_as_documents(self) -> "JudgedSet":
        """Take each segment for a document, where there are too few documents."""
        evalset = self.evalset
        numbers = [str(at) for at in range(len(evalset))]
        changed = EvalSet(evalset.refs, documents=numbers)
        return replace(self, evalset=changed)


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """Read a table row by row, packed or not."""
    unpack = partial(gzip.open, mode="rt") if path.suffix == ".gz" else open
    with unpack(path, encoding="utf-8", newline="\n") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def read_columns(path: Path) -> Columns:
    """Read a table column by column."""
    rows = list(read_rows(path))
    return {name: [row[name] for row in rows] for name in rows[0]}


def read_elitr(data: Path, direction: str) -> JudgedSet:
    """Read adequacy and fluency of twelve systems, Czech and English, from 0 to 1."""
    folder = data / "elitr-adequacy-fluency"
    segments = [r for r in read_rows(folder / "segments.tsv") if r["lp"] == direction]
    systems = [*segments[0]][6:]
    place = {(r["doc"], r["line"]): str(at) for at, r in enumerate(segments, 1)}
    ratings = [
        row
        for row in read_rows(folder / "ratings.tsv")
        if (row["doc"], row["line"]) in place and row["system"] in systems
    ]
    people = build_score_table(
        [row["system"] for row in ratings],
        [ScoredItem(place[row["doc"], row["line"]]) for row in ratings],
        {
            Scorer(kind, kind): [float(row[kind] or "nan") for row in ratings]
            for kind in ("adequacy", "fluency")
        },
        [row["judge"] for row in ratings],
    )
    evalset = EvalSet(
        [[row["ref"] for row in segments]], documents=[row["doc"] for row in segments]
    )
    return JudgedSet(
        f"ELITR {direction}",
        evalset,
        {name: [row[name] for row in segments] for name in systems},
        people,
        "english" if direction == "cs-en" else "",
    )


def read_wmt23(data: Path, direction: str, reference: str = "refA") -> JudgedSet:
    """Read WMT23's outputs and MQM scores of segments."""
    folder = data / "wmt23-mqm-esa"
    segments = read_columns(folder / f"{direction}.segments.tsv.gz")
    outputs = read_columns(folder / f"{direction}.outputs.tsv.gz")
    systems = [name for name in outputs if name[:3] not in ("seg", "ref")]
    marks = [
        row
        for row in read_rows(folder / f"{direction}.seg_scores.tsv.gz")
        if row["system"] in systems
    ]
    people = build_score_table(
        [mark["system"] for mark in marks],
        [ScoredItem(mark["seg"]) for mark in marks],
        {Scorer("mqm", "mqm"): [float(mark["mqm"] or "nan") for mark in marks]},
    )
    return JudgedSet(
        f"WMT23 {direction}",
        EvalSet([segments[reference]], documents=segments["doc"]),
        {name: outputs[name] for name in systems},
        people,
        "german" if direction == "en-de" else "english",
    )


def read_wmt23_errors(data: Path, direction: str) -> JudgedSet:
    """Read WMT23 with error marks: penalties for meaning and for language apart."""
    judged = read_wmt23(data, direction)
    path = data / "wmt23-mqm-esa" / f"{direction}.mqm_errors.tsv.gz"
    sums: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in read_rows(path):
        if row["system"] not in judged.outputs:
            continue
        unit = sums[row["system"], row["seg"], row["rater"]]
        kind = row["category"].lower().split("/")[0]
        if kind in ADEQUACY_ERRORS:
            unit[0] -= float(row["penalty"])
        elif kind in FLUENCY_ERRORS:
            unit[1] -= float(row["penalty"])
    people = build_score_table(
        [system for system, _, _ in sums],
        [ScoredItem(segment) for _, segment, _ in sums],
        {
            Scorer(kind, kind): [pair[at] for pair in sums.values()]
            for at, kind in enumerate(("adequacy", "fluency"))
        },
        [rater for _, _, rater in sums],
    )
    return replace(judged, people=people)


def read_ort(data: Path, streams: int = 4) -> JudgedSet:
    """Read English-Czech with four independent references, then edits, and assessments."""
    folder = data / "ort-encs-48refs"
    table = read_columns(folder / "refs.tsv.gz")
    place = {segment: at for at, segment in enumerate(table["seg"])}
    rows = [r for r in read_rows(folder / "outputs.tsv.gz") if r["system"] != "ref"]
    outputs: dict[str, list[str]] = {}
    for row in rows:
        texts = outputs.setdefault(row["system"], [""] * len(place))
        texts[place[row["seg"]]] = row["text"]
    # An exact zero stands for a segment that nobody judged.
    judged = [row for row in rows if float(row["da_z"]) != 0]
    people = build_score_table(
        [row["system"] for row in judged],
        [ScoredItem(str(place[row["seg"]] + 1)) for row in judged],
        {Scorer("da", "da"): [float(row["da_z"]) for row in judged]},
    )
    refs = [texts for name, texts in table.items() if name.startswith("R")]
    return JudgedSet("WMT20 en-cs", EvalSet(refs[:streams]), outputs, people)


def read_adequacy(data: Path) -> Scores:
    """Read a hundred outputs that 25 judges graded from 1 to 5, Chinese-English."""
    rows = list(read_rows(data / "tradopad-adequacy" / "ratings.tsv"))
    return build_score_table(
        [""] * len(rows),
        [ScoredItem(row["item"]) for row in rows],
        {Scorer("adequacy", "adequacy"): [float(row["adequacy"]) for row in rows]},
        [row["judge"] for row in rows],
    )


def read_wmt12(data: Path, direction: str) -> JudgedSet:
    """Read WMT12's outputs, and the share of comparisons that each system won."""
    folder = data / "wmt12-ranking"
    refs = [row["ref_en"] for row in read_rows(folder / "segments.tsv.gz")]
    outputs = read_columns(folder / f"{direction}.outputs.tsv.gz")
    counts = list(read_rows(folder / f"{direction}.sys_scores.tsv"))
    wins = [float(row["wins"]) for row in counts]
    shares = [
        won / (won + float(row["losses"]))
        for won, row in zip(wins, counts, strict=True)
    ]
    people = build_score_table(
        [row["system"] for row in counts],
        [ScoredItem()] * len(counts),
        {Scorer("share of wins", "ranking"): shares},
    )
    systems = {row["system"]: outputs[row["system"]] for row in counts}
    return JudgedSet(f"WMT12 {direction}", EvalSet([refs]), systems, people)
