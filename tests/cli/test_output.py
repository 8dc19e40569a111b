"""Where results go: files that are whole or not there, terminals, readers that leave."""

import os
import pty
import signal
import stat
import subprocess
import sys
import time

import pytest
from tests.patience import PATIENCE

METRA = [sys.executable, "-m", "metra"]


@pytest.fixture
def arguments(write) -> list[str]:
    output = write("in/out.txt", ["a b c d", "e f g h"])
    better = write("in/better.txt", ["a b c d", "e f g x"])
    reference = write("in/ref.txt", ["a b c d", "e f g x"])
    return ["score", str(output), str(better), "-r", str(reference)]


def test_into_a_file(arguments, cli, tmp_path):
    target = tmp_path / "scores.json"
    printed = cli(*arguments, "--format", "json")
    ran = cli(*arguments, "--format", "json", "-o", target)
    assert ran == (0, "", "")
    assert target.read_bytes().decode() == printed.out
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    assert sorted(os.listdir(tmp_path)) == ["in", "scores.json"]


def test_a_dash_is_the_screen(arguments, cli):
    assert cli(*arguments, "-o", "-") == cli(*arguments)


def test_a_file_is_replaced(arguments, cli, write):
    target = write("scores.txt", ["x"] * 10_000)
    assert cli(*arguments, "-o", target).code == 0
    assert target.read_text() == cli(*arguments).out


def test_a_link_stays_a_link(arguments, cli, tmp_path, write):
    target, link = write("scores.txt", ["old"]), tmp_path / "link"
    link.symlink_to(target)
    assert cli(*arguments, "-o", link).code == 0
    assert link.is_symlink()
    assert target.read_text() == cli(*arguments).out


def test_a_device_is_written_to_and_not_replaced(arguments, cli, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen([*METRA, *arguments, "-o", str(pipe)])
    text = pipe.read_text()
    assert process.wait(timeout=PATIENCE) == 0
    assert text == cli(*arguments).out
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("no/such/scores.txt", "No such file or directory"),
        ("in", "Is a directory"),
        ("in/ref.txt/scores.txt", "Not a directory"),
    ],
)
def test_a_place_that_cannot_be_written(place, reason, arguments, cli, tmp_path):
    target = tmp_path / place
    assert cli(*arguments, "-o", target) == (
        2,
        "",
        f"metra: {target} cannot be written: {reason}; nothing was written.\n",
    )
    assert sorted(os.listdir(tmp_path)) == ["in"]


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("command", ["score", "convert"])
def test_a_full_disk(arguments, command, unbuffered):
    if command == "convert":
        arguments = ["convert", arguments[1], "--to", "jsonl", "-o", "-"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*METRA, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == (
        "metra: Standard output cannot be written: No space left on device.\n"
    )


def test_an_encoding_without_arrows(arguments, metra_command):
    ran = metra_command(*arguments, PYTHONIOENCODING="latin-1", PYTHONUTF8="0")
    assert ran.code == 2
    assert ran.err == (
        "metra: Standard output cannot encode '\\u2191' in latin-1; set "
        "PYTHONIOENCODING=utf-8, or write to a file with -o.\n"
    )


@pytest.mark.parametrize(
    "command", [["--help"], ["metrics"], ["metrics", "bleu"], None], ids=str
)
def test_a_reader_that_leaves_early_is_no_failure(command, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*METRA, *(command or arguments)],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def on_a_terminal(arguments: list[str], **environment: str) -> str:
    """What a command writes where it sees a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*METRA, *arguments], stdout=theirs, env=os.environ | environment
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:  # Linux says so where a terminal ends
            break
        if not block:
            break
        text += block
    os.close(ours)
    assert process.wait(timeout=PATIENCE) == 0
    return text.decode().replace("\r\n", "\n")


def test_colour_is_for_terminals(arguments, cli, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = on_a_terminal(arguments)
    plain = cli(*arguments).out
    assert "\x1b[1m100.00*\x1b[0m" in coloured
    assert "\x1b" not in plain
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


def test_no_colour_where_none_is_wanted(arguments, cli):
    assert on_a_terminal(arguments, NO_COLOR="1") == cli(*arguments).out


def test_no_colour_in_files(arguments, tmp_path):
    target = tmp_path / "scores.txt"
    assert on_a_terminal([*arguments, "-o", str(target)]) == ""
    assert "\x1b" not in target.read_text()


@pytest.mark.parametrize("moment", ["reading", "resampling"])
def test_an_interruption_leaves_nothing_behind(moment, write, tmp_path):
    """Ctrl-C while text comes in, and in the middle of a long computation."""
    count = 200_000 if moment == "reading" else 20_000
    reference = write("in/ref.txt", ["a b c d"] * count)
    target = tmp_path / "scores.json"
    command = ["score", "-", "-r", str(reference), "-o", str(target)]
    with subprocess.Popen(
        [*METRA, *command, "--ci", "--trials", "2000000"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            # More than a pipe holds: once all is written, the command is at work.
            process.stdin.write(b"a b c d\n" * (count - 1))
            if moment == "resampling":
                process.stdin.write(b"a b c x\n")
                process.stdin.close()
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=PATIENCE)
            message = process.stderr.read().decode().strip()
        finally:
            process.kill()
    assert (code, message) == (130, "metra: interrupted; nothing was written.")
    assert os.listdir(tmp_path) == ["in"]
