"""`metra convert` and `metra score` with all formats, as users meet them."""

import sys
from pathlib import Path

import pytest
from tests.markup import write_sgml, write_wmt_xml

from metra.cli import main


@pytest.fixture
def metra(monkeypatch, capfd):
    """Run a command in this process; give its exit code and what it wrote."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["metra", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, *capfd.readouterr()

    return run


@pytest.fixture
def gold():
    folder = Path(__file__).resolve().parents[3] / "shared" / "gold" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs the gold data, which is not at {folder}")
    return folder


@pytest.fixture
def texts(tmp_path):
    """A tiny corpus in plain text."""
    files = {
        "A.txt": "the cat sat on the mat\na < b & c\n",
        "B.txt": "the cat sat on a mat\na > b\n",
        "ref.txt": "the cat sat on the mat\na < b & c & d\n",
        "src.txt": "le chat\na < b\n",
        "docs.txt": "d1\nd2\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def given(folder: Path) -> list[str]:
    return [
        str(folder / "A.txt"), str(folder / "B.txt"), "-r", str(folder / "ref.txt"),
        "-s", str(folder / "src.txt"), "--docs", str(folder / "docs.txt"),
    ]  # fmt: skip


LEVELS = ["--level", "system,document,segment", "--format", "tsv"]


@pytest.mark.parametrize("name", ["out.tsv", "out.jsonl", "out.tsv.gz"])
def test_scores_are_the_same_in_every_format(metra, texts, name):
    expected = metra("score", *given(texts), *LEVELS)
    assert expected[0] == 0
    assert "document\tB\td2" in expected[1]
    assert metra("convert", *given(texts), "-o", texts / name) == (0, "", "")
    assert metra("score", texts / name, *LEVELS) == expected


@pytest.mark.parametrize(
    ("name", "write"), [("out.sgm", write_sgml), ("out.xml", write_wmt_xml)]
)
def test_marked_up_files_score_as_plain_text_does(metra, texts, name, write):
    expected = metra("score", *given(texts), *LEVELS)
    files = {"source": "src", "ref:ref": "ref", "output:A": "A", "output:B": "B"}
    columns = {
        column: (texts / f"{file}.txt").read_text().splitlines()
        for column, file in files.items()
    }
    (texts / name).write_text(write(columns, ["d1", "d2"]))
    assert metra("score", texts / name, *LEVELS) == expected
    assert metra("convert", texts / name, "-o", texts / "out.jsonl") == (0, "", "")
    assert metra("score", texts / "out.jsonl", *LEVELS) == expected


def test_from_and_to_the_screen(metra, texts):
    code, out, _ = metra("convert", texts / "A.txt", "--to", "jsonl", "-o", "-")
    assert (code, out) == (
        0,
        '{"output:A": "the cat sat on the mat"}\n{"output:A": "a < b & c"}\n',
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["convert", "{folder}/bad.sgm", "-o", "{folder}/o.tsv"],
            "metra: {folder}/bad.sgm, line 1: the file ends, but the <tstset> of line 1 is "
            "open; expected <srcset>, <refset> or <tstset> around <doc> around <seg>, each "
            "closed in turn.\n",
            id="a broken file",
        ),
        pytest.param(
            ["score", "{folder}/bad.xml", "-r", "{folder}/ref.txt"],
            "metra: {folder}/bad.xml, line 1, column 20 is not XML: no element found; expected "
            "WMT's XML, all tags closed and < and & written as &lt; and &amp;.\n",
            id="broken XML",
        ),
        pytest.param(
            [
                "score",
                "{folder}/A.txt",
                "-r",
                "{folder}/ref.txt",
                "--read",
                "format=sgml",
            ],
            "metra: {folder}/A.txt, line 3: there is text outside any <seg> before "
            "it: 'the cat sat on the mat\\na < b & c'; expected <srcset>, <refset> "
            "or <tstset> around <doc> around <seg>, each closed in turn.\n",
            id="another format than it is",
        ),
        pytest.param(
            ["convert", "{folder}/nowhere.sgm", "-o", "{folder}/o.tsv"],
            "metra: {folder}/nowhere.sgm cannot be read: No such file or directory; "
            "check the name and its permissions.\n",
            id="no such file",
        ),
        pytest.param(
            ["convert", "-o", "{folder}/o.tsv"],
            "metra: No text was given; give an output, a reference or the source.\n",
            id="nothing to convert",
        ),
        pytest.param(
            ["convert", "{folder}/A.txt", "-o", "-"],
            "metra: The format of - cannot be detected from its name; give --to "
            "FORMAT, or a name that ends in .tsv, .csv, .xlsx, .json, .jsonl or "
            ".parquet, or a folder's.\n",
            id="no format for the screen",
        ),
    ],
)
def test_one_sentence_and_exit_2(metra, texts, arguments, message):
    (texts / "bad.sgm").write_text('<tstset setid="t">')
    (texts / "bad.xml").write_text('<dataset id="test">')
    before = sorted(texts.iterdir())
    code, out, err = metra(*(part.format(folder=texts) for part in arguments))
    assert (code, out) == (2, "")
    assert err == message.format(folder=texts)
    assert sorted(texts.iterdir()) == before


@pytest.mark.parametrize("folder", ["wmt21ruen", "nist4", "edge"])
def test_real_corpora_there_and_back(metra, gold, tmp_path, folder):
    outputs = [
        f"{path.name[4:-4]}={path}"
        for path in sorted((gold / folder).glob("hyp.*.txt"))
    ]
    references = sorted((gold / folder).glob("ref.*.txt"))
    corpus = [*outputs, "--docs", str(gold / folder / "docs.tsv")]
    for path in references:
        corpus += ["-r", str(path)]
    expected = metra("score", *corpus, *LEVELS)
    assert expected[0] == 0
    middle = corpus
    for name in ("a.json", "b.jsonl", "c.parquet", "d.json.xz"):
        assert metra("convert", *middle, "-o", tmp_path / name) == (0, "", "")
        assert metra("score", tmp_path / name, *LEVELS) == expected
        middle = [str(tmp_path / name)]
    assert metra("convert", *middle, "-o", tmp_path / "plain") == (0, "", "")
    for path in references:
        written = tmp_path / "plain" / f"reference.{path.name[4:]}"
        assert written.read_bytes() == path.read_bytes()
    for output in outputs:
        name, path = output.split("=")
        written = tmp_path / "plain" / "outputs" / f"{name}.txt"
        assert written.read_bytes() == Path(path).read_bytes()
