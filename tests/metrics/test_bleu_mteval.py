"""BLEU against what NIST's mteval-v13a and Moses' multi-bleu print for the gold sets."""

import re

import pytest

import metra

SETS = [
    ("edge", "1", "txt"),
    ("edge", "123", "txt"),
    ("nist4", "1234", "txt"),
    ("wmt21ruen", "A", "txt"),
    ("wmt21ruen", "AB", "txt"),
    ("asiya3", "A", "tok"),
]
# mteval's command line options: -c keeps case, which ours does by default.
OPTIONS = {
    "c": "bleu:style=mteval",
    "default": "bleu:style=mteval,case=lower",
    "c.intl": "bleu:style=mteval,tok=intl",
    "intl": "bleu:style=mteval,tok=intl,case=lower",
    "c.nosmooth": "bleu:style=mteval,smooth=none",
    "c.shortest": "bleu:style=mteval,ref_len=shortest",
}
RUNS = [
    pytest.param(*chosen, option, id=f"{chosen[0]}-ref{chosen[1]}-{option}")
    for chosen in SETS
    for option in OPTIONS
    if chosen[0] != "asiya3" or option == "c"  # the only way it was run on that set
]


@pytest.mark.parametrize(("name", "refs", "ending", "option"), RUNS)
def test_every_level(name, refs, ending, option, shared, read_lines, read_table):
    spec = OPTIONS[option]
    folder = shared / "gold" / "data" / name
    place = [tuple(line.split("\t")[:2]) for line in read_lines(folder / "docs.tsv")]
    streams = [read_lines(folder / f"ref.{ref}.{ending}") for ref in refs]

    def printed(level):
        path = (
            shared / "gold" / "mteval" / f"{name}.ref{refs}.v13a.{option}.{level}.tsv"
        )
        return read_table(path)

    systems = {row["system"]: float(row["BLEU"]) for row in printed("sys")}
    outputs = {
        system: read_lines(folder / f"hyp.{system}.{ending}") for system in systems
    }
    results = metra.evaluate(
        metra.EvalSet(streams, documents=[document for document, _ in place]),
        outputs,
        [spec],
        levels=["system", "document", "segment"],
    )
    documents = {(row["system"], row["doc"]): row["BLEU"] for row in printed("doc")}
    segments = {
        (row["system"], row["doc"], row["seg"]): row["BLEU"] for row in printed("seg")
    }
    assert len(segments) == len(place) * len(systems)
    for system, expected in systems.items():
        score = results[system][spec]
        assert score.score == pytest.approx(100 * expected, abs=1e-9)
        assert score.documents == pytest.approx(
            {doc: 100 * float(documents[system, doc]) for doc, _ in place}, abs=1e-9
        )
        assert score.segments.tolist() == pytest.approx(
            [100 * float(segments[system, doc, seg]) for doc, seg in place], abs=1e-9
        )


@pytest.mark.parametrize(
    ("name", "refs"), [("edge", "123"), ("nist4", "1234"), ("wmt21ruen", "A")]
)
def test_every_order_of_the_report(name, refs, shared, read_lines):
    report = read_lines(
        shared / "gold" / "mteval" / f"{name}.ref{refs}.v13a.c.report.txt"
    )
    folder = shared / "gold" / "data" / name
    streams = [read_lines(folder / f"ref.{ref}.txt") for ref in refs]
    lines = [line for line in report if line.strip().startswith("BLEU:")]
    assert len(lines) % 2 == 0
    for line in lines[len(lines) // 2 :]:  # after the individual, the cumulative orders
        *printed, system = line.split()[1:]
        hyps = read_lines(folder / f"hyp.{system.strip(chr(34))}.txt")
        scores = [
            metra.score(hyps, streams, f"bleu:style=mteval,n={n}").score / 100
            for n in range(1, 10)
        ]
        assert [f"{score:.4f}" for score in scores] == printed


def test_multi_bleu(shared, read_lines, read_table):
    """Moses' script: words as they are, no smoothing, corpora only."""
    rows = read_table(shared / "gold" / "multibleu" / "multi-bleu.tsv")
    checked = 0
    for row in rows:
        if row["tool"] != "multi-bleu" or row["option"]:
            continue
        if (row["set"], row["input"]) == ("edge", "txt"):
            continue  # it reads bytes, so the no-break spaces of that text split no words
        folder = shared / "gold" / "data" / row["set"]
        ending = row["input"]
        refs = [read_lines(folder / f"ref.{ref}.{ending}") for ref in row["refs"]]
        hyps = read_lines(folder / f"hyp.{row['system']}.{ending}")
        found = metra.score(hyps, refs, "bleu:tok=none,smooth=none")
        printed = re.match(
            r"BLEU = ([\d.]+), ([\d./]+) \(BP=([\d.]+), ratio=([\d.]+), "
            r"hyp_len=(\d+), ref_len=(\d+)\)",
            row["output_high_precision"],
        )
        assert found.score == pytest.approx(float(printed[1]), abs=1e-9)
        precisions = [float(part) for part in printed[2].split("/")]
        assert found.parts["precisions"] == pytest.approx(precisions, abs=1e-8)
        assert found.parts["bp"] == pytest.approx(float(printed[3]), abs=1e-9)
        assert found.parts["ratio"] == pytest.approx(float(printed[4]), abs=1e-9)
        assert found.parts["hyp_len"] == int(printed[5])
        assert found.parts["ref_len"] == int(printed[6])
        checked += 1
    assert checked == 24
