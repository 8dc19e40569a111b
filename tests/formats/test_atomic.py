"""Files that are whole or not there, whatever happens while they are written."""

import subprocess
import sys

import pytest

from metra.errors import FormatError
from metra.formats import atomic
from metra.formats.atomic import write_file

KILLED = """
import os, signal, sys
from metra.formats.atomic import write_file
with write_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has nameless files")
def test_a_process_that_is_killed_leaves_nothing(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    for name in ("new", "old"):
        target = str(tmp_path / name)
        done = subprocess.run([sys.executable, "-c", KILLED, target], check=False)
        assert done.returncode == -9
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_bytes() == b"old"


@pytest.mark.parametrize("nameless", [True, False])
def test_a_file_is_replaced_when_it_is_whole(tmp_path, monkeypatch, nameless):
    if not nameless:
        monkeypatch.setattr(atomic, "_PROCESS_FILES", str(tmp_path / "nowhere"))
    target = tmp_path / "a.txt"
    for content in (b"first", b"second"):
        with write_file(str(target)) as file:
            file.write(content)
            assert not target.exists() or target.read_bytes() == b"first"
            hidden = [path.name[:7] for path in tmp_path.iterdir() if path != target]
            assert hidden == ([] if nameless else [".metra-"])
        assert target.read_bytes() == content
    with pytest.raises(KeyError), write_file(str(target)) as file:
        raise KeyError
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    says = r"b/c cannot be written: No such file"
    with pytest.raises(FormatError, match=says), write_file(str(tmp_path / "b" / "c")):
        pass
