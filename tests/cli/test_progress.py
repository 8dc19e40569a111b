"""The line that says how far the work is: for people, and for long work only."""

import io
import sys

import pytest

import metra
from metra.cli import output
from metra.corpus.outputs import Outputs
from metra.report.study import build_study
from metra.scoring.evaluate import make_metrics
from metra.stats.parallel import count_blocks, track_blocks


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves when told to."""
    now = [100.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: now[0])

    def advance(seconds: float) -> None:
        now[0] += seconds

    return advance


def test_long_work_is_shown_and_wiped_away(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with output.show_progress() as report:
        clock(0.5)
        report(1000)
        assert sys.stderr.getvalue() == ""
        clock(1.5)
        report(5000)
        clock(0.1)
        report(6000)  # too soon after the last
        clock(0.2)
        report(11_500)
    assert sys.stderr.getvalue() == (
        "\r5,000 segments, 2,500 per second \x1b[K"
        "\r11,500 segments, 5,000 per second \x1b[K"
        "\r\x1b[K"
    )


def test_quick_work_is_not_shown(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with output.show_progress() as report:
        clock(0.9)
        report(5000)
    assert sys.stderr.getvalue() == ""


def test_nothing_is_shown_where_no_one_watches(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with output.show_progress() as report:
        clock(10)
        report(5000)
    assert sys.stderr.getvalue() == ""


def test_what_cannot_be_counted_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with output.name_stages() as name_stage:
        name_stage("n-grams")
        name_stage("profiles")
    assert sys.stderr.getvalue() == "\rn-grams … \x1b[K\rprofiles … \x1b[K\r\x1b[K"


def test_every_finding_is_announced():
    corpus = Outputs(
        metra.EvalSet([["a b c", "d e f"]]), {"x": ["a b", "d"], "y": ["a c", "e"]}
    )
    stages = []
    build_study(corpus, make_metrics(["bleu"]), looking=stages.append)
    assert stages == ["n-grams", "buckets", "profiles"]


def test_the_time_that_is_left(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with output.show_progress() as report:
        clock(100)
        report(1_000_000, 0.25)
        clock(100)
        report(4_000_000)
    assert sys.stderr.getvalue() == (
        "\r1,000,000 segments, 10,000 per second, 25%, 5 min 0 s left \x1b[K"
        "\r4,000,000 segments, 20,000 per second \x1b[K"
        "\r\x1b[K"
    )


def test_files_tell_how_far_they_are_read(write):
    from metra.scoring.files import open_corpus

    path = str(write("a.txt", ["one line"] * 400_000))
    corpus = open_corpus([path], [path])
    chunks = corpus.chunks(2048)
    assert corpus.share() is None
    next(chunks)
    assert 0.2 < corpus.share() < 0.5
    assert sum(len(chunk) for chunk in chunks) == 400_000 - 2048
    assert corpus.share() == 1


def test_the_outer_loop_reports():
    told = []
    with count_blocks(lambda done, share: told.append((done, share))):
        for _ in track_blocks(2):
            list(track_blocks(1000, 250))
        list(track_blocks(3, 2))
    assert told == [(0, 0.0), (1, 0.5), (2, 1.0), (0, 0.0), (2, 2 / 3), (3, 1.0)]
