"""metra's metrics as torchmetrics metrics; needs the packages torch and torchmetrics."""

from collections.abc import Sequence
from typing import Any

import torch
import torchmetrics

from metra.metrics import DEFAULT_METRIC, record
from metra.scoring.accumulator import Accumulator, AccumulatorState


class TranslationMetric(torchmetrics.Metric):  # type: ignore[misc]  # it may be missing
    """A metra metric for training loops, in one or several processes.

    `update` takes the same arguments as the text metrics of torchmetrics: outputs, and for
    each output its reference or list of references. The state consists of sums without
    rounding, so the score equals that of all segments at once, to the last digit. They are
    float64, which some devices (MPS) do not support: keep the metric on the CPU there.
    """

    full_state_update = False
    is_differentiable = False
    sums: torch.Tensor
    segments: torch.Tensor
    references: torch.Tensor
    most_references: torch.Tensor

    def __init__(
        self, metric: str | record.Metric = DEFAULT_METRIC, **options: Any
    ) -> None:
        """Take a metric or its spec; the options are those of `torchmetrics.Metric`."""
        super().__init__(**options)
        self._accumulator = Accumulator([metric])
        (self._spec,) = self._accumulator.metrics
        empty = self._accumulator.get_state()
        sums = torch.tensor(empty.sums[self._spec], dtype=torch.float64)
        self.add_state("sums", sums, dist_reduce_fx="sum")
        for name in ("segments", "references", "most_references"):
            reduction = "max" if name == "most_references" else "sum"
            number = torch.tensor(0, dtype=torch.int64)
            self.add_state(name, number, dist_reduce_fx=reduction)

    @property
    def higher_is_better(self) -> bool | None:
        """True if higher scores are better."""
        return self._accumulator.metrics[self._spec].higher_is_better

    def update(
        self, preds: Sequence[str], target: Sequence[str | Sequence[str]]
    ) -> None:
        """Add a batch of outputs with their references."""
        references = [[ref] if isinstance(ref, str) else list(ref) for ref in target]
        self._accumulator.reset()
        self._accumulator.update(preds, refs_per_segment=references)
        batch = self._accumulator.get_state()
        added = torch.tensor(batch.sums[self._spec], dtype=torch.float64)
        self.sums = self.sums + added.to(self.sums.device)
        self.segments = self.segments + batch.segments
        self.references = self.references + batch.references
        self.most_references = self.most_references.clamp(min=batch.most_references)

    def compute(self) -> torch.Tensor:
        """Return the score of all batches."""
        state = AccumulatorState(
            int(self.segments),
            int(self.references),
            int(self.most_references),
            {self._spec: self.sums.tolist()},
        )
        self._accumulator.set_state(state)
        score = self._accumulator.compute()[self._spec].score
        return torch.tensor(score, dtype=torch.float64, device=self.sums.device)
