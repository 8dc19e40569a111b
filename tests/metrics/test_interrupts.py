"""Ctrl-C: the benchmark has all metrics and kernels, and every moment ends in one sentence."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from metra import __main__, cli
from metra.metrics.registry import BUILT_IN

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

from interrupts import BY_MODEL, SPECS, WITH_FILES, list_cases, make_text

#: Kernels that no case calls from Python, with the reason.
LEFT_OUT = {
    "BleuFormula.sentence": "called by the cases `sentence`, through functools.partial",
    "Chrf.sentence": "called by the cases `sentence`, through functools.partial",
    "Ltv.score": "totals, no segments",
    "Meteor.pieces": "totals, no segments",
    "nist_penalty": "totals, no segments",
    "nist_score": "totals, no segments",
    "grapheme_version": "a constant",
    "logarithms": "types of words on Spark and against a corpus, plain arithmetic",
    "ngram_sums": "n-grams as in ngram_rows; the commands of the benchmark call it",
    "LineBuffer.finish": "lines of files; the commands of the benchmark read some",
    "LineBuffer.pop": "lines of files; the commands of the benchmark read some",
    "LineBuffer.push": "lines of files; the commands of the benchmark read some",
    "Tokens.joined": "text for models",
    "Text.packed": "columns of tables",
    **dict.fromkeys(
        (
            *("Information.given", "Information.learn", "Information.lines"),
            *("Information.terms", "Salience.column", "Salience.learnt"),
            "Salience.terms",
        ),
        "types of words, of which even a huge segment has few",
    ),
}


def list_kernels() -> set[str]:
    """Every function and method of the compiled module."""
    names: set[str] = set()
    for name, value in vars(_core).items():
        if isinstance(value, type) and not issubclass(value, Exception):
            names |= {f"{name}.{i}" for i in dir(value) if callable(getattr(value, i))}
        elif callable(value) and not isinstance(value, type):
            names.add(name)
    return {name for name in names if not name.rpartition(".")[2].startswith("__")}


def test_the_benchmark_has_every_metric():
    named = [spec.partition(":")[0] for spec in SPECS]
    assert {*named, *WITH_FILES, *BY_MODEL} == set(BUILT_IN)
    assert all(spec in SPECS for spec in ("bleu", "wer", "mwer", "syntax"))


@pytest.fixture
def end(monkeypatch, capsys):
    """Run the entry point around a command line; its exit code, and what it said."""
    before = signal.getsignal(signal.SIGINT)

    def run(command_line):
        monkeypatch.setattr(cli, "main", command_line)
        with pytest.raises(SystemExit) as ended:
            __main__.main()
        return ended.value.code, capsys.readouterr().err

    yield run
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_outside_the_command_line_is_answered_in_a_sentence(end):
    def interrupt():
        raise KeyboardInterrupt

    assert end(interrupt) == (130, "metra: interrupted; nothing was written.\n")
    # It waits for nothing more: a second one ends at once.
    assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL


@pytest.mark.parametrize("code", [0, 2, None])
def test_ctrl_c_after_the_last_line_changes_nothing(end, code):
    def finish():
        raise SystemExit(code)

    assert end(finish) == (code, "")
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def test_ctrl_c_while_the_entry_point_loads_is_answered_in_a_sentence():
    # Everything but the package itself and the entry point is loaded under its eyes.
    code = (
        "import sys, metra.__main__ as entry\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'metra.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "entry.main()"
    )
    done = run_python(code)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "metra: interrupted; nothing was written.\n"


def test_a_signal_that_waits_for_the_first_array_is_no_fault():
    # Between the signal and the kernel no Python runs that would answer it.
    code = """
import ctypes, signal, numpy
from functools import partial
from operator import call
from metra import _core
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have ignored
hits = _core.Tokenizer("none", "mixed").hits("a b", ["b"])
calls = [partial(ctypes.CDLL(None)["raise"], signal.SIGINT), partial(_core.unequal_rows, hits)]
try:
    list(map(call, calls))
except KeyboardInterrupt:
    print("stopped")
"""
    done = run_python(code)
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
