"""The words that users read: terms of the field, counts that agree with their nouns."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from metra.cli import cli as root
from metra.cli.help import TOPICS, walk_commands

ROOT = Path(__file__).parent.parent


class Text(NamedTuple):
    """A text that users read, and where it is."""

    place: str
    text: str


class Rule(NamedTuple):
    """What is not written, what to write instead, and a text that breaks the rule."""

    pattern: str
    instead: str
    bad: str


def read_rules() -> dict[str, list[Rule]]:
    """Read the lists of rules, which have a line for each rule, by name."""
    content = Path(__file__).with_name("vocabulary.tsv").read_text(encoding="utf-8")
    rules = {}
    for section in content.split("\n== ")[1:]:
        head, *lines = section.strip("\n").split("\n")
        rules[head.partition(" ")[0]] = [Rule(*line.split("\t")) for line in lines]
    return rules


RULES = read_rules()
WORDS, PROSE, OPENINGS = RULES["WORDS"], RULES["PROSE"], RULES["OPENINGS"]
NOUNS = """answer campaign cell character check column coefficient day document error file
    fold group hour item judge judgement line metric minute output pair question
    rater rating reference row score scorer second segment sentence system task term text trial
    unit value word"""
#: One of something, with a plural.
COUNTS = [
    Rule(rf"(?<![\d.,×–-])\b1 (?:{'|'.join(NOUNS.split())})s\b(?!')", "the singular",
         "3 answers by 1 judges"),
]  # fmt: skip


def list_help() -> Iterator[Text]:
    """List the help of commands and options, and the topics."""
    for context in walk_commands(root):
        yield Text(context.command_path, context.command.help or "")
        for option in context.command.params:
            if isinstance(option, click.Option) and option.help:
                yield Text(f"{context.command_path} {option.opts[0]}", option.help)
    for name, topic in TOPICS.items():
        yield Text(f"metra help {name}", topic.write())


def list_messages() -> Iterator[Text]:
    """List strings of three words or more in the code, docstrings of metrics included."""
    for path in sorted((ROOT / "src" / "metra").rglob("*.py")):
        if "text/sentences" in path.as_posix():
            continue  # words of other languages
        tree = ast.parse(path.read_bytes())
        inside: set[ast.AST] = set()
        # A node comes before what is in it.
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                inside.update(node.values)
            elif isinstance(node, ast.Expr):
                inside.add(node.value)
            if node in inside or not isinstance(node, ast.Constant | ast.JoinedStr):
                continue
            text = join_constants(node)
            if len(re.findall(r"[A-Za-z]{2,}", text)) > 2 and " " in text:
                yield Text(f"{path.relative_to(ROOT)}:{node.lineno}", text)


def join_constants(node: ast.AST) -> str:
    """Return the text of a string, with … for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(join_constants(part) or "…" for part in node.values)
    return ""


def list_pages() -> Iterator[Text]:
    """List the paragraphs of the documentation, without code."""
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"^(```|~~~).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"`[^`\n]+`|\]\([^)]*\)|<[^>]+>", "…", text)
        for paragraph in re.split(r"\n\s*\n", text):
            yield Text(str(path.relative_to(ROOT)), paragraph)


def list_catalogues() -> Iterator[Text]:
    """List what judges and organisers read in English: catalogues, guides and templates."""
    package = ROOT / "src" / "metra"
    for path in sorted(package.rglob("*en.toml")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            text = line.partition(" = ")[2] or line
            yield Text(f"{path.relative_to(ROOT)}:{number}", text)
    for path in sorted(package.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"<[^>]*>|{[{%#].*?[}%#]}", "…", text, flags=re.DOTALL)
        for paragraph in re.split(r"\n\s*\n", text):
            yield Text(str(path.relative_to(ROOT)), paragraph)


def list_outputs() -> Iterator[Text]:
    """List the lines that commands and pages have written."""
    for path in sorted((ROOT / "tests" / "golden_run" / "expected").rglob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            yield Text(f"{path.relative_to(ROOT)}:{number}", line)


SOURCES = {
    "help": list_help,
    "messages": list_messages,
    "pages": list_pages,
    "catalogues": list_catalogues,
    "outputs": list_outputs,
}


@cache
def read_texts(source: str) -> tuple[Text, ...]:
    """Return the texts of a source, white space as single spaces."""
    return tuple(
        Text(each.place, " ".join(each.text.split())) for each in SOURCES[source]()
    )


def find_faults(rules: list[Rule], texts: tuple[Text, ...]) -> list[str]:
    """Return each text that breaks a rule, with its place and what to write instead."""
    one = re.compile("|".join(f"(?:{rule.pattern})" for rule in rules))
    return [
        f"{place}: {found[0]!r} (write {rule.instead}) in {text[:200]!r}"
        for place, text in texts
        if one.search(text)
        for rule in rules
        if (found := re.search(rule.pattern, text))
    ]


@pytest.mark.parametrize(
    "rule", [*WORDS, *PROSE, *OPENINGS, *COUNTS], ids=lambda rule: rule.bad
)
def test_rules_see_what_is_wrong(rule):
    assert find_faults([rule], (Text("here", rule.bad),))


@pytest.mark.parametrize("source", SOURCES)
def test_words(source):
    texts = read_texts(source)
    assert len(texts) > 500
    assert find_faults(WORDS, texts) == []


def test_prose_of_pages():
    texts = read_texts("pages")
    assert len({each.place for each in texts}) > 100
    assert find_faults(PROSE, texts) == []


def test_openings_of_help():
    anchored = [rule._replace(pattern=rf"\A{rule.pattern}") for rule in OPENINGS]
    assert find_faults(anchored, read_texts("help")) == []


@pytest.mark.parametrize("source", SOURCES)
def test_counts_agree_with_nouns(source):
    assert find_faults(COUNTS, read_texts(source)) == []


def test_option_help_is_a_sentence():
    for place, text in read_texts("help"):
        if " -" in place and "metra meta " not in text:  # an answer with an example
            assert text[0].isupper() or re.match(r"[\w-]+: |z:|mean ", text), place
            assert text.endswith((".", "…", ")")), place
