"""The classes and functions of sacreBLEU 2.6.0, computed by metra.

Replace `import sacrebleu` with `from metra.compat import sacrebleu`, and `from
sacrebleu.metrics import BLEU` with `from metra.compat.sacrebleu.metrics import BLEU`.

arguments: the flags of its command line (flags.tsv), its tokenisers and formats
command: a call of its command line: texts read, scores printed, answers without scores
functions: scores in one call
metrics: the classes BLEU, CHRF and TER; smoothing values, the warning about tokenised outputs
scores: score objects and signatures, with the order of their keys
significance: bootstrap intervals and paired tests, and their numbers of samples
testsets: fields, references and subsets (countries, origins) of test sets on this machine
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sacrebleu import extract_char_ngrams, extract_word_ngrams, smart_open

    from metra.compat.sacrebleu.functions import (
        corpus_bleu,
        corpus_chrf,
        corpus_ter,
        raw_corpus_bleu,
        sentence_bleu,
        sentence_chrf,
        sentence_ter,
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

#: Modules with the names below, loaded when a name is first used: the command line starts
#: quickly.
_HOMES = ("metrics", "scores", "functions", "significance", "testsets")

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
    for home in _HOMES if name in __all__ else ():
        module = import_module(f"{__name__}.{home}")
        if hasattr(module, name):
            return getattr(module, name)
    if name in __all__:
        return getattr(import_module("sacrebleu"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
