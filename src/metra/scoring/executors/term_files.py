"""Terms that shards exchange through files, so that no process has to hold all of them.

Every step is a number of tasks, each of which writes one file, whole or not at all. So work
that is stopped goes on where it was, and tasks may be shared out among processes that see the
same folder.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, zip_longest
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from metra.corpus.batch import CorpusChunk
from metra.errors import FormatError, MetraError
from metra.formats.atomic import write_file
from metra.formats.remote import is_remote, open_remote
from metra.formats.stream import get_file_state
from metra.metrics.corpus_weights import TermExchange
from metra.metrics.record import Metric
from metra.scoring.plan import ScoringPlan, pack_chunks
from metra.scoring.term_exchange import (
    DocumentLists,
    TermSums,
    answer_partition,
    cut_partitions,
    join_answers,
    release_memory,
    split_terms,
)
from metra.stats.parallel import ordered_map, thread_count

#: The step in which shards ask for what they need.
ASKED = "asked"

_FINGERPRINT = b"metra.fingerprint"
_SUMS = b"metra.sums"
_ENDING = ".terms"
# So many files of a metric are open at a time: those of all partitions of 13 million rows, as
# chunks read from all of them. Systems often allow 1,024 in all.
_OPEN = 400

#: Gives the rows of a shard in chunks, by the shard's number.
ReadChunks = Callable[[int], Iterable[pa.RecordBatch]]


class ExchangeStep(NamedTuple):
    """Some tasks of one kind; the next step needs all of them."""

    name: str
    tasks: int
    make: Callable[[int], None]


class Part(NamedTuple):
    """One of several equal parts of the work, counted from 1."""

    number: int
    parts: int

    def takes(self, task: int) -> bool:
        """Whether a task, counted from 0, belongs to this part."""
        return task % self.parts == self.number - 1

    def __str__(self) -> str:
        """Say which part of how many it is."""
        return f"part {self.number} of {self.parts}"


class TermFiles:
    """The files through which the shards of a table exchange one metric's terms."""

    def __init__(
        self,
        stem: str,
        fingerprint: str,
        exchange: TermExchange,
        *,
        chunks: Sequence[int],
        partitions: int,
    ) -> None:
        """Take how the files' paths begin, what is in them, and how many chunks shards have."""
        self._stem, self._fingerprint = stem, fingerprint
        self._exchange, self._chunks, self._partitions = exchange, chunks, partitions
        self._starts = [0, *accumulate(chunks)]
        self._lock = Lock()
        self._open = lru_cache(_OPEN)(self._open_file)
        self._add_sums = lru_cache(self._sum_step)

    def list_steps(
        self, plan: ScoringPlan, read_chunks: ReadChunks
    ) -> list[ExchangeStep]:
        """List what has to be done before the first chunk can be scored."""

        def ask(shard: int) -> None:
            self._write(ASKED, shard, self._ask(plan, read_chunks(shard)))

        steps = [ExchangeStep(ASKED, len(self._chunks), ask)]
        if self._exchange.weigh:
            steps.append(ExchangeStep("words", self._partitions, self._send_words))
            steps.append(ExchangeStep("added", self._partitions, self._add_words))
        return [*steps, ExchangeStep("answered", self._partitions, self._answer)]

    def is_done(self, step: str, task: int) -> bool:
        """Whether a task's file is there."""
        return get_file_state(self._get_path(step, task)) is not None

    def fit(self, shard: int, number: int, chunks: Sequence[CorpusChunk]) -> Metric:
        """Give the metric with the weights of the terms of a shard's rows, packed before."""
        request = self._exchange.request(chunks, self._partitions)
        place = self._starts[shard] + number
        answers = [self._read("answered", p, place) for p in range(self._partitions)]
        words = self._add_sums("answered")[1]
        try:
            return request.apply(join_answers(answers), words)
        except MetraError:
            raise
        except ValueError:  # other terms than those that were asked about
            raise self._describe_damage(self._get_path("answered", 0)) from None

    def check(self) -> None:
        """Refuse a corpus whose weights say nothing."""
        documents, _, weight = self._add_sums("answered")
        self._exchange.check(documents, weight > 0)

    def remove(self) -> None:
        """Remove the files from a folder of this machine: totals need none of them."""
        if is_remote(self._stem):
            return
        self._open.cache_clear()
        tasks = {ASKED: len(self._chunks)}
        for step in (ASKED, "words", "added", "answered"):
            for task in range(tasks.get(step, self._partitions)):
                with suppress(FileNotFoundError):
                    os.remove(self._get_path(step, task))

    def _ask(
        self, plan: ScoringPlan, all_rows: Iterable[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        for rows in all_rows:
            chunks = pack_chunks(rows, plan)
            request = self._exchange.request(chunks, self._partitions)
            yield from cut_partitions(request.split())
            release_memory()

    def _read_partition(self, partition: int) -> Iterator[pa.RecordBatch]:
        """Read what all chunks asked a partition."""
        for shard, chunks in enumerate(self._chunks):
            for chunk in range(chunks):
                place = chunk * self._partitions + partition
                yield self._read(ASKED, shard, place)

    def _answer(self, partition: int) -> None:
        asked = self._read_partition(partition)
        words, corpus = [], []
        if self._exchange.weigh:
            words = [self._read("added", p, partition) for p in range(self._partitions)]
            corpus = self._add_sums("words")
        answers, whole = answer_partition(self._exchange, asked, words, corpus)
        self._write("answered", partition, iter(answers), whole)

    def _send_words(self, partition: int) -> None:
        added = TermSums([*self._read_partition(partition)])
        lists = DocumentLists(added.terms)
        _, batches = split_terms(lists.count_words(), self._partitions)
        self._write("words", partition, iter(batches), lists.summarise())

    def _add_words(self, partition: int) -> None:
        sent = [self._read("words", p, partition) for p in range(self._partitions)]
        added = TermSums(sent)
        self._write(
            "added", partition, iter(added.answer(np.asarray(added.terms.counts)))
        )

    def _sum_step(self, step: str) -> list[float]:
        """Add up what all files of a step say of the whole corpus."""
        sums = []
        for partition in range(self._partitions):
            metadata = self._open(step, partition).schema.metadata
            sums.append(json.loads(metadata[_SUMS]))
        return np.sum(sums, axis=0).tolist()

    def _get_path(self, step: str, task: int) -> str:
        return f"{self._stem}-{self._fingerprint[:24]}-{step}-{task}{_ENDING}"

    def _write(
        self,
        step: str,
        task: int,
        batches: Iterator[pa.RecordBatch],
        sums: Sequence[float] = (),
    ) -> None:
        known = {
            _FINGERPRINT: self._fingerprint.encode(),
            _SUMS: json.dumps(sums).encode(),
        }
        first = next(batches, pa.record_batch([], []))
        schema = first.schema.with_metadata(known)
        packed = pa.ipc.IpcWriteOptions(compression="zstd")
        with (
            write_file(self._get_path(step, task)) as file,
            pa.ipc.new_file(file, schema, options=packed) as writer,
        ):
            writer.write_batch(first)
            for batch in batches:
                writer.write_batch(batch)

    def _read(self, step: str, task: int, batch: int) -> pa.RecordBatch:
        try:
            with self._lock:  # threads share what is open
                return self._open(step, task).get_batch(batch)
        except (pa.ArrowException, OSError):
            raise self._describe_damage(self._get_path(step, task)) from None

    def _open_file(self, step: str, task: int) -> Any:
        path = self._get_path(step, task)
        try:
            # Not mapped: pages of the file would count as memory of this process.
            file = open_remote(path) if is_remote(path) else pa.OSFile(path)
            reader = pa.ipc.open_file(file)
            if (reader.schema.metadata or {}).get(
                _FINGERPRINT
            ) == self._fingerprint.encode():
                return reader
        except (pa.ArrowException, OSError):
            pass
        raise self._describe_damage(path)

    def _describe_damage(self, path: str) -> FormatError:
        msg = f"{path} is damaged; delete it to count its terms again."
        return FormatError(msg)


def exchange_terms(
    all_files: Sequence[TermFiles],
    plan: ScoringPlan,
    read_chunks: ReadChunks,
    part: Part | None,
) -> str:
    """Do all steps of all metrics, or a part's share of them as far as others have come.

    If other parts have to do their share first, it is said what is to be done.
    """
    rounds = list(
        zip_longest(
            *(
                [(files, step) for step in files.list_steps(plan, read_chunks)]
                for files in all_files
            )
        )
    )
    for number, steps in enumerate(rounds, 1):
        left = sum(_do_tasks(pair[0], pair[1], part) for pair in steps if pair)
        if left:
            tasks = "1 task" if left == 1 else f"{left} tasks"
            return (
                f"step {number} of {len(rounds) + 1} is done, but other parts still "
                f"have {tasks} of it to do; run all parts again when every part has "
                "finished this step."
            )
    for files in all_files:
        files.check()
    return ""


def _do_tasks(files: TermFiles, step: ExchangeStep, part: Part | None) -> int:
    """Do the tasks of a step that belong to a part; count those that others have not done."""
    undone = [task for task in range(step.tasks) if not files.is_done(step.name, task)]
    own = [task for task in undone if part is None or part.takes(task)]

    def make(task: int) -> None:
        step.make(task)
        release_memory()

    for _ in ordered_map(make, own, thread_count(), alone=1):
        pass
    return len(undone) - len(own)
