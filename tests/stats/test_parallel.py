"""Threads: answers in order, few items in memory, errors and interruptions let through."""

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import metra
from metra import _core
from metra.errors import OptionError
from metra.stats.parallel import ordered_map, thread_count


def square(number: int) -> int:
    time.sleep(0.0005 * (number % 3))
    return number * number


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 50])
def test_answers_come_in_order(threads, count):
    answers = list(ordered_map(square, range(count), threads))
    assert answers == [n * n for n in range(count)]


def test_the_first_items_are_worked_on_without_threads_and_one_thread_is_none():
    places = list(ordered_map(lambda _: threading.get_ident(), range(8), 2, alone=4))
    here = threading.get_ident()
    assert places[:4] == [here] * 4
    assert here not in places[4:]
    assert set(ordered_map(lambda _: threading.get_ident(), range(20), 1)) == {here}


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_few_items_are_taken_ahead_of_the_answers(threads):
    taken = 0

    def items():
        nonlocal taken
        for number in range(1000):
            taken = number + 1
            yield number

    for done, _ in enumerate(ordered_map(square, items(), threads), 1):
        assert taken - done <= 2 * threads + 1


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("place", [1, 20])
def test_an_error_comes_through_in_its_place(threads, place):
    def fail(number: int) -> int:
        if number == place:
            msg = f"item {number}"
            raise LookupError(msg)
        return number

    answers = []
    before = threading.active_count()
    with pytest.raises(LookupError, match=f"item {place}"):
        answers.extend(ordered_map(fail, range(100), threads))
    assert threading.active_count() <= before


def test_an_error_of_the_items_comes_through():
    def items():
        yield from range(10)
        msg = "no more"
        raise LookupError(msg)

    with pytest.raises(LookupError, match="no more"):
        list(ordered_map(square, items(), 2))


def test_whoever_stops_early_waits_only_for_what_is_being_worked_on(monkeypatch):
    started = []
    go = threading.Event()

    def gated(number: int) -> int:
        started.append(number)
        if number > 1:
            go.wait()
        return number

    def left(pool: ThreadPoolExecutor, **how: bool) -> None:
        go.set()
        shutdown(pool, **how)

    shutdown = ThreadPoolExecutor.shutdown
    monkeypatch.setattr(ThreadPoolExecutor, "shutdown", left)

    answers = ordered_map(gated, range(1000), 2, alone=1)
    assert [next(answers), next(answers)] == [0, 1]
    # Both threads are held up, and two more items wait for them.
    while len(started) < 4:
        time.sleep(0.01)
    answers.close()
    assert sorted(started) == [0, 1, 2, 3]


class AlarmError(Exception):
    """Raised by the handler of a signal."""


@pytest.fixture
def alarm() -> Iterator[Callable[[], object]]:
    """Give what sends a signal in a moment; its handler raises an error in the main thread."""

    def sound(*_: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGALRM, sound)
    # An interruption inside another package's callback of the collector would be ignored.
    gc.disable()
    yield partial(signal.setitimer, signal.ITIMER_REAL, 0.1)
    gc.enable()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def match_runs(words: int) -> float:
    """Match many equal words, which takes longer than anyone would wait for."""
    cut = _core.Tokenizer("none", "mixed")
    texts = [cut(_core.Text(["a " * count])) for count in (words, words // 2)]
    hits = _core.Hits(texts[0], texts[1:])
    return float(_core.gtm_rows(hits, 2.0, "greedy", 0)[0, 0])


def test_a_signal_stops_a_kernel_in_the_middle_of_a_segment(alarm):
    alarm()
    with pytest.raises(AlarmError):
        match_runs(300_000)
    assert match_runs(10) == 5


def test_a_signal_stops_the_kernels_of_all_threads(alarm):
    # Python itself stumbles over an error that is raised while it starts a thread.
    both = threading.Barrier(2, alarm)

    def work(words: int) -> float:
        both.wait()
        return match_runs(words)

    with pytest.raises(AlarmError):
        list(ordered_map(work, [300_000] * 9, 2, alone=0))
    assert list(ordered_map(match_runs, [10] * 3, 2, alone=0)) == [5, 5, 5]


def test_a_flag_that_is_set_lets_no_kernel_begin():
    flag = _core.StopFlag()
    assert flag.call(match_runs, 10) == 5
    assert flag.call(max, 1, 2) == 2
    flag.set()
    with pytest.raises(KeyboardInterrupt):
        flag.call(match_runs, 10)
    assert match_runs(10) == 5


def test_the_number_of_threads_can_be_set(monkeypatch):
    for wanted in ("1", "2", "64"):
        monkeypatch.setenv("METRA_THREADS", wanted)
        assert thread_count() == int(wanted)
    monkeypatch.setenv("METRA_THREADS", "")
    assert thread_count() >= 1
    monkeypatch.delenv("METRA_THREADS")
    assert thread_count() >= 1


@pytest.mark.parametrize("wanted", ["0", "-1", "two", "1.5", " "])
def test_a_wrong_number_of_threads(wanted, monkeypatch):
    monkeypatch.setenv("METRA_THREADS", wanted)
    with pytest.raises(OptionError) as caught:
        metra.score(["a"], [["a"]])
    expected = "expected a whole number of at least 1."
    assert str(caught.value) == f"METRA_THREADS is {wanted!r}; {expected}"


def test_many_threads_score_many_segments_to_the_same_bit(monkeypatch):
    words = ["the", "cat", "sat", "on", "a", "mat", "."]
    hyps = [" ".join(words[at % 5 :] + words[: at % 3]) for at in range(20_000)]
    refs = [" ".join(words[at % 2 :]) for at in range(20_000)]
    spec = "bleu:stem=english"  # its word types are shared by the threads
    found = []
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("METRA_THREADS", threads)
        found.append(metra.score(hyps, [refs], spec).rows.tobytes())
    assert len(set(found)) == 1


def test_python_code_of_other_threads_is_stopped():
    started, stopped = threading.Event(), []

    def work(number: int) -> None:
        if number == 0:
            return
        started.set()
        patience = time.monotonic() + 30
        try:
            while time.monotonic() < patience:
                pass
        except KeyboardInterrupt:
            stopped.append(number)
            raise

    answers = ordered_map(work, range(10), 2, alone=0)
    next(answers)
    assert started.wait(30)
    answers.close()
    assert stopped
    assert set(stopped) <= {1, 2}


def test_an_interrupt_that_comes_too_late_hits_nobody(caplog):
    """The pool logs what is raised in its threads outside of the calls."""
    for length in range(300):
        sizes = [length * 7] * 9
        answers = ordered_map(lambda size: sum(range(size)), sizes, 2, alone=0)
        next(answers)
        answers.close()
    assert not caplog.records
