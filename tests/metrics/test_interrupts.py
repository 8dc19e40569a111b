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

from interrupts import BY_MODEL, SPECS, WITH_FILES


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
