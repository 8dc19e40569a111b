"""`metra score`: every format to the letter, every level, intervals, the JSON contract."""

import json

import pytest

import metra

V = metra.__version__


def signature(n: int, eff: str, more: str = "") -> str:
    return (
        f"bleu|n:{n}|tok:13a|case:mixed|stem:no|smooth:exp|smooth_value:none|eff:{eff}"
        f"|ref_len:closest|average:geometric|style:sacrebleu|nrefs:2{more}|version:{V}"
    )


def in_latex(signature: str) -> str:
    escaped = signature.replace("_", r"\_")
    return escaped.replace("|", r"|\allowbreak ")


BLEU, SEGMENT, BIGRAMS = signature(4, "no"), signature(4, "yes"), signature(2, "no")


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


FORMATS = {
    "table": f"""\
system  bleu ↑  bleu:n=2 ↑
──────────────────────────
sysA    89.48*      89.48*
sysB    30.21       63.25

* best of the compared values
2 segments, 2 references
{BLEU}
{BIGRAMS}
""",
    "markdown": f"""\
**Automatic evaluation scores (2 segments, 2 references).**

| System | BLEU ↑ | BLEU (n=2) ↑ |
| :-- | --: | --: |
| sysA | **89.5** | **89.5** |
| sysB | 30.2 | 63.2 |

Bold: best score of the column.

- BLEU: `{BLEU}`
- BLEU (n=2): `{BIGRAMS}`
""",
    "latex": rf"""% Needs \usepackage{{booktabs,graphicx}}.
\begin{{table}}[t]
\centering
\caption{{Automatic evaluation scores (2 segments, 2 references).}}
\label{{tab:scores}}
\smallskip
\sbox0{{\small
\begin{{tabular}}{{lrr}}
\toprule
System & BLEU $\uparrow$ & BLEU (n=2) $\uparrow$ \\
\midrule
sysA & \textbf{{89.5}} & \textbf{{89.5}} \\
sysB & 30.2 & 63.2 \\
\bottomrule
\end{{tabular}}
}}\ifdim\wd0>\linewidth \resizebox{{\linewidth}}{{!}}{{\usebox0}}\else\usebox0\fi
\par\smallskip
\ifdim\wd0<18em \wd0=18em\fi \ifdim\wd0>\linewidth \wd0=\linewidth\fi
\begin{{minipage}}{{\wd0}}\footnotesize\raggedright
Bold: best score of the column. \\
BLEU: \texttt{{{in_latex(BLEU)}}} \\
BLEU (n=2): \texttt{{{in_latex(BIGRAMS)}}}
\end{{minipage}}
\end{{table}}
""",
    "tsv": f"""\
level	system	item	metric	score	low	high	signature	better
system	sysA		bleu	89.48393168143697			{BLEU}	true
system	sysA		bleu:n=2	89.48393168143697			{BIGRAMS}	true
system	sysB		bleu	30.21375397356768			{BLEU}	true
system	sysB		bleu:n=2	63.245553203367585			{BIGRAMS}	true
""",
}


@pytest.mark.parametrize("form", FORMATS)
def test_formats(form, score):
    ran = score("-m", "bleu", "-m", "bleu:n=2", "--format", form)
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out == FORMATS[form]


def test_a_table_is_the_default(score):
    assert score("-m", "bleu", "-m", "bleu:n=2").out == FORMATS["table"]
    assert score().out.startswith("system  bleu ↑\n")


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


def test_json_of_every_level(score, files):
    ran = score("--level", "system,document,segment", "--docs", files / "docs.txt",
                "--ci", "--trials", "50", "--format", "json")  # fmt: skip
    data = json.loads(ran.out)
    assert data["evalset"] == {"segments": 2, "documents": 2, "references": 2}
    system = data["systems"][1]
    assert list(system) == ["name", "scores", "documents", "segments"]
    assert system["documents"] == {
        "bleu": pytest.approx({"d1": 37.9917842, "d2": 35.3553390})
    }
    assert system["segments"] == {"bleu": pytest.approx([37.9917842, 35.3553390])}
    found = system["scores"]["bleu"]
    assert list(found) == [
        "score", "signature", "higher_is_better", "segment_signature", "parts",
    ]  # fmt: skip
    assert found["segment_signature"] == SEGMENT
    more = "|ci:percentile|ci_unit:segment|trials:50|seed:12345"
    assert found["signature"] == signature(4, "no", more)


def test_whole_numbers_are_written_as_such(score):
    out = score("--format", "json").out
    assert '"hyp_len": 9,' in out
    assert "9.0" not in out


def test_tables_of_levels(score, files):
    ran = score("--level", "document,segment", "--docs", files / "docs.txt")
    assert (
        ran.out
        == f"""\
system  bleu ↑
──────────────
sysA    89.48*
sysB    30.21

bleu ↑
document     sysA    sysB
─────────────────────────
d1        100.00*  37.99
d2          0.00   35.36*

bleu ↑
segment     sysA    sysB
────────────────────────
1        100.00*  37.99
2         71.65*  35.36

* best of the compared values
2 segments, 2 documents, 2 references
{BLEU}
{SEGMENT}
"""
    )


def test_tsv_of_levels(score, files):
    ran = score("--level", "document, segment", "--docs", files / "docs.txt",
                "--format", "tsv", outputs=["sysB"])  # fmt: skip
    rows = [line.split("\t") for line in ran.out.removesuffix("\n").split("\n")]
    assert [row[:4] for row in rows[1:]] == [
        ["system", "sysB", "", "bleu"],
        ["document", "sysB", "d1", "bleu"],
        ["document", "sysB", "d2", "bleu"],
        ["segment", "sysB", "1", "bleu"],
        ["segment", "sysB", "2", "bleu"],
    ]
    # Once for each level: on every line it would be most of the file.
    assert [row[7] for row in rows[1:]] == [BLEU, BLEU, "", SEGMENT, ""]
    assert {row[8] for row in rows[1:]} == {"true"}
    assert {len(row) for row in rows} == {9}


def lengthen(files):
    """Repeat the segments of all files until there are enough for intervals."""
    for path in files.glob("*.txt"):
        path.write_text(path.read_text() * 6)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals(score, files, method):
    lengthen(files)
    ran = score("--ci", "--ci-method", method, "--trials", "300", "--seed", "7",
                "--format", "json")  # fmt: skip
    found = json.loads(ran.out)["systems"][1]["scores"]["bleu"]
    assert f"|ci:{method}|ci_unit:segment|trials:300|seed:7|" in found["signature"]
    texts = {
        name: (files / f"{name}.txt").read_text().split("\n")[:-1]
        for name in ("sysB", "ref.1", "ref.2")
    }
    result = metra.score(
        texts["sysB"],
        refs_per_segment=list(zip(texts["ref.1"], texts["ref.2"], strict=True)),
    )
    expected = result.interval(method=method, trials=300, seed=7)
    assert found["interval"] == pytest.approx(list(expected))


def test_intervals_in_tables(score, files):
    few = score("--ci", "-m", "bleu:n=2", "-m", "ter").out
    assert "[" not in few
    reason = "no interval for bleu, ter: fewer than 10 scored segments"
    assert reason in few.split("\n")
    assert "no interval" not in score().out
    lengthen(files)
    out = score("--ci", "--digits", "1").out.split("\n")
    assert out[2] == "sysA    89.5* [81.9, 95.3]"


def test_one_segment_has_no_interval(write, cli):
    path = write("one.txt", ["a b c d"])
    ran = cli("score", path, "-r", path, "--ci", "--format", "json")
    assert "interval" not in json.loads(ran.out)["systems"][0]["scores"]["bleu"]


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


def test_the_best_may_come_first(score):
    names = [line.split(" ")[0] for line in score("--sort").out.split("\n")[2:4]]
    assert names == ["sysA", "sysB"]
    out = score("--sort", outputs=["sysB", "sysA"]).out
    assert [line.split(" ")[0] for line in out.split("\n")[2:4]] == names


def test_digits(score):
    assert "89.4839316814" in score("--digits", "10").out
    assert "  89*" in score("--digits", "0").out


def test_a_table_with_everything_in_it(write, cli):
    table = write("all.tsv", ["doc\tsource\tref\tA\tB", "d\ts\ta b c d\ta b c d\tx"])
    ran = cli("score", table, "--level", "document", "--format", "tsv")
    assert [line.split("\t")[:3] for line in ran.out.split("\n")[1:-1]] == [
        ["system", "A", ""],
        ["document", "A", "d"],
        ["system", "B", ""],
        ["document", "B", "d"],
    ]


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
