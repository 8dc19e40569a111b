"""`metra segment`: sentences, aligned outputs, reports, and what is refused."""

import json

import pytest

REFERENCE = ["The market opens again.", "People are glad.", "It rained on Dr. Ott."]
OUTPUT = ["The market opens again. People are happy.", "It rained upon Dr. Ott."]
ALIGNED = ["The market opens again.", "People are happy.", "It rained upon Dr. Ott."]


@pytest.fixture
def files(write):
    return write("out.txt", OUTPUT), write("ref.txt", REFERENCE)


def read(path):
    return path.read_text(encoding="utf-8").split("\n")


def test_rows_out_of_order_are_not_aligned(cli, write, files, tmp_path):
    table = write("mixed.tsv", ["id\toutput", "2\tb", "1\ta"])
    refused = cli.refusal(
        "segment", "align", table, "-r", files[1], "-o", tmp_path / "x"
    )
    assert (
        f"{table} has id 1 after 2 in row 2, so that it may have been shuffled"
        in refused
    )


def test_split(cli, write):
    ran = cli("segment", "split", write("text.txt", ["Dr. Ott came. He sat.", "Title"]),
              "--lang", "en")  # fmt: skip
    assert (ran.code, ran.out) == (0, "Dr. Ott came.\nHe sat.\nTitle\n")


@pytest.mark.parametrize("mode", ["align", "resegment"])
def test_a_text_goes_into_score(cli, files, tmp_path, mode):
    output, reference = files
    out = tmp_path / "aligned.txt"
    ran = cli("segment", mode, output, "-r", reference, "--lang", "en", "-o", str(out))
    assert (ran.code, ran.err) == (0, "")
    assert read(out) == [*ALIGNED, ""]
    assert f"{mode}|lang:en|" in ran.out
    assert "3 segments" in ran.out
    assert cli("score", str(out), "-r", reference).code == 0
    assert cli("score", output, "-r", reference).code == 2


@pytest.mark.parametrize("mode", ["align", "resegment"])
def test_several_outputs_in_a_table(cli, files, write, tmp_path, mode):
    output, reference = files
    other = write("other.txt", [" ".join(OUTPUT)])
    out = tmp_path / "aligned.tsv"
    docs = write("docs.txt", ["d1", "d1", "d2"])
    ran = cli("segment", mode, output, f"b={other}", "-r", reference, "--docs", docs,
              "-o", str(out), "--lang", "en")  # fmt: skip
    assert ran.code == 0
    header, *rows = (line.split("\t") for line in read(out)[:-1])
    assert header == ["ref:ref", "doc", "output:out", "output:b"]
    assert [row[2] for row in rows] == [row[3] for row in rows] == ALIGNED
    assert cli("score", str(out), "--level", "document").code == 0


def test_a_folder_holds_the_references_too(cli, files, tmp_path):
    output, reference = files
    out = tmp_path / "aligned"
    assert cli("segment", "align", output, "-r", reference, "-o", str(out)).code == 0
    assert sorted(path.name for path in out.rglob("*.txt")) == [
        "out.txt",
        "reference.ref.txt",
    ]


def test_the_report_names_unsure_segments(cli, write, tmp_path):
    output = write("out.txt", [OUTPUT[0], "Bananas grow.", "Zebras run fast."])
    reference = write(
        "ref.txt", [*REFERENCE[:2], "Nobody knew about the plan of Anna."]
    )
    report = tmp_path / "report.json"
    ran = cli("segment", "align", output, "-r", reference, "-o", str(tmp_path / "a.txt"),
              "--report", str(report), "--format", "json")  # fmt: skip
    assert (ran.code, ran.out) == (0, "")
    segments = json.loads(report.read_text())["segments"]["out"]
    assert [record["number"] for record in segments] == [1, 2, 3]
    assert segments[0]["reason"] == ""
    assert segments[2]["reason"]
    assert segments[2]["confidence"] < 0.2


def test_the_screen_holds_the_text_alone(metra_command, files):
    output, reference = files
    ran = metra_command("segment", "resegment", output, "-r", reference, "-o", "-")
    assert ran.out == "".join(f"{line}\n" for line in ALIGNED)
    assert "3 segments" in ran.err


@pytest.mark.parametrize(("lang", "kind"), [("en", "one"), ("", "joined")])
def test_the_language_tells_abbreviations(cli, write, tmp_path, lang, kind):
    lines = ["Voters met Rep. Cole yesterday.", "She left early."]
    output, reference = write("out.txt", [" ".join(lines)]), write("ref.txt", lines)
    ran = cli("segment", "align", output, "-r", reference, "--lang", lang,
              "-o", tmp_path / "a.txt", "--format", "json")  # fmt: skip
    (segments,) = json.loads(ran.out)["segments"].values()
    assert segments[0]["kind"] == kind


@pytest.mark.parametrize("mode", ["align", "resegment"])
def test_documents_are_segmented_each_by_itself(cli, write, tmp_path, mode):
    # Seen as one text, the only sentence of d2 could as well be of d1.
    output = write("out.tsv", ["doc\toutput", "d2\tIt rains here.", "d3\tFine. Bye."])
    reference = write("ref.txt", ["It rains here.", "It rains.", "Fine.", "Bye."])
    docs = write("docs.txt", ["d1", "d2", "d3", "d3"])
    out = tmp_path / "a.txt"
    ran = cli("segment", mode, output, "-r", reference, "--docs", docs, "-o", out)
    assert read(out) == ["", "It rains here.", "Fine.", "Bye.", ""]
    assert "4 segments, 3 documents, each aligned separately" in ran.out
    ran = cli("segment", mode, output, "-r", reference, "-o", out)
    assert read(out) == ["It rains here.", "", "Fine.", "Bye.", ""]
    assert "4 segments\n" in ran.out


def test_an_unknown_document_is_refused(cli, write, tmp_path):
    output = write("out.tsv", ["doc\toutput", "d9\tIt rains."])
    reference, docs = write("ref.txt", ["It rains."]), write("docs.txt", ["d1"])
    refused = cli.refusal(
        "segment",
        "align",
        output,
        "-r",
        reference,
        "--docs",
        docs,
        "-o",
        tmp_path / "a.txt",
    )
    assert (
        "The output 'out' has a document 'd9', which the references do not" in refused
    )


def test_a_table_of_several_texts_is_not_split(cli, write):
    ran = cli("segment", "split", write("t.tsv", ["output:a\toutput:b", "x\ty"]))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "t.tsv holds 2 texts: a, b; give a file with one text." in ran.err


REFUSED = [
    pytest.param(["out.txt", "-o", "a.txt"], "give -r FILE", id="no reference"),
    pytest.param(["out.txt", "out.txt", "-r", "ref.txt", "-o", "a.tsv"],
                 "Two outputs are named 'out'", id="the same name twice"),
    pytest.param(["out.txt", "b=out.txt", "-r", "ref.txt", "-o", "a.txt"],
                 "cannot be detected from its name", id="two texts in one file"),
    pytest.param(["out.txt", "-r", "ref.txt", "-r", "short.txt", "-o", "a.txt"],
                 "short.txt has 1 segment but ref.txt has 3", id="unequal references"),
    pytest.param(["out.txt", "-r", "empty.txt", "-o", "a.txt"],
                 "No reference segments", id="an empty reference"),
    pytest.param(["out.txt", "-r", "ref.txt", "-o", "missing/a.txt"],
                 "cannot be written", id="no such folder"),
    pytest.param(["none.txt", "-r", "ref.txt", "-o", "a.txt"],
                 "cannot be read", id="no such output"),
]  # fmt: skip


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("mode", ["align", "resegment"])
@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_is_refused(cli, write, tmp_path, monkeypatch, mode, arguments, message):
    write("short.txt", ["One."])
    write("empty.txt", [])
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    refused = cli.refusal("segment", mode, *arguments)
    assert message in refused
    assert refused.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_python_names():
    import metra

    assert metra.split_sentences("One. Two.") == ["One.", "Two."]
    assert [part.text for part in metra.resegment("a b c", ["a b", "c"])] == [
        "a b",
        "c",
    ]
    assert metra.align_sentences("One. Two.", ["One.", "Two."])[1].text == "Two."
