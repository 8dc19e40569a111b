"""BLEU and NIST against what mteval and multi-bleu printed for the gold sets."""

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
# mteval's command line options: -c keeps case, which ours does by default. The last two
# concern BLEU alone.
OPTIONS = {
    "c": {},
    "default": {"case": "lower"},
    "c.intl": {"tok": "intl"},
    "intl": {"tok": "intl", "case": "lower"},
    "c.nosmooth": {"smooth": "none"},
    "c.shortest": {"ref_len": "shortest"},
}
# How many of our points are one of its.
MEASURES = {"BLEU": 100, "NIST": 1}
RUNS = [
    pytest.param(*chosen, option, id=f"{chosen[0]}-ref{chosen[1]}-{option}")
    for chosen in SETS
    for option in OPTIONS
    # The only way it was run on that set.
    if chosen[0] != "asiya3" or option == "c"
]


def spec(measure, option):
    wishes = {"style": "mteval"} | OPTIONS[option]
    if measure == "NIST":
        wishes = {
            name: value
            for name, value in wishes.items()
            if name not in ("smooth", "ref_len")
        }
    given = ",".join(f"{name}={value}" for name, value in wishes.items())
    return f"{measure.lower()}:{given}"


@pytest.mark.seed("2.6")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("name", "refs", "ending", "option"), RUNS)
def test_every_level(
    measure, name, refs, ending, option, shared, read_lines, read_table
):
    ours = spec(measure, option)
    texts = shared / "gold" / "data" / name
    place = [tuple(line.split("\t")[:2]) for line in read_lines(texts / "docs.tsv")]
    stem = f"{name}.ref{refs}.v13a.{option}"
    printed = {
        level: read_table(shared / "gold" / "mteval" / f"{stem}.{level}.tsv")
        for level in ("sys", "doc", "seg")
    }
    systems = [row["system"] for row in printed["sys"]]
    results = metra.evaluate(
        metra.EvalSet(
            [read_lines(texts / f"ref.{ref}.{ending}") for ref in refs],
            documents=[document for document, _ in place],
        ),
        {system: read_lines(texts / f"hyp.{system}.{ending}") for system in systems},
        [ours],
        levels=["system", "document", "segment"],
    )
    index = {entry: at for at, entry in enumerate(place)}

    def found(level, row):
        score = results[row["system"]][ours]
        if level == "sys":
            return score.score
        if level == "doc":
            return score.documents[row["doc"]]
        return score.segments[index[row["doc"], row["seg"]]]

    assert len(printed["seg"]) == len(place) * len(systems)
    for level, rows in printed.items():
        for row in rows:
            expected = MEASURES[measure] * float(row[measure])
            assert found(level, row) == pytest.approx(expected, abs=1e-9), row


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


@pytest.mark.parametrize("name", ["bleu", "nist"])
def test_apostrophes_as_entities(name):
    """mteval-v13a decodes &apos; in its international tokenisation only, as its last step."""
    given = ["it&apos;s the &quot;old&quot; hall"], [["it's the &quot;old&quot; hall"]]
    plain = ["it's the &quot;old&quot; hall"], given[1]
    for tok, is_decoded in (("intl", True), ("13a", False)):
        spec = f"{name}:style=mteval,tok={tok}"
        scores = [metra.score(*texts, spec).score for texts in (given, plain)]
        assert (scores[0] == scores[1]) is is_decoded
