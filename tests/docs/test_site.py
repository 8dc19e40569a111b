"""The documentation site: every page is in the menu, every name and command has a page."""

import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest
from tests.conftest import ROOT

import metra
from metra.cli import cli as commands
from metra.cli.help import walk_commands

DOCS = ROOT / "docs"
CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
INCLUDED = re.compile(r'\A--8<-- "([\w.]+)"\s*\Z')
HEADING = re.compile(r"^#{1,6} (.+?)(?: \{.*\})?$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")


@pytest.fixture(scope="module")
def pages() -> dict[Path, str]:
    """Every page by its path, with what it includes in its place."""
    texts = {path: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    for path, text in texts.items():
        if included := INCLUDED.match(text):
            texts[path] = (ROOT / included[1]).read_text(encoding="utf-8")
    return texts


@pytest.fixture(scope="module")
def check_site():
    sys.path.insert(0, str(DOCS / "tools"))
    import check_site

    yield check_site
    sys.path.remove(str(DOCS / "tools"))


def list_menu(entries: object) -> list[str]:
    if isinstance(entries, str):
        return [entries]
    if isinstance(entries, dict):
        entries = list(entries.values())
    return [page for entry in entries for page in list_menu(entry)]


def test_every_page_is_in_the_menu_once(pages):
    menu = list_menu(CONFIG["project"]["nav"])
    assert sorted(menu) == sorted(str(path.relative_to(DOCS)) for path in pages)


def make_anchors(text: str) -> set[str]:
    """Return the anchors of a page as Python-Markdown makes them, names of the API too."""
    anchors: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        plain = re.sub(r"[^\w\s-]", "", plain).strip().lower()
        slug = re.sub(r"[-\s]+", "-", plain)
        number = 0
        while (anchor := f"{slug}_{number}" if number else slug) in anchors:
            number += 1
        anchors.add(anchor)
    return anchors | set(re.findall(r"^::: ([\w.]+)$", text, re.MULTILINE))


def test_links_lead_to_pages_and_anchors(pages):
    anchors = {path: make_anchors(text) for path, text in pages.items()}
    dead = []
    for path, text in pages.items():
        for link in LINK.findall(re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))):
            if "://" in link or link.startswith("mailto:"):
                continue
            place, _, anchor = link.partition("#")
            target = (path.parent / place).resolve() if place else path
            is_anchor = not anchor or anchor in anchors.get(target, (anchor,))
            if not (target.is_file() and is_anchor):
                dead.append(f"{path.relative_to(DOCS)}: {link}")
    assert not dead


def test_every_command_has_a_page():
    folder = DOCS / "commands"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.md")]
    for context in list(walk_commands(commands))[1:]:
        (text,) = (text for text in texts if f"\n## {context.command_path}\n" in text)
        for option in context.command.params:
            assert all(f"`{flag}`" in text for flag in option.opts if flag[0] == "-")


#: Flags of other programs that pages name.
OTHER_FLAGS = {
    *("--archives", "--body-file", "--brevity-penalty", "--full", "--only_system"),
    *("--international-tokenization", "--no-smoothing", "--part", "--qe", "--rm"),
    *("--to_json", "--write", "--chrf-eps-smoothing", "--lowercase", "--paired-ar"),
    *(
        "--paired-bs",
        "--smooth-method",
        "--smooth-value",
        "--ter-normalized",
        "--tokenize",
    ),
}
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")


def test_flags_that_pages_name_exist(pages):
    listed = {path: set(FLAG.findall(text)) for path, text in pages.items()}
    flags = set().union(
        OTHER_FLAGS,
        *(found for path, found in listed.items() if path.parent.name == "commands"),
    )
    written = {path for path in pages if path.parent.name not in ("api", "metrics")}
    written -= {
        DOCS / f"{name}.md" for name in ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING")
    }
    unknown = {
        f"{path.name}: {flag}" for path in written for flag in listed[path] - flags
    }
    assert not unknown


#: Names in metadata of files, and modules that need packages of their own.
OTHER_NAMES = ("metra.signature", "metra.compat.")


def does_exist(name: str) -> bool:
    """Import the longest part of a dotted name, and look up the rest."""
    module, _, attribute = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return bool(module) and hasattr(importlib.import_module(module), attribute)
    return True


def test_names_that_pages_mention_exist(pages):
    written = (text for path, text in pages.items() if path.name != "CHANGELOG.md")
    names = {
        name for text in written for name in re.findall(r"`(metra(?:\.\w+)+)", text)
    }
    checked = [name for name in names if not name.startswith(OTHER_NAMES)]
    assert [name for name in checked if not does_exist(name)] == []


def test_every_public_name_is_in_the_reference(pages):
    index = pages[DOCS / "api" / "index.md"]
    missing = [
        name
        for name in metra.__all__
        if name != "__version__" and f"[`metra.{name}`](" not in index
    ]
    assert not missing


def write_site(folder: Path, body: str) -> Path:
    (folder / "a").mkdir()
    (folder / "a" / "b.html").write_text('<h2 id="here">B</h2>', encoding="utf-8")
    (folder / "index.html").write_text(body, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "body",
    [
        '<a href="a/b.html#here">b</a> <a href="#top"></a><p id="top">',
        '<a href="https://example.org/">elsewhere</a>',
        '<img src="data:image/png;base64,AA=="><script src="a/b.html"></script>',
        '<a href="a/b.html?h=word#here">b</a>',
    ],
)
def test_good_addresses(body, tmp_path, check_site):
    assert not [*check_site.list_faults(write_site(tmp_path, body))]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="c.html">', "c.html leads to no file"),
        ('<img src="c.png">', "c.png leads to no file"),
        ('<a href="a/b.html#there">', "leads to no anchor"),
        ('<a href="../c.html">', "leads out of the site"),
        ('<script src="https://example.org/x.js">', "is fetched from elsewhere"),
        ('<link href="//example.org/x.css">', "is fetched from elsewhere"),
        ('<img src="http://example.org/x.png">', "is fetched from elsewhere"),
    ],
)
def test_bad_addresses(body, fault, tmp_path, check_site):
    (found,) = check_site.list_faults(write_site(tmp_path, body))
    assert found.startswith("index.html: ")
    assert found.endswith(fault)


def test_styles_fetch_nothing(tmp_path, check_site):
    write_site(tmp_path, "<p>")
    style = "a { background: url('data:x') } b { background: url(https://example.org) }"
    (tmp_path / "x.css").write_text(style, encoding="utf-8")
    assert [*check_site.list_faults(tmp_path)] == [
        "x.css: https://example.org is elsewhere"
    ]
