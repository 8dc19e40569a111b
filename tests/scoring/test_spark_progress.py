"""Following Spark at work, without Spark."""

from threading import Event, Timer
from types import SimpleNamespace

from metra.scoring.executors.spark_session import run_steps


def test_nobody_is_told_of_work_that_is_over():
    asked, answered = Event(), Event()

    def jobs(_: str) -> list[int]:
        asked.set()
        answered.wait()
        return [1]

    tracker = SimpleNamespace(
        getJobIdsForGroup=jobs,
        getJobInfo=lambda _: SimpleNamespace(stageIds=[1]),
        getStageInfo=lambda _: SimpleNamespace(numCompletedTasks=3, numTasks=4),
    )
    context = SimpleNamespace(
        setJobGroup=lambda *_, **__: None, statusTracker=lambda: tracker
    )
    done = []

    def work() -> None:
        asked.wait()
        Timer(0.2, answered.set).start()
        done.append("done")

    told: list[tuple[int, float]] = []
    session = SimpleNamespace(sparkContext=context)
    run_steps(session, [work], lambda *news: told.append(news))
    assert done == ["done"]
    assert told == [(3, 0.75)]  # what was asked before the end, and by now
