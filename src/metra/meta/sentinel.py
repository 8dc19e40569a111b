"""The question `sentinel`: what do scores reach that cannot tell how good an output is?

After Perrella, Proietti, Scirè, Barba and Navigli 2024, ACL, "Guardians of the machine
translation meta-evaluation". Their sentinels are neural models that see only the source,
only the output or only the reference. Ours see lengths and kinds of characters, and two know
people's means. What a sentinel reaches, a metric can reach without comparing an output with
anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.corpus.outputs import Corpus
from metra.errors import CorpusError
from metra.meta.correlate import (
    MetricCorrelations,
    correlate_metrics,
    parse_specs,
)
from metra.meta.findings import MetaReport, build_report, describe_draws
from metra.meta.options import SentinelOptions
from metra.meta.question import Evidence, Question, require_one_language
from metra.stats.arrays import Array, row_means
from metra.stats.correlation import Options
from metra.stats.defaults import TRIALS
from metra.stats.panel import ScorePanel
from metra.stats.thresholds import deal_folds

SEGMENT_MEAN, SYSTEM_MEAN = "sentinel-seg", "sentinel-sys"
_ABOUT = {
    SEGMENT_MEAN: "mean human score of the segment, the same for all systems",
    SYSTEM_MEAN: "mean human score of the system, the same for all segments",
    "sentinel-src": "lengths and characters of the source",
    "sentinel-cand": "lengths and characters of the output",
    "sentinel-ref": "lengths and characters of the first reference",
}
CHUNK = 2048
#: Parts of the segments, each predicted from the others.
FOLDS = 5
#: What large weights of features cost, beside errors in units of their deviation.
_RIDGE = 1.0


@dataclass(frozen=True)
class TextFeatures:
    """Lengths and kinds of characters of texts, a row for each segment."""

    source: Array | None
    reference: Array | None
    outputs: Mapping[str, Array]


def is_sentinel(name: str) -> bool:
    """Return True if a scorer of a panel is a sentinel."""
    return name in _ABOUT


def collect_features(corpus: Corpus) -> TextFeatures:
    """Go through a corpus once and measure its texts."""
    rows: dict[str, list[Array]] = {}
    for chunk in corpus.chunks(CHUNK):
        columns = {f"output {name}": each for name, each in chunk.systems.items()}
        columns |= {"source": chunk.source} if chunk.source is not None else {}
        columns |= {"reference": chunk.refs[0]} if chunk.refs else {}
        for name, column in columns.items():
            texts = [column.text[at] for at in range(len(column.text))]
            rows.setdefault(name, []).append(measure_texts(texts))
    joined = {name: np.concatenate(parts) for name, parts in rows.items()}
    outputs = {name: joined[f"output {name}"] for name in corpus.systems}
    return TextFeatures(joined.get("source"), joined.get("reference"), outputs)


def collect_evidence_features(evidence: Evidence) -> TextFeatures | None:
    """Measure the texts of the outputs; None if there are no outputs."""
    if not evidence.outputs:
        return None
    require_one_language(evidence.rows)
    return collect_features(evidence.open_corpus())


def measure_texts(texts: Sequence[str | None]) -> Array:
    """Return characters, words, and shares of digits, capitals and marks: (texts, 6).

    >>> measure_texts(["Ab 1."]).round(2).tolist()
    [[1.79, 1.1, 1.25, 0.2, 0.2, 0.2]]
    """
    rows = []
    for text in texts:
        text = text or ""
        length, words = len(text), len(text.split())
        kinds = [
            sum(map(str.isdigit, text)),
            sum(map(str.isupper, text)),
            sum(not (c.isalnum() or c.isspace()) for c in text),
        ]
        sizes = [np.log1p(length), np.log1p(words), np.log1p(length / max(words, 1))]
        rows.append([*sizes, *(count / max(length, 1) for count in kinds)])
    return np.array(rows, np.float64).reshape(len(rows), 6)


def add_sentinels(
    panel: ScorePanel, options: SentinelOptions, features: TextFeatures | None = None
) -> ScorePanel:
    """Add sentinels to the metrics of a panel.

    Those that see texts are fitted to people's scores of the other folds of segments, so
    that no segment is scored by what people said of it.
    """
    gold = panel.gold
    if not np.isfinite(gold).any():
        msg = f"Sentinels need segment scores, and {panel.gold_name} has none."
        raise CorpusError(msg)
    shape = gold.shape
    sentinels = {
        SEGMENT_MEAN: np.broadcast_to(row_means(gold.T), shape),
        SYSTEM_MEAN: np.broadcast_to(row_means(gold)[:, None], shape),
    }
    for name, each in _align_features(panel, features).items():
        sentinels[name] = _fit_sentinel(gold, each, options)
    judged = np.isfinite(gold)
    metrics = {name: np.where(judged, each, np.nan) for name, each in sentinels.items()}
    systems = {name: row_means(each) for name, each in metrics.items()}
    return replace(
        panel,
        metrics={**panel.metrics, **metrics},
        system_metrics={**panel.system_metrics, **systems},
    )


def ask_sentinels(evidence: Evidence, options: SentinelOptions) -> MetricCorrelations:
    """Correlate metrics and sentinels with people."""
    features = collect_evidence_features(evidence)
    return correlate_sentinels(evidence.panel, options, features)


def correlate_sentinels(
    panel: ScorePanel, options: SentinelOptions, features: TextFeatures | None = None
) -> MetricCorrelations:
    """Correlate metrics and sentinels with people, by each coefficient."""
    chosen = Options(trials=options.trials or TRIALS, seed=options.seed)
    questions = parse_specs(options.coefficients or DEFAULTS, "seg", chosen)
    guarded = add_sentinels(panel, options, features)
    return correlate_metrics(guarded, questions, options.trials)


#: Grouped by segment, a sentinel of the source or the reference has nothing to say.
DEFAULTS = ("pearson", "pearson:sys", "pearson:item", "acc*_eq:item")


def report_sentinels(found: MetricCorrelations, options: SentinelOptions) -> MetaReport:
    """Lay out metrics and sentinels together, and name metrics that sentinels beat."""
    panel = found.panel
    caption = f"Metrics and sentinels with {panel.place}{panel.gold_name}"
    seen = [name for name in _ABOUT if name in panel.metrics]
    notes = [*_name_beaten(found), *found.refused, *found.explain_missing()]
    notes += [f"{name}: {_ABOUT[name]}." for name in seen]
    if len(seen) < len(_ABOUT):
        notes.append("Text sentinels need `outputs`, with `source` and `references`.")
    return build_report(
        [found.build_table(caption, panel.lang or "sentinels")],
        options,
        notes,
        panel=panel,
        level="seg",
        coef=found.coefficients,
        sentinels=f"ridge, {FOLDS} folds" if len(seen) > 2 else "means",
        **describe_draws(options, "both") | {"seed": options.seed},
    )


SENTINEL = Question("sentinel", ask_sentinels, report_sentinels)


def _name_beaten(found: MetricCorrelations) -> list[str]:
    """Say by coefficient which metrics are no better than the best sentinel."""
    notes = []
    for question, results in found.pairs:
        values = {name: result.value for name, result in results.items()}
        sentinels = [n for n, value in values.items() if n in _ABOUT and value == value]
        if not sentinels:
            continue
        best = max(sentinels, key=values.__getitem__)
        beaten = [n for n in values if n not in _ABOUT and not values[n] > values[best]]
        if beaten:
            notes.append(
                f"{question.heading}: no better than {best} ({values[best]:.3f}): "
                f"{', '.join(beaten)}."
            )
    return notes


def _align_features(
    panel: ScorePanel, features: TextFeatures | None
) -> dict[str, Array]:
    """Put features in the panel's order: systems × segments × features."""
    if features is None:
        return {}
    some = next(iter(features.outputs.values()))
    places = {str(at + 1): at for at in range(len(some))}
    names = [getattr(item, "segment", "") for item in panel.items]
    unknown = [name for name in names if name not in places]
    missing = [name for name in panel.systems if name not in features.outputs]
    if unknown or missing:
        what = f"segment {unknown[0]!r}" if unknown else f"system {missing[0]!r}"
        msg = (
            f"The outputs have no {what} that {panel.gold_name} has judged; segments are "
            f"numbered from 1 to {len(some):,}."
        )
        raise CorpusError(msg)
    order = [places[name] for name in names]
    outputs = np.stack([features.outputs[system][order] for system in panel.systems])
    aligned = {"sentinel-cand": outputs}
    texts = {"sentinel-src": features.source, "sentinel-ref": features.reference}
    for name, each in texts.items():
        if each is not None:
            aligned[name] = np.broadcast_to(each[order], outputs.shape)
    return aligned


def _fit_sentinel(gold: Array, features: Array, options: SentinelOptions) -> Array:
    """Predict people's scores from features, each fold of segments from the others."""
    is_judged = np.isfinite(gold)
    judged = np.flatnonzero(is_judged.any(0))
    fold = deal_folds(judged, gold.shape[1], FOLDS, options.seed)
    predicted = np.full(gold.shape, np.nan)
    for each in range(FOLDS):
        rest = is_judged & (fold != each)
        x, y = features[rest], gold[rest]
        centre, spread = x.mean(0), x.std(0)
        spread = np.where(spread > 0, spread, 1.0)
        scaled = (x - centre) / spread
        # Not by BLAS, whose last digits depend on its threads.
        gram = np.einsum("na,nb->ab", scaled, scaled) + _RIDGE * np.eye(len(centre))
        slopes = np.linalg.solve(gram, np.einsum("na,n->a", scaled, y - y.mean()))
        own = features[:, fold == each]
        predicted[:, fold == each] = y.mean() + np.einsum(
            "snf,f->sn", (own - centre) / spread, slopes
        )
    return predicted
