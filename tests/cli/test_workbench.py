"""`metra open` and `metra push` as people call them."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar

import pytest
from tests.patience import PATIENCE
from tests.web.servers import serving

from metra import store as stores
from metra.cli.push import PushError, check_server, send_json
from metra.errors import OptionError
from metra.store import access, workspaces


@pytest.fixture
def files(tmp_path):
    refs = [f"this is the line number {at}" for at in range(20)]
    texts = {
        "ref.txt": refs,
        "old.txt": [text.replace("the", "a") for text in refs],
        "bad.txt": [text[:9] for text in refs],
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def read_page(opener, url):
    with opener.open(url, timeout=PATIENCE) as reply:
        return reply.url, reply.read().decode()


def test_open_imports_files_and_serves_them_to_its_user_alone(files, tmp_path):
    command = [sys.executable, "-m", "metra", "open", "--no-browser"]
    process = subprocess.Popen(
        [*command, "old.txt", "bad.txt", "-r", "ref.txt", "--name", "Lines"],
        cwd=files,
        env=os.environ | {"XDG_DATA_HOME": str(tmp_path / "data")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        lines = [process.stdout.readline()]
        while "Uvicorn running" not in lines[-1]:
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)
        address = re.search(r"http\S+", "".join(lines))[0]
        direct = urllib.request.ProxyHandler({})
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        mine = urllib.request.build_opener(direct, cookies)
        url, page = read_page(mine, address)
        assert "/w/main/sets/" in url
        assert "<h1" in page
        assert "Lines" in page
        with pytest.raises(urllib.error.HTTPError, match="403"):
            read_page(urllib.request.build_opener(direct), address)
        stranger = urllib.request.build_opener(direct)
        assert "Sign in" in read_page(stranger, url)[1]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    kept = tmp_path / "data" / "metra" / "workbench.db"
    assert kept.stat().st_mode & 0o077 == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    url = str(folder / "judge.db")
    store = stores.open(url)
    with store.transaction() as db:
        by = {"now": 1.0, "who": "ann"}
        access.set_password(db, "ann", "a long password", **by)
        token = workspaces.create_token(db, "main", "CI", "organiser", **by)
        reader = workspaces.create_token(db, "main", "eye", "viewer", **by)
    store.close()
    with serving(url, folder / "log") as running:
        running.token, running.reader = token, reader
        yield running


def push(server, files, *arguments, token=None):
    secret = server.token if token is None else token
    environment = os.environ | {"METRA_TOKEN": secret, "METRA_SERVER": server.base}
    return subprocess.run(
        [sys.executable, "-m", "metra", "push", *arguments],
        cwd=files,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def read_set(server, name):
    request = urllib.request.Request(
        f"{server.base}/api/w/sets/{name}",
        headers={"Authorization": f"Bearer {server.reader}"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        return json.load(reply)


def test_a_worse_build_is_seen(server, files):
    first = push(server, files, "old.txt", "-r", "ref.txt", "--set", "lines")
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("Pushed old to lines: http://127.0.0.1:")
    assert push(server, files, "bad.txt", "--set", "lines").returncode == 0
    while (shown := read_set(server, "lines"))["pending"]:
        pass
    [comparison] = [
        entry for entry in shown["results"]["comparisons"] if entry["metric"] == "bleu"
    ]
    assert comparison["baseline"] == "old"
    assert comparison["significant"]
    assert comparison["difference"] < 0


@pytest.mark.parametrize(
    ("arguments", "token", "message"),
    [
        (["old.txt", "--set", "x"], "", "No token was given; create one"),
        (["old.txt", "--set", "x"], "wrong", "The token is missing or not valid"),
        (["old.txt", "--set", "none"], None, "no test set named 'none'"),
        (
            ["old.txt", "--set", "x", "--to", "http://metra.example.org"],
            None,
            "others could read the token",
        ),
        (
            ["old.txt", "--set", "x", "--to", "http://127.0.0.1:9"],
            None,
            "cannot be reached",
        ),
    ],
)
def test_pushes_that_are_refused(server, files, arguments, token, message):
    ended = push(server, files, *arguments, token=token)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_reader_cannot_push(server, files):
    ended = push(server, files, "old.txt", "--set", "x", token=server.reader)
    assert "this needs the role organiser" in ended.stderr


@pytest.mark.parametrize("url", ["ftp://a", "a", "http://a.example", "https://"])
def test_servers_are_reached_by_encryption(url):
    if url == "https://":
        with pytest.raises(PushError, match="cannot be reached"):
            send_json(f"{check_server(url)}/api", {}, "t")
    else:
        with pytest.raises(OptionError, match="expected https://NAME"):
            check_server(url)
