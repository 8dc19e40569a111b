"""Terms of a corpus exchanged by messages, for engines that bring rows to their receivers.

Rows become messages: a chunk of rows sends its terms to partitions, and itself to the place
where it is scored. Then receivers read their mail, round by round, and send answers on. What a
receiver does depends on its mail alone, so any task may do it, and do it again after a loss.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from metra.corpus.batch import CorpusChunk
from metra.errors import CorpusError
from metra.metrics.corpus_weights import TermExchange
from metra.metrics.record import Metric
from metra.scoring.plan import ScoringPlan, build_unweighed, pack_chunks
from metra.scoring.term_exchange import (
    DocumentLists,
    TermSums,
    answer_partition,
    cut_partitions,
    cut_rows,
    join_answers,
    release_memory,
    split_terms,
)

#: Mail has to come in the order of the first three columns, a receiver's all to one task.
MESSAGES = pa.schema(
    [
        ("receiver", pa.string()),
        ("kind", pa.string()),
        ("sender", pa.string()),
        ("content", pa.binary()),
    ]
)

# Kinds of receivers.
_CHUNK, _TERMS, _WORDS = "chunk", "terms", "words"
# Kinds of messages, of which those to one receiver come in the order of their names.
_ADDED, _ASKED, _HELD, _ROWS = "added", "asked", "held", "rows"

_SUMS = b"metra.sums"
# Messages are sent together until they have so many bytes.
_TOGETHER = 4 << 20


class Message(NamedTuple):
    """A message from one sender to one receiver."""

    receiver: str
    kind: str
    sender: str
    content: bytes


class FittedRows(NamedTuple):
    """A batch of rows, the metrics that score it, and the chunks that these know it by."""

    rows: pa.RecordBatch
    metrics: Mapping[str, Metric]
    chunks: Sequence[CorpusChunk] | None = None


@dataclass(frozen=True)
class MessageExchange:
    """Exchange that gives the rows of a table the weights of their terms; it can be pickled."""

    plan: ScoringPlan
    chunk_rows: int
    partitions: int

    @property
    def rounds(self) -> int:
        """Number of rounds of messages before chunks can be scored."""
        weighs = any(exchange.weigh for exchange in _list_exchanges(self.plan).values())
        return 3 if weighs else 1

    def ask(
        self, batches: Iterator[pa.RecordBatch], task: int
    ) -> Iterator[pa.RecordBatch]:
        """Turn the rows of a task, which has a number of its own, into messages."""
        return _pack_messages(
            message
            for number, rows in enumerate(cut_rows(batches, self.chunk_rows))
            for message in self._ask_chunk(rows, f"{task:07}-{number:07}")
        )

    def read_mail(self, mail: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Read the mail of some receivers, and send what comes of it."""
        return _pack_messages(
            answer
            for receiver, messages in _group_mail(mail)
            for answer in self._answer(receiver, messages)
        )

    def fit_chunks(self, mail: Iterable[pa.RecordBatch]) -> Iterator[FittedRows]:
        """Give chunks of rows, each with the metrics that score it."""
        for receiver, messages in _group_mail(mail):
            by_kind = {
                kind: [_decode(message.content) for message in group]
                for kind, group in groupby(messages, attrgetter("kind"))
            }
            ((rows, _),) = by_kind.pop(_ROWS, None) or [(None, ())]
            exchanges = _list_exchanges(self.plan)
            counts = {spec: len(by_kind.get(spec, ())) for spec in exchanges}
            if rows is None or any(n != self.partitions for n in counts.values()):
                msg = (
                    f"Rows of {receiver} came differently when lost work was repeated; "
                    "give a table whose rows come in the same order each time, such as files."
                )
                raise CorpusError(msg)
            chunks = pack_chunks(rows, self.plan)
            fitted = {
                spec: self._fit(exchange, chunks, by_kind[spec])
                for spec, exchange in exchanges.items()
            }
            yield FittedRows(rows, {**build_unweighed(self.plan), **fitted}, chunks)
            release_memory()

    def _ask_chunk(self, rows: pa.RecordBatch, number: str) -> Iterator[Message]:
        content = _encode(rows)
        # By its content, too: should the task be repeated, other rows are another chunk.
        digest = hashlib.sha256(content).hexdigest()[:16]
        chunk = f"{_CHUNK}/{number}-{digest}"
        yield Message(chunk, _ROWS, "", content)
        chunks = pack_chunks(rows, self.plan)
        for spec, exchange in _list_exchanges(self.plan).items():
            request = exchange.request(chunks, self.partitions)
            for partition, batch in enumerate(cut_partitions(request.split())):
                receiver = f"{_TERMS}/{partition:05}/{spec}"
                yield Message(receiver, _ASKED, chunk, _encode(batch))

    def _answer(self, receiver: str, mail: Iterator[Message]) -> Iterator[Message]:
        kind, _, place = receiver.partition("/")
        first = next(mail)
        mail = chain([first], mail)
        if kind == _CHUNK or first.kind == _HELD:  # until answers are there
            return mail
        if kind == _WORDS:
            return _add_words(place, [*mail])
        partition, _, spec = place.partition("/")
        exchange = _list_exchanges(self.plan)[spec]
        if exchange.weigh and first.kind == _ASKED:
            return self._send_words(receiver, [*mail])
        return _answer_chunks(exchange, spec, partition, [*mail])

    def _send_words(self, receiver: str, asked: Sequence[Message]) -> Iterator[Message]:
        """Ask in how many documents words are, and wait for what comes back."""
        for message in asked:
            yield message._replace(kind=_HELD)
        lists = DocumentLists(TermSums(_decode_all(asked)).terms)
        _, batches = split_terms(lists.count_words(), self.partitions)
        spec = receiver.split("/", 2)[2]
        for partition, batch in enumerate(batches):
            content = _encode(batch, lists.summarise())
            yield Message(f"{_WORDS}/{partition:05}/{spec}", _ASKED, receiver, content)

    def _fit(
        self,
        exchange: TermExchange,
        chunks: Sequence[CorpusChunk],
        answers: Sequence[tuple[pa.RecordBatch, Sequence[float]]],
    ) -> Metric:
        documents, words, weight = np.sum([sums for _, sums in answers], axis=0)
        exchange.check(documents, weight > 0)
        request = exchange.request(chunks, self.partitions)
        return request.apply(join_answers([batch for batch, _ in answers]), words)


def _add_words(place: str, asked: Sequence[Message]) -> Iterator[Message]:
    """Add up the words of all partitions; tell each the sums of its own, and of the corpus."""
    decoded = [_decode(message.content) for message in asked]
    corpus = np.sum([sums for _, sums in decoded], axis=0).tolist()
    added = TermSums([batch for batch, _ in decoded])
    answers = added.answer(np.asarray(added.terms.counts))
    for message, batch in zip(asked, answers, strict=True):
        yield Message(message.sender, _ADDED, place, _encode(batch, corpus))


def _answer_chunks(
    exchange: TermExchange, spec: str, partition: str, mail: Sequence[Message]
) -> Iterator[Message]:
    """Tell chunks the numbers of the terms that they asked about."""
    words = [_decode(message.content) for message in mail if message.kind == _ADDED]
    asked = [message for message in mail if message.kind != _ADDED]
    corpus = words[0][1] if words else ()
    answers, sums = answer_partition(
        exchange, _decode_all(asked), [batch for batch, _ in words], corpus
    )
    for message, batch in zip(asked, answers, strict=True):
        yield Message(message.sender, spec, partition, _encode(batch, sums))
    release_memory()


@lru_cache(4)
def _list_exchanges(plan: ScoringPlan) -> Mapping[str, TermExchange]:
    """List how metrics of two passes exchange their terms, by spec."""
    made = build_unweighed(plan)
    return {
        spec: metric.fit.exchange
        for spec, metric in made.items()
        if metric.fit and metric.fit.exchange
    }


def _group_mail(
    batches: Iterable[pa.RecordBatch],
) -> Iterator[tuple[str, Iterator[Message]]]:
    messages = (
        Message(*row)
        for batch in batches
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    )
    return groupby(messages, attrgetter("receiver"))


def _pack_messages(messages: Iterable[Message]) -> Iterator[pa.RecordBatch]:
    held: list[Message] = []
    size = 0
    for message in messages:
        held.append(message)
        size += len(message.content)
        if size > _TOGETHER:
            yield _build_messages(held)
            held, size = [], 0
    if held:
        yield _build_messages(held)


def _build_messages(messages: Sequence[Message]) -> pa.RecordBatch:
    columns = zip(*messages, strict=True)
    arrays = [
        pa.array(list(column), field.type)
        for column, field in zip(columns, MESSAGES, strict=True)
    ]
    return pa.record_batch(arrays, schema=MESSAGES)


def _encode(batch: pa.RecordBatch, sums: Sequence[float] = ()) -> bytes:
    schema = batch.schema
    if sums:
        schema = schema.with_metadata({_SUMS: json.dumps(sums).encode()})
    sink = pa.BufferOutputStream()
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, schema, options=packed) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def _decode(content: bytes) -> tuple[pa.RecordBatch, Sequence[float]]:
    with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
        sums = json.loads((reader.schema.metadata or {}).get(_SUMS, b"[]"))
        return reader.read_next_batch(), sums


def _decode_all(messages: Sequence[Message]) -> list[pa.RecordBatch]:
    return [_decode(message.content)[0] for message in messages]
