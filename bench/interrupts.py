"""How soon Ctrl-C is answered in the middle of one huge segment, by every kernel.

    python bench/interrupts.py                   every kernel, 300,000 words
    python bench/interrupts.py --only meteor     the cases whose names have this in them
    python bench/interrupts.py --write-results   puts the table into bench/RELIABILITY.md

A case runs in a process of its own, which sends itself the signal after some time of work and
measures the time until KeyboardInterrupt arrives; "threads" is the same in a pool of two. The
cases of the command line are sent SIGINT and must end with exit code 130.

Exit status: 0 all in time, 1 not.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from results import replace_section

PAGE = Path(__file__).with_name("RELIABILITY.md")
WORDS = 300_000
#: Seconds of work before the signal; what ends sooner needs no signal.
DELAYS = (0.3, 2.0)
#: The most that an answer may take, in milliseconds.
LIMIT = 300
PATIENCE = 120

Work = Callable[[], object]


def make_text(words: int, seed: int) -> str:
    """Return words as they are distributed in texts; another seed is another text."""
    rng = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(50_000)]
    weights = [1 / (number + 10) for number in range(50_000)]
    return " ".join(rng.choices(vocabulary, weights, k=words))


def list_cases() -> dict[str, Callable[[str, str], Work]]:
    """Return what is measured: from two texts to a function without arguments."""
    import metra
    from metra import _core

    def scored(spec: str) -> Callable[[str, str], Work]:
        return lambda hyp, ref: lambda: metra.score([hyp], [[ref]], spec)

    specs = (
        "bleu bleu:tok=intl bleu:tok=zh bleu:n=12 bleu:case=lower,stem=english nist chrf "
        "chrf:word_order=2 gleu rougel ter ter:style=tercom wer wer:tok=char mer wil per "
        "ser cer cer:unit=grapheme precision f1 gtm gtm:e=2 gtm:e=2,match=paper "
        "gtm:e=2,match=exact meteor meteor:modules=exact mwer"
    )
    cases = {spec: scored(spec) for spec in specs.split()}

    def tokens(text: str) -> _core.Tokens:
        return _core.Tokenizer("none", "mixed")(_core.Text([text]))

    def hits(hyp: str, ref: str) -> _core.Hits:
        return _core.Hits(tokens(hyp), [tokens(ref)])

    cases |= {
        "sentence bleu": lambda h, r: lambda: metra.metric("bleu").sentence(h, [r]),
        "sentence chrf": lambda h, r: lambda: metra.metric("chrf").sentence(h, [r]),
        "sentence wer": lambda h, r: lambda: metra.metric("wer").sentence(h, [r]),
        "jiwer's alignment": lambda h, r: (
            lambda: _core.edit_runs(hits(h, r), "rapidfuzz")
        ),
        "alignment": lambda h, r: (
            lambda: _core.edit_alignments(hits(h, r), 0, "fixed", "best")
        ),
        "ter alignment": lambda h, r: (
            lambda: _core.ter_alignment(hits(h, r), 0, "sacrebleu")
        ),
        "gtm blocks": lambda h, r: (
            lambda: _core.gtm_blocks(hits(h, r), 0, 2.0, "greedy", 0)
        ),
        "gtm, one word": lambda *_: (
            lambda: metra.score(["a " * WORDS], [["a " * (WORDS // 2)]], "gtm:e=2")
        ),
        "mbr bleu": lambda h, r: lambda: metra.pairwise([h, r], [h, r], "bleu"),
        "mbr chrf": lambda h, r: lambda: metra.pairwise([h, r], [h, r], "chrf"),
        "mbr ter": lambda h, r: lambda: metra.pairwise([h, r], [h, r], "ter"),
        "resegment": lambda h, r: lambda: metra.resegment([h], _cut(r)),
        "align sentences": lambda h, r: lambda: metra.align_sentences(_cut(h), _cut(r)),
    }

    def ltv(hyp: str, ref: str) -> Work:
        evalset = metra.EvalSet(references=[[ref]], documents=["one"])
        return lambda: metra.evaluate(evalset, {"a": [hyp]}, ["ltv"])

    cases["ltv"] = ltv

    def threaded(spec: str) -> Callable[[str, str], Work]:
        def make(hyp: str, ref: str) -> Work:
            from metra.stats.parallel import ordered_map

            def work(_: int) -> object:
                return metra.score([hyp], [[ref]], spec)

            return lambda: list(ordered_map(work, range(8), 2, alone=0))

        return make

    cases |= {f"{spec}, threads": threaded(spec) for spec in ("cer", "meteor", "ter")}

    def compared(test: str) -> Callable[[str, str], Work]:
        def make(hyp: str, ref: str) -> Work:
            evalset = metra.EvalSet(references=[_cut(ref)])
            outputs = {"a": _cut(hyp), "b": _cut(ref[::-1])}
            return lambda: metra.compare(
                evalset, outputs, ["bleu"], test=test, trials=200_000
            )

        return make

    cases |= {f"compare, {test}": compared(test) for test in ("ar", "bootstrap")}
    return cases


def _cut(text: str) -> list[str]:
    """Return the text in segments of 25 words."""
    words = text.split()
    return [
        " ".join(words[at : at + 25]) for at in range(0, len(words) // 25 * 25, 25)
    ] or [text]


def measure_case(name: str, delay: float) -> None:
    """Run a case in this process; print the answer's milliseconds, or the run's seconds."""
    make = list_cases()[name]
    with contextlib.suppress(Exception):
        make("a b c d " * 10, "a b x d " * 10)()
    work = make(make_text(WORDS, 1), make_text(WORDS, 2))
    sent: list[float] = []

    def send() -> None:
        time.sleep(delay)
        sent.extend((time.perf_counter(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()
    start = time.perf_counter()
    try:
        work()
    except KeyboardInterrupt:
        wall, cpu = time.perf_counter() - sent[0], time.process_time() - sent[1]
        print(json.dumps({"answered": 1000 * wall, "cpu": 1000 * cpu}))
    else:
        print(json.dumps({"done": time.perf_counter() - start}))
    sys.stdout.flush()
    os._exit(0)


def run_case(name: str, delay: float) -> dict[str, float]:
    """Measure a case in a process of its own."""
    command = [sys.executable, __file__, "--case", name, "--delay", str(delay)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return {"answered": 1000 * PATIENCE}
    if not done.stdout.strip():
        return {"failed": 1, "why": done.stderr.strip()[-300:]}
    return json.loads(done.stdout.strip().split("\n")[-1])


def run_command(metric: str, delay: float, folder: Path) -> dict[str, float]:
    """Interrupt `metra score` on files of one segment; it must end with 130."""
    for name, seed in (("hyp", 1), ("ref", 2)):
        path = folder / f"{name}.txt"
        if not path.exists():
            path.write_text(make_text(WORDS, seed) + "\n")
    files = [str(folder / "hyp.txt"), "-r", str(folder / "ref.txt"), "-m", metric]
    command = [sys.executable, "-m", "metra", "score", *files]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.wait(delay + 1)
    except subprocess.TimeoutExpired:
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        answered = {"answered": 1000 * (time.perf_counter() - sent)}
        ended = process.returncode in (130, -signal.SIGINT)
        return answered if ended else {"failed": 1, "why": str(process.returncode)}
    return {"done": time.perf_counter() - start}


def main() -> int:
    """Measure all cases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--case")
    parser.add_argument("--delay", type=float)
    parser.add_argument("--write-results", action="store_true")
    options = parser.parse_args()
    # A shell that starts this in the background has it ignore the signal, and what it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.case:
        measure_case(options.case, options.delay)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        trials: list[tuple[str, Callable[[float], dict[str, float]]]] = [
            (name, lambda delay, name=name: run_case(name, delay))
            for name in list_cases()
            if options.only in name
        ]
        for metric in ("cer", "meteor", "ter", "gtm:e=2"):
            name = f"metra score -m {metric}"
            if options.only in name:
                run = lambda d, m=metric: run_command(m, d, Path(folder))  # noqa: E731
                trials.append((name, run))
        for name, run in trials:
            outcomes = []
            for delay in DELAYS:
                outcomes.append(run(delay))
                if "answered" not in outcomes[-1]:
                    break
            rows.append((name, outcomes))
            print(format_row(name, outcomes), flush=True)
    worst = max(outcome.get("answered", 0) for _, all_ in rows for outcome in all_)
    failed = [name for name, all_ in rows for one in all_ if "failed" in one]
    print(f"The slowest answer took {worst:.0f} ms; {len(failed)} failed: {failed}")
    if options.write_results:
        replace_section(PAGE, "Ctrl-C", format_part(rows))
    return 1 if worst > LIMIT or failed else 0


def format_part(rows: list[tuple[str, list[dict[str, float]]]]) -> str:
    """Return the part of the page in Markdown."""
    load = os.getloadavg()[0]
    delays = " | ".join(f"after {delay} s" for delay in DELAYS)
    table = "\n".join(format_row(name, outcomes) for name, outcomes in rows)
    return f"""
Written by `python bench/interrupts.py --write-results`: milliseconds from the signal to the
answer in the middle of one segment of {WORDS:,} words on both sides, those of CPU time in
brackets. Wall time depends on who else uses the machine: its load average was {load:.0f} on
{os.cpu_count()} cores.

| kernel | {delays} |
| :-- |{" --: |" * len(DELAYS)}
{table}
"""


def format_row(name: str, outcomes: list[dict[str, float]]) -> str:
    """Return a row: each answer in milliseconds, or in how many seconds it was done."""
    cells = [
        f"{one['answered']:.0f} ms" + (f" ({one['cpu']:.0f})" if "cpu" in one else "")
        if "answered" in one
        else f"done in {one['done']:.2f} s"
        if "done" in one
        else f"failed: {one.get('why')}"
        for one in outcomes
    ]
    cells += ["–"] * (len(DELAYS) - len(cells))
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
