"""METEOR with synonyms against the original program, once both are warm.

Without meteor-1.5.jar, Java or WordNet these tasks are left out, and a line says so.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import fresh
from agree import close, same_segments
from inputs import Corpus
from meteor_program import explain_missing, find_jar
from peers import METEOR
from record import Limit, Race
from timing import WORKERS

import metra
from metra.errors import MissingResourceError
from metra.formats.resources import find_wordnet_folder

SPEC = "meteor:modules=exact+stem+synonym,tok=none,case=mixed"
#: Segments that are sent before answers are read: few enough for the pipes to hold them.
AT_A_TIME = 50

LOADING = """
import time, metra
metra.metric("bleu")
start = time.perf_counter()
metra.score(["a"], [["a"]], "meteor:modules=exact+stem+synonym")
print(time.perf_counter() - start)
"""


def missing() -> str | None:
    """Say what these tasks lack."""
    if lacking := explain_missing():
        return lacking
    if not Path("/proc/self/stat").exists():
        return "no /proc, which tells how long the original computes"
    try:
        find_wordnet_folder("")
    except MissingResourceError as error:
        return str(error)
    return None


@lru_cache(maxsize=1)
def original() -> subprocess.Popen[str]:
    """Start the original once; it loads its tables while the first answer is waited for."""
    program = subprocess.Popen(
        [
            *("java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(find_jar())),
            *("-", "-", "-stdio", "-l", "en", "-m", "exact stem synonym"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    WORKERS.append(program.pid)
    return program


def theirs(corpus: Corpus) -> list[str]:
    """Let the original align every segment; give its statistics."""
    lines = [
        f"SCORE ||| {ref} ||| {hyp}\n"
        for hyp, ref in zip(corpus.hyps, corpus.refs[0], strict=True)
    ]
    return [answer for part in _parts(lines) for answer in _answers(part, len(part))]


def ours(corpus: Corpus) -> float:
    return metra.score(corpus.hyps, corpus.refs, SPEC).score


def agree(corpus: Corpus) -> None:
    """Every segment's score, to the last digit but rounding."""
    scores: list[float] = []
    for part in _parts(theirs(corpus)):
        # One score for each segment, then that of all of them.
        *found, _ = _answers([f"EVAL ||| {' ||| '.join(part)}\n"], len(part) + 1)
        scores.extend(100 * float(score) for score in found)
    segments = metra.score(corpus.hyps, corpus.refs, SPEC).segments
    same_segments(corpus, scores, segments.tolist(), close)


def loading() -> list[float]:
    """Seconds from nothing to the first score, WordNet included, in new processes."""
    return [float(fresh.run(sys.executable, "-c", LOADING)) for _ in range(5)]


def _parts(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(lines), AT_A_TIME):
        yield lines[start : start + AT_A_TIME]


def _answers(lines: Sequence[str], count: int) -> list[str]:
    program = original()
    if program.stdin is None or program.stdout is None:
        msg = "the original program was started without pipes"
        raise RuntimeError(msg)
    program.stdin.writelines(lines)
    program.stdin.flush()
    return [program.stdout.readline().strip() for _ in range(count)]


def tasks() -> list[Race | Limit]:
    """The tasks, if all that they need is there."""
    if lacking := missing():
        print(f"left out: METEOR with synonyms ({lacking})", file=sys.stderr)
        return []
    return [
        Race(
            task="METEOR, exact, stem and synonym",
            text=("english", 1_000),
            peer=METEOR,
            theirs=theirs,
            ours=ours,
            agree=agree,
            goal=10,
            rounds=3,
        ),
        Limit(
            task="METEOR, first score with WordNet",
            measure=loading,
            unit="s",
            most=1.0,
        ),
    ]


TASKS = tasks()
