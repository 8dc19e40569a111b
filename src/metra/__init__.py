"""metra scores, judges, compares and explains machine translation."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metra.aligning import align
    from metra.alignment import Alignment
    from metra.all_pairs import pairwise
    from metra.comparing import compare
    from metra.corpus import Batch, EvalSet
    from metra.errors import MetraError
    from metra.evaluation import evaluate
    from metra.measure import Metric
    from metra.metrics import metric
    from metra.picture import grid
    from metra.results import Results
    from metra.single import Result, score

__version__ = "0.1.0"

__all__ = [
    "Alignment",
    "Batch",
    "EvalSet",
    "MetraError",
    "Metric",
    "Result",
    "Results",
    "__version__",
    "align",
    "compare",
    "evaluate",
    "grid",
    "metric",
    "pairwise",
    "score",
]

# Where each public name lives: loaded when first used, so that `import metra` is quick.
_HOMES = {
    "Alignment": "metra.alignment",
    "Batch": "metra.corpus",
    "EvalSet": "metra.corpus",
    "Metric": "metra.measure",
    "MetraError": "metra.errors",
    "Result": "metra.single",
    "Results": "metra.results",
    "align": "metra.aligning",
    "compare": "metra.comparing",
    "evaluate": "metra.evaluation",
    "grid": "metra.picture",
    "metric": "metra.metrics",
    "pairwise": "metra.all_pairs",
    "score": "metra.single",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        msg = f"module 'metra' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
