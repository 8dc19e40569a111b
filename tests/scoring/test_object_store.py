"""Tables in an object store: the same digits as files, read, grouped, resumed, written back."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.patience import PATIENCE

from metra.errors import FormatError
from metra.formats import remote

pytest.importorskip("moto.server", reason="needs a local S3 server (moto[server])")

ROWS = {
    "hyp": ["the cat sat on the mat", "a dog", "this is a house here", "x y"],
    "ref": ["the cat sat on a mat", "a dog", "this is the house here", "z y"],
}
OPTIONS = ("--read", "hyp=A=hyp", "-m", "bleu", "-m", "nist", "--group-by", "lp",
           "--format", "json")  # fmt: skip


@pytest.fixture(scope="module")
def server():
    """Start a server; give its address."""
    from moto.server import ThreadedMotoServer

    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server, monkeypatch):
    """Give an empty bucket's file system, and the environment of who uses it."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    remote._find_system.cache_clear()
    from pyarrow.fs import S3FileSystem

    host = server.removeprefix("http://")
    system = S3FileSystem(
        endpoint_override=host, scheme="http", region="us-east-1", allow_bucket_creation=True,
        allow_bucket_deletion=True, access_key="test", secret_key="test",
    )  # fmt: skip
    system.create_dir("tables")
    yield system
    system.delete_dir("tables")
    remote._find_system.cache_clear()


@pytest.fixture
def folder(tmp_path, bucket):
    """Write the same table as files and as objects; give the folder and the address."""
    table = pa.table(ROWS)
    for number, lp in enumerate(("fr-en", "de-en")):
        place = f"lp={lp}/part-0.parquet"
        part = table.slice(2 * number, 2)
        (tmp_path / "data" / place).parent.mkdir(parents=True)
        pq.write_table(part, tmp_path / "data" / place)
        pq.write_table(part, f"tables/data/{place}", filesystem=bucket)
    return tmp_path / "data", "s3://tables/data"


def test_the_same_digits_from_a_store(cli, folder):
    local, address = folder
    expected = json.loads(cli("score", local, *OPTIONS).out)
    for given in (address, f"{address}/", f"{address}/*/*.parquet"):
        found = cli("score", given, *OPTIONS)
        assert found.code == 0, found.err
        assert json.loads(found.out) == expected
    single = cli("score", f"{address}/lp=fr-en/part-0.parquet", *OPTIONS[:4])
    assert single.code == 0, single.err


def test_scores_and_totals_are_kept_in_a_store(cli, folder, bucket, tmp_path):
    local, address = folder
    options = (*OPTIONS, "--scores-out")
    kept = ("--resume", "s3://tables/kept")
    expected = cli(
        "score", local, *options, tmp_path / "out", "--resume", tmp_path / "kept"
    )
    found = cli("score", address, *options, "s3://tables/out", *kept)
    assert found.code == 0, found.err
    assert json.loads(found.out) == json.loads(expected.out)
    name = "lp=de-en/part-0.parquet"
    written = pq.read_table(f"tables/out/{name}", filesystem=bucket, partitioning=None)
    assert written.equals(pq.ParquetFile(tmp_path / "out" / name).read())
    # What is kept is taken up again: damage of it is noticed.
    kept_files = sorted(remote.list_remote("s3://tables/kept"), key=lambda p: p[-7:])
    endings = [path.rpartition(".")[2] for path in kept_files]
    assert endings == ["totals", "totals"]
    again = cli("score", address, *options, "s3://tables/out", *kept)
    assert again.out == found.out
    first = kept_files[0]
    with bucket.open_output_stream(first.removeprefix("s3://")) as file:
        file.write(b"damaged")
    ran = cli("score", address, *options, "s3://tables/out", *kept)
    assert (ran.code, ran.out) == (2, "")
    assert f"{first} is damaged; delete it to score its shard again." in ran.err


KILLED = """
import os, signal, sys
from metra.formats import remote
kept = remote.write_remote
def die(path):
    if path.endswith("part-0.parquet") and "fr-en" in path:
        os.kill(os.getpid(), signal.SIGKILL)
    return kept(path)
import metra.formats.atomic
metra.formats.atomic.write_remote = die
from metra.cli import cli
cli(sys.argv[1:], prog_name="metra")
"""


def test_a_kill_in_the_middle(cli, folder):
    local, address = folder
    words = ("score", address, *OPTIONS, "--scores-out", "s3://tables/out", "--resume",
             "s3://tables/kept")  # fmt: skip
    command = [sys.executable, "-c", KILLED, *words]
    done = subprocess.run(command, check=False, timeout=PATIENCE)
    assert done.returncode == -9
    assert remote.list_remote("s3://tables/out") == [
        "s3://tables/out/lp=de-en/part-0.parquet"
    ]
    found = cli(*words)
    assert found.code == 0, found.err
    assert json.loads(found.out) == json.loads(cli("score", local, *OPTIONS).out)
    assert len(remote.list_remote("s3://tables/out")) == 2


def test_texts_are_read_from_a_store_and_converted_into_one(cli, bucket, tmp_path):
    for name in ROWS:
        (tmp_path / f"{name}.txt").write_text("\n".join(ROWS[name]) + "\n")
        with bucket.open_output_stream(f"tables/{name}.txt") as file:
            file.write((tmp_path / f"{name}.txt").read_bytes())
    expected = cli("score", tmp_path / "hyp.txt", "-r", tmp_path / "ref.txt")
    found = cli("score", "s3://tables/hyp.txt", "-r", "s3://tables/ref.txt")
    assert found.out == expected.out
    out = "s3://tables/new.parquet"
    ran = cli("convert", "s3://tables/hyp.txt", "-r", "s3://tables/ref.txt", "-o", out)
    assert ran.code == 0, ran.err
    assert pq.read_table("tables/new.parquet", filesystem=bucket).num_rows == 4


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("s3://tables/none.parquet", "s3://tables/none.parquet cannot be read: "),
        ("s3://nowhere/a.parquet", "s3://nowhere/a.parquet cannot be read: "),
        (
            "s3://tables/*.parquet",
            "No file matches s3://tables/*.parquet; check the pattern",
        ),
        ("s3://tables/none.txt", "s3://tables/none.txt cannot be read: "),
    ],
)
@pytest.mark.usefixtures("bucket")
def test_what_is_not_there(cli, address, says):
    ran = cli("score", address, "-r", address)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.usefixtures("bucket")
def test_a_file_that_was_not_finished_is_not_sent():
    def write(path: str, content: bytes | None) -> None:
        with remote.write_remote(path) as file:
            file.write(b"half")
            file.write(content)

    with pytest.raises(TypeError):
        write("s3://tables/a", None)
    assert remote.get_remote_state("s3://tables/a") is None
    write("s3://tables/a", b"whole")
    assert remote.get_remote_state("s3://tables/a")[1] == 9
    with pytest.raises(
        FormatError, match=r"s3://none/a cannot be written: .*permissions"
    ):
        write("s3://none/a", b"whole")
