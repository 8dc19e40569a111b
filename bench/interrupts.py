"""What metrics and kernels do with huge segments, many references and several threads.

    python bench/interrupts.py                    all three parts: about six minutes
    python bench/interrupts.py --write-results    puts the tables into bench/RELIABILITY.md
    python bench/interrupts.py --part interrupts --only meteor

Ctrl-C: a case works on one segment of 300,000 words, in a process of its own, which is sent
SIGINT after some time of work. Measured is the time until KeyboardInterrupt arrives, for
commands until the process has ended with exit code 130 and one sentence. References: what a
segment costs with 1,000 to 8,000 of them. Threads: calls of `sentence` by one and by two.

Exit status: 0 all in time and linear, 1 not.
"""

import argparse
import json
import math
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from results import replace_section

from metra.metrics.registry import BUILT_IN

PAGE = Path(__file__).with_name("RELIABILITY.md")
WORDS = 300_000
#: Seconds of work before the signal; what ends sooner needs no signal.
DELAYS = (0.05, 0.3, 2.0)
#: The most that an answer may take, in milliseconds.
LIMIT = 300
PATIENCE = 60
REFERENCES = (1000, 2000, 4000, 8000)
LENGTHS = (20, 400, 5000)
#: The most that a reference may cost with 8,000 of them, as a multiple of what it costs with
#: 1,000. A quadratic cost would give 8.
STEEPEST = 2

#: Metrics that have no kernel and wait for a model.
BY_MODEL = ("llm", "comet", "bertscore", "metricx")
#: Metrics that also read a file about the text, or its documents.
WITH_FILES = (
    *("ltv", "xscore", "transfer", "ie", "quality", "entities", "terminology"),
    *("untranslated", "evaltrans", "outside", "spans"),
)
#: Metrics of texts alone, and options that choose another kernel.
SPECS = (
    *(name for name in BUILT_IN if name not in {*WITH_FILES, *BY_MODEL}),
    *("bleu:tok=intl", "bleu:tok=zh", "bleu:n=12", "bleu:case=lower,stem=english"),
    *("chrf:word_order=2", "ter:style=tercom", "wer:tok=char", "cer:unit=grapheme"),
    *("gtm:e=2", "gtm:e=2,match=paper", "gtm:e=2,match=exact", "meteor:modules=exact"),
)
ALIGNING = ("wer", "gtm:e=2", "meteor")
THREADED = ("cer", "meteor", "ter")
#: Seconds that `metra` needs to begin.
START = 0.5
#: What `metra` is called with, on files of one segment, and the signal comes after.
COMMANDS = (
    *(
        "score -m cer",
        "score -m meteor",
        "score -m ter:style=tercom",
        "score -m gtm:e=2 --format json",
    ),
    *("score -m chrf --ci", "compare", "profile", "report"),
)

Work = Callable[[], object]
#: From two texts and an empty folder to a function without arguments.
Case = Callable[[str, str, Path], Work]
Outcome = dict[str, float | str]


def make_text(words: int, seed: int) -> str:
    """Return words as they are distributed in texts; another seed is another text."""
    rng = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(50_000)]
    weights = [1 / (number + 10) for number in range(50_000)]
    return " ".join(rng.choices(vocabulary, weights, k=words))


def list_cases() -> dict[str, Case]:
    """Return what is interrupted, by name."""
    import metra
    from metra import _core

    def score(spec: str) -> Case:
        return lambda hyp, ref, _: lambda: metra.score([hyp], [[ref]], spec).score

    def score_sentence(spec: str) -> Case:
        return lambda hyp, ref, _: lambda: metra.metric(spec).sentence(hyp, [ref])

    def align(spec: str) -> Case:
        return lambda hyp, ref, _: lambda: metra.metric(spec).alignments(hyp, [ref])

    def score_pairs(spec: str) -> Case:
        return lambda hyp, ref, _: lambda: metra.pairwise([hyp, ref], [hyp, ref], spec)

    def build_hits(hyp: str, ref: str) -> _core.Hits:
        return _core.Tokenizer("none", "mixed").hits(hyp, [ref])

    def repeat_word(hyp: str, *_: object) -> Work:
        many = "a " * len(hyp.split())
        return lambda: metra.score([many], [[many[::2]]], "gtm:e=2").score

    return (
        {spec: score(spec) for spec in SPECS}
        | {name: partial(score_with_files, name) for name in WITH_FILES}
        | {
            f"sentence, {spec}": score_sentence(spec)
            for spec in ("bleu", "chrf", "wer")
        }
        | {f"alignment, {spec}": align(spec) for spec in ALIGNING}
        | {f"all pairs, {spec}": score_pairs(spec) for spec in ("bleu", "chrf", "ter")}
        | {f"threads, {spec}": partial(score_in_threads, spec) for spec in THREADED}
        | {f"compare, {test}": partial(compare, test) for test in ("ar", "bootstrap")}
        | {
            "alignment, jiwer's": lambda h, r, _: (
                lambda: _core.edit_alignments(build_hits(h, r), 0, "rapidfuzz", "best")
            ),
            "gtm:e=2, one word": repeat_word,
            "resegment": lambda h, r, _: lambda: metra.resegment([h], cut_text(r)),
            "align sentences": lambda h, r, _: (
                lambda: metra.align_sentences(cut_text(h), cut_text(r))
            ),
            "tie calibration": calibrate,
            "agreement": agree,
        }
    )


def score_with_files(name: str, hyp: str, ref: str, folder: Path) -> Work:
    """Return the work of a metric that reads files, which say something of every word."""
    import metra

    words = hyp.split()

    def write(file: str, lines: Iterable[str]) -> str:
        path = folder / file
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    def write_parse(file: str, text: str) -> str:
        lines = ["# segment = 1"]
        for number, word in enumerate(text.split()):
            at = number % 25
            lines += [""] if number and not at else []
            kind, head, relation = (
                ("VERB", 0, "root") if at == 1 else ("NOUN", 2, "nsubj")
            )
            row = (at + 1, word, word, kind, kind, "_", head, relation, "_", "_")
            lines.append("\t".join(map(str, row)))
        row = (1, "b", "b", "NOUN", "NOUN", "_", 0, "root", "_", "_")
        return write(file, [*lines, "", "# segment = 2", "\t".join(map(str, row)), ""])

    def write_table(file: str, columns: str, rows: Iterable[str]) -> str:
        return write(file, [columns.replace(" ", "\t"), *rows])

    def write_templates(file: str, text: str) -> str:
        rows = (f"one\tevent\te{n // 9}\twhat\t{w}" for n, w in enumerate(text.split()))
        return write_table(file, "document template instance slot value", rows)

    rule = '[[rule]]\nname = "a"\nsource = "NOUN VERB"\ntarget = "NOUN VERB? NOUN+"\n'
    model = 'name = "a"\ncontext = "b"\n[[measure]]\nspec = "cer"\nweight = 1\n'
    specs: dict[str, Callable[[], str]] = {
        "ltv": lambda: "ltv",
        "xscore": lambda: f"xscore:parses={write_parse('hyp.conllu', hyp)}",
        "transfer": lambda: (
            f"transfer:rules={write('rules.toml', [rule])},"
            f"source_parses={write_parse('source.conllu', ref)},"
            f"parses={write_parse('hyp.conllu', hyp)}"
        ),
        "ie": lambda: (
            f"ie:templates={write_templates('hyp.tsv', hyp)},"
            f"reference={write_templates('ref.tsv', ref)}"
        ),
        "quality": lambda: (
            f"quality:model={write('model.toml', [model, 'worst = 100', 'best = 0'])}"
        ),
        "entities": lambda: (
            "entities:file="
            + write_table(
                "names.tsv", "segment type text", (f"1\tX\t{w}" for w in words)
            )
        ),
        "terminology": lambda: (
            "terminology:file="
            + write_table("terms.tsv", "term source", (f"{w}\t{w}" for w in words))
        ),
        "untranslated": lambda: (
            f"untranslated:dictionary={write('words.txt', set(words))}"
        ),
        "evaltrans": lambda: (
            "evaltrans:db="
            + write_table(
                "judged.tsv", "source output score judge", [f"1\t{hyp} b\t5\ta"]
            )
        ),
        "outside": lambda: f"x@{write('scores.txt', ['1', '2'])}:better=higher",
        "spans": lambda: (
            "spans:file="
            + write(
                "errors.jsonl",
                (
                    json.dumps({"system": "a", "segment": number, "errors": errors})
                    for number in (1, 2)
                    for errors in [
                        [
                            {"start": at, "end": at + 3, "severity": "minor"}
                            for at in range(0, len(hyp) - 3, 4)
                        ]
                    ]
                ),
            )
        ),
    }
    spec = specs[name]
    # Two documents of a segment each: salience shows beside others only.
    evalset = metra.EvalSet([[ref, "b"]], [ref, "b"], ["one", "two"])
    return lambda: metra.evaluate(evalset, {"a": [hyp, "b"]}, [spec()])


def score_in_threads(spec: str, hyp: str, ref: str, _: Path) -> Work:
    """Return work for a pool of two threads."""
    import metra
    from metra.stats.parallel import ordered_map

    def score(_: int) -> float:
        return metra.score([hyp], [[ref]], spec).score

    return lambda: list(ordered_map(score, range(8), 2, alone=0))


def compare(test: str, hyp: str, ref: str, _: Path) -> Work:
    """Return a significance test over many segments."""
    import metra

    evalset = metra.EvalSet([cut_text(ref)])
    outputs = {"a": cut_text(hyp), "b": cut_text(hyp)[::-1]}
    trials = min(200_000, len(hyp))
    return lambda: metra.compare(evalset, outputs, ["bleu"], test=test, trials=trials)


def calibrate(hyp: str, ref: str, _: Path) -> Work:
    """Return the search for the best threshold of ties over all pairs of words."""
    import numpy as np

    from metra.stats.thresholds import calibrate_long

    gold, metric = (
        np.array([[int(w[1:]) % 997 for w in t.split()]], float) for t in (hyp, ref)
    )
    return lambda: calibrate_long(
        gold, metric + np.random.default_rng(1).random(metric.shape)
    )


def agree(hyp: str, ref: str, _: Path) -> Work:
    """Return the agreement of two judges, whose answers are the lengths of words."""
    from metra.meta.arrays import agree
    from metra.text.words import count_words_to_read

    def work() -> object:
        judges = [
            count_words_to_read(list(map(" ".join, t.split()))) for t in (hyp, ref)
        ]
        return agree(judges)

    return work


def cut_text(text: str) -> list[str]:
    """Return the text in segments of 25 words."""
    words = text.split()
    return [
        " ".join(words[at : at + 25]) for at in range(0, len(words) // 25 * 25, 25)
    ] or [text]


def work_on_case(name: str) -> None:
    """Do the work of a case once for each delay, and print what came of it, a line each."""
    with tempfile.TemporaryDirectory() as folder:
        make = list_cases()[name]
        make(make_text(50, 1), make_text(50, 2), Path(folder))()
        work = make(make_text(WORDS, 1), make_text(WORDS, 2), Path(folder))
        for _ in DELAYS:
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                try:
                    print("begun", flush=True)
                    work()
                finally:
                    signal.signal(signal.SIGINT, signal.SIG_IGN)
            except KeyboardInterrupt:
                print("stopped", time.monotonic(), time.process_time(), flush=True)
            else:
                print("done", flush=True)
                break


def read_cpu_time(process: subprocess.Popen[str]) -> float:
    """Return the seconds of CPU time that a process has used so far."""
    # What clock_getcpuclockid of the C library returns for the process on Linux.
    return time.clock_gettime(~process.pid << 3 | 2)


def start_process(*arguments: str) -> subprocess.Popen[str]:
    """Start Python with what it says in pipes."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )


def interrupt_case(name: str) -> list[Outcome]:
    """Interrupt a case after each delay."""
    outcomes: list[Outcome] = []
    with start_process(__file__, "--case", name) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for delay in DELAYS:
            if process.stdout.readline() != "begun\n":
                outcomes.append({"failed": process.stderr.read().strip()[-300:]})
                break
            began = time.monotonic()
            if select.select([process.stdout], [], [], delay)[0]:
                outcomes.append({"done": time.monotonic() - began})
                break
            sent, cpu = time.monotonic(), read_cpu_time(process)
            process.send_signal(signal.SIGINT)
            if not select.select([process.stdout], [], [], PATIENCE)[0]:
                outcomes.append({"answered": 1000.0 * PATIENCE})
                break
            # Work that ended just before the signal says so, or its process ends.
            said, *clocks = process.stdout.readline().split() or ["done"]
            if said != "stopped":
                outcomes.append({"done": time.monotonic() - began})
                break
            answer = [
                1000 * (float(c) - at)
                for c, at in zip(clocks, (sent, cpu), strict=True)
            ]
            outcomes.append({"answered": answer[0], "cpu": answer[1]})
        process.kill()
    return outcomes


def interrupt_command(command: str, folder: Path) -> list[Outcome]:
    """Interrupt a command on files of one segment; it must end with 130 and one sentence."""
    files = [str(folder / "hyp.txt"), "-r", str(folder / "ref.txt")]
    name, *options = command.split()
    if name == "compare":
        files.insert(0, str(folder / "other.txt"))
    if name == "report":
        options += ["-o", str(folder / "report.html")]
    outcomes: list[Outcome] = []
    for delay in DELAYS:
        began = time.monotonic()
        with start_process("-m", "metra", name, *files, *options) as process:
            try:
                process.wait(delay + START)
            except subprocess.TimeoutExpired:
                sent, cpu = time.monotonic(), read_cpu_time(process)
                process.send_signal(signal.SIGINT)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                answered = 1000 * (time.monotonic() - sent)
                used = 1000 * (usage.ru_utime + usage.ru_stime - cpu)
                outcome: Outcome = {"answered": answered, "cpu": used}
                said = process.communicate()[1].strip().split("\n")
                # Progress is erased by the carriage return before what follows it.
                last = said[-1].rpartition("\r")[2]
                sentence = "metra: interrupted; nothing was written."
                if process.returncode != 130 or not last.endswith(sentence):
                    outcome = {"failed": f"{process.returncode}: {said[-3:]}"}
                outcomes.append(outcome)
            else:
                outcomes.append({"done": time.monotonic() - began})
                break
    return outcomes


def interrupt_all(only: str) -> tuple[str, list[str]]:
    """Interrupt cases and commands; return the table, and what was too slow or failed."""
    rows, faults = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, file in enumerate(("hyp.txt", "ref.txt", "other.txt")):
            (folder / file).write_text(make_text(WORDS, number) + "\n")
        trials: dict[str, Callable[[], list[Outcome]]] = {
            case: partial(interrupt_case, case) for case in list_cases()
        }
        trials |= {
            f"`metra {command}`": partial(interrupt_command, command, folder)
            for command in COMMANDS
        }
        for title, trial in trials.items():
            if only not in title:
                continue
            outcomes = trial()
            rows.append(format_row(title, outcomes))
            print(rows[-1], flush=True)
            if any("failed" in o or o.get("answered", 0) > LIMIT for o in outcomes):
                faults.append(title)
    delays = " | ".join(f"after {delay} s" for delay in DELAYS)
    heading = f"| work | {delays} |\n| :-- |{' --: |' * len(DELAYS)}"
    text = f"""
Milliseconds from the signal to KeyboardInterrupt (CPU time in brackets), in the middle of a
segment of {WORDS:,} words in output and reference, for every kernel and every metric that does
not call a language model. For a command, the time until it ends with exit code 130 and one
sentence; its work begins {START} s after its process. Work that ends sooner is not interrupted.

{heading}
"""
    return text + "\n".join(rows), faults


def format_row(name: str, outcomes: list[Outcome]) -> str:
    """Return a row: each answer in milliseconds, or in how many seconds it was done."""
    cells = []
    for outcome in outcomes:
        match outcome:
            case {"answered": float(wall), "cpu": float(cpu)}:
                cells.append(f"{wall:.0f} ({cpu:.0f})")
            case {"answered": float(wall)}:
                cells.append(f"over {wall:.0f}")
            case {"done": float(seconds)}:
                cells.append(f"done in {seconds:.2f} s")
            case _:
                cells.append(f"failed: {outcome}")
    cells += ["–"] * (len(DELAYS) - len(cells))
    return f"| {name} | {' | '.join(cells)} |"


def count_references(only: str) -> tuple[str, list[str]]:
    """Measure what a segment costs with many references; return a table, and faults."""
    texts = cut_text(make_text(25 * (max(REFERENCES) + 1), 1))
    rows, faults = [], []
    for spec in (*SPECS, "ltv"):
        if only not in spec:
            continue
        times = [time_references(spec, texts[: count + 1]) for count in REFERENCES]
        ratio = times[-1] / times[0] * REFERENCES[0] / REFERENCES[-1]
        cells = " | ".join(f"{1000 * seconds:.0f}" for seconds in times)
        rows.append(f"| {spec} | {cells} | {ratio:.2f} |")
        print(rows[-1], flush=True)
        if ratio > STEEPEST:
            faults.append(f"{spec} with many references")
    counts = " | ".join(f"{count:,}" for count in REFERENCES)
    text = f"""
Milliseconds of CPU time, the fastest of several runs, to score a segment of 25 words against
references of 25 words. The last column is the time per reference with {REFERENCES[-1]:,}
references, divided by the time per reference with {REFERENCES[0]:,}: 1 means linear. It is
larger if a table of n-grams no longer fits into the cache of the processor.

| metric | {counts} | ratio |
| :-- |{" --: |" * (len(REFERENCES) + 1)}
"""
    return text + "\n".join(rows), faults


def time_references(spec: str, texts: list[str]) -> float:
    """Return the seconds of CPU time to score the first text with the others as references."""
    import metra

    hyp, *refs = texts
    # A second document, for metrics that need two.
    evalset = metra.EvalSet([[ref, "b"] for ref in refs], None, ["one", "two"])
    work = partial(metra.evaluate, evalset, {"a": [hyp, "b"]}, [spec])
    return find_fastest(work, time.process_time)


def measure_threads(only: str) -> tuple[str, list[str]]:
    """Measure calls of `sentence` by one thread and by two; return a table."""
    rows = []
    for spec in ("bleu", "chrf", "ter", "meteor"):
        for words in LENGTHS:
            if only not in spec:
                continue
            alone, both, batch = time_threads(
                spec, make_text(words, 1), make_text(words, 2)
            )
            cells = [f"{1e6 * seconds:,.1f}" for seconds in (alone, both, batch)]
            rows.append(
                f"| {spec} | {words:,} | {' | '.join(cells)} | {alone / both:.2f} |"
            )
            print(rows[-1], flush=True)
    text = """
Microseconds of wall time per segment: calls of `metric.sentence` from one thread and from two
threads; one call of `metra.score` with all segments, on all cores; and the speed-up of two
threads over one.

| metric | words | one thread | two threads | one call | speed-up |
| :-- | --: | --: | --: | --: | --: |
"""
    return text + "\n".join(rows), []


def time_threads(spec: str, hyp: str, ref: str) -> tuple[float, float, float]:
    """Return the seconds of a segment: by one thread, by two, and in one call with others."""
    import metra

    sentence = metra.metric(spec).sentence
    call = partial(sentence, hyp, [ref])
    calls = 2 * math.ceil(0.25 / find_fastest(call, time.perf_counter))

    def work(count: int) -> None:
        for _ in range(count):
            sentence(hyp, [ref])

    def share(pool: ThreadPoolExecutor, threads: int) -> None:
        list(pool.map(work, [calls // threads] * threads))

    times = []
    for threads in (1, 2):
        with ThreadPoolExecutor(threads) as pool:
            times.append(find_fastest(partial(share, pool, threads), time.perf_counter))
    evalset = metra.EvalSet([[ref] * calls])
    batch = partial(metra.evaluate, evalset, {"a": [hyp] * calls}, [spec])
    alone, both, together = (*times, find_fastest(batch, time.perf_counter))
    return alone / calls, both / calls, together / calls


def find_fastest(work: Work, clock: Callable[[], float]) -> float:
    """Return the time of the fastest of some runs."""
    times: list[float] = []
    while len(times) < 5 and sum(times) < 1:
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


#: The parts with their headings on the page.
PARTS = {
    "interrupts": ("Ctrl-C", interrupt_all),
    "references": ("Many references", count_references),
    "threads": ("Threads", measure_threads),
}


def main() -> int:
    """Measure, print tables, and write them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--only", default="", help="what has this in its name")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--write-results", action="store_true")
    options = parser.parse_args()
    # A shell that starts this in the background has it ignore the signal, and what it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.case:
        work_on_case(options.case)
        return 0
    all_faults = []
    for part in options.part or PARTS:
        heading, measure = PARTS[part]
        table, faults = measure(options.only)
        all_faults += faults
        if options.write_results:
            load = f"The load average was {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
            begin = f"Written by `python bench/interrupts.py --write-results`. {load}"
            replace_section(PAGE, heading, f"{begin}{table}")
    print(f"Too slow, too steep or failed: {', '.join(all_faults) or 'nothing'}.")
    return 1 if all_faults else 0


if __name__ == "__main__":
    sys.exit(main())
