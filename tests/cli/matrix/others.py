"""Files that nobody expects: what chats, programs, browsers, logs and people make of texts."""

import bz2
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from tests.cli.matrix.files import write_lines, write_table
from tests.cli.matrix.framework import Case
from tests.cli.matrix.texts import (
    COUNT,
    FRENCH,
    NUMBERS,
    REF,
    SHUFFLE,
    SOURCE,
    A,
    B,
    bleu,
    reorder,
)

CASES: dict[str, Case] = {}


def write_one(folder: Path, content: str | bytes, name: str = "out.txt") -> list:
    """Write outputs as they are beside lines of references."""
    content = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(content)
    return [folder / name, "-r", write_lines(folder / "ref.txt", REF)]


def write_same(folder: Path, make: Callable[[Sequence[str]], str], name: str) -> list:
    """Write outputs and references in the same way."""
    stem, _, suffix = name.partition(".")
    out, ref = folder / f"{stem}.{suffix}", folder / f"ref.{suffix}"
    out.write_text(make(A), encoding="utf-8")
    ref.write_text(make(REF), encoding="utf-8")
    return [out, "-r", ref]


def join(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def html_table(lines: Sequence[str]) -> str:
    rows = join([f"<tr><td>{line}</td></tr>" for line in lines])
    return f"<html><body><table>\n<tr><th>mt</th></tr>\n{rows}</table></body></html>\n"


def number_lines(lines: Sequence[str]) -> list[str]:
    return [f"{number}\t{line}" for number, line in enumerate(lines, 1)]


def chat(lines: Sequence[str]) -> list[dict]:
    return [
        {"choices": [{"message": {"role": "assistant", "content": x}}]} for x in lines
    ]


BATCH = [
    {"custom_id": f"task-{place + 1}", "response": {"body": answer}}
    for place, answer in enumerate(chat(A))
]
NESTED = [
    {"translation": {"de": source, "en": text}}
    for source, text in zip(SOURCE, A, strict=True)
]
WRAPPED = [part for line in A for part in (line[:30], line[30:]) if part]
PARTS = {"mt": A}
OBJECTS = [{"translation": line} for line in A]
#: Files of outputs alone, beside lines of references.
FILES: dict[str, tuple[str | bytes, str]] = {
    "a table of HTML as .xls": (html_table(A), "out.xls"),
    "a table of HTML as .csv": (html_table(A), "out.csv"),
    "a table of HTML as .xlsx": (html_table(A), "out.xlsx"),
    "tabs as .xls": (join(["mt", *A]), "out.xls"),
    "a heading line": (join(["translation", *A]), "out.txt"),
    "a heading line instead of the last": (join(["translation", *A[:-1]]), "out.txt"),
    "a log line in front": (join(["INFO: loading model", *A]), "out.txt"),
    "a log line instead of the last": (
        join(["INFO: loading model", *A[:-1]]),
        "out.txt",
    ),
    "progress bars between": (
        join([x for line in A for x in ("Translating:  50%|█████ | 12/24", line)]),
        "out.txt",
    ),
    "a progress bar before each line": (
        join([f" 12/24 [00:01<00:01, 9.1it/s]\r{line}" for line in A]),
        "out.txt",
    ),
    "a code fence around": (join(["```", *A, "```"]), "out.txt"),
    "a code fence instead of two": (join(["```text", *A[1:-1], "```"]), "out.txt"),
    "an introduction in front": (
        join(["Here are the translations:", "", *A]),
        "out.txt",
    ),
    "an offer at the end": (join([*A, "", "Would you like more?"]), "out.txt"),
    "an introduction instead of a line": (
        join(["Here are the translations:", *A[:-1]]),
        "out.txt",
    ),
    "two files one after the other": (join([*A, *B]), "out.txt"),
    "wrapped lines": (join(WRAPPED), "out.txt"),
    "one paragraph": (" ".join(A) + "\n", "out.txt"),
    "comments with #": (join(["# model: online-A", *A]), "out.txt"),
    "JSON strings in an array, as text": (json.dumps(A, indent=0), "out.txt"),
    "one JSON string": (json.dumps("\n".join(A)), "out.txt"),
    "Python's list": (str(A), "out.txt"),
    "a JSON object of a list": (json.dumps({"translations": A}), "out.json"),
    "a JSON object of numbers": (
        json.dumps(dict(zip(NUMBERS, A, strict=True))),
        "out.json",
    ),
    "a JSON array of strings": (json.dumps(A), "out.json"),
    "a JSON array of arrays": (json.dumps([[line] for line in A]), "out.json"),
    "a JSON array of lists of two": (json.dumps([[x, "No."] for x in A]), "out.json"),
    "JSON lines of strings": (join([json.dumps(line) for line in A]), "out.jsonl"),
    "JSON lines of arrays": (join([json.dumps([line]) for line in A]), "out.jsonl"),
    "JSON lines in a text": (join([json.dumps(x) for x in OBJECTS]), "out.txt"),
    "JSON lines with empty lines": (
        "\n\n".join(json.dumps(x) for x in OBJECTS) + "\n",
        "out.jsonl",
    ),
    "JSON lines with an empty line at the end": (
        join([*(json.dumps(x) for x in OBJECTS), ""]),
        "out.jsonl",
    ),
    "JSON lines with commas": (
        join([json.dumps(x) + "," for x in OBJECTS]),
        "out.jsonl",
    ),
    "JSON objects over several lines": (
        "\n".join(json.dumps(x, indent=1) for x in OBJECTS),
        "out.jsonl",
    ),
    "JSON objects without line ends": (
        "".join(json.dumps(x) for x in OBJECTS),
        "out.jsonl",
    ),
    "JSON lines of nested translations": (join(map(json.dumps, NESTED)), "out.jsonl"),
    "JSON lines of lists": (
        join([json.dumps({"translation": [line, "No."]}) for line in A]),
        "out.jsonl",
    ),
    "JSON lines of chats": (join(map(json.dumps, chat(A))), "out.jsonl"),
    "JSON lines of a batch": (join(map(json.dumps, BATCH)), "out.jsonl"),
    "JSON lines of a batch, shuffled": (
        join(map(json.dumps, reorder(BATCH, SHUFFLE))),
        "out.jsonl",
    ),
    "JSON lines with null": (
        join([json.dumps({"mt": None if n == 4 else x}) for n, x in enumerate(A)]),
        "out.jsonl",
    ),
    "JSON lines that lack a key": (
        join(
            [
                json.dumps({"id": n} | ({} if n == 4 else {"mt": A[n]}))
                for n in range(COUNT)
            ]
        ),
        "out.jsonl",
    ),
    "JSON lines with a key twice": (
        join([json.dumps({"mt": x})[:-1] + ', "mt": "No."}' for x in A]),
        "out.jsonl",
    ),
    "JSON lines whose keys change": (
        join([json.dumps({"mt" if n < 12 else "output": x}) for n, x in enumerate(A)]),
        "out.jsonl",
    ),
    "JSON lines with a BOM": ("\ufeff" + join(map(json.dumps, OBJECTS)), "out.jsonl"),
    "JSON with a comma at the end": (json.dumps(A)[:-1] + ",]", "out.json"),
    "JSON with comments": ("// outputs\n" + json.dumps(A), "out.json"),
    "JSON cut off": (json.dumps(A)[:-40], "out.json"),
    "a table as text": (join(number_lines(A)), "out.tsv"),
    "a table with id as text": (join(["id\ttext", *number_lines(A)]), "out.txt"),
    "a table with id, shuffled, as text": (
        join(["id\ttext", *reorder(number_lines(A), SHUFFLE)]),
        "out.txt",
    ),
    "numbers of lines, shuffled, as text": (
        join(reorder(number_lines(A), SHUFFLE)),
        "out.txt",
    ),
    "a CSV of one column as text": (join(["mt", *(f'"{x}"' for x in A)]), "out.txt"),
    "a CSV without headings": (
        join([f"{n},{json.dumps(x)}" for n, x in enumerate(A, 1)]),
        "out.csv",
    ),
    "scores instead of outputs": (
        join([f"0.{n + 10}" for n in range(COUNT)]),
        "out.txt",
    ),
    "bzip2": (bz2.compress(join(A).encode()), "out.txt.bz2"),
    "bzip2 without its name": (bz2.compress(join(A).encode()), "out.txt"),
    "xz": (lzma.compress(join(A).encode()), "out.txt.xz"),
    "xz, cut off": (lzma.compress(join(A).encode())[:-20], "out.txt.xz"),
    "a PDF as text": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "out.txt"),
    "a picture as text": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "out.txt"),
    "RTF as text": (
        "{\\rtf1\\ansi\\deff0 {\\fonttbl}\n"
        + join([f"{line}\\par" for line in A[:-2]])
        + "}\n",
        "out.txt",
    ),
    "a web page as text": (
        "<!DOCTYPE html>\n" + join([f"<p>{line}</p>" for line in A[:-1]]),
        "out.txt",
    ),
    "a mail": (join(["Subject: outputs", "From: ann", "", *A[:-3]]), "out.txt"),
    "a diff": (join([f"+{line}" for line in A]), "out.txt"),
    "quoted mail": (join([f"> {line}" for line in A]), "out.txt"),
    "fairseq's generate": (
        join(
            [
                f"{mark}-{n}\t{text}"
                for n, (source, ref, text) in enumerate(
                    zip(SOURCE, REF, A, strict=True)
                )
                for mark, text in (("S", source), ("T", ref), ("H", f"-0.3\t{text}"))
            ]
        ),
        "out.txt",
    ),
    "fairseq's hypotheses in its order": (
        join(reorder([f"H-{n}\t-0.3\t{x}" for n, x in enumerate(A)], SHUFFLE)),
        "out.txt",
    ),
    "n-best lists": (
        join(
            [
                x
                for n, a in enumerate(A)
                for x in (f"{n} ||| {a} ||| -1", f"{n} ||| x ||| -2")
            ]
        ),
        "out.txt",
    ),
    "lines by length": (join(sorted(A, key=len)), "out.txt"),
    "subtitles of one line each, without times": (
        join([x for n, a in enumerate(A, 1) for x in (str(n), a, "")]),
        "out.txt",
    ),
    "marks of right-to-left": (join([f"\u200f{line}" for line in A]), "out.txt"),
    "marks of left-to-right": (join([f"{line}\u200e" for line in A]), "out.txt"),
    "embedded directions": (join([f"\u202a{line}\u202c" for line in A]), "out.txt"),
    "word joiners": (join([line.replace(" ", "\u2060 ") for line in A]), "out.txt"),
    "lines with None": (join([*A[:18], *["None"] * 6]), "out.txt"),
    "lines with nan": (join([*A[:18], *["nan"] * 6]), "out.txt"),
    "lines with [Error]": (join([*A[:18], *["[ERROR] timeout"] * 6]), "out.txt"),
    "lines with I cannot translate": (
        join([*A[:18], *["I'm sorry, but I can't translate this text."] * 6]),
        "out.txt",
    ),
    "three translations in a line": (join([f"{x} / {x} / {x}" for x in A]), "out.txt"),
    "alternatives on lines of their own": (
        join([x for line in A for x in (line, f"Or: {line}")]),
        "out.txt",
    ),
    "German beside English in a line": (
        join([f"{s} – {a}" for s, a in zip(SOURCE, A, strict=True)]),
        "out.txt",
    ),
    "German above English": (
        join([x for pair in zip(SOURCE, A, strict=True) for x in pair]),
        "out.txt",
    ),
}
#: Words of warnings about texts that stand beside, instead of or around the outputs.
SAYS = (
    "begin|end with|same|repeat|heading|first line|log|tab|number|order|shift|correspond|"
    "U.20|direction|invisible|control|no text|language|JSON|quot|mark|None|nan|"
    "line|source|tag|HTML|RTF|length|long"
)
for kind, (content, name) in FILES.items():
    CASES[f"others: {kind}"] = Case(
        partial(write_one, content=content, name=name), says=SAYS
    )

#: Ways in which people write outputs and references alike.
ALIKE: dict[str, tuple[Callable[[Sequence[str]], str], str]] = {
    "a heading line": (lambda lines: join(["text", *lines]), "out.txt"),
    "a heading line, translation": (
        lambda lines: join(["translation", *lines]),
        "out.txt",
    ),
    "a BOM in the middle": (
        lambda lines: join([*lines[:12], f"\ufeff{lines[12]}", *lines[13:]]),
        "out.txt",
    ),
    "a table of HTML as .xls": (html_table, "out.xls"),
    "JSON objects as text": (
        lambda lines: join([json.dumps({"translation": x}) for x in lines]),
        "out.txt",
    ),
    "a Python list as text": (lambda lines: str(list(lines)), "out.txt"),
    "subtitles without times": (
        lambda lines: join(
            [x for n, a in enumerate(lines, 1) for x in (str(n), a, "")]
        ),
        "out.txt",
    ),
    "empty lines between": (lambda lines: "\n\n".join(lines) + "\n", "out.txt"),
    "a code fence": (lambda lines: join(["```", *lines, "```"]), "out.txt"),
    "XML lines": (
        lambda lines: join(["<doc>", *(f"<seg>{x}</seg>" for x in lines), "</doc>"]),
        "out.txt",
    ),
    "CSV with numbers as text": (
        lambda lines: join([f'{n},"{x}"' for n, x in enumerate(lines, 1)]),
        "out.txt",
    ),
    "CSV with headings nobody knows as text": (
        lambda lines: join(
            ["nr,text", *(f'{n},"{x}"' for n, x in enumerate(lines, 1))]
        ),
        "out.txt",
    ),
    "tabs with headings nobody knows as text": (
        lambda lines: join(["nr\ttext", *number_lines(lines)]),
        "out.txt",
    ),
    "a table of Markdown": (
        lambda lines: join(["| text |", "| --- |", *(f"| {x} |" for x in lines)]),
        "out.txt",
    ),
    "YAML": (lambda lines: join(["texts:", *(f"  - {x}" for x in lines)]), "out.txt"),
    "a script of LaTeX": (
        lambda lines: join(["\\begin{document}", *lines, "\\end{document}"]),
        "out.txt",
    ),
}
for kind, (make, name) in ALIKE.items():
    CASES[f"others: {kind}, in both files"] = Case(
        partial(write_same, make=make, name=name), says=SAYS
    )


def write_texts(folder: Path, **texts: Sequence[str]) -> dict[str, Path]:
    return {name: write_lines(folder / f"{name}.txt", x) for name, x in texts.items()}


def give_reference_twice(folder: Path) -> list:
    paths = write_texts(folder, out=A, ref=REF, again=REF)
    return [paths["out"], "-r", paths["ref"], "-r", paths["again"]]


def give_same_path_twice(folder: Path) -> list:
    paths = write_texts(folder, out=A, ref=REF)
    return [paths["out"], "-r", paths["ref"], "-r", paths["ref"]]


def swap_reference_and_source(folder: Path) -> list:
    paths = write_texts(folder, out=A, ref=REF, src=SOURCE)
    return [paths["out"], "-r", paths["src"], "-s", paths["ref"]]


def swap_output_and_reference(folder: Path) -> list:
    paths = write_texts(folder, out=A, ref=REF)
    return [paths["ref"], "-r", paths["out"]]


def give_output_as_reference(folder: Path) -> list:
    paths = write_texts(folder, out=A, copy=A)
    return [paths["out"], "-r", paths["copy"]]


def give_reference_among_outputs(folder: Path) -> list:
    paths = write_texts(folder, out=A, reference=REF, ref=REF)
    return [paths["out"], paths["reference"], "-r", paths["ref"]]


def give_output_twice(folder: Path) -> list:
    paths = write_texts(folder, out=A, copy=A, ref=REF)
    return [paths["out"], paths["copy"], "-r", paths["ref"]]


def give_references_in_columns(folder: Path) -> list:
    """Write two references on each line with a tab between them."""
    out = write_lines(folder / "out.txt", A)
    lines = map("\t".join, zip(REF, B, strict=True))
    return [out, "-r", write_lines(folder / "refs.txt", [*lines])]


def give_references_with_bars(folder: Path) -> list:
    out = write_lines(folder / "out.txt", A)
    lines = map(" ||| ".join, zip(REF, B, strict=True))
    return [out, "-r", write_lines(folder / "refs.txt", [*lines])]


def give_decomposed(folder: Path) -> list:
    """Write letters and accents apart in the output only."""
    import unicodedata

    lines = [unicodedata.normalize("NFD", line) for line in FRENCH]
    paths = write_texts(folder, out=lines, ref=FRENCH)
    return [paths["out"], "-r", paths["ref"]]


def give_mojibake(folder: Path) -> list:
    lines = [line.encode().decode("cp1252", "replace") for line in FRENCH]
    paths = write_texts(folder, out=lines, ref=FRENCH)
    return [paths["out"], "-r", paths["ref"]]


def give_smart_quotes(folder: Path) -> list:
    lines = [line.replace('"', "”").replace("'", "’") for line in A]
    paths = write_texts(folder, out=lines, ref=REF)
    return [paths["out"], "-r", paths["ref"]]


SMART = [line.replace('"', "”").replace("'", "’") for line in A]


def give_zip(folder: Path, name: str) -> list:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("out.txt", join(A))
    return write_one(folder, file.getvalue(), name)


def give_folder(folder: Path) -> list:
    (folder / "outputs").mkdir()
    write_lines(folder / "outputs" / "A.txt", A)
    return [folder / "outputs", "-r", write_lines(folder / "ref.txt", REF)]


def give_odd_name(folder: Path, name: str) -> list:
    path = write_lines(folder / name, A)
    return [path, "-r", write_lines(folder / "the ref.txt", REF)]


def give_other_source(folder: Path) -> list:
    """Give two tables whose sources differ."""
    out = write_table(folder, "out.tsv", {"source": SOURCE, "mt": A})
    cells = {"source": reorder(SOURCE, SHUFFLE), "ref": reorder(REF, SHUFFLE)}
    return [out, "-r", write_table(folder, "ref.tsv", cells)]


def give_one_source_shuffled(folder: Path) -> list:
    """Give tables without ids whose rows can be told by their sources."""
    cells = {"source": reorder(SOURCE, SHUFFLE), "mt": reorder(A, SHUFFLE)}
    out = write_table(folder, "out.csv", cells)
    ref = write_table(folder, "ref.csv", {"source": SOURCE, "ref": REF})
    return [out, "-r", ref]


CALLS: dict[str, tuple[Callable[[Path], list], Mapping, str]] = {
    "the reference given twice": (give_reference_twice, {}, "equal"),
    "one path of a reference given twice": (give_same_path_twice, {}, "equal|twice"),
    "reference and source swapped": (
        swap_reference_and_source,
        {"scores": {}},
        "language",
    ),
    "output and reference swapped": (
        swap_output_and_reference,
        {"scores": {}},
        "name of a reference",
    ),
    "the output as its reference": (give_output_as_reference, {"scores": {}}, "equal"),
    "the reference among the outputs": (
        give_reference_among_outputs,
        {"scores": {}},
        "equal",
    ),
    "an output twice": (give_output_twice, {"scores": {}}, "equal"),
    "references beside each other, tabs": (
        give_references_in_columns,
        {"scores": {}},
        "tabs",
    ),
    "references beside each other, bars": (
        give_references_with_bars,
        {"scores": {}},
        r"\|\|\|",
    ),
    "letters and accents apart": (
        give_decomposed,
        {"systems": {"*": FRENCH}, "reference": FRENCH},
        "NFC|compos|normal|accent",
    ),
    "French in the wrong encoding": (
        give_mojibake,
        {"systems": {"*": FRENCH}, "reference": FRENCH},
        "mojibake|encod|Ã",
    ),
    "curly quotes": (give_smart_quotes, {"also": [{"*": bleu(SMART)}]}, "quot"),
    "a zip as text": (partial(give_zip, name="out.txt"), {}, ""),
    "a zip": (partial(give_zip, name="out.zip"), {}, ""),
    "a folder of texts": (give_folder, {}, "folder"),
    "a name with blanks": (partial(give_odd_name, name="my out.txt"), {}, ""),
    "a name with =": (partial(give_odd_name, name="a=b.txt"), {}, "b.txt"),
    "a name with :": (partial(give_odd_name, name="a:b.txt"), {}, ""),
    "a name in capitals": (partial(give_odd_name, name="OUT.TXT"), {}, ""),
    "a name without a suffix": (partial(give_odd_name, name="out"), {}, ""),
    "a name with a language": (partial(give_odd_name, name="out.de-en.en"), {}, ""),
    "a name with .mt": (partial(give_odd_name, name="news.mt"), {}, ""),
    "a name with .hyp": (partial(give_odd_name, name="news.hyp"), {}, ""),
    "tables whose sources differ": (give_other_source, {}, "source"),
    "tables with sources and no ids": (give_one_source_shuffled, {}, "source"),
}
READ = ("a name with blanks", "a name in capitals", "a name without a suffix")
for kind, (build, more, says) in CALLS.items():
    is_read = kind.startswith(READ) or kind.endswith((".mt", ".hyp", "language"))
    expect = "read" if is_read else "read refused warned"
    CASES[f"others: {kind}"] = Case(build, **more, expect=expect, says=says)
