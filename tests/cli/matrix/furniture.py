"""Furniture of lines: marks of tokenisers and models, wrappers, encodings and line ends."""

import gzip
import html
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.cli.matrix.files import write_lines, write_table
from tests.cli.matrix.framework import Case
from tests.cli.matrix.texts import (
    COUNT,
    FRENCH,
    REF,
    SHUFFLE,
    SOURCE,
    A,
    B,
    bleu,
    reorder,
)

CASES: dict[str, Case] = {}


def cut_pieces(line: str, mark: str) -> str:
    """Cut long words in two, as byte pair encoding does."""
    return " ".join(
        f"{word[:4]}{mark} {word[4:]}" if len(word) > 5 else word
        for word in line.split()
    )


def cut_sentencepiece(line: str) -> str:
    words = (f"▁{word[:4]} {word[4:]}".strip() for word in line.split())
    return " ".join(words)


def cut_wordpiece(line: str) -> str:
    return " ".join(
        f"{word[:4]} ##{word[4:]}" if len(word) > 5 else word for word in line.split()
    )


def tokenise(line: str) -> str:
    for mark in ',.!?";:':
        line = line.replace(mark, f" {mark} ")
    return " ".join(line.split())


#: What stands around each line, by the number of the line, and what a warning says.
LINES: dict[str, tuple[Callable[[str, int], str], str]] = {
    "BPE @@": (lambda line, _: cut_pieces(line, "@@"), "@@|BPE|subword"),
    "SentencePiece ▁": (
        lambda line, _: cut_sentencepiece(line),
        "▁|subword|tokenised text",
    ),
    "WordPiece ##": (lambda line, _: cut_wordpiece(line), "##|subword"),
    "joiners ￭": (lambda line, _: cut_pieces(line, "￭"), "￭|subword"),
    "byte-level Ġ": (lambda line, _: line.replace(" ", "Ġ"), "Ġ|subword"),
    "tokenised": (lambda line, _: tokenise(line), "tokenised"),
    "tokenised, @-@ and &apos;": (
        lambda line, _: (
            tokenise(line).replace("'", "&apos;").replace('"', "&quot;") + " @-@"
        ),
        "tokenised",
    ),
    "Moses' n-best, one best": (
        lambda line, n: f"{n} ||| {line} ||| LM0= -8.1 WP0= -7 ||| -3.2",
        r"\|\|\||n-best",
    ),
    "words and alignments": (
        lambda line, _: f"{line} ||| 0-0 1-1 2-2",
        r"\|\|\||n-best|align",
    ),
    "fairseq's H-": (lambda line, n: f"H-{n}\t-0.31\t{line}", "H-|fairseq"),
    "fairseq's D- with a score": (
        lambda line, n: f"D-{n}\t-0.31\t{line}",
        "D-|fairseq",
    ),
    "a score and a tab": (lambda line, n: f"-0.{n + 10}\t{line}", "tab|number|score"),
    "a tab and a score": (lambda line, n: f"{line}\t-0.{n + 10}", "tab|number|score"),
    "an id and a tab": (lambda line, n: f"{n}\t{line}", "tab|number|id"),
    "an id and a blank": (lambda line, n: f"utt{n:02d} {line}", "utt0"),
    "a document, an id and a tab": (lambda line, n: f"news-{n}\t{n}\t{line}", "tab|id"),
    "the source and a tab": (lambda line, n: f"{SOURCE[n - 1]}\t{line}", "tab|source"),
    "the source, then ||| and the output": (
        lambda line, n: f"{SOURCE[n - 1]} ||| {line}",
        r"\|\|\||source",
    ),
    "<think>": (
        lambda line, _: f"<think>The user wants a translation.</think> {line}",
        "think|reason",
    ),
    "an empty <think>": (lambda line, _: f"<think></think>{line}", "think|reason"),
    "Here is the translation": (
        lambda line, _: f"Here is the translation: {line}",
        "Here is|begin|same words",
    ),
    "Sure!": (
        lambda line, _: f"Sure! The translation is: {line}",
        "Sure|begin|same words",
    ),
    "Translation:": (lambda line, _: f"Translation: {line}", "Translation|begin"),
    "English:": (lambda line, _: f"English: {line}", "English|begin"),
    "Assistant:": (lambda line, _: f"Assistant: {line}", "Assistant|begin"),
    "a note behind": (
        lambda line, _: f"{line} (Note: literal translation.)",
        "Note|end|same words",
    ),
    ">>en<<": (lambda line, _: f">>en<< {line}", ">>|language tag|begin"),
    "<2en>": (lambda line, _: f"<2en> {line}", "<2en>|tag|begin"),
    "__en__": (lambda line, _: f"__en__ {line}", "__en__|tag|begin"),
    "eng_Latn": (lambda line, _: f"eng_Latn {line}", "eng_Latn|tag|begin"),
    "en_XX": (lambda line, _: f"en_XX {line}", "en_XX|tag|begin"),
    "<s> and </s>": (lambda line, _: f"<s> {line} </s>", "<s>|</s>|tag|begin"),
    "</s>": (lambda line, _: f"{line} </s>", "</s>|end"),
    "<pad>": (lambda line, _: f"<pad> {line} <pad> <pad>", "<pad>|tag|begin"),
    "<unk>": (
        lambda line, _: line.replace(" the ", " <unk> "),
        "<unk>|unknown",
    ),
    "<|im_end|>": (lambda line, _: f"{line}<|im_end|>", "im_end|end"),
    "[END]": (lambda line, _: f"{line} [END]", r"\[END|end"),
    "<eos>": (lambda line, _: f"{line} <eos>", "eos|end"),
    "<seg>": (lambda line, n: f'<seg id="{n}">{line}</seg>', "<seg|tag|begin|XML|SGML"),
    "<p>": (lambda line, _: f"<p>{line}</p>", "<p>|tag|begin|HTML"),
    "<b>": (lambda line, _: f"<b>{line}</b>", "<b>|tag|begin|HTML"),
    "numbers with full stops": (lambda line, n: f"{n}. {line}", "number"),
    "numbers in brackets": (lambda line, n: f"[{n}] {line}", "number"),
    "numbers and a parenthesis": (lambda line, n: f"{n}) {line}", "number"),
    "numbers and a colon": (lambda line, n: f"{n}: {line}", "number"),
    "numbers and a blank": (lambda line, n: f"{n} {line}", "number"),
    "numbers from 0": (lambda line, n: f"{n - 1}. {line}", "number"),
    "grep's numbers": (lambda line, n: f"out.en:{n}:{line}", "number|begin"),
    "bullets": (lambda line, _: f"- {line}", "'- '|bullet|begin|\"- \""),
    "double quotes": (lambda line, _: f'"{line}"', "quot"),
    "single quotes": (lambda line, _: f"'{line}'", "quot"),
    "curly quotes": (lambda line, _: f"“{line}”", "quot|begin"),
    "guillemets": (lambda line, _: f"« {line} »", "quot|begin"),
    "doubled quotes": (lambda line, _: '"' + line.replace('"', '""') + '"', "quot"),
    "JSON strings": (lambda line, _: json.dumps(line), "quot|JSON"),
    "JSON strings with commas": (
        lambda line, _: f"{json.dumps(line)},",
        "quot|JSON|comma",
    ),
    "Python's lists": (lambda line, _: str([line]), r"\[|list|bracket"),
    "Python's bytes": (lambda line, _: str(line.encode()), "b'|bytes|quot|begin"),
    "JSON objects": (lambda line, _: json.dumps({"translation": line}), "JSON"),
    "JSON objects with ids": (
        lambda line, n: json.dumps({"id": n, "output": line}),
        "JSON",
    ),
    "HTML entities": (lambda line, _: html.escape(line), "entit|&|HTML"),
    "HTML entities of letters": (
        lambda line, _: "".join(f"&#{ord(c)};" if c in "aeö'\"" else c for c in line),
        "entit|&|HTML",
    ),
    "HTML entities twice": (lambda line, _: html.escape(html.escape(line)), "entit|&"),
    "JSON's escapes": (
        lambda line, _: "".join(f"\\u{ord(c):04x}" if c in "eö" else c for c in line),
        r"\\u|escape",
    ),
    "backslashes before quotes": (
        lambda line, _: (
            line.replace('"', '\\"').replace("'", "\\'").replace(",", "\\,")
        ),
        r"\\|escape",
    ),
    "URL encoding": (lambda line, _: line.replace(" ", "%20"), "%20|escape|URL"),
    "underscores for blanks": (lambda line, _: line.replace(" ", "_"), "_|blank|space"),
    "Markdown bold": (lambda line, _: f"**{line}**", r"\*\*|Markdown|begin"),
    "a code fence": (lambda line, _: f"`{line}`", "`|Markdown|begin"),
    "small letters": (lambda line, _: line.lower(), "case|capital|lower"),
    "capital letters": (lambda line, _: line.upper(), "case|capital|upper"),
    "without punctuation": (
        lambda line, _: "".join(c for c in line if c.isalnum() or c == " "),
        "punctuation",
    ),
    "letters apart": (
        lambda line, _: " ".join(line),
        "letters|space|character|tokenised",
    ),
    "mojibake": (
        lambda line, _: line.replace('"', "“").encode().decode("latin-1"),
        "mojibake|encod|â",
    ),
    "question marks for letters": (
        lambda line, _: line.replace("e", "\ufffd"),
        "U.FFFD|\ufffd|encod|replace",
    ),
    "a BOM in each line": (lambda line, _: f"\ufeff{line}", "byte order|BOM|U.FEFF"),
    "NUL at the end": (lambda line, _: f"{line}\0", "NUL|zero|U.0000|binary|control"),
    "colours of a terminal": (
        lambda line, _: f"\x1b[32m{line}\x1b[0m",
        "colours of a terminal",
    ),
    "zero-width spaces": (
        lambda line, _: line.replace(" ", " \u200b"),
        "U.200B|zero.width|invisible|control",
    ),
    "soft hyphens": (
        lambda line, _: line.replace("tt", "t\u00adt").replace("en", "e\u00adn"),
        "U.00AD|soft hyphen|invisible",
    ),
    "full-width letters": (
        lambda line, _: "".join(
            chr(ord(c) + 0xFEE0) if "a" <= c <= "z" else c for c in line
        ),
        "width|language|script",
    ),
    "Cyrillic look-alikes": (
        lambda line, _: line.replace("a", "а").replace("e", "е").replace("o", "о"),
        "Cyrillic|script|language",
    ),
    "timestamps": (
        lambda line, n: f"2026-05-01 12:00:{n:02} INFO {line}",
        "begin|time|number",
    ),
    "the system's name": (lambda line, _: f"online-A\t{line}", "tab|begin"),
}


def write_furnished(
    folder: Path, furnish: Callable[[str, int], str], suffix: str = ".txt"
) -> list:
    """Write outputs with furniture beside references without."""
    lines = [furnish(line, number) for number, line in enumerate(A, 1)]
    if suffix != ".txt":
        out = write_table(folder, f"out{suffix}", {"ref": REF, "mt": lines})
        return [out]
    out = write_lines(folder / "out.txt", lines)
    return [out, "-r", write_lines(folder / "ref.txt", REF)]


#: Whatever the marks are, a warning may show them, or say what they do to the texts.
CONTRAST = "begin with|end with|spaces between words|tabs|bars|times as long"
for kind, (furnish, says) in LINES.items():
    says = f"{says}|{CONTRAST}"
    CASES[f"lines: {kind}"] = Case(partial(write_furnished, furnish=furnish), says=says)
    if not kind.startswith(("NUL", "the system", "colours")):
        build = partial(write_furnished, furnish=furnish, suffix=".jsonl")
        CASES[f"lines: {kind}, in JSON lines"] = Case(build, says=says)


def write_two(folder: Path, furnish: Callable[[str, int], str]) -> list:
    """Write a second output without furniture, for commands that compare."""
    out, *rest = write_furnished(folder, furnish)
    return [out, write_lines(folder / "B.txt", B), *rest]


for kind in (
    "BPE @@",
    "<think>",
    "fairseq's H-",
    "HTML entities of letters",
    "mojibake",
):
    furnish, says = LINES[kind]
    for command in ("compare", "report", "web", "piped"):
        write = write_two if command in ("compare", "report") else write_furnished
        systems = {"out": A, "B": B} if write is write_two else {"*": A}
        CASES[f"lines: {kind}, {command}"] = Case(
            partial(write, furnish=furnish), systems, says=says, command=command
        )


def write_equally(folder: Path, furnish: Callable[[str, int], str]) -> list:
    """Write furniture in outputs and references."""
    pairs = (("out", A), ("ref", REF))
    out, ref = (
        write_lines(
            folder / f"{name}.txt",
            [furnish(line, n) for n, line in enumerate(lines, 1)],
        )
        for name, lines in pairs
    )
    return [out, "-r", ref]


for kind in (
    *("BPE @@", "SentencePiece ▁", "fairseq's H-", "an id and a tab", "<s> and </s>"),
    *("JSON strings", "JSON objects"),
    *("Here is the translation", "<think>", "<seg>"),
    *("a score and a tab", "timestamps", "JSON's escapes", "letters apart"),
    *(
        "a document, an id and a tab",
        "an id and a blank",
        "grep's numbers",
        "__en__",
        "mojibake",
    ),
):
    furnish, says = LINES[kind]
    CASES[f"lines: {kind} in both files"] = Case(
        partial(write_equally, furnish=furnish), says=f"{says}|{CONTRAST}"
    )


def write_some(folder: Path, furnish: Callable[[str, int], str], every: int) -> list:
    """Write furniture in some lines only."""
    lines = [
        furnish(line, number) if number % every == 0 else line
        for number, line in enumerate(A, 1)
    ]
    out = write_lines(folder / "out.txt", lines)
    return [out, "-r", write_lines(folder / "ref.txt", REF)]


for kind in ("<think>", "Here is the translation", "a note behind"):
    furnish, says = LINES[kind]
    CASES[f"lines: {kind} in every third line"] = Case(
        partial(write_some, furnish=furnish, every=3), says=says
    )


CASES["lines: ? for letters outside of ASCII"] = Case(
    lambda folder: [
        write_lines(
            folder / "out.txt", [x.encode("ascii", "replace").decode() for x in FRENCH]
        ),
        *("-r", write_lines(folder / "ref.txt", FRENCH)),
    ],
    systems={"*": FRENCH},
    reference=FRENCH,
    says="lost letters",
)


def write_bytes(folder: Path, content: bytes, name: str = "out.txt") -> list:
    (folder / name).write_bytes(content)
    return [folder / name, "-r", write_lines(folder / "ref.txt", REF)]


TEXT = "".join(f"{line}\n" for line in A)
NON_ASCII = [line.replace("ü", "ue").replace("the", "thé") for line in A]
BYTES: dict[str, tuple[bytes, str, str]] = {  # and the right outcomes, and a warning
    "Windows' line ends": (TEXT.replace("\n", "\r\n").encode(), "read", ""),
    "no line end at the end": (TEXT.rstrip("\n").encode(), "read", ""),
    "a BOM": (TEXT.encode("utf-8-sig"), "read", ""),
    "UTF-16 with a BOM": (TEXT.encode("utf-16"), "read", ""),
    "UTF-32 with a BOM": (TEXT.encode("utf-32"), "read", ""),
    "UTF-16 without a BOM, little": (TEXT.encode("utf-16-le"), "read refused", ""),
    "UTF-16 without a BOM, big": (TEXT.encode("utf-16-be"), "read refused", ""),
    "Latin-1": (TEXT.encode("latin-1"), "refused", ""),
    "Windows-1252": (TEXT.replace('"', "“").encode("cp1252"), "refused", ""),
    "Shift JIS": (
        "".join(A).encode() + "\u30c6\u30b9\n".encode("shift-jis"),
        "refused",
        "",
    ),
    "old Macs' line ends": (TEXT.replace("\n", "\r").encode(), "refused read", ""),
    "mixed line ends": (
        "".join(line + ("\n", "\r\n")[n % 2] for n, line in enumerate(A)).encode(),
        "read",
        "",
    ),
    "an empty line at the end": (f"{TEXT}\n".encode(), "refused read", ""),
    "two empty lines at the end": (f"{TEXT}\n\n".encode(), "refused read", ""),
    "an empty line in front": (f"\n{TEXT}".encode(), "refused", ""),
    "blanks at the end": (TEXT.replace("\n", "  \n").encode(), "read", ""),
    "tabs at the end": (TEXT.replace("\n", "\t\n").encode(), "read", ""),
    "blanks in front": (TEXT.replace("\n", "\n  ").rstrip(" ").encode(), "read", ""),
    "two spaces between words": (TEXT.replace(" ", "  ").encode(), "read", ""),
    "no-break spaces": (
        TEXT.replace(" ", "\u00a0").encode(),
        "read warned",
        "U.00A0|no-break|space",
    ),
    "U+2028 in a line": (TEXT.replace("the ", "the\u2028").encode(), "read", ""),
    "U+0085 in a line": (TEXT.replace("the ", "the\u0085").encode(), "read", ""),
    "a form feed in a line": (TEXT.replace("the ", "the\f").encode(), "read", ""),
    "a vertical tab in a line": (TEXT.replace("the ", "the\v").encode(), "read", ""),
    "a lone CR in a line": (TEXT.replace("the ", "the\r").encode(), "read", ""),
    "an empty file": (b"", "refused", ""),
    "a file of blanks": (b" \n" * COUNT, "warned refused", "no text|empty"),
    "a line less": (TEXT.split("\n", 1)[1].encode(), "refused", ""),
    "a line more": (f"{TEXT}One more.\n".encode(), "refused", ""),
    "an empty line between segments": (
        TEXT.replace("\n", "\n\n").encode(),
        "refused",
        "",
    ),
    "gzip": (gzip.compress(TEXT.encode()), "read", ""),
    "gzip, cut off": (gzip.compress(TEXT.encode())[:-30], "refused", ""),
    "gzip twice": (gzip.compress(gzip.compress(TEXT.encode())), "read refused", ""),
    "two gzip files in one": (
        gzip.compress(TEXT[:500].encode()) + gzip.compress(TEXT[500:].encode()),
        "read",
        "",
    ),
}
for kind, (content, expect, says) in BYTES.items():
    CASES[f"bytes: {kind}"] = Case(
        partial(write_bytes, content=content), expect=expect, says=says
    )
SMALL = {"*": bleu([line.replace("the ", "the\u2028") for line in A])}
for kind in ("U+2028", "U+0085", "a form feed", "a vertical tab", "a lone CR"):
    name = f"bytes: {kind} in a line"
    CASES[name] = CASES[name]._replace(
        expect="read refused warned", says="U.|control|line"
    )


def write_order(folder: Path, out: Sequence[str], ref: Sequence[str] = REF) -> list:
    """Write lines that do not belong together, or not in this order."""
    path = write_lines(folder / "out.txt", out)
    return [path, "-r", write_lines(folder / "ref.txt", ref)]


RANDOM = random.Random(1).sample(A, COUNT)
WRAPPED = [part for line in A for part in (line[:25], line[25:])][:COUNT]
LINED_UP = "order|shift|correspond|belong|match|shuffle"
ORDERS: dict[str, tuple[Sequence[str], str]] = {
    "shuffled lines": (RANDOM, LINED_UP),
    "lines in the order of the alphabet": (sorted(A), LINED_UP),
    "lines from last to first": (A[::-1], LINED_UP),
    "lines in the order of texts' numbers": (reorder(A, SHUFFLE), LINED_UP),
    "two halves swapped": ([*A[12:], *A[:12]], LINED_UP),
    "one line later": (["", *A[:-1]], LINED_UP),
    "one line earlier": ([*A[1:], A[0]], LINED_UP),
    "three lines later": ([*A[-3:], *A[:-3]], LINED_UP),
    "shifted from the middle on": ([*A[:12], "", *A[12:-1]], LINED_UP),
    "the source": (SOURCE, "language|source"),
    "another language": (FRENCH, "language"),
    "the reference": (REF, "equal|reference"),
    "one line again and again": ([A[0]] * COUNT, "repeats"),
    "only the first half": ([*A[:12], *[""] * 12], "no text|empty"),
    "wrapped lines": (WRAPPED, f"{LINED_UP}|length|short"),
    "cut at 20 letters": ([line[:20] for line in A], "cut off"),
    "nothing but full stops": (["."] * COUNT, "same|repeats|begin with"),
    "error messages": (
        ["Error 429: too many requests"] * COUNT,
        "same|equal|repeat|language",
    ),
    "some error messages": (
        [*A[:16], *["Error 429: too many requests"] * 8],
        "same|equal|repeat",
    ),
    "the output twice in each line": (
        [f"{line} {line}" for line in A],
        "twice|times as long",
    ),
}
for kind, (lines, says) in ORDERS.items():
    is_reference = kind == "the reference"
    CASES[f"order: {kind}"] = Case(
        partial(write_order, out=lines),
        expect="warned refused",
        scores={} if not is_reference else {"*": 0.0},
        says=says,
    )
CASES["order: references shuffled"] = Case(
    partial(write_order, out=A, ref=reorder(REF, SHUFFLE)),
    expect="warned refused",
    scores={},
    says=LINED_UP,
)
