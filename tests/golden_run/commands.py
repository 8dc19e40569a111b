"""Cases of commands, as `commands.txt` lists them, and the files that they need."""

from pathlib import Path

import numpy as np
from tests.golden_run.record import LIMIT, Case, Run
from tests.templates import expand, read_list

FORMATS = "<table|json|tsv|markdown|latex>"
CONTENT, NAMES = read_list(Path(__file__).with_name("commands.txt"))


def read_cases() -> list[Case]:
    """Read all cases."""
    cases = []
    for section in CONTENT.split("\n== ")[1:]:
        head, *lines = section.strip().split("\n")
        name, *settings = head.split()
        given = dict(setting.split("=") for setting in settings if "=" in setting)
        group, _, short = name.partition("/")
        if name.startswith("score/metric-"):
            lines = list_scores(lines, " --details" if "details" in settings else "")
        elif group == "meta" and not lines[0].startswith("metra "):
            lines = list_questions(f"metra meta {short}", lines)
        needs = tuple(filter(None, given.get("needs", "").split(",")))
        steps = [step for line in lines for step in expand(line, NAMES)]
        cases.append(Case(name, steps, needs, int(given.get("limit", LIMIT))))
    return cases


def list_scores(specs: list[str], details: str) -> list[str]:
    """Score by one metric: all systems in full digits, and each level for three systems."""
    every = " ".join(f"-m '{spec}'" for spec in specs)
    first = f"-m '{specs[0]}'"
    return [
        f"metra score <ALL> {every} --format tsv",
        f"metra score <FEW> {every} --level system,document,segment --format json{details}",
        f"metra score <FEW> {first} --level document,segment",
        f"metra score <FEW> {first} --ci --trials 50 --sort{details}",
        f"metra score <THREE> -r examples/reference.1.txt <TEXTS> {first} --digits 9",
    ]


def list_questions(command: str, lines: list[str]) -> list[str]:
    """Ask a question of `metra meta`: the first in every format, the others as table, JSON."""
    formats = [FORMATS, *["<table|json>"] * (len(lines) - 1)]
    pairs = zip(lines, formats, strict=True)
    return [f"{command} {line} --format {each}" for line, each in pairs]


def write_scores(run: Run) -> None:
    """Write six systems with a gold and three metrics, and a gold for the example."""
    rng = np.random.default_rng(0)
    lines = ["system\tseg\tdoc\tmqm\tgood\tpoor\terror"]
    for system in range(6):
        for segment in range(30):
            gold = round(rng.normal() + system / 3)
            good, poor = gold + rng.normal(), gold + 4 * rng.normal()
            lines.append(
                f"s{system}\t{segment}\td{segment // 6}\t{gold}\t{good}\t{poor}\t{-good}"
            )
    (run.folder / "scores.tsv").write_text("\n".join(lines) + "\n")
    rows = ["system\tsegment\tscorer\tvalue\tjudge"]
    for at, path in enumerate(sorted((run.folder / "examples/outputs").glob("*.txt"))):
        for segment in range(1, 29):
            for judge in range(2):
                value = int(rng.integers(0, 8)) + at
                rows.append(f"{path.stem}\t{segment}\tda\t{value}\tj{judge}")
    (run.folder / "gold.tsv").write_text("\n".join(rows) + "\n")


def write_bad_files(run: Run) -> None:
    """Write files with a mistake each."""
    bad = {
        "short.txt": b"one line\n",
        "empty.txt": b"",
        "latin.txt": b"caf\xe9\n" * 28,
        "broken.gz": b"\x1f\x8b\x08\x00broken",
        "broken.jsonl": b'{"output": "a"\n',
        "broken.xml": b"<dataset><doc>",
        "broken.sgm": b"<tstset><doc><seg>a",
        "broken.parquet": b"PAR1nothing",
        "broken.toml": b"name = \n",
        "ragged.tsv": b"output:a\tref:1\nx\ty\nz\n",
        "unknown.toml": b'name = "x"\nprotocol = "ldcc"\n',
        "one.tsv": b"system\tseg\tmqm\tm\nA\t1\t1\t2\nA\t2\t3\t1\n",
    }
    for name, content in bad.items():
        (run.folder / name).write_bytes(content)


MATERIAL = {"scores": [write_scores], "bad": [write_bad_files]}
CASES = read_cases()
