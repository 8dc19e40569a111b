"""metra scores, judges, compares and explains machine translation."""

# Loading `typing` is most of the time of `import metra`; type checkers know the name.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Literal

    from metra.corpus.batch import Batch
    from metra.corpus.evalset import EvalSet
    from metra.errors import MetraError, TextWarning
    from metra.formats.testsets.lookup import load_test_set
    from metra.metrics.alignment import Alignment
    from metra.metrics.outside import import_scores
    from metra.metrics.record import Metric
    from metra.metrics.registry import metric
    from metra.report.html.page import write_report as report
    from metra.report.pictures.grid_text import grid
    from metra.scoring.accumulator import Accumulator
    from metra.scoring.alignments import align
    from metra.scoring.compare import compare
    from metra.scoring.memory import Result, evaluate, score
    from metra.scoring.pairwise import pairwise
    from metra.scoring.read import read
    from metra.scoring.results import Results
    from metra.scoring.tables import score_table
    from metra.text.sentences.alignment import align_sentences
    from metra.text.sentences.resegmentation import resegment
    from metra.text.sentences.splitter import split_sentences

__version__ = "0.1.0"

__all__ = [
    "Accumulator",
    "Alignment",
    "Batch",
    "EvalSet",
    "MetraError",
    "Metric",
    "Result",
    "Results",
    "TextWarning",
    "__version__",
    "align",
    "align_sentences",
    "compare",
    "evaluate",
    "grid",
    "import_scores",
    "load_test_set",
    "metric",
    "pairwise",
    "read",
    "report",
    "resegment",
    "score",
    "score_table",
    "split_sentences",
]

# Where each public name lives: loaded when first used, so that `import metra` is quick.
_HOMES = {
    "Accumulator": "metra.scoring.accumulator",
    "Alignment": "metra.metrics.alignment",
    "Batch": "metra.corpus.batch",
    "EvalSet": "metra.corpus.evalset",
    "Metric": "metra.metrics.record",
    "MetraError": "metra.errors",
    "Result": "metra.scoring.memory",
    "Results": "metra.scoring.results",
    "TextWarning": "metra.errors",
    "align": "metra.scoring.alignments",
    "align_sentences": "metra.text.sentences.alignment",
    "compare": "metra.scoring.compare",
    "evaluate": "metra.scoring.memory",
    "grid": "metra.report.pictures.grid_text",
    "import_scores": "metra.metrics.outside",
    "load_test_set": "metra.formats.testsets.lookup",
    "metric": "metra.metrics.registry",
    "pairwise": "metra.scoring.pairwise",
    "read": "metra.scoring.read",
    "report": "metra.report",
    "resegment": "metra.text.sentences.resegmentation",
    "score": "metra.scoring.memory",
    "score_table": "metra.scoring.tables",
    "split_sentences": "metra.text.sentences.splitter",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        msg = f"module 'metra' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    module = import_module(home)
    # A package of the same name can itself be called.
    value = module if home == f"{__name__}.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def show_record(record: object, form: 'Literal["text", "html"]') -> str:
    """Write a record as the Python prompt or a notebook shows it.

    Records lie below the package `report`, which writes them, and do not import it. This is
    the one place where they find it, by name and when they are shown.
    """
    from importlib import import_module

    writers = import_module("metra.report.writers.notebook").WRITERS
    return str(writers[type(record).__name__, form](record))


def __dir__() -> list[str]:
    return sorted(__all__)
