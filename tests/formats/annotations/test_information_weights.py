"""Files of information weights: what is written is read, and what is wrong is said."""

from hashlib import sha256

import pytest
from tests.tables import load_cases

from metra._core import Information, Tokens
from metra.errors import FormatError, MissingResourceError, OptionError
from metra.formats.annotations.weights import (
    compute_information_version,
    read_information,
    write_information,
)

COUNTED = "a\t1\nb\t2\nc\t3\n0\t3\na b\t1\nb a\t0\na c\t2\n0 a\t0\n"


def counted(order, history="plain"):
    information = Information(order, history)
    information.add(Tokens([["a", "b", "a", "b", "a", "c"], None, ["0", "a"]]))
    return information


def test_written_and_read(tmp_path):
    path = tmp_path / "weights.tsv"
    write_information(counted(2), path)
    assert path.read_bytes().decode() == COUNTED
    read = read_information(path, 2)
    assert "".join(read.lines(n) for n in (1, 2)) == COUNTED
    digest = sha256(COUNTED.encode()).hexdigest()[:12]
    assert compute_information_version(path) == f"{path}[sha256:{digest}]"


def test_the_history_of_mteval(tmp_path):
    path = tmp_path / "weights.tsv"
    write_information(counted(2, "mteval"), path)
    assert path.read_text() == COUNTED.replace("0 a\t0", "0 a\t3")


def test_read_as_it_may_come(tmp_path):
    path = tmp_path / "weights.tsv"
    path.write_bytes("\ufeffé à\t1.5\r\n\r\nan x\t-2e-1".encode())
    assert read_information(path, 2).lines(2) == "é à\t1.5\nan x\t-0.2\n"
    assert read_information(path, 2).lines(1) == "é\t0\nà\t0\nan\t0\nx\t0\n"
    assert read_information(path, 1).lines(1) == ""


BAD = load_cases("information weights: refused")


@pytest.mark.parametrize(("content", "message"), BAD)
def test_bad_files(content, message, tmp_path):
    path = tmp_path / "weights.tsv"
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(FormatError) as error:
        read_information(path, 5)
    assert str(error.value) == message.format(path)


def test_no_file(tmp_path):
    path = tmp_path / "none.tsv"
    with pytest.raises(MissingResourceError) as error:
        read_information(path, 5)
    assert str(error.value) == f"No file of information weights at {path}."


@pytest.mark.parametrize("word", ["", "a b", "a\tb", "a\nb"])
def test_words_that_cannot_be_written(word, tmp_path):
    information = Information(1, "plain")
    information.add(Tokens([[word]]))
    with pytest.raises(OptionError) as error:
        write_information(information, tmp_path / "weights.tsv")
    assert str(error.value) == (
        "The weights cannot be written: a word contains a space, a tab or a newline; "
        "choose a tokeniser that splits at white space."
    )
