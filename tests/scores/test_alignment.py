"""Files that number the same segments differently: joined by texts, by numbers, or refused."""

import json

import pytest

import metra
from metra.errors import CorpusError
from metra.meta.options import CorrelateOptions
from metra.meta.question import Evidence, answer_evidence
from metra.scores.registry import read_score_files

SYSTEMS = ("A", "B", "C")
#: Two segments are the same words, and so are two systems.
TEXTS = {s: ["Yes.", *(f"{s}{n}" for n in range(2, 9)), "Yes."] for s in SYSTEMS}
TEXTS["C"][3] = TEXTS["B"][3]
COSTS = {s: [(5 * n + 3 * at) % 7 for n in range(9)] for at, s in enumerate(SYSTEMS)}
SCORES = {s: [(4 * n + at * n) % 9 / 8 for n in range(9)] for at, s in enumerate("ABC")}


def write_mqm(folder, name="mqm.tsv", rename=str, rated=range(1, 10)):
    rows = ["system\tseg_id\trater\ttarget\tcategory\tseverity"]
    for system in SYSTEMS:
        for number in rated:
            text = TEXTS[system][number - 1].replace("A", "<v>A</v>")
            about = f"{system}\t{rename(number)}\tr\t{text}"
            rows += [
                f"{about}\tx\tno-error",
                *([f"{about}\tx\tminor"] * COSTS[system][number - 1]),
            ]
    path = folder / name
    path.write_text("".join(f"{row}\n" for row in rows))
    return str(path)


def write_comet(folder, order=lambda _: range(9), names=SYSTEMS):
    data = {
        f"{name}.txt": [
            {"src": "s", "mt": TEXTS[system][at] + " ", "COMET": SCORES[system][at]}
            for at in order(system)
        ]
        for system, name in zip(SYSTEMS, names, strict=True)
    }
    path = folder / "comet.json"
    path.write_text(json.dumps(data))
    return str(path)


def write_table(folder, first, numbers=range(9)):
    rows = ["system\tsegment\tmine"]
    rows += [f"{s}\t{n + first}\t{SCORES[s][n]}" for s in SYSTEMS for n in numbers]
    path = folder / "mine.tsv"
    path.write_text("".join(f"{row}\n" for row in rows))
    return str(path)


def correlate(paths, gold="mqm", **given):
    """Pearson's r of all cells, and the notes."""
    options = CorrelateOptions(level="seg", coefficients=("pearson:none",), trials=0)
    evidence = Evidence(read_score_files(paths), gold=gold, **given)
    [answer], report = answer_evidence("correlate", evidence, options)
    return next(iter(answer.answers[0].values())).value, " ".join(report.notes)


RATED = (1, 3, 4, 6, 7, 8)
#: Numbers of the rated segments, without gaps.
RENUMBERED = {number: at for at, number in enumerate(RATED, 1)}.__getitem__
REVERSED = {s: [8 - n for n in range(9)] for s in SYSTEMS}.__getitem__
IN_ORDER = dict.fromkeys(SYSTEMS, range(9)).__getitem__
TURNED = {
    s: [(n + at) % 9 for n in range(9)] for at, s in enumerate(SYSTEMS)
}.__getitem__


@pytest.mark.parametrize(
    ("rename", "order", "words"),
    [
        pytest.param(str, IN_ORDER, "", id="the same numbers"),
        pytest.param(
            lambda n: n - 1, IN_ORDER, "otherwise: 15 outputs al", id="from 0"
        ),
        pytest.param(RENUMBERED, IN_ORDER, "otherwise", id="without gaps"),
        pytest.param(str, REVERSED, "otherwise", id="in another order"),
        pytest.param(str, TURNED, "otherwise", id="each system in another order"),
        pytest.param(RENUMBERED, TURNED, "otherwise", id="all of it"),
    ],
)
def test_outputs_tell_which_segments_are_the_same(tmp_path, rename, order, words):
    rated = (
        RATED[1:] if words else RATED
    )  # the same words do not tell which segment it is
    expected, _ = correlate(
        [write_mqm(tmp_path, "a", rated=rated), write_table(tmp_path, 1)]
    )
    comet = write_comet(tmp_path, order)
    mqm = write_mqm(tmp_path, rename=rename, rated=RATED)
    for paths in ([mqm, comet], [comet, mqm]):
        value, notes = correlate(paths)
        assert value == pytest.approx(expected, abs=1e-12)
        assert words in notes
        assert ("aligned by text" in notes) is bool(words)


@pytest.mark.parametrize("rename", [str, lambda n: n - 1, RENUMBERED])
def test_outputs_to_score_tell_it_too(tmp_path, monkeypatch, rename):
    monkeypatch.chdir(tmp_path)
    for system, texts in TEXTS.items():
        (tmp_path / f"{system}.txt").write_text("".join(f"{text}\n" for text in texts))
    (tmp_path / "ref").write_text("".join(f"B{n}\n" for n in range(1, 10)))
    given = {"outputs": tuple(f"{s}.txt" for s in SYSTEMS), "references": ("ref",)}
    given |= {"specs": ("chrf",)}
    rated = RATED if rename is str else RATED[1:]
    expected, _ = correlate([write_mqm(tmp_path, "a", rated=rated)], **given)
    mqm = write_mqm(tmp_path, rename=rename, rated=RATED)
    value, notes = correlate([mqm], **given)
    assert value == pytest.approx(expected, abs=1e-12)
    assert ("15 outputs aligned by text; 3 scores of" in notes) is (rename is not str)


def test_judges_may_see_texts_in_any_order(tmp_path, monkeypatch):
    """Results of Pearmut do not number the segments."""
    monkeypatch.chdir(tmp_path)
    values = []
    for order in (range(1, 8), (4, 2, 7, 1, 3, 6, 5)):
        screens = [
            {"user_id": "ann", "item_i": at, "item": [{"src": f"{at}", "tgt": tgt}],
             "annotation": [{s: {"score": COSTS[s][at], "error_spans": []} for s in tgt}]}
            for at in order
            for tgt in [{s: TEXTS[s][at] for s in SYSTEMS}]
        ]  # fmt: skip
        (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, screens)))
        for system, texts in TEXTS.items():
            lines = "".join(f"{text}\n" for text in texts[1:8])
            (tmp_path / f"{system}.txt").write_text(lines)
        (tmp_path / "ref").write_text("".join(f"B{n}\n" for n in range(2, 9)))
        given = {"outputs": tuple(f"{s}.txt" for s in SYSTEMS), "references": ("ref",)}
        values.append(correlate(["p.jsonl"], "da", specs=("chrf",), **given)[0])
    assert values[0] == pytest.approx(values[1], abs=1e-12)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda at: [write_mqm(at), write_comet(at, names="BAC")], "do not agree on systems"),
        (
            lambda at: [write_mqm(at, rename=RENUMBERED, rated=RATED),
                        write_comet(at, lambda _: [0, *range(3, 9)])],
            "cannot be aligned",
        ),
        (
            lambda at: [write_mqm(at, rename=RENUMBERED, rated=RATED), write_table(at, 0)],
            "counts segments from 0 to 8, but .*mqm.tsv from 1 to 6; count them from 0 or",
        ),
    ],
    ids=["systems swapped", "some outputs are in one file only", "no texts, perhaps from 0"],
)  # fmt: skip
def test_what_cannot_be_aligned_is_refused(tmp_path, write, message):
    with pytest.raises(CorpusError, match=message):
        read_score_files(write(tmp_path))


def test_numbers_from_0_beside_numbers_from_1(tmp_path):
    mqm = write_mqm(tmp_path)
    expected, _ = correlate([mqm, write_table(tmp_path, 1)])
    value, notes = correlate([mqm, write_table(tmp_path, 0)])
    assert value == expected
    assert "mine.tsv counts segments from 0, " in notes


def test_parts_of_a_test_set_are_not_aligned(tmp_path):
    """Some of its sentences are the same."""
    parts = [
        write_mqm(tmp_path, "1", rated=range(1, 6)),
        write_mqm(tmp_path, "2", rated=range(6, 10)),
    ]
    scores = read_score_files(parts)
    assert len(scores) == 27
    assert not scores.notes


@pytest.mark.parametrize("order", [REVERSED, TURNED, None])
def test_metrics_refuse_scores_of_other_texts(tmp_path, order):
    names = SYSTEMS if order else ("B", "A", "C")
    path = write_comet(tmp_path, order or (lambda _: range(9)), names)
    with pytest.raises(
        CorpusError, match=r"are of other texts: output . of '[AB]' is in"
    ):
        metra.evaluate(metra.EvalSet(), TEXTS, [f"comet@{path}"])
    path = write_comet(tmp_path)
    edited = {s: [f"{texts[0]}!", *texts[1:]] for s, texts in TEXTS.items()}
    for outputs in (TEXTS, edited):
        results = metra.evaluate(metra.EvalSet(), outputs, [f"comet@{path}"])
        assert results["A"][results.specs[0]].score == sum(SCORES["A"]) / 9
