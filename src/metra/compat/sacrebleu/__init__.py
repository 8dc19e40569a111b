"""sacreBLEU with segments counted by metra; needs the package sacrebleu.

Replace `import sacrebleu` with `from metra.compat import sacrebleu`, and `from
sacrebleu.metrics import BLEU` with `from metra.compat.sacrebleu.metrics import BLEU`.
Formulas, intervals, paired tests, signatures and test sets are sacreBLEU's own.

metrics: the classes BLEU, CHRF and TER, which count with metra
command: sacreBLEU's command line with these classes
significance: paired tests, for imports from here

>>> corpus_bleu(["the cat sat on a mat"], [["the cat sat on the mat"]])
BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
"""

import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from metra.compat.sacrebleu.metrics import BLEU, CHRF, TER
from metra.errors import MissingResourceError


def _load_functions() -> ModuleType:
    """Load sacreBLEU's functions once more, as a module of this package.

    They import the classes from the package that they are in, so they use those of metra.
    """
    own = find_spec("sacrebleu.compat")
    name = f"{__name__}.compat"
    spec = spec_from_file_location(name, own.origin) if own and own.origin else None
    if spec is None or spec.loader is None:
        msg = "The package sacrebleu has no module `compat`; install it again."
        raise MissingResourceError(msg)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


compat = _load_functions()
corpus_bleu = compat.corpus_bleu
corpus_chrf = compat.corpus_chrf
corpus_ter = compat.corpus_ter
raw_corpus_bleu = compat.raw_corpus_bleu
sentence_bleu = compat.sentence_bleu
sentence_chrf = compat.sentence_chrf
sentence_ter = compat.sentence_ter

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]


def __getattr__(name: str) -> Any:
    """Return a name of sacreBLEU that metra does not replace."""
    import sacrebleu

    return getattr(sacrebleu, name)
