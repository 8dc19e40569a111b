"""JSON lines: one object a line, lists of references and maps of outputs."""

import json

import pytest
from tests.tables import load_cases

from metra.formats.texts.sources import list_sources
from metra.scoring.files import open_corpus


def read(path) -> dict[str, list[str | None]]:
    [source] = list_sources([str(path)])
    columns = source.open().read(1000)
    return {f"{field.role} {field.name}": values for field, values in columns.items()}


def lines(*objects: object) -> list[str]:
    return [json.dumps(entry, ensure_ascii=False) for entry in objects]


SHAPES = load_cases("json: shapes")


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


WRONG = load_cases("json lines: refused")


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


JSON = load_cases("json: read")


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


WRONG_JSON = load_cases("json: refused")


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
