"""The classes and functions of sacreBLEU 2.6.0, computed by metra.

Replace `import sacrebleu` with `from metra.compat import sacrebleu`, and `from
sacrebleu.metrics import BLEU` with `from metra.compat.sacrebleu.metrics import BLEU`.

arguments: the flags of its command line
command: what a call of its command line reads, scores and prints
functions: scores in one call, and n-grams
metrics: the classes BLEU, CHRF and TER
scores: score objects and signatures
significance: bootstrap intervals and paired tests
tables: scores of several systems as text, LaTeX and JSON
testsets: fields, references and subsets of test sets on this machine
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metra.compat.sacrebleu.functions import (
        corpus_bleu,
        corpus_chrf,
        corpus_ter,
        extract_char_ngrams,
        extract_word_ngrams,
        raw_corpus_bleu,
        sentence_bleu,
        sentence_chrf,
        sentence_ter,
        smart_open,
    )
    from metra.compat.sacrebleu.metrics import BLEU, CHRF, TER
    from metra.compat.sacrebleu.scores import BLEUScore, CHRFScore, TERScore
    from metra.compat.sacrebleu.significance import PairedTest
    from metra.compat.sacrebleu.testsets import (
        DATASETS,
        SACREBLEU_DIR,
        download_test_set,
        get_available_testsets,
        get_langpairs_for_testset,
        get_reference_files,
        get_source_file,
    )

__version__ = "2.6.0"

#: Where each name lives: loaded when first used, so that the command line starts quickly.
_HOMES = {
    **dict.fromkeys(("BLEU", "CHRF", "TER"), "metrics"),
    **dict.fromkeys(("BLEUScore", "CHRFScore", "TERScore"), "scores"),
    **dict.fromkeys(
        (
            *("corpus_bleu", "raw_corpus_bleu", "sentence_bleu", "corpus_chrf"),
            *("sentence_chrf", "corpus_ter", "sentence_ter"),
            *("extract_word_ngrams", "extract_char_ngrams", "smart_open"),
        ),
        "functions",
    ),
    "PairedTest": "significance",
    **dict.fromkeys(
        (
            *("get_source_file", "get_reference_files"),
            *("get_available_testsets", "get_langpairs_for_testset"),
            *("download_test_set", "DATASETS", "SACREBLEU_DIR"),
        ),
        "testsets",
    ),
}

__all__ = [
    "BLEU",
    "CHRF",
    "DATASETS",
    "SACREBLEU_DIR",
    "TER",
    "BLEUScore",
    "CHRFScore",
    "PairedTest",
    "TERScore",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "download_test_set",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in ("metrics", "significance"):
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
