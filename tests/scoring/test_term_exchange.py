"""Terms exchanged through files or messages, and work in parts: the digits of one memory."""

import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metra.errors import CorpusError, FormatError, OptionError
from metra.metrics.corpus_weights import TermCounts, reorder_numbers, weigh_terms
from metra.metrics.registry import metric
from metra.scoring.executors import local, term_files
from metra.scoring.plan import ScoringPlan
from metra.scoring.results import Results
from metra.scoring.table_totals import build_table_results, count_batch
from metra.scoring.tables import count_table_part, score_table
from metra.scoring.term_exchange import TermSums, join_answers, split_terms
from metra.scoring.term_messages import MESSAGES, MessageExchange
from metra.scoring.totals import Totals

SPECS = [
    "nist",
    "nist:style=mteval,n=3",
    "ltv",
    "ltv:weight=s,side=recall",
    "ltv:weight=s,floor=0.25,max_salience=2,oov=0.5",
    "bleu",
]
COLUMNS = {"hypothesis": {"A": "hyp", "B": "other"}, "document": "doc"}


@pytest.fixture
def shards(tmp_path):
    """Write three files of 120 rows; documents have words of their own and lie across files."""
    rng = np.random.default_rng(11)
    folder = tmp_path / "data"
    folder.mkdir()
    for number, rows in enumerate((50, 0, 70)):
        documents = rng.integers(0, 12, rows).tolist()

        def text(document: int) -> str:
            own = [f"w{document}{letter}" for letter in "abc"]
            return " ".join(rng.choice(["the", "0", "é", *own], rng.integers(1, 9)))

        refs = [text(document) for document in documents]
        table = {
            "hyp": [
                ref if rng.random() < 0.3 else text(d)
                for ref, d in zip(refs, documents, strict=True)
            ],
            "other": ["" if rng.random() < 0.1 else text(d) for d in documents],
            # A document whose references have no word.
            "ref": [
                "" if d == 3 else ref for ref, d in zip(refs, documents, strict=True)
            ],
            "ref2": [
                None if rng.random() < 0.2 or d == 3 else text(d % 2) for d in documents
            ],
            "doc": [f"d{d}" for d in documents],
        }
        kinds = pa.schema([(name, pa.string()) for name in table])
        pq.write_table(pa.table(table, kinds), folder / f"{number}.parquet")
    return sorted(map(str, folder.iterdir()))


@pytest.fixture
def small(monkeypatch):
    """Hold no terms in memory, in chunks of 7 rows and in 3 partitions."""
    monkeypatch.setattr(local, "HELD_ROWS", 0)
    monkeypatch.setattr(local, "choose_sizes", lambda _: (7, 3))


def score(shards, **settings):
    return score_table(shards, SPECS, **COLUMNS, group_by=["doc"], **settings)


@pytest.mark.usefixtures("small")
def test_the_digits_are_those_of_one_memory(shards, monkeypatch, tmp_path):
    out = [str(tmp_path / name) for name in "ab"]
    through_files = score(shards, scores_out=out[0])
    monkeypatch.setattr(local, "HELD_ROWS", 10**9)
    assert through_files.to_json() == score(shards, scores_out=out[1]).to_json()
    for name in ("0.parquet", "2.parquet"):
        written = [pq.read_table(Path(folder) / name) for folder in out]
        assert written[0].equals(written[1])


@pytest.fixture
def through_files(monkeypatch):
    """What terms were sent through files for."""
    made = []
    files = local.TermFiles

    def note(*given, **settings):
        made.append(given)
        return files(*given, **settings)

    monkeypatch.setattr(local, "TermFiles", note)
    return made


TABLE = ["--hyp-column", "hyp", "--hyp-column", "other"]


def test_a_large_table_goes_through_files_without_being_asked(
    shards, cli, through_files, monkeypatch
):
    folder = Path(shards[0]).parent
    given = ["score", folder, *TABLE, "-m", "nist", "-m", "ltv", "-m", "bleu"]
    monkeypatch.setattr(local, "HELD_ROWS", 120)
    in_memory = cli(*given, "--format", "tsv")
    assert in_memory.code == 0
    assert not through_files
    monkeypatch.setattr(local, "HELD_ROWS", 119)
    assert cli(*given, "--format", "tsv") == in_memory
    assert len(through_files) == 2


@pytest.mark.parametrize(
    ("spec", "held", "in_parts"),
    [("nist", 120, False), ("nist", 119, True), ("bleu", 119, False)],
)
def test_only_tables_that_are_scored_in_parts_lack_the_number_of_documents(
    spec, held, in_parts, shards, cli, monkeypatch
):
    monkeypatch.setattr(local, "HELD_ROWS", held)
    ran = cli("score", Path(shards[0]).parent, *TABLE, "-m", spec)
    assert ran.code == 0
    assert ("12 documents" in ran.out) != in_parts


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--level", "segment"], id="segments"),
        pytest.param(["--level", "document"], id="documents"),
        pytest.param(["--ci"], id="intervals"),
        pytest.param(["-m", "wer", "--details"], id="details"),
        pytest.param(["-m", "mine@SCORES:better=higher"], id="reads everything first"),
        pytest.param(["-s", "SCORES"], id="another file"),
    ],
)
@pytest.mark.usefixtures("small")
def test_what_cannot_be_counted_in_parts_is_scored_in_memory(
    options, shards, cli, write, through_files
):
    scores = write("scores.txt", [f"{number}.5" for number in range(120)])
    options = [option.replace("SCORES", str(scores)) for option in options]
    folder = Path(shards[0]).parent
    ran = cli("score", folder, "--hyp-column", "hyp", "-m", "nist", *options)
    assert ran.code == 0, ran
    assert not through_files


@pytest.mark.usefixtures("small")
def test_tables_side_by_side_are_scored_in_memory(tmp_path, cli, through_files):
    outputs = {"hyp": ["a b d", "d e f"]}
    paths = [tmp_path / f"{name}.parquet" for name in "ab"]
    pq.write_table(pa.table(outputs | {"ref": ["a b c", "d e f"]}), paths[0])
    pq.write_table(pa.table(outputs), paths[1])
    given = [f"{path.stem}={path}" for path in paths]
    ran = cli("score", *given, "-m", "nist")
    assert ran.code == 0, ran
    assert not through_files


@pytest.mark.usefixtures("small")
def test_parts_add_up_byte_by_byte(shards, tmp_path, monkeypatch):
    kept = str(tmp_path / "kept")
    known = COLUMNS | {"group_by": ["doc"], "resume": kept}

    def count(number: int, parts: int = 2) -> str:
        return count_table_part(shards, SPECS, (number, parts), **known)

    for number, step, tasks in ((1, 1, 5), (2, 2, 10), (1, 3, 3), (2, 4, 6)):
        assert count(number) == (
            f"Part {number} of 2: step {step} of 5 is done, but other parts still "
            f"have {tasks} tasks of it to do; run all parts again when every part has "
            "finished this step."
        )
    # Neither does this process do all that parts have begun, but not finished.
    with pytest.raises(OptionError, match="not complete: part 1 of 2 is not finished"):
        score(shards, resume=kept)
    assert count(1).startswith("Part 1 of 2 is finished; when all parts are,")
    with pytest.raises(
        OptionError, match="not complete: part 2 of 2 is not finished; finish"
    ):
        score(shards, resume=kept)
    with pytest.raises(OptionError, match="from other files, options or another"):
        score_table(shards, ["bleu"], **COLUMNS, resume=kept)
    assert count(2).startswith("Part 2 of 2 is finished")
    assert count(2).startswith("Part 2 of 2 is finished")  # once more changes nothing
    monkeypatch.setattr(local, "_score_shard", None)  # nothing is left to be counted
    merged = score(shards, resume=kept)
    monkeypatch.undo()
    assert merged.to_json() == score(shards).to_json()


@pytest.mark.usefixtures("small")
def test_a_second_run_takes_the_first_pass_from_the_folder(
    shards, tmp_path, monkeypatch
):
    kept = tmp_path / "kept"
    with monkeypatch.context() as patch:
        patch.setattr(term_files.TermFiles, "fit", _interrupt)
        with pytest.raises(local.ScoringInterrupt, match="stored in"):
            score(shards, resume=str(kept))
    assert len([*kept.glob("nist-*-asked-*.terms")]) == 2 * len(shards)
    with monkeypatch.context() as patch:
        patch.setattr(term_files.TermFiles, "_ask", None)
        again = score(shards, resume=str(kept))
    assert not [*kept.glob("*.terms")]  # totals are kept, terms no longer needed
    assert again.to_json() == score(shards).to_json()


@pytest.mark.usefixtures("small")
def test_a_damaged_file_is_named(shards, tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    with monkeypatch.context() as patch:
        patch.setattr(term_files.TermFiles, "fit", _interrupt)
        with pytest.raises(local.ScoringInterrupt):
            score(shards, resume=str(kept))
    path = next(kept.glob("ltv-*-answered-1.terms"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(
        FormatError, match=re.escape(f"{path} is damaged; delete it to count")
    ):
        score(shards, resume=str(kept))


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param("ltv", "All segments are of one document", id="one document"),
        pytest.param(
            "ltv:min_salience=50", "Every word has weight zero", id="no weights"
        ),
    ],
)
def test_weights_that_say_nothing(shards, spec, message):
    table = pq.read_table(shards[0])
    if spec == "ltv":
        table = table.set_column(4, "doc", pa.array(["d"] * len(table)))
        pq.write_table(table, shards[0])
    with pytest.raises(CorpusError, match=message):
        score_table(shards[:1], [spec], **COLUMNS)
    with pytest.raises(CorpusError, match=message):
        score_messages(shards[:1], replace(PLAN, metrics=(spec,)), 2)


PLAN = ScoringPlan(
    metrics=tuple(SPECS),
    outputs=(("A", "hyp"), ("B", "other")),
    references=("ref", "ref2"),
    documents="doc",
    group_by=("doc",),
)


def deliver(messages: list[pa.RecordBatch], tasks: int) -> list[list[pa.RecordBatch]]:
    """Bring messages to tasks as an engine does: by receiver, and sorted; in small batches."""
    table = pa.Table.from_batches(messages, MESSAGES)
    table = table.sort_by([(name, "ascending") for name in MESSAGES.names[:3]])
    numbers = [int(name.encode().hex(), 16) % tasks for name in table[0].to_pylist()]
    return [
        table.filter(pa.array([number == task for number in numbers], pa.bool_()))
        .combine_chunks()
        .to_batches(max_chunksize=3)
        for task in range(tasks)
    ]


def score_messages(shards, plan: ScoringPlan, tasks: int) -> Results:
    """Score as an engine does that brings messages to so many tasks."""
    exchange = pickle.loads(pickle.dumps(MessageExchange(plan, 7, 3)))
    messages = [
        batch
        for task, path in enumerate(shards)
        for batch in exchange.ask(pq.ParquetFile(path).iter_batches(10), task)
    ]
    for _ in range(exchange.rounds):
        mail = deliver(messages, tasks)
        messages = [batch for box in mail for batch in exchange.read_mail(box)]
    totals = Totals()
    for box in deliver(messages, tasks):
        for rows, metrics, chunks in exchange.fit_chunks(box):
            totals.add(count_batch(rows, plan, metrics, chunks=chunks)[0])
    return build_table_results(totals, plan)


@pytest.mark.parametrize("tasks", [1, 5])
def test_messages_give_the_same_digits(shards, tasks):
    assert score_messages(shards, PLAN, tasks).to_json() == score(shards).to_json()


def test_counts_that_weights_cannot_hold_are_refused():
    nist = metric("nist").fit
    ends = np.array([1], np.int64)
    assert weigh_terms(nist, TermCounts(b"a", ends, np.array([2**32 - 1])))
    with pytest.raises(CorpusError, match=r"have an n-gram 4,294,967,296 times, but"):
        weigh_terms(nist, TermCounts(b"a", ends, np.array([2**32])))


def test_messages_of_a_metric_without_documents_go_once():
    plan = replace(PLAN, metrics=("nist", "bleu"))
    assert MessageExchange(plan, 7, 3).rounds == 1


def test_other_rows_are_another_chunk(shards):
    """A task that is repeated with other rows is not taken for the first one."""
    exchange = MessageExchange(replace(PLAN, metrics=("nist",)), 7, 1)
    rows = pq.read_table(shards[0]).combine_chunks()
    (first,) = exchange.ask(rows.slice(0, 5).to_batches(), 0)
    (other,) = exchange.ask(rows.slice(5, 5).to_batches(), 0)
    answers = [*exchange.read_mail(deliver([first], 1)[0])]
    is_row = pa.compute.equal(other["kind"], "rows")
    mixed = [*answers, other.filter(is_row)]
    with pytest.raises(CorpusError, match=r"^Rows of chunk/0000000-0000000-\w+ came"):
        [*exchange.fit_chunks(deliver(mixed, 1)[0])]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.binary(max_size=30), unique=True), min_size=1),
    st.integers(1, 5),
)
def test_partitions_add_up_like_a_dict(chunks, partitions):
    counts: dict[bytes, int] = {}
    asked = []
    for number, keys in enumerate(chunks, 1):
        ends = np.cumsum([len(key) for key in keys], dtype=np.int64)
        terms = TermCounts(b"".join(keys), ends, np.full(len(keys), number))
        asked.append(split_terms(terms, partitions))
        for key in keys:
            counts[key] = counts.get(key, 0) + number
    answered = []
    for partition in range(partitions):
        added = TermSums([batches[partition] for _, batches in asked])
        answered.append(added.answer(added.terms.counts))
    for at, (keys, (order, _)) in enumerate(zip(chunks, asked, strict=True)):
        numbers = join_answers([answers[at] for answers in answered])
        numbers = reorder_numbers(order, numbers)
        assert numbers.tolist() == [counts[key] for key in keys]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--part", "3/2", "--resume", "kept"],
            "'3/2' is not a part; expected NUMBER",
        ),
        (["--part", "x", "--resume", "kept"], "'x' is not a part"),
        (["--part", "1/2"], "--part needs a folder for its results"),
        (
            ["--part", "1/2", "--resume", "k", "-o", "x.txt"],
            "--part computes no scores; give -o",
        ),
    ],
)
def test_parts_on_the_command_line_that_are_refused(cli, shards, options, message):
    ran = cli("score", *shards, "--hyp-column", "hyp", *options)
    assert ran.code == 2
    assert message in ran.err


def test_parts_on_the_command_line(cli, shards, tmp_path):
    command = ["score", *shards, "--hyp-column", "hyp", "-m", "bleu", "-m", "nist"]
    kept = ["--resume", str(tmp_path / "kept")]
    for number in (2, 1, 3):
        ran = cli(*command, *kept, "--part", f"{number}/3")
        assert ran.out == ""
        assert ran.err.endswith(
            f"metra: Part {number} of 3 is finished; when all parts are, run the same "
            "command without the part for the scores.\n"
        )
    whole = cli(*command, "--resume", str(tmp_path / "other"))
    assert cli(*command, *kept).out == whole.out
