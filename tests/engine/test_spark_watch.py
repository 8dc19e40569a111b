"""Following Spark at work, without Spark."""

from threading import Event, Timer
from types import SimpleNamespace

from metra.engine.spark_watch import run


def test_nobody_is_told_of_work_that_is_over():
    asked, answered = Event(), Event()

    def jobs(_: str) -> list[int]:
        asked.set()
        answered.wait()
        return []

    context = SimpleNamespace(
        setJobGroup=lambda *_, **__: None,
        statusTracker=lambda: SimpleNamespace(getJobIdsForGroup=jobs),
    )

    def work() -> str:
        asked.wait()
        Timer(0.2, answered.set).start()
        return "done"

    told: list[tuple[int, int]] = []
    session = SimpleNamespace(sparkContext=context)
    assert run(session, work, lambda *news: told.append(news)) == "done"
    assert told == [(0, 0)]  # what was asked before the end, and by now
