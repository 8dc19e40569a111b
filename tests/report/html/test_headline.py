"""The report's first words, people's column, and marked errors."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metra
from metra.errors import CorpusError, UnknownNameError
from metra.stats.arrays import round_for_display

SIZE = 40
REFS = [f"this is line {number} of a small text" for number in range(SIZE)]
OUTPUTS = {
    "near": [ref.replace("small", "little") for ref in REFS],
    "far": [
        ref.replace("this is line", "here comes verse").replace("small", "short")
        for ref in REFS
    ],
}


def write_report(tmp_path, *metrics, judged=None):
    path = tmp_path / "report.html"
    judgements = None
    if judged:
        judgements = tmp_path / "judged.tsv"
        rows = [
            f"{system}\t{number}\t{value + number % 3}"
            for system, value in judged.items()
            for number in range(1, SIZE + 1)
        ]
        judgements.write_text("\n".join(["system\tsegment\tscore", *rows]) + "\n")
    metra.report(
        metra.EvalSet(REFS), OUTPUTS, path, ["chrf", *metrics], judgements=judgements
    )
    return path.read_text()


def load_data(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1])


def get_headline(page):
    found = re.search(r'<p class="lead headline">(.*?)</p>', page)
    return re.sub("<[^>]+>", "", found[1]) if found else None


def test_people_against_metrics(tmp_path):
    page = write_report(tmp_path, judged={"near": 40, "far": 80})
    assert get_headline(page) == (
        "People and metrics disagree about far: better than near by people, worse by chrf "
        "(string). Trust people more than string metrics."
    )
    assert get_headline(write_report(tmp_path, judged={"near": 80, "far": 40})) is None


def test_neural_metrics_against_string_metrics(tmp_path):
    shift = {"near": 0.5, "far": 0.7}
    values = {s: [v + 0.001 * (n % 7) for n in range(SIZE)] for s, v in shift.items()}
    page = write_report(tmp_path, metra.import_scores("comet", values))
    assert get_headline(page).startswith(
        "Metrics disagree about near: better than far by chrf (string), worse by comet"
    )


def test_the_column_of_people_is_like_the_others(tmp_path):
    page = write_report(tmp_path, judged={"near": 40, "far": 80})
    table = page[page.index("Scores with 95% intervals") :]
    (row,) = re.findall(r'<tr><th scope="row"><bdi>far</bdi></th>(.*?)</tr>', table)[:1]
    cell = row.split("</td>")[0]
    # The mean of the values, its interval, its group, and the best in bold.
    assert f"<b>{80 + sum(n % 3 for n in range(1, SIZE + 1)) / SIZE:.2f}" in cell
    assert "<small>80." in cell
    assert 'title="group 1"' in cell


def list_rows(page, name):
    table = page[page.index(f'data-csv="{name}"') :].partition("</table>")[0]
    return re.findall(r'<tr><th scope="row"><bdi>(.*?)</bdi>', table)


def test_rows_are_sorted_by_the_most_trusted(tmp_path):
    """By people, else by a neural metric, else by a string metric."""
    comet = metra.import_scores("comet", {"near": [0.5] * SIZE, "far": [0.7] * SIZE})
    by_comet = write_report(tmp_path, comet)
    assert list_rows(by_comet, "scores") == ["far", "near"]
    assert "Systems are sorted by comet." in by_comet
    assert list_rows(write_report(tmp_path), "scores") == ["near", "far"]
    by_people = write_report(tmp_path, comet, judged={"near": 80, "far": 40})
    assert list_rows(by_people, "scores") == ["near", "far"]
    assert "Systems are sorted by people." in by_people
    lead = re.sub("<[^>]+>", "", re.search(r'<p class="lead">(.*?)</p>', by_people)[1])
    assert lead.startswith(
        "Of 2 systems, near is best by people and chrf; far by comet. The mean human score of "
        "near is 81.00, 95% interval"
    )


def test_people_are_ranked_as_on_a_results_page(tmp_path):
    page = write_report(tmp_path, judged={"near": 40, "far": 80})
    table = page[page.index('data-csv="ranking"') :].partition("</table>")[0]
    names = re.findall(r"<bdi>(near|far)</bdi>", table)
    assert names == ["far", "near"]
    assert re.search(r'data-v="8\d\.?\d*" data-low', table)


def test_judged_systems_without_outputs_are_left_out(tmp_path):
    page = write_report(tmp_path, judged={"near": 40, "far": 80, "other": 9})
    assert "80 judgements of 80 outputs" in re.sub("<[^>]+>", "", page)
    assert "of other are ignored, because there is no output of that name." in page
    with pytest.raises(UnknownNameError, match="None of the judged systems has an out"):
        write_report(tmp_path, judged={"nearly": 40})


def test_scores_of_whole_systems_are_rounded_once(tmp_path):
    values = {"near": [0.123449] * SIZE, "far": [0.1] * SIZE}
    page = write_report(tmp_path, metra.import_scores("comet", values))
    data = load_data(page)
    # With five digits it would be 0.12345, and then 0.1235 of 0.1234.
    assert data["corpus"][1][0] == 0.123449


@given(st.lists(st.floats(-1000, 1000) | st.integers(-9, 9).map(lambda n: n / 8)))
def test_segment_scores_are_shown_as_if_rounded_once(values):
    """The script shows two digits of the three that it gets."""
    for value, kept in zip(values, round_for_display(np.array(values), 2), strict=True):
        assert abs(kept - value) <= 0.0015
        # A script rounds exact halves up; none are left.
        shown = Decimal(kept).quantize(Decimal("0.01"), ROUND_HALF_UP)
        assert float(shown) == round(value, 2)


def test_a_report_without_references(tmp_path):
    """Scores from other programs, buckets, changes and profiles; nothing about references."""
    comet = metra.import_scores(
        "comet", {"near": [0.5] * (SIZE - 1) + [0.9], "far": [0.7] * SIZE}
    )
    path = tmp_path / "report.html"
    outputs = {
        name: [text * (1 + at % 2) for at, text in enumerate(texts)]
        for name, texts in OUTPUTS.items()
    }
    metra.report(metra.EvalSet(source=REFS), outputs, path, [comet])
    page = path.read_text()
    for text in (
        *("2 systems, 40 segments", "By output length in words", 'class="other"'),
        "Words that differ between the outputs have a",
    ):
        assert text in page
    for text in ("word frequency", 'id="ngrams"', 'class="miss"'):
        assert text not in page
    with pytest.raises(CorpusError, match="chrf needs a reference; give one"):
        metra.report(metra.EvalSet(), OUTPUTS, path, [comet, "chrf"])


def write_errors(path):
    path.write_text(
        "system\tsegment\trater\tstart\tend\tcategory\tseverity\n"
        "near\t1\tann\t20\t26\tStyle\tmajor\n"
        "far\t1\tann\t\t\tno-error\tno-error\n"
        "far\t2\tbob\t0\t4\tAccuracy\tcritical\n"
    )
    return path


def test_marked_errors_are_counted_and_carried_to_the_script(tmp_path):
    path = write_errors(tmp_path / "errors.tsv")
    page = write_report(tmp_path, f"spans:file={path}")
    said = "Errors marked by ann and bob in 3 outputs."
    for text in (said, "Errors by severity", "Errors by category"):
        assert text in page
        assert text not in write_report(tmp_path)
    data = load_data(page)
    assert data["errors"] == [
        {"0": [[[20, 26], "major", "style", "ann", "output", "little"]]},
        {"1": [[[0, 4], "critical", "accuracy", "bob", "output", "here"]]},
    ]
    assert [metric["spec"] for metric in data["metrics"]] == ["chrf", "spans"]


def test_places_count_as_scripts_count(tmp_path):
    path = tmp_path / "errors.tsv"
    path.write_text(
        "system\tsegment\trater\tstart\tend\tcategory\tseverity\na\t1\tr\t2\t5\tx\tminor\n"
    )
    report = tmp_path / "report.html"
    spec = f"spans:file={path}"
    metra.report(metra.EvalSet(["😀 cat"]), {"a": ["😀 dog"]}, report, ["chrf", spec])
    data = load_data(report.read_text())
    # The face takes two units.
    assert data["errors"][0]["0"][0][0] == [3, 6]


@pytest.mark.parametrize(
    ("far", "says"),
    [
        (80, "near and far have the best score by people"),
        (70, "near is best by people"),
    ],
)
def test_no_winner_is_named_in_a_tie(tmp_path, far, says):
    page = write_report(tmp_path, judged={"near": 80, "far": far})
    lead = re.sub("<[^>]+>", "", re.search(r'<p class="lead">(.*?)</p>', page)[1])
    assert says in lead
