"""What a line is: cut at newlines only, nothing dropped, nothing stripped."""

from contextlib import closing

import pytest

from metra.errors import CorpusError, FormatError, OptionError
from metra.formats.lines import LineReader
from metra.text.columns import LineBuffer

# (the file's bytes, its segments)
RULES = [
    pytest.param(b"a\nb\n", ["a", "b"], id="newlines end lines"),
    pytest.param(b"a\nb", ["a", "b"], id="no final newline"),
    pytest.param(b"a\r\nb\r\n", ["a", "b"], id="carriage returns before newlines"),
    pytest.param(b"a\r\r\nb\rc\n", ["a\r", "b\rc"], id="other carriage returns stay"),
    pytest.param(b"\xef\xbb\xbfa\nb\n", ["a", "b"], id="byte order mark"),
    pytest.param(b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"], id="a mark inside stays"),
    pytest.param(
        "a\u2028b\u0085c\x0bd\x0ce\n".encode(),
        ["a\u2028b\u0085c\x0bd\x0ce"],
        id="other line separators are characters",
    ),
    pytest.param(b"\n\na\n\n", ["", "", "a", ""], id="empty lines are segments"),
    pytest.param(b" a \t\n", [" a \t"], id="nothing is stripped"),
    pytest.param(b"\n", [""], id="one empty line"),
    pytest.param(b"", [], id="an empty file has no lines"),
    pytest.param(b"\xef\xbb\xbf", [], id="nor has a mark alone"),
    pytest.param(b"x" * 3_000_000 + b"\ny\n", ["x" * 3_000_000, "y"], id="a long line"),
]


@pytest.mark.parametrize(("content", "expected"), RULES)
def test_rules(content, expected, write):
    lines = LineReader(str(write("file.txt", content)))
    text = lines.read(100)
    assert [text[at] for at in range(len(text))] == expected
    assert lines.count == len(expected)
    assert len(lines.read(100)) == 0


@pytest.mark.parametrize(("content", "expected"), RULES[:-1])  # the last is long
@pytest.mark.parametrize("step", [1, 2, 3, 1000])
def test_rules_hold_however_the_bytes_arrive(content, expected, step):
    buffer = LineBuffer()
    found = []
    for start in range(0, len(content), step):
        buffer.push(content[start : start + step])
        text = buffer.pop(buffer.ready)
        found += [text[at] for at in range(len(text))]
    buffer.finish()
    text = buffer.pop(1000)
    assert found + [text[at] for at in range(len(text))] == expected


def test_some_lines_at_a_time(write):
    lines = LineReader(str(write("file.txt", [str(at) for at in range(10)])))
    sizes = []
    while size := len(lines.read(4)):
        sizes.append(size)
    assert sizes == [4, 4, 2]


DAMAGED = [
    pytest.param(
        b"fine\na\0b\n",
        ", line 2, has a zero byte (U+0000); the file is damaged or no text: write it "
        "again, or remove the byte.",
        id="a zero byte",
    ),
    *(
        pytest.param(
            content,
            " has lines that end in carriage returns only; save it with Windows or Unix "
            "line endings.",
            id=f"carriage returns alone {content[-1:]}",
        )
        for content in (b"a\rb", b"a\rb\r", b"a\rb\rc\r\n")
    ),
]


@pytest.mark.parametrize(("content", "message"), DAMAGED)
def test_no_text_or_one_line_only(content, message, write):
    path = write("damaged.txt", content)
    with pytest.raises(FormatError) as caught:
        read_to_the_end(path)
    assert str(caught.value) == f"{path}{message}"


BAD = [
    pytest.param(b"fine\nab\xffc\n", 2, 3, 0xFF, id="no such byte"),
    pytest.param(b"\xc3\n", 1, 1, 0xC3, id="cut off by the newline"),
    pytest.param(b"\xef\xbb\xbfab\xe4rger", 1, 3, 0xE4, id="Latin-1 after a mark"),
    pytest.param(
        b"a\n" * 5000 + b"\xed\xa0\x80", 5001, 1, 0xED, id="surrogate, far down"
    ),
]


@pytest.mark.parametrize(("content", "line", "place", "byte"), BAD)
def test_bytes_that_are_not_utf8_are_placed(content, line, place, byte, write):
    path = write("latin.txt", content)
    with pytest.raises(FormatError) as caught:
        read_to_the_end(path)
    assert str(caught.value) == (
        f"{path}, line {line}: byte {place} of the line is 0x{byte:02x}, which is not "
        "UTF-8; convert the file to UTF-8."
    )


def read_to_the_end(path) -> None:
    with closing(LineReader(str(path))) as lines:
        while len(lines.read(1000)):
            pass


def test_an_empty_corpus(cli, write):
    empty = write("empty.txt", b"")
    ran = cli("score", empty, "-r", empty)
    assert ran == (
        2,
        "",
        "metra: The input has no segments; expected at least one line in every "
        "stream.\n",
    )
    assert issubclass(CorpusError, ValueError)


def test_a_named_encoding(write):
    path = str(write("file.txt", "Käse\n".encode("cp1252")))
    assert list(LineReader(path, "cp1252")) == ["Käse"]
    assert list(LineReader(path, "ISO-8859-1")) == ["Käse"]


BROKEN = [
    pytest.param(b"K\xe4se\n", "auto", "byte 2 of the line is 0xe4, which is not UTF-8; "
                 "convert the file to UTF-8, or give `encoding`, for example cp1252",
                 id="none"),
    pytest.param(b"a\x81\n", "cp1252", "line 1 or later, is not cp1252 (character maps to "
                 "<undefined>); convert the file to UTF-8.", id="a hole in a table"),
    pytest.param("ab".encode("utf-16")[:-1], "auto", "line 1 or later, is not utf-16 "
                 "(truncated data)", id="half a character"),
    pytest.param("a".encode("utf-16"), "utf-8", "begins with the byte order mark of utf-16, "
                 "but `encoding` is utf-8; leave it out.", id="the wrong name"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "encoding", "problem"), BROKEN)
def test_wrong_encodings(content, encoding, problem, write):
    with pytest.raises(FormatError) as raised:
        list(LineReader(str(write("file.txt", content)), encoding))
    assert problem in str(raised.value)


@pytest.mark.parametrize("name", ["latin1252", "base64", ""])
def test_unknown_encodings(name, write):
    with pytest.raises(OptionError, match=f"Unknown encoding '{name}'"):
        list(LineReader(str(write("file.txt", b"a")), name))


ENCODED = [
    pytest.param("ä\r\nb\n".encode("utf-16"), ["ä", "b"], id="UTF-16 with a mark"),
    pytest.param("\ufeffä\n".encode("utf-16-be"), ["ä"], id="the other way round"),
    pytest.param("ä\n😀\n".encode("utf-32"), ["ä", "😀"], id="UTF-32 with a mark"),
    pytest.param(
        "\ufeffä\n".encode("utf-32-be"), ["ä"], id="UTF-32 from the other end"
    ),
    pytest.param("\ufeffä\n".encode(), ["ä"], id="UTF-8 with a mark"),
    pytest.param(
        ("x" * 1_000_001 + "ä\n").encode("utf-16"),
        ["x" * 1_000_001 + "ä"],
        id="a character between blocks",
    ),
]


@pytest.mark.parametrize(("content", "expected"), ENCODED)
def test_byte_order_marks_name_the_encoding(content, expected, write):
    assert list(LineReader(str(write("file.txt", content)))) == expected
