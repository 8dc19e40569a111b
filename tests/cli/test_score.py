"""`metra score`: its JSON, and units of intervals; tests/golden_run has every format."""

import json

import pytest

import metra

V = metra.__version__


BLEU = (
    "bleu|n:4|tok:13a|case:mixed|stem:no|smooth:exp|smooth_value:none|eff:no"
    f"|ref_len:closest|average:geometric|style:sacrebleu|nrefs:2|version:{V}"
)


@pytest.fixture
def files(write):
    """Two systems, two references, a document for each segment."""
    write("sysA.txt", ["the cat sat on the mat", "a dog ran"])
    write("sysB.txt", ["the cat is on the mat", "a dog runs home"])
    write("ref.1.txt", ["the cat sat on the mat", "the dog ran home"])
    write("ref.2.txt", ["a cat sat on a mat", "a dog ran away"])
    return write("docs.txt", ["d1", "d2"]).parent


@pytest.fixture
def score(files, cli):
    def run(*arguments: str, outputs=("sysA", "sysB")):
        paths = [files / f"{name}.txt" for name in outputs]
        references = ["-r", files / "ref.1.txt", "-r", files / "ref.2.txt"]
        return cli("score", *paths, *references, *arguments)

    return run


def test_json_in_full(score):
    data = json.loads(score("--format", "json").out)
    assert data == {
        "metra": V,
        "schema": 1,
        "evalset": {"segments": 2, "references": 2},
        "systems": [
            {
                "name": "sysA",
                "scores": {
                    "bleu": {
                        "score": pytest.approx(89.48393168143697, abs=1e-12),
                        "signature": BLEU,
                        "higher_is_better": True,
                        "parts": {
                            "counts": [9, 7, 5, 3],
                            "totals": [9, 7, 5, 3],
                            "precisions": [100, 100, 100, 100],
                            "bp": pytest.approx(0.8948393168143697, abs=1e-15),
                            "hyp_len": 9,
                            "ref_len": 10,
                            "ratio": 0.9,
                        },
                    }
                },
            },
            {
                "name": "sysB",
                "scores": {
                    "bleu": {
                        "score": pytest.approx(30.21375397356768, abs=1e-12),
                        "signature": BLEU,
                        "higher_is_better": True,
                        "parts": {
                            "counts": [8, 4, 1, 0],
                            "totals": [10, 8, 6, 4],
                            "precisions": pytest.approx([80, 50, 100 / 6, 12.5]),
                            "bp": 1,
                            "hyp_len": 10,
                            "ref_len": 10,
                            "ratio": 1,
                        },
                    }
                },
            },
        ],
    }


def lengthen(files):
    """Repeat the segments of all files until there are enough for intervals."""
    for path in files.glob("*.txt"):
        path.write_text(path.read_text() * 6)


def test_intervals_in_tables(score, files):
    few = score("--ci", "-m", "bleu:n=2", "-m", "ter").out
    assert "[" not in few
    reason = "no interval for bleu, ter: fewer than 10 scored segments"
    assert reason in few.split("\n")
    assert "no interval" not in score().out
    lengthen(files)
    out = score("--ci", "--digits", "1").out.split("\n")
    assert out[2] == "sysA    89.5* [81.9, 95.3]"


def test_documents_are_resampled_where_there_are_enough(write, cli):
    output = write("out.txt", [f"a b c d {at % 7}" for at in range(60)])
    reference = write("ref.txt", ["a b c d 1"] * 60)

    def unit(documents: int, *more: str) -> str:
        docs = write("docs.txt", [f"d{at % documents}" for at in range(60)])
        ran = cli("score", output, "-r", reference, "--docs", docs, "--ci", *more)
        return ran.out.partition("|ci_unit:")[2].partition("|")[0]

    assert unit(19) == "segment"
    assert unit(20) == "document"
    assert unit(3, "--unit", "document") == "document"
    assert unit(30, "--unit", "segment") == "segment"


def test_the_same_call_gives_the_same_bytes(score, monkeypatch):
    arguments = ["--ci", "--level", "segment", "--format", "json"]
    first = score(*arguments)
    monkeypatch.setenv("METRA_THREADS", "1")
    assert score(*arguments) == first


def test_the_command_and_the_library_agree(score, files):
    data = json.loads(score("--format", "json", "-m", "bleu:tok=char").out)
    lines = [
        (files / f"{name}.txt").read_text().split("\n")[:-1]
        for name in ("sysA", "ref.1", "ref.2")
    ]
    by_segment = list(zip(*lines[1:], strict=True))
    result = metra.score(lines[0], metric="bleu:tok=char", refs_per_segment=by_segment)
    found = data["systems"][0]["scores"]["bleu:tok=char"]
    assert found["score"] == result.score
    assert found["signature"] == result.signature
    assert found["parts"] == result.parts
