"""metra's metrics as Hugging Face evaluate modules; needs the package evaluate."""

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

from metra.metrics import DEFAULT_METRIC
from metra.metrics.record import Metric
from metra.scoring.memory import score

_INPUTS = """
Args:
    predictions: outputs, one text per segment.
    references: for each output its reference, or the list of its references.
"""


def load(*metrics: str | Metric, **options: Any) -> "TranslationScores":
    """Return an evaluation module, as `evaluate.load` does, for metrics or their specs.

    The options are those of `evaluate.load`, such as `num_process` and `process_id`.
    """
    return TranslationScores(metrics or (DEFAULT_METRIC,), **options)


class TranslationScores(evaluate.Metric):  # type: ignore[misc]  # it may be missing
    """Scores of outputs by metric spec, with signatures."""

    def __init__(self, metrics: Sequence[str | Metric], **options: Any) -> None:
        """Take the metrics; the options are those of `evaluate.Metric`."""
        self._metrics = list(metrics)
        super().__init__(**options)

    def _info(self) -> Any:
        text = datasets.Value("string")
        several = datasets.Features(
            {"predictions": text, "references": datasets.Sequence(text)}
        )
        single = datasets.Features({"predictions": text, "references": text})
        return evaluate.MetricInfo(
            description="Scores of machine translation by metra.",
            citation="",
            inputs_description=_INPUTS,
            features=[several, single],
        )

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str | Sequence[str]]
    ) -> dict[str, Any]:
        listed = [[ref] if isinstance(ref, str) else list(ref) for ref in references]
        results = score(predictions, None, self._metrics, refs_per_segment=listed)
        scores: dict[str, Any] = {
            spec: result.score for spec, result in results.items()
        }
        signatures = {spec: result.signature for spec, result in results.items()}
        return {**scores, "signatures": signatures}
