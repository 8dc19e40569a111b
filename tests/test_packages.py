"""Containerfile, workflows, man pages and install commands name what exists."""

import re
import shlex
import tomllib

import click
import pytest

from metra.cli import cli as commands
from metra.cli.help import walk_commands

COMMANDS = {
    context.command_path: context.command for context in walk_commands(commands)
}


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text())


def list_flags(command):
    return {flag for entry in command.params for flag in entry.opts}


def check_call(words):
    """Assert that a call of metra names a command and flags that there are."""
    path = next(
        " ".join(words[:end])
        for end in range(len(words), 0, -1)
        if " ".join(words[:end]) in COMMANDS
    )
    assert not isinstance(COMMANDS[path], click.Group)
    flags = {word for word in words if word.startswith("--")}
    assert flags <= list_flags(COMMANDS[path]), words
    return path


def test_containerfile(root, project):
    text = (root / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.split("\n") if line[:1].isupper()]
    by_word = {}
    for word, rest in lines:
        by_word.setdefault(word, []).append(rest)
    copied = [path for rest in by_word["COPY"] for path in rest.split()[:-1]]
    assert copied
    assert all((root / path).exists() for path in copied)
    entry, call = (
        shlex.split(re.sub(r"[\[\],]", " ", by_word[word][-1]))
        for word in ("ENTRYPOINT", "CMD")
    )
    assert check_call([*entry, *call]) == "metra judge serve"
    [port] = by_word["EXPOSE"]
    assert call[call.index("--port") + 1] == port
    [health] = by_word["HEALTHCHECK"]
    assert f"http://127.0.0.1:{port}/health" in health
    assert by_word["USER"] == ["metra"]
    assert by_word["VOLUME"] == ["/store"]
    assert by_word["ENV"] == ["METRA_STORE=/store/judge.db"]
    assert COMMANDS["metra judge serve"].params[0].envvar == "METRA_STORE"
    [extras] = re.findall(r"\.whl\)\[([\w,]+)\]", text)
    assert set(extras.split(",")) <= project["project"]["optional-dependencies"].keys()
    assert f'"{project["build-system"]["requires"][0]}"' in text
    # The commands in the head; the image itself is the command `metra judge`.
    head = text.partition("FROM")[0]
    calls = map(shlex.split, re.findall(r" metra (\w.+)$", head, re.MULTILINE))
    assert {check_call(["metra", "judge", *call]) for call in calls} == {
        "metra judge init",
        "metra judge links",
    }


def test_the_health_check_is_a_route():
    pages = pytest.importorskip("metra.web.judge.pages")
    assert "/health" in [route.path for route in pages.router.routes]


def test_workflows(root, project):
    yaml = pytest.importorskip("yaml")
    targets = re.findall(r"^([\w-]+):", (root / "Makefile").read_text(), re.MULTILINE)
    for path in sorted((root / ".github" / "workflows").glob("*.yml")):
        text = path.read_text()
        workflow = yaml.safe_load(text)
        for job in workflow["jobs"].values():
            assert {"runs-on", "steps"} <= job.keys()
            for step in job["steps"]:
                assert ("uses" in step) != ("run" in step)
        groups = re.findall(r"--group ([\w-]+)", text)
        assert set(groups) <= project["dependency-groups"].keys()
        assert set(re.findall(r"run: make ([\w-]+)", text)) <= set(targets)
        assert all(
            (root / place).exists() for place in re.findall(r" (tests/\w+)", text)
        )
        assert "secrets." not in text
    released = yaml.safe_load((root / ".github/workflows/release.yml").read_text())
    publish = released["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert set(publish["needs"]) == released["jobs"].keys() - {"publish"}


def test_no_text_installs_metra_from_an_index(root):
    """It is not on PyPI yet: commands name the source folder, or a wheel."""
    named = re.compile(r"pip install ['\"]?metra(?![\w*-])")
    places = [root / "README.md", root / "CONTRIBUTING.md"]
    places += [*(root / "src").rglob("*.py"), *(root / "docs").rglob("*.md")]
    found = [str(path) for path in places if named.search(path.read_text("utf-8"))]
    assert not found


def test_man_pages(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "docs" / "tools"))
    import man_pages

    requests = re.compile(r"\.(TH|SH|SS|PP|TP|EX|EE|B|BR)( |$)|[^.']|$")
    for context in walk_commands(commands):
        name, text = man_pages.write_page(context)
        assert name == context.command_path.replace(" ", "-")
        assert all(requests.match(line) for line in text.split("\n")), name
        for flag in list_flags(context.command) - {"--help"}:
            if flag.startswith("-"):
                assert flag.replace("-", "\\-") in text, (name, flag)
        if context.command is commands:
            assert ".BR metra\\-score (1)" in text
