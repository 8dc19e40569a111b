"""`metra compare`: tables, clusters, the JSON contract, what is refused, being interrupted."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.patience import PATIENCE

import metra
from metra.corpus.examples import find_example

EXAMPLE = find_example()


def output(name: str) -> str:
    return next(path for path in EXAMPLE.outputs if path.endswith(f"/{name}.txt"))


@pytest.fixture
def compare(cli):
    def run(*arguments, systems=("solid", "polished", "near-copy")):
        reference = ["-r", EXAMPLE.references[0]]
        return cli("compare", *map(output, systems), *reference, *arguments)

    return run


def test_json_is_what_python_gives(compare):
    def lines(path):
        with open(path, encoding="utf-8", newline="\n") as file:
            return file.read().removesuffix("\n").split("\n")

    arguments = ("-m", "bleu", "-m", "ter", "--all-pairs", "--test", "bootstrap")
    data = json.loads(compare(*arguments, "--trials", "99", "--format", "json").out)
    systems = {name: lines(output(name)) for name in ("solid", "polished", "near-copy")}
    results = metra.compare(
        metra.EvalSet(lines(EXAMPLE.references[0])),
        systems,
        ["bleu", "ter"],
        all_pairs=True,
        test="bootstrap",
        trials=99,
    )
    assert len(data["comparisons"]) == len(results.comparisons) == 6
    for entry, found in zip(data["comparisons"], results.comparisons, strict=True):
        assert entry["metric"] == found.metric
        assert (entry["baseline"], entry["system"]) == (found.baseline, found.system)
        assert entry["difference"] == found.difference
        assert entry["interval"] == list(found.interval)
        assert (entry["p_value"], entry["p_holm"]) == (found.p_value, found.p_holm)
        assert entry["test"] == found.test
    assert data["clusters"] == results.clusters
    assert data["systems"][0]["scores"]["bleu"]["interval"]


def test_a_copy_has_p_one(compare):
    copy = f"copy={output('solid')}"
    out = compare(copy, "--format", "json", "-m", "nist", systems=("solid",)).out
    assert json.loads(out)["comparisons"][0]["p_value"] == 1


def test_another_baseline(compare):
    out = compare("--baseline", "near-copy", "--trials", "99").out
    assert "Significantly worse than near-copy: solid and polished." in out


def test_the_same_bytes_for_any_number_of_threads(metra_command):
    arguments = ("compare", output("solid"), output("polished"), output("terse"))
    arguments += ("-r", EXAMPLE.references[0], "-m", "nist", "-m", "chrf")
    runs = [
        metra_command(*arguments, "--format", "json", METRA_THREADS=threads)
        for threads in ("1", "2", "5")
    ]
    assert runs[0].code == 0
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--baseline", "sold"], "No system named 'sold'. Did you mean 'solid'?"),
        (["--trials", "5"], "With 5 trials no p-value can be as low as 0.05"),
        (["--alpha", "5"], "--alpha 5.0 is not possible"),
        (["--unit", "document"], "Resampling documents needs documents"),
        (
            ["--changes", "3", "--format", "tsv"],
            "The format tsv does not support changes",
        ),
        (["-m", "blue"], "No metric named 'blue'. Did you mean 'bleu'?"),
    ],
)
def test_what_is_refused(compare, arguments, expected):
    ran = compare(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert expected in ran.err


def test_a_hint_for_those_who_watch(compare, monkeypatch):
    assert compare("--trials", "99").err == ""
    monkeypatch.setenv("COLUMNS", "100")
    assert "To see what changed, add --changes 5" in compare("--trials", "99").err
    assert compare("--trials", "99", "--changes", "1").err == ""


def test_a_system_alone(compare):
    ran = compare(systems=("solid",))
    assert ran.code == 2
    assert ran.err.startswith("metra: The input has only one system, 'solid'")


def test_interrupted_work_leaves_nothing_behind(write):
    lines = ["a b c d", "a b c x"] * 10_000
    reference, other = write("ref.txt", lines), write("other.txt", lines[::-1])
    target = reference.parent / "comparison.json"
    command = [sys.executable, "-m", "metra", "compare", "-", str(other), "-r"]
    command += [str(reference), "--trials", "10000000", "-o", str(target)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            # More than a pipe holds: once all is written, the command is at work.
            process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            process.stdin.close()
            time.sleep(1)
            assert process.poll() is None  # it would go on for minutes
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=PATIENCE)
            message = process.stderr.read().decode().strip()
        finally:
            process.kill()
    assert (code, message) == (130, "metra: interrupted; nothing was written.")
    assert not target.exists()
    assert sorted(os.listdir(target.parent)) == ["other.txt", "ref.txt"]
