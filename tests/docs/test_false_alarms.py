"""The study of false alarms: its page shows its numbers, and its tests run."""

import json
import sys

import numpy as np
import pytest
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def study():
    sys.path.insert(0, str(ROOT / "docs" / "studies"))
    import false_alarms

    yield false_alarms
    sys.path.remove(str(ROOT / "docs" / "studies"))


def test_the_page_shows_the_numbers(study):
    numbers = json.loads(study.NUMBERS.read_text(encoding="utf-8"))
    page = (study.HERE / "false-alarms.md").read_text(encoding="utf-8")
    assert set(numbers) == set(study.SECTIONS)
    for name, section in numbers.items():
        rates, trials = section["rates"], section["trials"]
        drawn = f"![False-positive rates of tests of {name}](false-alarms-{name}.svg)"
        assert study.write_block(rates, trials, drawn) in page
        picture = (study.HERE / f"false-alarms-{name}.svg").read_text(encoding="utf-8")
        assert f"{study.draw_rates(name, rates, trials)}\n" == picture
    assert "| randomisation of segments |" in page


def test_every_test_of_the_tables_runs(study):
    numbers = json.loads(study.NUMBERS.read_text(encoding="utf-8"))
    for name, (designs, ask) in study.SECTIONS.items():
        for design in designs.values():
            rng = np.random.default_rng(1)
            answers = dict(ask(design.make(rng), rng))
            assert set(answers) == set(numbers[name]["rates"])
            assert all(0 < p <= 1 for p in answers.values())
