"""Files side by side: names, lengths, and what cannot be joined."""

import pytest

from metra.scoring.files import open_corpus


@pytest.fixture
def files(write):
    return {
        "a": write("a.txt", ["one", "two"]),
        "b": write("runs/b.en.txt", ["one", "deux"]),
        "ref": write("ref.txt", ["one", "two"]),
        "long": write("long.txt", ["one", "two", "three"]),
    }


def test_systems_are_named_after_their_files(files):
    outputs = [str(files["a"]), f"mine={files['a']}", str(files["b"])]
    corpus = open_corpus(outputs, [str(files["ref"])])
    assert corpus.systems == ("a", "mine", "b.en")
    assert not corpus.has_source
    assert not corpus.has_documents


@pytest.mark.parametrize(
    ("given", "name", "path"),
    [
        pytest.param("a=b.txt", "a", "b.txt", id="NAME=FILE"),
        pytest.param("a=b=c.txt", "a", "b=c.txt", id="the first sign counts"),
        pytest.param("./x=y.txt", "x=y", "./x=y.txt", id="a folder is no name"),
        pytest.param("=b.txt", "=b", "=b.txt", id="no name"),
    ],
)
def test_names_on_the_command_line(given, name, path, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(path, ["x"])
    write("ref.txt", ["x"])
    assert open_corpus([given], ["ref.txt"]).systems == (name,)


def test_two_systems_of_one_name(files, cli):
    ran = cli("score", files["a"], files["a"], "-r", files["ref"])
    assert ran == (
        2,
        "",
        "metra: Two outputs are named 'a'; give each its own name: NAME=FILE.\n",
    )


@pytest.mark.parametrize(
    ("output", "reference", "longer", "shorter"),
    [("a", "long", (1, 3), (0, 2)), ("long", "a", (1, 2), (0, 3))],
)
@pytest.mark.parametrize("chunk", [1, 2, 3, 1000])
def test_unequal_lengths(output, reference, longer, shorter, chunk, files):
    paths = [str(files[output]), str(files[reference])]
    corpus = open_corpus(paths[:1], paths[1:])
    with pytest.raises(ValueError, match="segments but") as caught:
        list(corpus.chunks(chunk))
    (first, count), (other, expected) = longer, shorter
    assert str(caught.value) == (
        f"{paths[first]} has {count} segments but {paths[other]} has {expected}; "
        "each line must be one segment, in the same order in every file."
    )


def test_files_that_end_far_apart_are_counted_to_their_ends(write, cli):
    short = write("short.txt", ["x"] * 10)
    long = write("long.txt", ["x"] * 5000)
    ran = cli("score", short, "-r", long)
    assert f"{long} has 5,000 segments but {short} has 10; " in ran.err


def test_unequal_documents(files, write, cli):
    docs = write("docs.txt", ["d"])
    ran = cli("score", files["a"], "-r", files["ref"], "--docs", docs)
    assert f"{docs} has 1 segment but {files['a']} has 2; " in ran.err


def test_unequal_standard_input(files, cli):
    ran = cli("score", "-", "-r", files["ref"], stdin=b"one\n")
    assert f"{files['ref']} has 2 segments but standard input has 1; " in ran.err


def test_empty_lines_are_segments(write, cli):
    output = write("out.txt", ["", "a b c d", ""])
    reference = write("ref.txt", ["", "a b c d", "e"])
    ran = cli("score", output, "-r", reference)
    assert "\n3 segments, 1 reference\n" in ran.out


def test_an_empty_line_of_a_plain_reference_is_an_empty_reference(write, cli):
    output = write("out.txt", ["a b c d", "x"])
    reference = write("ref.txt", ["a b c d", ""])
    ran = cli("score", output, "-r", reference, "--format", "json")
    assert ran.code == 0
    assert '"nrefs:1|' not in ran.err
    assert "|nrefs:1|" in ran.out


def test_chunks_are_consecutive(write):
    paths = [
        str(write(f"{name}.txt", [f"{name}{at}" for at in range(7)])) for name in "or"
    ]
    corpus = open_corpus(paths[:1], paths[1:])
    for size in (1, 2, 3, 7, 100):
        chunks = list(corpus.chunks(size))
        found = [c.systems["o"].text[at] for c in chunks for at in range(len(c))]
        assert found == [f"o{at}" for at in range(7)]
        assert max(map(len, chunks)) == min(size, 7)
