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


#: Words and phrases that are not used anywhere.
WORDS = [
    Rule(r"\b[Ss]poilt\b", "degraded", "Spoilt seen"),
    Rule(r"\b[Ww]ish(es)?\b", "setting, option", "New campaign: Texts, Wishes, Draft"),
    Rule(r"\bmay be chance\b", "not significant", "△ ▽ may be chance"),
    Rule(r"\bclear difference\b", "significant difference", "no clear difference by bleu"),
    Rule(r"\b(hold|holds|held|holding) .{0,40}\bagainst\b", "compare with",
         "Systems are held against the reference."),
    Rule(r"\bspeaks? (of|against)\b", "refers to", "a.tsv speaks of segment 3"),
    Rule(r"(?<![Tt]here )\b(is|are) no (?!longer|more|better|worse|less|other|match)\w",
         "is not a", "'x' is no level"),
    Rule(r"\b(one|a|an) \w+ a (line|segment|system|sentence|row)\b", "per",
         "Reference, one segment a line."),
    Rule(r"\bone a (line|segment|system|sentence)\b", "one per", "Document ids, one a line."),
    Rule(r"\b(by|of|for) so (many|much)\b|\bup to so many\b", "at least this many",
         "Show segments whose score changed by so much."),
    Rule(r"\b[Bb]lanks\b|\ba blank\b(?! line| cell)", "space", "scripts without blanks"),
    Rule(r"\banew\b", "again", "lost links are made anew"),
    Rule(r"whole or not there|in silence", "say what happens",
         "HTML file to write; it is whole or not there."),
    Rule(r"\bmade elsewhere\b", "from another program", "Scores made elsewhere"),
    Rule(r"\bcut into words\b|\bparted into\b", "split into", "how text is cut into words"),
    Rule(r"\bgoes by\b", "detects it from", "auto goes by name and content"),
    Rule(r"\b(brings?|bring|brought) .{0,40}\balong\b", "contains",
         "a test set, which brings references along"),
    Rule(r"\bso left out\b", "excluded, because", "Not in every pair and so left out: x."),
    Rule(r"\b(tell|tells|told|telling) \w+( \w+)? apart\b", "distinguish, separate",
         "segments that tell systems apart"),
    Rule(r"\bto hold against\b|\bthe most here\b", "to compare with", "11 is the most here"),
    Rule(r"\bwhich the \w+ has not\b|\bhas not; ", "does not have",
         "document 'd', which the text has not"),
    Rule(r"\bits rights\b|\byour rights\b", "permissions", "check the name and its rights"),
    Rule(r"\bfault of metra\b", "internal error", "This is a fault of metra"),
    Rule(r"\bHow far it is\b|\bSaid before\b", "Progress; Duplicate", "How far it is"),
    Rule(r"\bput it so\b|\bput another way\b|\bstood there\b|\bmade out\b",
         "was there, understood", "the word that you think stood there"),
    Rule(r"\bnames none\b", "has no documents", "but the corpus names none"),
    Rule(r"\bgo on\b", "continue", "Mark nothing and go on."),
    Rule(r"\b(command|file|metric|option|test|unit)s? wants?\b", "needs",
         "each unit wants 3 judges"),
    Rule(r"\b(it|they) (is|are) there\b|\bwhat (it|they) holds?\b|\bwhat is there\b",
         "is present; contents", "replace to delete what it holds"),
    Rule(r"\bhalf-written\b|\bback whole\b", "partial", "nothing was half-written"),
    Rule(r"\bis said to\b|\bis not told\b|\bis noted\b|\b[Nn]ot known to\b",
         "who does what", "who answered is not told"),
    Rule(r"\bdisturbed\b", "interrupted", "If you are disturbed, pause"),
    Rule(r"\bslips? of\b|\ba slip\b|\bcosts? nothing\b|\bwill (not )?do[;.,]",
         "error; has no penalty; is accepted", "with at most a slip of grammar"),
    Rule(r"\bbeyond those of\b|\bthat rise\b|\bthe other one\b",
         "not in; increasing; the other system", "has no bounds that rise"),
    Rule(r"\b(behavior|analyze[sd]?|favor(ite)?|catalog|labeled|modeling)\b",
         "British spelling", "the behavior of the metric"),
]  # fmt: skip

#: Words and phrases that pages of the documentation do not use.
PROSE = [
    Rule(r"\b([Aa]n?|[Tt]he|[Oo]ne|[Oo]ther|[Aa]nother|[Ee]ach|[Ee]very|[Tt]wo|[Bb]oth|[Ss]everal|"
         r"[Aa]ll|[Oo]ur|[Ss]ome|[Aa]ny|[Tt]hese|automated|human) measures?\b(?! of)|"
         r"\b[Mm]easures (are|that|stand|with|have|need)\b", "metric",
         "Every measure but GTM does better."),
    Rule(r"\blikewise\b", "in the same way", "Documents are drawn likewise."),
    Rule(r"\bby (itself|themselves)\b", "separately, on its own", "each reference by itself"),
    Rule(r"\bweigh(s|ed|ing)?\b", "weight", "measures that weigh by the whole corpus"),
    Rule(r"\bst(ands?|ood) (at|beside|alone|first|in|under|above|among|there)\b",
         "is, comes", "Contradictions stand first."),
    Rule(r"\bbeside\b", "next to", "parts beside the score"),
    Rule(r"\b(add|adds|added|adding) up\b", "sum", "Counts are added up over outputs."),
    Rule(r"\banything is divided\b|\bfirst of equals\b",
         "before the division; if equal, the first", "the best counts, the first of equals"),
    Rule(r"\b(come|comes|came) out\b", "reproduces, is", "Textbook tables come out."),
    Rule(r"\bpunish", "penalise", "How brevity is punished"),
    Rule(r"\bhangs? on\b", "depends on", "one figure hangs on digits"),
    Rule(r"\b(take|takes|taken|took) (for|(segments|values|it|them|text) for)\b", "treat as",
         "a test that takes segments for independent"),
    Rule(r"\bless (r|that|those|its|her|his|adjectives)\b", "minus",
         "r of recall less r of precision"),
    Rule(r"\b(go|goes|went) (better )?with (people|adequacy|fluency|judgements)\b",
         "correlates with", "BLEU goes with fluency"),
    Rule(r"\bhowever (many|few|much)\b", "regardless of", "once, however many pairs it is in"),
    Rule(r"\bthe more so\b|\bturn it round\b|\bfor the world\b", "plain words",
         "Documents overlap, the more so the longer they are."),
    Rule(r"\b(each|every) two\b", "each pair", "coefficients of every two judges"),
    Rule(r"\b(make|makes|made|compute|computes|computed) again\b", "recompute",
         "figures, computed again"),
    Rule(r"\bwhere there (is|are) (one|any|none)\b|\bas far as there\b", "if available",
         "the document where there is one"),
    Rule(r"\bknows? (nothing )?of (documents|the)\b", "ignores",
         "It knows nothing of the rest."),
    Rule(r"\bleft out in turn\b|\bcut by 13a\b", "jackknife; tokenised with",
         "documents left out in turn"),
]  # fmt: skip

#: How help does not begin: with a question word, or with an order to the program.
OPENINGS = [
    Rule(r"(Say|Ask|Hold|Let|Tell|Look) ", "a verb of what is done", "Say what outputs are"),
    Rule(r"(Whether|What|How|Where|Who|Whose|Which|When) ", "a noun or a verb",
         "How many words to show."),
    Rule(r"(There (is|are)|It is|They|Some of) ", "the thing itself", "It is the heading."),
]  # fmt: skip

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
        if " -" in place:
            assert text[0].isupper() or re.match(r"[\w-]+: |z:|mean ", text), place
            assert text.endswith((".", "…", ")")), place
