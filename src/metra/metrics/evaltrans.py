"""EvalTrans: scores that people gave, carried over to similar outputs; and mWER."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, zip_longest
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from metra import _core
from metra.errors import OptionError
from metra.formats.annotations import judged_outputs
from metra.formats.annotations.judged_outputs import MOST, JudgedOutput
from metra.metrics import error_rates, record
from metra.metrics.options import Case, PlainTokenizer, Range
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.stats.direction import LOWER
from metra.text.columns import pack
from metra.text.diff import count_edits
from metra.text.preparation import Preparation, make_preparation, prepare


@metric_factory(title="EvalTrans", papers="niessen2000")
def evaltrans(
    *,
    db: str = "",
    k: Annotated[int, Range(1)] = 1,
    key: Literal["segment", "source"] = "segment",
    tok: PlainTokenizer = "none",
    case: Case = "mixed",
) -> Metric:
    """Mean human score of the same or the most similar output, 0 to 100. Higher is better.

    People judge outputs from 0 to 10, and a database stores the scores. An output that
    was judged for its source sentence has that score, or the mean if several people
    judged it. Any other output has the score of the most similar judged output, by
    edits divided by the length of the longer of the two; if several are equally
    similar, their mean. An output without a judged output for its source has no score
    and counts as unjudged. References count as judged 10 until somebody judges them: an
    output that equals a reference has its score. The metric is 10 times the mean score.

    Parts: SSER, the subjective sentence error rate 100 (1 − mean/10), also weighted by
    sentence length; the standard deviation of the scores; mWER (see `mwer`) and the
    mean number of perfect translations it can choose from; the percentages of judged,
    extrapolated and unjudged outputs; edits per word between extrapolated outputs and
    their nearest neighbours. `metra evaltrans index` lists the same for every sentence.

    Nießen et al. 2000, "An evaluation tool for machine translation: fast evaluation for
    MT research", LREC; metric A2 of the ISLE workbook (Dabbadie et al. 2002).

    Options:
        db: judged outputs: a database (see `metra evaltrans`) or a table (.tsv).
        k: number of nearest judged outputs, weighted by 1 − distance.
        key: how a judged output refers to its source: by the number of the segment,
            counted from 1, or by the source sentence.
    """
    if not db:
        msg = (
            "evaltrans needs judged outputs; give db=FILE, a table or a database "
            "written by `metra evaltrans import`."
        )
        raise OptionError(msg)
    text = make_preparation(tok=tok, case=case, stem="no")

    def make() -> Metric:
        judged = judged_outputs.read_judged_outputs(db)
        version = judged_outputs.compute_version(db, judged)
        return Metric(
            name="evaltrans",
            columns=COLUMNS,
            rows=partial(rows, collection=JudgedOutputs(judged, text, key), k=k),
            aggregate=aggregate,
            parts=parts,
            needs=record.select_needs(source=key == "source"),
            settled={"db": version, "tok": text.versions()["tok"]},
        )

    # What was judged meanwhile counts.
    return replace(make(), fit=_read_again(make))


@metric_factory(title="mWER", papers="niessen2000")
def mwer(
    *,
    db: str = "",
    key: Literal["segment", "source"] = "segment",
    tok: PlainTokenizer = "none",
    case: Case = "mixed",
    stem: str = "no",
) -> Metric:
    """Word error rate against the most similar perfect translation. Lower is better.

    Perfect translations are the references, and outputs that were judged 10; a
    reference with a lower judgement is not perfect. Edits and lengths are summed over
    segments before the division; a segment without a known perfect translation does not
    count. Without a database, mwer equals `wer`.

    Nießen et al. 2000, "An evaluation tool for machine translation: fast evaluation for
    MT research", LREC; metric A2 of the ISLE workbook (Dabbadie et al. 2002).

    Options:
        db: judged outputs: a database (see `metra evaltrans`) or a table (.tsv).
        key: how a judged output refers to its source: by the number of the segment,
            counted from 1, or by the source sentence.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)

    def make() -> Metric:
        judged = judged_outputs.read_judged_outputs(db) if db else []
        version = judged_outputs.compute_version(db, judged) if db else "none"
        return Metric(
            name="mwer",
            columns=error_rates.COLUMNS,
            rows=partial(edit_rows, collection=JudgedOutputs(judged, text, key)),
            aggregate=error_rates.aggregate,
            direction=LOWER,
            parts=error_rates.parts,
            needs=record.select_needs(
                references=not db, source=bool(db) and key == "source"
            ),
            settled=text.versions() | {"db": version},
        )

    # What was judged meanwhile counts.
    return replace(make(), fit=_read_again(make)) if db else make()


def _read_again(make: Callable[[], Metric]) -> record.Fit:
    """Return a fit that makes the metric anew, from the judgements of the moment."""
    return record.Fit(count=lambda _: None, apply=lambda _: make())


COLUMNS = (
    *("exact", "extrapolated", "unjudged"),
    *("score", "squared_score", "words", "weighted_score"),
    *("distance", "extrapolated_words"),
    *("perfect", "edits", "perfect_words"),
)


def aggregate(totals: Array) -> Array:
    """Ten times the mean score; NaN where nothing is judged."""
    return record.compute_share(totals[..., 3], MOST * totals[..., :2].sum(-1))


def parts(totals: Array) -> Parts:
    """Figures that EvalTrans reports, as far as they are defined."""
    named = dict(zip(COLUMNS, totals.tolist(), strict=True))
    pieces: Parts = {name: named[name] for name in COLUMNS[:3]}
    scored = named["exact"] + named["extrapolated"]
    segments = scored + named["unjudged"]
    if scored:
        mean = named["score"] / scored
        variance = named["squared_score"] / scored - mean * mean
        pieces["mean_score"] = mean
        pieces["standard_deviation"] = float(np.sqrt(max(variance, 0.0)))
        pieces["sser"] = 100 * (1 - mean / MOST)
    if named["words"]:
        weighted = named["weighted_score"] / named["words"]
        pieces["weighted_sser"] = 100 * (1 - weighted / MOST)
    if named["perfect_words"]:
        pieces["mwer"] = 100 * named["edits"] / named["perfect_words"]
    if segments:
        pieces["perfect_per_segment"] = named["perfect"] / segments
        for name in COLUMNS[:3]:
            pieces[f"{name}_share"] = 100 * named[name] / segments
    if named["extrapolated_words"]:
        distance = named["distance"] / named["extrapolated_words"]
        pieces["extrapolation_distance"] = distance
    return pieces


@dataclass(frozen=True, slots=True)
class SentenceIndex:
    """The score of one output, and the evidence for the score and for mWER."""

    #: Counted from 1.
    segment: int
    #: How the score was come by: exact, extrapolated or unjudged.
    kind: str
    #: From 0 to 10; None if unjudged.
    score: float | None
    #: Word error rate against the nearest perfect translation, in per cent; None without.
    mwer: float | None
    #: Perfect translations that mWER could choose from.
    perfect: int
    #: Edits to the nearest judged output, 0 if this one was judged; None if unjudged.
    distance: int | None
    #: The same per word of this output; None if unjudged or without words.
    relative: float | None


def index_sentences(rows: Array) -> list[SentenceIndex]:
    """Return EvalTrans's index of the sentences, from the rows of the metric."""
    return [
        _build_index(segment, dict(zip(COLUMNS, row, strict=True)))
        for segment, row in enumerate(rows.tolist(), 1)
    ]


def _build_index(segment: int, row: Mapping[str, float]) -> SentenceIndex:
    kind = next(name for name in COLUMNS[:3] if row[name])
    judged, words = kind != "unjudged", row["words"]
    return SentenceIndex(
        segment,
        kind,
        row["score"] if judged else None,
        100 * row["edits"] / row["perfect_words"] if row["perfect_words"] else None,
        int(row["perfect"]),
        int(row["distance"]) if judged else None,
        row["distance"] / words if judged and words else None,
    )


Words: TypeAlias = tuple[str, ...]


class _Verdict(NamedTuple):
    """A score, how it was come by, and the edits to the nearest neighbour."""

    kind: str
    score: float = 0.0
    edits: float = 0.0


def rows(batch: AnyBatch, *, collection: "JudgedOutputs", k: int) -> Array:
    """The statistics of `COLUMNS`, for each segment."""
    table = np.zeros((len(batch), len(COLUMNS)))
    tokens = batch.hyps.tokens(collection.text)
    outputs = [tuple(tokens[index] or ()) for index in range(len(batch))]
    by_segment = collection.look_up(batch)
    for index, verdict in enumerate(_score_outputs(outputs, by_segment, k)):
        words = len(outputs[index])
        table[index, COLUMNS.index(verdict.kind)] = 1
        if verdict.kind != "unjudged":
            score = verdict.score
            table[index, 3:7] = score, score * score, words, words * score
        if verdict.kind == "extrapolated":
            table[index, 7:9] = verdict.edits, words
    nearest = edit_rows(batch, collection=collection)
    table[:, 9] = [len(scored.perfect) for scored in by_segment]
    table[:, 10], table[:, 11] = nearest[:, :3].sum(1), nearest[:, 4]
    return table


def _score_outputs(
    outputs: list[Words], known: "list[KnownScores]", k: int
) -> Iterator[_Verdict]:
    both = list(zip(outputs, known, strict=True))
    # Edits to the judged outputs of all segments are counted at once.
    pairs = [
        (words, other)
        for words, scored in both
        if words not in scored.scores
        for other in scored.judged
    ]
    counted = iter(count_edits(pairs).tolist())
    for words, scored in both:
        if words in scored.scores:
            yield _Verdict("exact", scored.scores[words])
        elif scored.judged:
            edits = list(islice(counted, len(scored.judged)))
            yield _extrapolate_score(words, scored.judged, edits, k)
        else:
            yield _Verdict("unjudged")


def _extrapolate_score(
    words: Words, others: Mapping[Words, float], edits: list[float], k: int
) -> _Verdict:
    """Take the nearest neighbours' scores; those as near as the last one come along."""
    near = sorted(
        (count / max(len(words), len(other)), score, count)
        for count, (other, score) in zip(edits, others.items(), strict=True)
    )
    last = near[min(k, len(near)) - 1][0]
    chosen = [entry for entry in near if entry[0] <= last]
    weights = [1 - distance for distance, _, _ in chosen]
    if k == 1 or not sum(weights):
        weights = [1.0] * len(chosen)
    total = sum(w * score for w, (_, score, _) in zip(weights, chosen, strict=True))
    return _Verdict("extrapolated", total / sum(weights), near[0][2])


class KnownScores(NamedTuple):
    """Judged outputs of a source sentence: scores by an output's words.

    `judged` are those that someone judged; references are perfect without that, but their
    score extends to no other output.
    """

    scores: dict[Words, float]
    judged: Mapping[Words, float]

    @property
    def perfect(self) -> list[Words]:
        """The outputs with the highest score."""
        return [words for words, score in self.scores.items() if score == MOST]


class JudgedOutputs:
    """Judged outputs by source, their words prepared; equal words have their mean score."""

    def __init__(
        self, judged: Sequence[JudgedOutput], text: Preparation, key: str
    ) -> None:
        self.text = text
        self._key = key
        tokens = prepare(pack([entry.output for entry in judged], "output"), text)
        scores: dict[str, dict[Words, list[float]]] = {}
        for index, entry in enumerate(judged):
            words = tuple(tokens[index] or ())
            by_words = scores.setdefault(entry.source.strip(), {})
            by_words.setdefault(words, []).append(entry.score)
        self._scores = {
            source: {
                words: sum(given) / len(given) for words, given in by_words.items()
            }
            for source, by_words in scores.items()
        }

    def look_up(self, batch: AnyBatch) -> list[KnownScores]:
        """Return the scores by segment; references are perfect unless judged."""
        references = [ref.tokens(self.text) for ref in batch.refs]
        by_segment = []
        for index in range(len(batch)):
            if self._key == "segment":
                key = str(batch.place.first + index + 1)
            else:
                key = (batch.source and batch.source.text[index]) or ""
            judged = self._scores.get(key.strip(), {})
            here = (ref[index] for ref in references)
            perfect = {tuple(words): MOST for words in here if words is not None}
            by_segment.append(KnownScores(perfect | judged, judged))
        return by_segment


def edit_rows(batch: AnyBatch, *, collection: JudgedOutputs) -> Array:
    """Edits, hits and length of the nearest perfect translation of each segment."""
    tokens = batch.hyps.tokens(collection.text)
    perfect = [known.perfect for known in collection.look_up(batch)]
    table = np.zeros((len(batch), len(error_rates.COLUMNS)))
    judged = [index for index, outputs in enumerate(perfect) if outputs]
    if judged:
        hyps = _core.Tokens([tokens[index] or [] for index in judged])
        # The translations of each segment stand side by side, as references do.
        columns = zip_longest(*(perfect[index] for index in judged))
        refs = [
            _core.Tokens([None if words is None else list(words) for words in column])
            for column in columns
        ]
        table[judged] = _core.edit_rows(_core.Hits(hyps, refs), "fixed", "best")
    return table
