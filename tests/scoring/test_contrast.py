"""Lines of outputs that have in common what those of references lack."""

from pathlib import Path

import pytest
from tests.scoring.guard_samples import find_problems

from metra.corpus.examples import find_example

EXAMPLE = find_example()
SOLID = next(path for path in EXAMPLE.outputs if path.endswith("solid.txt"))
LINES, REF = (
    Path(path).read_text(encoding="utf-8").split("\n")[:-1]
    for path in (SOLID, EXAMPLE.references[0])
)
#: Lines of an output, by a part of what is said of them.
SAID = {
    "begin with 'English: '": [f"English: {line}" for line in LINES],
    "begin with '<p>'": [f"<p>{line}</p>" for line in LINES],
    "begin with '0-0-0 0:0 '": [
        f"2026-05-01 12:{10 + n} {x}" for n, x in enumerate(LINES)
    ],
    "end with '. [END]'": [f"{line} [END]" for line in LINES],
    "7 of 28 lines that end with ' (a literal translation)'": [
        f"{line} (a literal translation)" if n % 4 == 0 else line
        for n, line in enumerate(LINES)
    ],
    "repeats the line 'Error 429' in 10 of 28": [*LINES[:18], *["Error 429"] * 10],
    "says 28 of 28 lines twice": [f"{line} {line}" for line in LINES],
    "28 of 28 lines of 15 characters": [f"{line:20}"[:15] for line in LINES],
    "has tabs in 28 of 28 lines": [f"{line}\t{line[::-1]}" for line in LINES],
    "has bars (|||) in 28 of 28": [f"{line} ||| {line[::-1]}" for line in LINES],
    "has far fewer spaces": [line.replace(" ", "_") for line in LINES],
    "has far more spaces": [" ".join(line) for line in LINES],
    "has hardly any capital": [line.lower() for line in LINES],
    "has mostly capital": [line.upper() for line in LINES],
    "has hardly any punctuation": [
        "".join(c for c in line if c.isalnum() or c.isspace()) for line in LINES
    ],
    "times as long as the references": [
        f"{line} – {line[::-1]} – {line[3:]} – {line[5:]}" for line in LINES
    ],
}


@pytest.mark.parametrize("part", SAID)
def test_what_lines_have_in_common(part):
    problems = [
        text
        for guard, text in find_problems({"a": SAID[part]}, [REF])
        if guard == "unlike references"
    ]
    (problem,) = problems
    assert problem.startswith("The output 'a' ")
    assert part in problem


def test_references_with_columns():
    pairs = [f"{line}\t{line}" for line in REF]
    problems = [text for _, text in find_problems({"a": LINES}, [pairs])]
    assert (
        "Reference 1 has tabs in 28 of 28 lines, as tables have; give the column of texts "
        "alone." in problems
    )


ALIKE = {
    "numbered lines": "{1}. {0}",
    "speakers": "Ann: {0}",
    "quoted lines": '"{0}"',
    "tags": "<b>{0}</b>",
}


@pytest.mark.parametrize("form", ALIKE)
def test_references_with_the_same_beginnings(form):
    out, ref = (
        [ALIKE[form].format(line, n) for n, line in enumerate(lines)]
        for lines in (LINES, REF)
    )
    assert find_problems({"a": out}, [ref]) == []


def test_a_mark_of_a_tool_in_all_texts():
    out, ref = ([f"<seg id=1>{line}" for line in lines] for lines in (LINES, REF))
    ((guard, problem),) = find_problems({"a": out}, [ref])
    assert guard == "unlike references"
    assert "and so do those of the references" in problem


HEADED = {
    "The first line of the output 'a' is 'translation', as in the head": [
        "translation",
        *LINES[1:],
    ],
    "The last line of the output 'a' is '63.1', a number alone": [*LINES[:-1], "63.1"],
    "The output 'a' has lines with ```": ["```text", *LINES[1:-1], "```"],
}


@pytest.mark.parametrize("part", HEADED)
def test_headings_and_code(part):
    ((guard, problem),) = find_problems({"a": HEADED[part]}, [REF])
    assert guard == "first and last lines"
    assert problem.startswith(part)
