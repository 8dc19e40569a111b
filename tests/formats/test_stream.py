"""Where bytes come from: packed files, standard input, pipes; and what is wrong with them."""

import gzip
import lzma
import os
import subprocess
import sys
import threading

import pytest
import zstandard
from tests.patience import PATIENCE

from metra.formats.lines import LineReader
from metra.formats.stream import name_system, split_file_name

TEXT = "".join(f"line {at} ü\n" for at in range(3000)).encode()


def zstd(content: bytes) -> bytes:
    # The `zstd` program writes checksums; the library must be told to.
    return zstandard.ZstdCompressor(write_checksum=True).compress(content)


PACKERS = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd}


def lines_of(path) -> list[str]:
    lines = LineReader(str(path))
    text = lines.read(10**6)
    return [text[at] for at in range(len(text))]


EXPECTED = TEXT.decode().split("\n")[:-1]


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_files_are_read_as_they_are(ending, write):
    assert lines_of(write(f"file.txt.{ending}", PACKERS[ending](TEXT))) == EXPECTED


@pytest.mark.parametrize("ending", PACKERS)
def test_packing_is_seen_by_content_not_by_name(ending, write):
    assert lines_of(write("file.txt", PACKERS[ending](TEXT))) == EXPECTED
    assert lines_of(write(f"plain.{ending}", TEXT)) == EXPECTED


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_files_may_be_joined(ending, write):
    pack = PACKERS[ending]
    half = len(TEXT) // 2
    path = write("file.txt", pack(TEXT[:half]) + pack(TEXT[half:]))
    assert lines_of(path) == EXPECTED


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("damage", ["cut off", "overwritten"])
def test_a_damaged_packed_file(ending, damage, write, cli):
    packed = PACKERS[ending](os.urandom(5000).hex().encode() + TEXT)
    if damage == "cut off":
        packed = packed[: len(packed) // 2]
    else:
        packed = packed[:2000] + b"\xff" * 100 + packed[2100:]
    path = write(f"file.txt.{ending}", packed)
    ran = cli("score", path, "-r", path)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith(f"metra: {path} is damaged or truncated: ")
    assert ran.err.endswith("; expected a complete compressed file.\n")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [("no/such.txt", "No such file or directory"), (".", "Is a directory")],
)
def test_a_file_that_cannot_be_read(name, reason, tmp_path, cli, write):
    output = write("out.txt", ["a"])
    path = tmp_path / name
    ran = cli("score", output, "-r", path)
    assert ran == (
        2,
        "",
        f"metra: {path} cannot be read: {reason}; check the name and its "
        "permissions.\n",
    )


SCORE = [sys.executable, "-m", "metra", "score", "--format", "tsv"]
OUT, REF = b"a b c d\ne f g h\n", ["a b c d", "e f g x"]


def scored(out: str) -> float:
    return float(out.split("\n")[1].split("\t")[4])


@pytest.mark.parametrize("pack", [bytes, *PACKERS.values()])
def test_standard_input(pack, metra_command, write):
    reference = write("ref.txt", REF)
    ran = metra_command(
        "score", "-", "-r", reference, "--format", "tsv", stdin=pack(OUT)
    )
    assert ran.code == 0, ran.err
    assert ran.out.split("\n")[1].startswith("system\tstdin\t\tbleu\t72.31")


def test_standard_input_may_have_a_name(cli, write):
    ran = cli.ok("score", "mine=-", "-r", write("ref.txt", REF), stdin=OUT)
    assert "\nmine " in ran.out


def test_standard_input_may_be_the_reference(cli, write):
    ran = cli("score", write("out.txt", OUT), "-r", "-", stdin=b"a b c d\ne f g h\n")
    assert "100.00" in ran.out


def test_standard_input_serves_one_purpose(cli):
    assert cli("score", "-", "-r", "-", stdin=OUT) == (
        2,
        "",
        "metra: Standard input (-) is given twice; "
        "it can be read for one purpose only.\n",
    )


def test_an_error_names_standard_input(cli, write):
    ran = cli("score", "-", "-r", write("ref.txt", REF), stdin=b"a\n\xff\n")
    assert "standard input, line 2: byte 1 of the line is 0xff" in ran.err


@pytest.mark.parametrize("fitted", [False, True], ids=["read once", "read twice"])
def test_named_pipes(fitted, tmp_path, write):
    """A pipe can be opened and read once only, but is looked at first and may be re-read."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    arguments = [*SCORE, f"sys={pipe}", "-r", str(write("ref.txt", REF))]
    process = subprocess.Popen(
        [*arguments, "--level", "segment"] if fitted else arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    writer = threading.Thread(target=pipe.write_bytes, args=(OUT,), daemon=True)
    writer.start()
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert scored(out) == pytest.approx(72.31269021297695)


def test_one_pipe_for_two_purposes():
    """Both readers see all of it."""
    done = subprocess.run(
        [*SCORE, "sys=/dev/stdin", "-r", "/dev/stdin"],
        input=b"".join(b"a b c d %d\n" % at for at in range(5000)),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert scored(done.stdout.decode()) == pytest.approx(100)


@pytest.mark.parametrize(
    ("path", "name", "kind"),
    [
        ("online-A.txt", "online-A", ".txt"),
        ("runs/online-A.en.txt.gz", "online-A.en", ".txt"),
        ("a.tsv.xz", "a", ".tsv"),
        ("a.jsonl.zst", "a", ".jsonl"),
        ("noending", "noending", ""),
        ("only.gz", "only", ""),
        ("-", "stdin", ""),
    ],
)
def test_names_of_systems_and_formats(path, name, kind):
    assert name_system(path) == name
    assert split_file_name(path)[1] == kind
