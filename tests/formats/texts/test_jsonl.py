"""JSON lines: one object a line, lists of references and maps of outputs."""

import json

import pytest

from metra.formats.texts.sources import list_sources
from metra.scoring.files import open_corpus


def read(path) -> dict[str, list[str | None]]:
    [source] = list_sources([str(path)])
    columns = source.open().read(1000)
    return {f"{field.role} {field.name}": values for field, values in columns.items()}


def lines(*objects: object) -> list[str]:
    return [json.dumps(entry, ensure_ascii=False) for entry in objects]


SHAPES = [
    pytest.param(
        [{"src": "s", "ref": "r", "output": "o", "doc": "d"}],
        {"source src": ["s"], "reference ref": ["r"], "output test": ["o"],
         "document doc": ["d"]},
        id="plain keys",
    ),
    pytest.param(
        [{"refs": ["x", "y"], "outputs": {"A": "a", "B": "b"}}],
        {"reference 1": ["x"], "reference 2": ["y"], "output A": ["a"],
         "output B": ["b"]},
        id="a list of references and a map of outputs",
    ),
    pytest.param(
        [{"references": ["x"], "systems": {"A": "a"}}],
        {"reference 1": ["x"], "output A": ["a"]},
        id="other words for them",
    ),
    pytest.param(
        [{"ref": "x", "A": "a"}, {"ref": None, "A": ""}, {"A": "b"}],
        {"reference ref": ["x", None, None], "output A": ["a", "", "b"]},
        id="null and no key are missing, an empty string is not",
    ),
    pytest.param(
        [{"refs": ["x", "y"], "A": "a"}, {"refs": ["z"], "A": "b"}],
        {"reference 1": ["x", "z"], "reference 2": ["y", None],
         "output A": ["a", "b"]},
        id="fewer references later",
    ),
    pytest.param(
        [{"ref": "x", "output": "a", "doc": 7, "seg": [1]}],
        {"reference ref": ["x"], "output test": ["a"], "document doc": ["7"],
         "label seg": ["[1]"]},
        id="ids and labels may be anything",
    ),
    pytest.param(
        [{"ref": "a\nb\t\u2028", "A": "\u00e9"}],
        {"reference ref": ["a\nb\t\u2028"], "output A": ["é"]},
        id="a segment may hold newlines",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("objects", "expected"), SHAPES)
def test_shapes(objects, expected, write):
    assert read(write("test.jsonl", lines(*objects))) == expected


def test_some_lines_at_a_time(write):
    path = write("test.jsonl", lines(*({"ref": "r", "A": str(at)} for at in range(5))))
    [source] = list_sources([str(path)])
    objects = source.open()
    sizes = [len(next(iter(objects.read(2).values()))) for _ in range(4)]
    assert sizes == [2, 2, 1, 0]


@pytest.mark.parametrize("name", ["test.jsonl", "test.ndjson"])
def test_the_ending_tells_the_format(name, write):
    path = write(name, lines({"ref": "r", "output": "a"}))
    assert open_corpus([str(path)]).systems == ("test",)


def test_an_output_may_be_named_on_the_command_line(write):
    path = write("test.jsonl", lines({"ref": "r", "output": "a"}))
    assert open_corpus([f"mine={path}"]).systems == ("mine",)


WRONG = [
    pytest.param(
        b"", "{} is empty; expected one JSON object per line.", id="empty file"
    ),
    pytest.param(
        ['{"ref": "x", "A": "a"}', '{"ref": "x", "A": a}'],
        "{}, line 2, column 19 is not JSON (Expecting value); expected one object "
        "per line.",
        id="no JSON",
    ),
    pytest.param(
        ['{"ref": "x", "A": "a"}', ""],
        "{}, line 2, column 1 is not JSON (Expecting value); expected one object per "
        "line.",
        id="an empty line",
    ),
    pytest.param(
        ["[1, 2]"],
        "{}, entry 1 is of type int; expected a JSON object.",
        id="no object",
    ),
    pytest.param(
        ['{"ref": "x", "A": "a"}', '{"ref": "x", "A": "a", "B": "b"}'],
        "{}, line 2 has the key 'B', which line 1 does not have; give all objects "
        "the same keys, null if empty.",
        id="a new key later",
    ),
    pytest.param(
        ['{"refs": ["x"], "ref:1": "y", "A": "a"}'],
        "{}, line 1 gives 'ref:1' twice, once within a list or map; "
        "leave one of them out.",
        id="a reference in a list and by itself",
    ),
    pytest.param(
        ['{"ref": "x", "hyp": "a", "mt": "b"}'],
        "{} has two columns for the output 'test'; give each column its own name.",
        id="two outputs without a name",
    ),
    pytest.param(
        ['{"ref": "x", "A": 3}'],
        "{}, line 1: 'A' is of type int; expected a string.",
        id="an output that is no string",
    ),
    pytest.param(
        ['{"ref": "x", "A": null}'],
        "Segment 1 of the output 'A' is missing; every segment needs an output; use "
        "an empty string if the system gave none.",
        id="a missing output",
    ),
    pytest.param(
        ['{"ref": "x", "A": "\\ud800"}'],
        "{}, line 1 holds \\ud800, half a character of UTF-16; expected both halves.",
        id="half a character",
    ),
]


@pytest.mark.parametrize(("content", "message"), WRONG)
def test_wrong_files(content, message, write, cli):
    path = write("test.jsonl", content)
    assert cli("score", path) == (2, "", f"metra: {message.format(path)}\n")


def test_more_references_later_are_not_dropped(write, cli):
    path = write(
        "test.jsonl", lines({"refs": ["x"], "A": "a"}, {"refs": ["x", "y"], "A": "b"})
    )
    refused = cli.refusal("score", path)
    assert "line 2 has the key 'ref:2', which line 1 does not have" in refused


JSON = [
    pytest.param('["a", "b"]', ["a", "b"], id="strings"),
    pytest.param('[\n "a",\n "b"\n]\n', ["a", "b"], id="over several lines"),
    pytest.param('[{"hyp": "a"}, {"hyp": "b"}]', ["a", "b"], id="objects"),
    pytest.param(
        '[\n {\n  "hyp": "a"\n },\n {"hyp": "b"}]', ["a", "b"], id="over lines"
    ),
    pytest.param('{"hyp": "a"}\n{"hyp": "b"}\n', ["a", "b"], id="lines"),
    pytest.param('{"hyp": "a"}', ["a"], id="one line"),
    pytest.param('{"hyp": "a", "refs": ["x", "y"]}', ["a"], id="one line with a list"),
]


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
@pytest.mark.parametrize(("content", "expected"), JSON)
def test_the_content_decides_what_json_is(name, content, expected, write):
    path = str(write(name, content.encode()))
    [chunk] = open_corpus([path]).chunks(10)
    text = chunk.systems["t"].text
    assert [text[at] for at in range(len(text))] == expected


def test_an_array_may_have_more_references_later(write):
    rows = [{"hyp": "a", "refs": ["b"]}, {"hyp": "c", "refs": ["d", "e"]}]
    path = write("t.json", json.dumps(rows).encode())
    [chunk] = open_corpus([str(path)]).chunks(10)
    texts = [[column.text[at] for at in (0, 1)] for column in chunk.refs]
    assert texts == [["b", "d"], [None, "e"]]


def test_a_file_of_strings_is_what_it_is_given_for(write):
    # The name of the file is no heading.
    output = str(write("source.json", b'["a"]'))
    reference = str(write("output.json", b'["b"]'))
    corpus = open_corpus([output], [reference])
    assert (corpus.systems, corpus.has_source, corpus.has_references) == (
        ("source",),
        False,
        True,
    )


WRONG_JSON = [
    pytest.param("[]", "{} is an empty array; expected strings or objects.", id="nothing"),
    pytest.param("{ }", "{} has no text columns; expected headings, such as source, "
                 "ref, output.", id="no columns"),
    pytest.param("[1]", "{}, entry 1 is of type int; expected a JSON object.", id="numbers"),
    pytest.param('["a", {"hyp": "b"}]', "{}, entry 1 is of type str; expected a JSON object.",
                 id="strings and objects"),
    pytest.param('[{"hyp": "a", "ref": "b"}, {"x": ""}]', "{}, entry 2 has the key 'x', which "
                 "entry 1 does not have; give all "
                 "objects the same keys, null if empty.",
                 id="other keys"),
    pytest.param('{\n "hyp": "a"}', "{} is one object with the keys hyp; expected an "
                 "array of strings or objects, or one object per "
                 "line.", id="one object over lines"),
    pytest.param('{"hyp": ["a"], "ref": ["b"]}', "{}, line 1: 'hyp' is of type list; "
                 "expected a string.", id="an object of columns"),
    pytest.param('{"by": "me",\n"data": [{"hyp": "a"}]}', "{} is one object with the keys by, "
                 "data; expected an array of strings or objects, or one object per line.",
                 id="objects inside of an object"),
    pytest.param('["a",', "{} is not JSON: Expecting value: line 1 column 6 (char 5).",
                 id="half of it"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), WRONG_JSON)
def test_wrong_json(content, message, write, cli):
    path = write("t.json", content.encode())
    ran = cli("score", path)
    assert ran == (2, "", f"metra: {message.replace('{}', str(path))}\n")


def test_strings_have_no_columns(write, cli):
    path = write("t.json", b'["a"]')
    ran = cli("score", path, "--read", "ref=ref")
    said = "is an array of strings, which has no column names; leave them out."
    assert ran == (2, "", f"metra: {path} {said}\n")
