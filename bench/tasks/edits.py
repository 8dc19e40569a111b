"""Edit metrics: word error rate and TER, strings in, score out, one thread."""

from dataclasses import asdict
from functools import partial
from types import ModuleType
from typing import Any

import jiwer
from agree import close, same_score, same_segments
from inputs import Corpus
from peers import JIWER, RAPIDFUZZ, SACREBLEU
from rapidfuzz.distance import Levenshtein
from record import DisagreementError, Race
from sacrebleu.metrics import TER

import metra
from metra.compat import jiwer as compat


def ours(corpus: Corpus, spec: str) -> float:
    return metra.score(corpus.hyps, corpus.refs, spec).score


def rapidfuzzes(corpus: Corpus) -> float:
    edits = words = 0
    for hyp, ref in zip(corpus.hyps, corpus.refs[0], strict=True):
        reference = ref.split()
        edits += Levenshtein.distance(hyp.split(), reference)
        words += len(reference)
    return 100 * edits / words


def jiwers(corpus: Corpus) -> float:
    return 100 * jiwer.wer(corpus.refs[0], corpus.hyps)


def call_jiwer(module: ModuleType, name: str, corpus: Corpus) -> Any:
    """Call a function of jiwer or of `metra.compat.jiwer`."""
    return getattr(module, name)(corpus.refs[0], corpus.hyps)


def agree_with_functions(name: str, corpus: Corpus) -> None:
    """Numbers to the bit, records field by field."""
    theirs, ours = (call_jiwer(module, name, corpus) for module in (jiwer, compat))
    if name.startswith("process"):
        theirs, ours = asdict(theirs), asdict(ours)
    _refuse_difference(name, theirs == ours)


def _refuse_difference(name: str, is_same: bool) -> None:
    if not is_same:
        msg = f"{name} of jiwer and metra.compat.jiwer differ"
        raise DisagreementError(msg)


def sacrebleus(corpus: Corpus) -> float:
    return TER().corpus_score(corpus.hyps, corpus.refs).score


def agree_on_wer(corpus: Corpus) -> None:
    same_score(corpus, rapidfuzzes(corpus), ours(corpus, "wer"))


def agree_with_jiwer(corpus: Corpus) -> None:
    """jiwer takes a lone no-break space for part of a word: blanks are all it is given."""
    same_score(corpus, jiwers(plain(corpus)), ours(plain(corpus), "wer"))


def plain(corpus: Corpus) -> Corpus:
    """The same words with single blanks between them, which all programs split alike."""
    hyps = [" ".join(hyp.split()) for hyp in corpus.hyps]
    return Corpus(corpus.name, hyps, [[" ".join(r.split()) for r in corpus.refs[0]]])


def agree_on_ter(corpus: Corpus) -> None:
    metric = TER()
    pairs = zip(corpus.hyps, corpus.refs_per_segment, strict=True)
    theirs = [metric.sentence_score(hyp, refs).score for hyp, refs in pairs]
    segments = metra.score(corpus.hyps, corpus.refs, "ter").segments.tolist()
    same_segments(corpus, theirs, segments, close)


_wer = partial(
    Race, task="WER", ours=partial(ours, spec="wer"), text=("english", 3_000)
)

_JIWER = partial(Race, peer=JIWER, text=("english", 3_000))


def _race_jiwer(name: str, goal: float) -> Race:
    return _JIWER(
        task=f"jiwer's {name}, compat module",
        theirs=partial(call_jiwer, jiwer, name),
        ours=partial(call_jiwer, compat, name),
        agree=partial(agree_with_functions, name),
        goal=goal,
    )


TASKS = [
    _race_jiwer("wer", goal=5),
    _race_jiwer("cer", goal=5),
    _race_jiwer("mer", goal=5),
    _race_jiwer("process_words", goal=5),
    _wer(peer=RAPIDFUZZ, theirs=rapidfuzzes, agree=agree_on_wer, goal=2),
    _wer(peer=JIWER, theirs=jiwers, agree=agree_with_jiwer, goal=10),
    Race(
        task="TER",
        text=("english", 200),
        peer=SACREBLEU,
        theirs=sacrebleus,
        ours=partial(ours, spec="ter"),
        agree=agree_on_ter,
        goal=300,
        rounds=3,
    ),
]
