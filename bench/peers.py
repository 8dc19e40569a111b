"""The programs that metra is measured against."""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from record import Peer


def forget() -> None:
    """Empty every cache of sacreBLEU's tokenisers.

    They keep the last 65,536 segments: without this, all rounds but the first would
    find the text tokenised.
    """
    for cache in _caches():
        cache.cache_clear()


SACREBLEU = Peer("sacrebleu", forget)
BLEUSCORE = Peer("bleuscore")
FASTCHRF = Peer("fastchrf")
JIWER = Peer("jiwer")
METEOR = Peer("METEOR 1.5 (Java)")
NLTK = Peer("nltk")
RAPIDFUZZ = Peer("rapidfuzz and split")
OWN_BLEU = Peer("metra, bleu")
ONE_THREAD = Peer("metra, one thread")


@lru_cache(maxsize=1)
def _caches() -> list[Any]:
    import sacrebleu.tokenizers

    found: dict[int, Any] = {}
    for entry in iter_modules(sacrebleu.tokenizers.__path__, "sacrebleu.tokenizers."):
        try:
            module = import_module(entry.name)
        except (ImportError, RuntimeError):
            continue  # it needs a package that is not installed, so it is not used here
        for owner in vars(module).values():
            if isinstance(owner, type):
                for value in vars(owner).values():
                    if hasattr(value, "cache_clear"):
                        found[id(value)] = value
    return list(found.values())
