"""Files of 100 MB on one line: memory is a few times the file at most."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE

MEGABYTE = 1 << 20
WORDS = "word &amp; café ".encode()
LONG = WORDS * (100 * MEGABYTE // len(WORDS))
SHORT = WORDS * 100

FRAMES = {
    "sgm": (b'<tstset><doc docid="d" sysid="s">', b"</doc></tstset>"),
    "xml": (b'<dataset><doc id="d"><hyp system="s">', b"</hyp></doc></dataset>"),
}

# Reads everything and tells how many segments and characters there are, or what is wrong,
# and the most memory that was in use. (getrusage would also count the parent's.)
READ = """
import re, sys
from metra.errors import MetraError
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.sources import list_sources

segments = characters = 0
try:
    table = ParallelTable(list_sources([sys.argv[1]], use="any"))
    for chunk in table.chunks(64, table.fields[:1]):
        (values,) = chunk.values()
        segments += len(values)
        characters += sum(map(len, values))
        del chunk, values
    print(segments, characters)
except MetraError as error:
    print(error)
status = open("/proc/self/status").read()
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) >> 10)
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/status").exists(),
        reason="memory is read from Linux's /proc",
    ),
]


def read(path: Path) -> tuple[str, int]:
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    answer, memory = done.stdout.splitlines()
    return answer, int(memory)


@pytest.mark.parametrize("kind", FRAMES)
def test_one_segment(tmp_path, kind):
    begin, end = FRAMES[kind]
    path = tmp_path / f"one.{kind}"
    path.write_bytes(begin + b'<seg id="1">' + LONG + b"</seg>" + end)
    answer, memory = read(path)
    text = LONG.replace(b"&amp;", b"&").decode()
    assert answer == f"1 {len(text)}"
    assert memory < 1000


@pytest.mark.parametrize("kind", FRAMES)
def test_many_segments(tmp_path, kind):
    begin, end = FRAMES[kind]
    count = len(LONG) // len(SHORT)
    segments = (b'<seg id="%d">%b</seg>' % (at, SHORT) for at in range(count))
    path = tmp_path / f"many.{kind}"
    path.write_bytes(begin + b"".join(segments) + end)
    answer, memory = read(path)
    text = SHORT.replace(b"&amp;", b"&").decode()
    assert answer == f"{count} {count * len(text)}"
    assert memory < 1000


@pytest.mark.parametrize("kind", FRAMES)
def test_a_tag_without_an_end(tmp_path, kind):
    begin, _ = FRAMES[kind]
    path = tmp_path / f"tag.{kind}"
    path.write_bytes(begin + b'<seg id="' + b"x" * 100 * MEGABYTE)
    answer, memory = read(path)
    said = {
        "sgm": "starts like a tag but does not end like one",
        "xml": "unclosed token",
    }
    assert said[kind] in answer
    assert memory < 1000


@pytest.mark.parametrize("kind", FRAMES)
def test_tags_without_an_end(tmp_path, kind):
    begin, _ = FRAMES[kind]
    path = tmp_path / f"deep.{kind}"
    path.write_bytes(begin + b"<p>" * (10 * MEGABYTE))
    answer, memory = read(path)
    assert "tags are nested deeper than 20 here" in answer
    assert memory < 1000


def test_text_in_unknown_elements(tmp_path):
    begin, end = FRAMES["sgm"]
    path = tmp_path / "notes.sgm"
    path.write_bytes(begin + b"<note>" + LONG + b"</note><seg>a</seg>" + end)
    answer, memory = read(path)
    assert answer == "1 1"
    assert memory < 1000


def test_lines_without_number_in_one_segment(tmp_path):
    path = tmp_path / "lines.sgm"
    begin, end = FRAMES["sgm"]
    path.write_bytes(
        begin + b"<seg>" + b"a \n" * (30 * MEGABYTE // 3) + b"</seg>" + end
    )
    answer, memory = read(path)
    assert answer == f"1 {30 * MEGABYTE // 3 * 2 - 1}"
    assert memory < 1000
