"""The law of comparisons: one question about two systems has one answer on every surface.

A p-value is corrected for a family of comparisons: `baseline`, each system against the
baseline, or `all_pairs`. For each family, `metra compare` as JSON, TSV and tables for
papers, the report (its data and its tables) and `metra gate` give the same difference,
interval and p-values of each metric, baseline and system. Without a correction, p-values
do not depend on the family.
"""

import csv
import io
import json
import re
from typing import NamedTuple

import pytest
from tests.laws.pages import Cell, parse_page

from metra.corpus import examples

EXAMPLE = examples.find_example()
SYSTEMS = ("verbose", "wrong-terms", "rule-based", "literal", "fluent-wrong")
METRICS = {"bleu": "BLEU ↑", "chrf": "chrF ↑", "ter": "TER ↓"}
FAMILIES = {"baseline": 4, "all_pairs": 10}
#: Digits after the point of p-values in tables for papers, and in the report.
PAPER_DIGITS, REPORT_DIGITS = 4, 3


class Answer(NamedTuple):
    """The figures of one comparison."""

    difference: float
    low: float
    high: float
    p_value: float
    p_holm: float


def list_arguments(systems=SYSTEMS) -> list[str]:
    """List the arguments that open the same corpus in every command."""
    paths = {
        path.rsplit("/", 1)[-1].removesuffix(".txt"): path for path in EXAMPLE.outputs
    }
    return [*(paths[name] for name in systems), "-r", EXAMPLE.references[0]]


def list_metrics() -> list[str]:
    return [argument for spec in METRICS for argument in ("-m", spec)]


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


@pytest.fixture(scope="module")
def run(metra_command):
    """Run a command on the corpus; its answer must not be an error."""

    def run(command, *more, systems=SYSTEMS, metrics=True):
        specs = list_metrics() if metrics else []
        ran = metra_command(command, *list_arguments(systems), *specs, *more)
        assert ran.code in (0, 1), ran.err
        assert "Error" not in ran.err
        return ran.out

    return run


@pytest.fixture(scope="module")
def compare(run, family):
    """Run `metra compare` for the family, in some format."""
    flag = ["--all-pairs"] if family == "all_pairs" else []
    return lambda form, *more: run("compare", "--format", form, *flag, *more)


@pytest.fixture(scope="module")
def document(compare):
    return json.loads(compare("json"))


@pytest.fixture(scope="module")
def answers(document):
    """The answers of `metra compare --format json`, by metric, baseline and system."""
    return {
        (each["metric"], each["baseline"], each["system"]): Answer(
            each["difference"], *each["interval"], each["p_value"], each["p_holm"]
        )
        for each in document["comparisons"]
    }


@pytest.fixture(scope="module")
def page(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    run("report", "-o", path)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checks(run, tmp_path_factory):
    """The checks of `metra gate`: four outputs against a baseline that was saved."""
    path = tmp_path_factory.mktemp("gate") / "baseline.json"
    run("score", "--save", path, systems=SYSTEMS[:1])
    given = ["--baseline", path, "--format"]

    def gate(form):
        return run("gate", *given, form, systems=SYSTEMS[1:], metrics=False)

    return {form: gate(form) for form in ("json", "table", "markdown")}


def test_the_family_is_stated(document, answers, family):
    assert len(answers) == FAMILIES[family] * len(METRICS)
    for each in document["comparisons"]:
        assert each["family"] == family
        parts = each["test"].split("|")
        assert f"family:{family}" in parts
        assert f"family_size:{FAMILIES[family]}" in parts
        assert each["family_size"] == FAMILIES[family]


def test_only_corrections_depend_on_the_family(run):
    of_baseline, of_pairs = (
        {
            (each["metric"], each["baseline"], each["system"]): each
            for each in json.loads(run("compare", "--format", "json", *flag))["comparisons"]
        }
        for flag in ([], ["--all-pairs"])
    )  # fmt: skip
    corrected = set()
    for key, each in of_baseline.items():
        other = of_pairs[key]
        for name in ("difference", "interval", "standard_error", "effect", "p_value"):
            assert each[name] == other[name], (key, name)
        corrected.add(each["p_holm"] == other["p_holm"])
    assert False in corrected


def test_tsv(compare, answers, family):
    rows = csv.DictReader(io.StringIO(compare("tsv")), delimiter="\t")
    compared = [row for row in rows if row["level"] == "comparison"]
    assert {row["family"] for row in compared} == {family}
    names = ("score", "low", "high", "p_value", "p_holm")
    assert answers == {
        (row["metric"], row["item"], row["system"]): Answer(
            *(float(row[n]) for n in names)
        )
        for row in compared
    }


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_tables_for_papers(compare, answers, family, form):
    text = compare(form, "--table", "differences=yes", "--digits", 2)
    assert _name_family(family) in re.sub(r"\s+", " ", text)
    table = text[text.index("Differences") :]
    shown = {}
    for metric, *cells in _read_paper_rows(table, form):
        spec = next(spec for spec, title in METRICS.items() if title == metric)
        names = cells[:2] if family == "all_pairs" else [cells[0], SYSTEMS[0]]
        shown[spec, names[1], names[0]] = cells[-5:]
    assert shown == {
        key: [
            *(f"{number:+.2f}" for number in answer[:3]),
            *(_show_p(p, PAPER_DIGITS) for p in answer[3:]),
        ]
        for key, answer in answers.items()
    }


def test_data_of_the_report(page, answers, family):
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    metrics = [metric["spec"] for metric in data["metrics"]]
    (entry,) = (each for each in data["families"] if each["family"] == family)
    assert entry["about"] == _name_family(family)
    assert answers == {
        (metrics[row[0]], data["systems"][row[1]], data["systems"][row[2]]): Answer(
            *row[3:8]
        )
        for row in entry["comparisons"]
    }


def test_tables_of_the_report(page, answers, family):
    tables = _read_tables(page)
    if family == "all_pairs":
        shown = {
            (row[0].text, row[2].text, row[1].text): " ".join(
                map(_get_numbers, row[3:6])
            ).split()
            for row in tables["pairs"]
        }
        expected = {key: _list_values(answer) for key, answer in answers.items()}
    else:
        shown = {}
        for row in tables["differences"]:
            for place, spec in enumerate(METRICS):
                difference, p = row[1 + 2 * place : 3 + 2 * place]
                number = _get_numbers(difference).split()[0]
                shown[spec, SYSTEMS[0], row[0].text] = [number, p.text]
        expected = {
            key: [f"{answer.difference:.10g}", _show_p(answer.p_holm, REPORT_DIGITS)]
            for key, answer in answers.items()
        }
    assert shown == expected
    text = re.sub(r"<[^>]*>", "", page)
    assert _name_family(family) in text


def test_gate(checks, run):
    compared = json.loads(run("compare", "--format", "json"))["comparisons"]
    names = (
        *("difference", "interval", "p_value", "p_holm", "p_bh", "significant"),
        *("family", "test"),
    )
    expected = {
        (each["metric"], each["system"]): [each[name] for name in names]
        for each in compared
    }
    gate = json.loads(checks["json"])["checks"]
    assert expected == {
        (each["metric"], each["system"]): [each["comparison"][name] for name in names]
        for each in gate
    }
    for form in ("table", "markdown"):
        assert _name_family("baseline") in checks[form]
        for each in compared:
            assert _show_p(each["p_holm"], PAPER_DIGITS) in checks[form]


def test_table_of_compare(compare, answers, family):
    text = compare("table")
    assert _name_family(family) in text
    for answer in answers.values():
        assert _show_p(answer.p_holm, PAPER_DIGITS) in text


def _name_family(family: str) -> str:
    """Name the family as every table does."""
    names = {"baseline": "each system against the baseline", "all_pairs": "all pairs"}
    return f"{FAMILIES[family]} comparisons per metric: {names[family]}"


def _show_p(p: float, digits: int) -> str:
    """Write a p-value as a table does."""
    if digits == REPORT_DIGITS:
        return "< 0.001" if p < 0.001 else f"{p:.3f}"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def _list_values(answer: Answer) -> list[str]:
    """List the numbers of a row as the report has them for programs."""
    numbers = [f"{number:.10g}" for number in answer[:3]]
    return [*numbers, *(f"{p:.10g}" for p in answer[3:])]


def _read_paper_rows(text: str, form: str) -> list[list[str]]:
    """Read the rows of a table of differences; marks of significance are left out."""
    rows = []
    for line in text.splitlines():
        cells = line.strip("|").split("|") if form == "markdown" else line.split("&")
        # In LaTeX, marks of significance stand in a column of their own.
        cells = [*filter(None, map(_strip_markup, cells))]
        if cells and cells[0] in METRICS.values():
            rows.append(cells)
    return rows


def _strip_markup(cell: str) -> str:
    """Leave the text of a cell of Markdown or LaTeX."""
    arrows = {r"$\uparrow$": "↑", r"$\downarrow$": "↓", r"\ ": "", "−": "-", "$": ""}
    for sign, text in arrows.items():
        cell = cell.replace(sign, text)
    cell = re.sub(r"\\textsuperscript\{[^}]*\}|<sup>.*?</sup>|[†‡\\{}]", "", cell)
    return cell.strip()


def _read_tables(page: str) -> dict[str, list[list[Cell]]]:
    """Read the rows of the report's tables, by their name, without headings."""
    return {table.file: table.rows[1:] for table in parse_page(page).tables}


def _get_numbers(cell: Cell) -> str:
    """Return the number of a cell, and the ends of its interval, as programs read them."""
    given = (cell.attributes.get(f"data-{name}") for name in ("v", "low", "high"))
    return " ".join(filter(None, given))
