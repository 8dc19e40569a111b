"""Files elsewhere, with a folder in the place of the object store."""

import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from metra.errors import FormatError
from metra.formats import remote


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    (tmp_path / "bucket" / "deep").mkdir(parents=True)
    system = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    monkeypatch.setattr(remote, "_find_system", lambda *_: system)
    return tmp_path / "bucket"


def test_what_is_written_is_read_and_listed(bucket):
    with remote.write_remote("s3://bucket/deep/b.txt") as file:
        file.write(b"later")
        assert remote.list_remote("s3://bucket") == []
    (bucket / "a.txt").write_bytes(b"soon")
    expected = ["s3://bucket/a.txt", "s3://bucket/deep/b.txt"]
    assert remote.list_remote("s3://bucket/") == expected
    assert remote.list_remote("s3://bucket/a.txt") is None
    with remote.open_remote("s3://bucket/deep/b.txt") as file:
        file.seek(2)
        assert file.read() == b"ter"


def test_the_state_of_a_file_is_its_time_and_size(bucket):
    (bucket / "a.txt").write_bytes(b"soon")
    state = (bucket / "a.txt").stat()
    expected = (state.st_mtime_ns, 4)
    assert remote.get_remote_state("s3://bucket/a.txt") == expected
    assert remote.get_remote_state("s3://bucket/none.txt") is None
    assert remote.get_remote_state("s3://bucket") is None


def test_what_cannot_be_read_is_named_with_its_address(bucket):
    says = r"^s3://bucket/none cannot be read: .*; check the address, your permissions"
    with pytest.raises(FormatError, match=says):
        remote.open_remote("s3://bucket/none")
    del bucket
