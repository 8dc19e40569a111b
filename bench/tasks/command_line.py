"""The command line: from two files to a score, start-up included."""

import json

from agree import same_score
from fresh import run, script
from inputs import Corpus
from peers import SACREBLEU
from record import DisagreementError, Race


def ours(corpus: Corpus, *more: str) -> str:
    hyps, ref = corpus.files
    return run(script("metra"), "score", hyps, "-r", ref, *more)


def theirs(corpus: Corpus, *more: str) -> str:
    hyps, ref = corpus.files
    return run(script("sacrebleu"), ref, "-i", hyps, "-m", "bleu", *more)


def agree(corpus: Corpus) -> None:
    (system,) = json.loads(ours(corpus, "--format", "json"))["systems"]
    score = json.loads(theirs(corpus, "-w", "12"))["score"]
    same_score(corpus, score, system["scores"]["bleu"]["score"])


def ours_as_sacrebleu(corpus: Corpus, *more: str) -> str:
    return _call(corpus, [script("metra"), "sacrebleu"], more)


def theirs_as_given(corpus: Corpus, *more: str) -> str:
    return _call(corpus, [script("sacrebleu")], more)


def _call(corpus: Corpus, program: list[str], more: tuple[str, ...]) -> str:
    """Score the output, or compare it with the reference if a paired test is asked for."""
    hyps, ref = corpus.files
    outputs = [hyps, ref] if any("paired" in word for word in more) else [hyps]
    return run(*program, ref, "-i", *outputs, "-q", *more)


def agree_by_bytes(corpus: Corpus, *more: str) -> None:
    printed = theirs_as_given(corpus, *more), ours_as_sacrebleu(corpus, *more)
    if printed[0] != printed[1]:
        raise DisagreementError(corpus, None, *printed)


def _race_flags(task: str, goal: float, *more: str) -> Race:
    """The same call of both command lines, whose outputs are equal byte for byte.

    sacreBLEU reads, resamples and prints in both; metra counts the segments.
    """
    return Race(
        task=f"sacreBLEU's command line, {task}",
        text=("english", 3_000),
        peer=SACREBLEU,
        theirs=lambda corpus: theirs_as_given(corpus, *more),
        ours=lambda corpus: ours_as_sacrebleu(corpus, *more),
        agree=lambda corpus: agree_by_bytes(corpus, *more),
        goal=goal,
        clock="wall",
        rounds=3,
        per="run",
    )


TASKS = [
    _race_flags("BLEU", 3, "-m", "bleu"),
    _race_flags("BLEU, chrF and TER", 15, "-m", "bleu", "chrf", "ter"),
    _race_flags("interval of BLEU", 2.5, "-m", "bleu", "--confidence"),
    _race_flags(
        "paired bootstrap", 5, "-m", "bleu", "chrf", "--paired-bs", "-f", "text"
    ),
    _race_flags(
        "approximate randomisation", 1.5, "-m", "bleu", "--paired-ar", "-f", "text"
    ),
    Race(
        task="command line, BLEU",
        text=("english", 3_000),
        peer=SACREBLEU,
        theirs=theirs,
        ours=ours,
        agree=agree,
        goal=5,
        clock="wall",
        rounds=7,
        per="run",
    ),
]
