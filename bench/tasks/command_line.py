"""The command line: from two files to a score, start-up included."""

import json

from agree import same_score
from fresh import run, script
from inputs import Corpus
from peers import SACREBLEU
from record import Race


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


TASKS = [
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
