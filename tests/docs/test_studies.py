"""Pages, pictures and numbers of studies agree with each other and with what metra computes."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import metra
from metra.corpus import examples

DOCS = Path(__file__).resolve().parents[2] / "docs"
STUDIES = DOCS / "studies"
sys.path.insert(0, str(STUDIES))  # before bench, which has a module run as well

import false_alarms  # noqa: E402 (docs is no package)
import run  # noqa: E402 (docs is no package)
import study_page  # noqa: E402

PAGES = {name: STUDIES / f"{name}.md" for name in run.NAMES}
STALE = "run: python docs/studies/run.py {} DATA-FOLDER"


@pytest.fixture(params=run.NAMES)
def name(request) -> str:
    return request.param


def test_the_page_has_the_numbers_of_the_study(name):
    page = PAGES[name].read_text(encoding="utf-8")
    numbers = study_page.read_numbers(name)
    assert study_page.fill_page(page, name, numbers) == page, STALE.format(name)


def test_every_block_of_the_page_is_a_section(name):
    page = PAGES[name].read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- generated: (\S+) by", page)
    assert sorted(blocks) == sorted([*study_page.read_numbers(name), "claims"])


@pytest.mark.seed("3.22")
def test_the_pictures_are_drawn_from_the_numbers(name):
    drawings = study_page.draw_pictures(name, study_page.read_numbers(name))
    for path, drawing in drawings.items():
        assert path.read_text(encoding="utf-8") == drawing, STALE.format(name)
    assert set(STUDIES.glob(f"{name}-*.svg")) == set(drawings)


def test_the_page_begins_with_all_claims_in_their_order(name):
    page = PAGES[name].read_text(encoding="utf-8")
    numbers = study_page.read_numbers(name)
    claims = study_page.number_claims(numbers)
    listed = re.findall(r"^\| (\d+) \| (.*?) \| (.*?) \| \[", page, re.MULTILINE)
    assert [(int(number), f"{paper}.") for number, paper, _ in listed] == [
        (number, paper) for paper, number in claims.items()
    ]
    assert page.index("generated: claims") < page.index("\n## ")
    for _, paper, result in listed:
        verdicts = [
            verdict
            for record in numbers.values()
            for claim in record["claims"]
            for verdict in claim["verdicts"].values()
            if claim["paper"] == f"{paper}."
        ]
        counted = sum(
            map(int, re.findall(r"(\d+) (?:support|against|undecided)", result))
        )
        named = len(re.findall(r"\*\*|^(?:supports|against|undecided)$", result)) + 1
        assert counted + named // 2 == len(verdicts), paper


def test_sections_name_claims_by_their_numbers_and_give_the_verdict_of_each_result(
    name,
):
    numbers = study_page.read_numbers(name)
    page = PAGES[name].read_text(encoding="utf-8")
    claims = study_page.number_claims(numbers)
    shown = re.findall(r"^\*\*Claim (\d+):\*\* (.*)$", page, re.MULTILINE)
    expected = [claim for record in numbers.values() for claim in record["claims"]]
    for (number, text), claim in zip(shown, expected, strict=True):
        assert int(number) == claims[claim["paper"]]
        words = re.findall(r"\*(supports|against|undecided)\*", text)
        assert words == [*claim["verdicts"].values()]


def test_a_verdict_is_that_of_the_interval(name):
    for record in study_page.read_numbers(name).values():
        for claim in record["claims"]:
            for key, figure in claim["figures"].items():
                low, high = (
                    float(bound.replace("−", "-"))
                    for bound in re.search(r"\[(.*), (.*)\]", figure).groups()
                )
                expected = (
                    "supports" if low >= 0 else "against" if high <= 0 else "undecided"
                )
                if (
                    low and high
                ):  # a bound that is rounded to zero may be on either side
                    assert claim["verdicts"][key] == expected, figure


def test_counts_of_another_campaign_have_no_verdict():
    without = [
        claim["paper"]
        for name in run.NAMES
        for record in study_page.read_numbers(name).values()
        for claim in record["claims"]
        if not claim["verdicts"]
    ]
    for count in ("0.019 over 227 sentences", "72 %", "33 %"):
        assert any(count in paper for paper in without)


def test_long_tables_stay_in_the_numbers(name):
    page = PAGES[name].read_text(encoding="utf-8")
    for record in study_page.read_numbers(name).values():
        shown = study_page.select_tables(record)
        for table in record["tables"]:
            assert (f"| {' | '.join(table['rows'][0])} |" in page) == (table in shown)
            assert len(table["rows"]) * len(table["heads"]) <= 36 or table not in shown


def test_a_page_is_read_in_five_minutes(name):
    page = PAGES[name].read_text(encoding="utf-8")
    folded = r"<details markdown>\n<summary>.*?</summary>.*?</details>"
    shown = re.sub(rf"<!--.*?-->|{folded}|\]\(.*?\)", " ", page, flags=re.DOTALL)
    assert "<details" not in shown
    assert sum(any(map(str.isalnum, word)) for word in shown.split()) <= 1_200


def test_claims_about_data_have_intervals(name):
    for section in study_page.read_numbers(name).values():
        for claim in section["claims"]:
            found = [claim["here"], *claim["figures"].values()]
            verdicts = {*claim["verdicts"].values()} - {"undecided"}
            without = "no interval" in claim["here"] or not verdicts
            assert without or re.search(r"\[.*?,.*?\]|at 95 %", " ".join(found)), claim
            assert claim["here"].endswith(":") == bool(claim["figures"]), claim


@pytest.mark.parametrize(
    ("study", "section"),
    [
        pytest.param("turian-2003", "judges", id="25 judges"),
        pytest.param("federico-2008", "graders", id="three kinds of grades"),
    ],
)
def test_a_section_comes_out_the_same_again(study, section, shared):
    sections = __import__(study.replace("-", "_")).SECTIONS
    made = study_page.pack_section(sections[section](shared / "data"))
    assert made == study_page.read_numbers(study)[section], STALE.format(study)


def test_sections_are_those_of_the_script(name):
    sections = __import__(name.replace("-", "_")).SECTIONS
    assert list(sections) == list(study_page.read_numbers(name))


def test_sections_of_our_own_texts_are_those_that_read_no_data(name, tmp_path):
    study = __import__(name.replace("-", "_"))
    for section in getattr(study, "OWN", ()):
        made = study_page.pack_section(study.SECTIONS[section](tmp_path))
        assert made == study_page.read_numbers(name)[section], STALE.format(name)


def test_greedy_matching_can_be_far_below_the_largest():
    """An artificial text that a search found, as the page on Turian 2003 says."""
    hyp = "b a h h c b h f g g a h b c a f b h a c h c g"
    ref = "a c h g c g c g d d h h c g g a c a e"
    batch = metra.Batch([hyp], [[ref]])
    [greedy] = metra.metric("gtm:e=2").rows(batch)
    [exact] = metra.metric("gtm:e=2,match=exact").rows(batch)
    assert (round(greedy[0] ** 2), round(exact[0] ** 2)) == (21, 35)


def test_the_page_on_false_alarms_shows_its_numbers():
    numbers = json.loads(false_alarms.NUMBERS.read_text(encoding="utf-8"))
    page = (false_alarms.HERE / "false-alarms.md").read_text(encoding="utf-8")
    assert set(numbers) == set(false_alarms.SECTIONS)
    for name, section in numbers.items():
        rates, trials = section["rates"], section["trials"]
        drawn = f"![False-positive rates of tests of {name}](false-alarms-{name}.svg)"
        assert false_alarms.write_block(rates, trials, drawn) in page
        picture = (false_alarms.HERE / f"false-alarms-{name}.svg").read_text(
            encoding="utf-8"
        )
        assert f"{false_alarms.draw_rates(name, rates, trials)}\n" == picture
    assert "| randomisation of segments |" in page


def test_every_test_of_the_tables_of_false_alarms_runs():
    numbers = json.loads(false_alarms.NUMBERS.read_text(encoding="utf-8"))
    for name, (designs, ask) in false_alarms.SECTIONS.items():
        for design in designs.values():
            rng = np.random.default_rng(1)
            answers = dict(ask(design.make(rng), rng))
            assert set(answers) == set(numbers[name]["rates"])
            assert all(0 < p <= 1 for p in answers.values())


def test_the_picture_of_a_grid_is_up_to_date(cli, tmp_path):
    home, picture = Path(examples.HOME), tmp_path / "grid.svg"
    ran = cli(
        *("grid", home / "outputs" / "solid.txt", "-r", home / "reference.1.txt"),
        *("-r", home / "reference.2.txt", "--segment", "8", "-o", picture),
    )
    page = (DOCS / "grid.svg").read_text(encoding="utf-8")
    assert ran.code == 0, ran.err
    assert picture.read_text("utf-8") == page, "see docs/report.md"


COLUMNS = ("en-de,he-en,zh-en|sys|accuracy", "en-de|seg|KendallWithTiesOpt")


def test_figures_on_metrics_are_those_of_the_shared_task(shared, read_table):
    rows = read_table(shared / "data/wmt23-mqm-esa/expected_wmt23_metrics_task.tsv")
    known = {row["metric"].removesuffix("[noref]"): row for row in rows}
    page = (DOCS / "which-metric.md").read_text(encoding="utf-8")
    printed = re.findall(
        r"^\| ([\w-]+).*?\| (yes|no) \| (0\.\d+) \| (0\.\d+) \|$", page, re.M
    )
    assert len(printed) == 6
    for name, reference, *figures in printed:
        row = known[name]
        assert figures == [f"{float(row[column]):.3f}" for column in COLUMNS]
        assert (reference == "no") == row["metric"].endswith("[noref]")
