"""Judged outputs: tables, the database, and a crash in the middle of writing."""

import signal
import sqlite3
import subprocess
import sys

import pytest

from metra.errors import FormatError
from metra.formats.annotations import judged_outputs
from metra.formats.annotations.judged_outputs import (
    JudgedOutput,
    compute_version,
    format_judged_outputs,
    read_judged_outputs,
    read_judged_table,
)

PAIRS = [
    JudgedOutput("1", "a b", 10.0, "anna", "t1"),
    JudgedOutput("2", "c", 3.5, "ben", "t2"),
    JudgedOutput("10", "d", 0.0, "", "t3"),
]


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "judged.db")
    judged_outputs.add_judged_outputs(path, PAIRS)
    return path


def test_what_goes_in_comes_out(database):
    assert read_judged_outputs(database) == PAIRS
    # Databases of earlier versions are known by these four letters.
    with sqlite3.connect(database) as opened:
        [(owner,)] = opened.execute("PRAGMA application_id")
    opened.close()
    assert owner.to_bytes(4, "big") == b"metr"


def test_a_new_score_of_the_same_judge_replaces_the_old_one(database):
    judged_outputs.add_judged_outputs(
        database,
        [
            JudgedOutput("1", "a b", 9.0, "anna", "t4"),
            JudgedOutput("1", "a b", 7.0, "ben"),
        ],
    )
    assert [entry.score for entry in read_judged_outputs(database)] == [
        9.0,
        7.0,
        3.5,
        0.0,
    ]


def test_all_or_nothing(database):
    with pytest.raises(FormatError, match="cannot be used as a database"):
        judged_outputs.add_judged_outputs(
            database, [JudgedOutput("3", "e", 5.0), JudgedOutput("3", "f", 11.0)]
        )
    assert read_judged_outputs(database) == PAIRS


WRITER = """
import sys
from metra.formats.annotations.judged_outputs import add_judged_outputs

def many():
    for at in range(200_000):
        yield str(at), "x" * 100, 5.0, "machine", "now"
    print("written", flush=True)  # and not committed
    sys.stdin.read()

add_judged_outputs(sys.argv[1], many())
"""


def test_a_writer_that_is_killed_leaves_what_was_there(database):
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, database],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout.readline() == "written\n"
        # Others read while it writes.
        assert read_judged_outputs(database) == PAIRS
        writer.send_signal(signal.SIGKILL)
        assert writer.wait() == -signal.SIGKILL
    assert read_judged_outputs(database) == PAIRS
    with sqlite3.connect(database) as plain:
        assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    plain.close()
    judged_outputs.add_judged_outputs(database, [JudgedOutput("3", "e", 5.0)])
    assert len(read_judged_outputs(database)) == 4


def test_refusals_of_files(tmp_path, write):
    missing = str(tmp_path / "none.db")
    with pytest.raises(FormatError) as caught:
        read_judged_outputs(missing)
    assert str(caught.value) == (
        f"No database of judged outputs at {missing}; make one with: metra evaltrans "
        f"import {missing} FILE.tsv"
    )
    text = write(
        "text.db", b"no database at all, but long enough to be taken for one\n" * 9
    )
    with pytest.raises(FormatError, match="cannot be used as a database of judged"):
        read_judged_outputs(str(text))
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as plain:
        plain.execute("CREATE TABLE t (x)")
    plain.close()
    with pytest.raises(FormatError, match="is a database of another program"):
        judged_outputs.add_judged_outputs(str(other), PAIRS)


def test_a_database_of_a_newer_program(database):
    with sqlite3.connect(database) as plain:
        plain.execute("PRAGMA user_version = 99")
    plain.close()
    with pytest.raises(FormatError, match=r"written by a newer metra \(version 99\)"):
        read_judged_outputs(database)


def test_tables(write):
    lines = ["source\toutput\tscore\tjudge", "1\ta b\t10\tanna", "2\t\t3.5\t"]
    path = str(write("j.tsv", lines))
    found = list(read_judged_table(path, now="t"))
    assert found == [
        JudgedOutput("1", "a b", 10.0, "anna", "t"),
        JudgedOutput("2", "", 3.5, "", "t"),
    ]
    assert read_judged_outputs(path)[0].time == ""
    again = str(write("k.tsv", list(format_judged_outputs(found))))
    assert list(read_judged_table(again)) == found


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("1\ta\t11", "the score is '11'; expected a number from 0 to 10",
                     id="too high"),
        pytest.param("1\ta\t-1", "the score is '-1'; expected a number from 0 to 10",
                     id="too low"),
        pytest.param("1\ta\tnan", "the score is 'nan'; expected a number from 0 to 10",
                     id="not a number"),
        pytest.param("1\ta\tgood", "the score is 'good'; expected a number from 0 to 10",
                     id="a word"),
        pytest.param("\ta\t1", "the source is empty; every output has an id there",
                     id="no source"),
    ],
)  # fmt: skip
def test_refusals_of_lines(line, message, write):
    path = str(write("j.tsv", ["source\toutput\tscore", line]))
    with pytest.raises(FormatError) as caught:
        read_judged_outputs(path)
    assert str(caught.value) == f"{path}, line 2: {message}."


def test_the_version_is_of_the_judgements():
    assert compute_version("j", PAIRS) == compute_version("j", PAIRS[::-1])
    assert compute_version("j", PAIRS) != compute_version("j", PAIRS[:2])
    assert compute_version("j", PAIRS).startswith("j[3 judgements, sha256:")
