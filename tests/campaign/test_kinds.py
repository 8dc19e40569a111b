"""Laws that every kind of question keeps, so that a new one needs nothing but its module."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from tests.campaign.campaigns import opened
from tests.tables import load_cases

import metra.web
from metra.campaign.protocols.kind import get_counts
from metra.campaign.protocols.registry import KINDS, PROTOCOLS, protocol
from metra.errors import OptionError
from metra.store.campaigns import from_json, to_json

STEPS = [
    pytest.param(step, asked, id=f"{name}: {step.name}")
    for name, asked in PROTOCOLS.items()
    for step in asked.steps
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_a_script_for_the_browser(kind):
    scripts = Path(metra.web.__file__).parent / "static" / "steps"
    assert (scripts / f"{kind}.js").is_file()


@pytest.mark.parametrize(
    ("property_", "expected"), load_cases("kinds: what only some kinds do")
)
def test_what_only_some_kinds_do(property_, expected):
    found = {name: getattr(kind, property_) for name, kind in KINDS.items()}
    assert {name: value for name, value in found.items() if value} == expected


@pytest.mark.parametrize(("step", "asked"), STEPS)
def test_without_material_a_question_stays_as_it_is(step, asked):
    assert step.asks.bind({}, "", 0) == step.asks
    assert asked.bind({}, document="", segment=0) == asked
    assert type(step.asks.relax_rules()) is type(step.asks)


@pytest.mark.parametrize(("step", "asked"), STEPS)
def test_what_only_some_kinds_have_is_empty_elsewhere(step, asked):
    del asked
    texts = step.asks.get_visible_text("He left.")
    assert texts in ("", "He left.")
    assert step.asks.has_extra or step.asks.extra("He left.") == {}


@pytest.mark.parametrize(("step", "asked"), STEPS)
def test_the_documentation_tells_what_an_answer_holds(step, asked):
    assert step.asks.document(), asked.name


@pytest.mark.parametrize(("step", "asked"), STEPS)
def test_times_are_cut_and_nothing_else(step, asked):
    value = {step.name: {"ms": 900, "text": "t"}}
    assert asked.limit_times(value, 1000) == value
    assert asked.limit_times(value, 800) == {step.name: {"ms": 800, "text": "t"}}


@pytest.mark.parametrize(("step", "asked"), STEPS)
def test_simulated_answers_are_accepted(step, asked):
    if not step.asks.can_simulate or asked.contrastive:
        pytest.skip("nobody simulates it, or it compares outputs")
    text = "Mayor Aufray met Ms Novak in Munich before the wonderful celebration."
    value = step.asks.simulate([0.5], text, np.random.default_rng(1))
    checked = step.asks.check(value, step.name, {"output": text})
    assert isinstance(step.asks.scores(checked, step.name), list)


def test_simulated_ranks_are_shared_by_what_is_nearly_as_good():
    asks = protocol("ranking").steps[0].asks
    assert asks.simulate([0.1, 0.9, 0.86, 0.5], "", None) == [3, 1, 1, 2]


def test_the_names_of_counts_are_short():
    counts = {"a" * 40: 2, "b": 0}
    assert get_counts({"inputs": counts}, "inputs", "n", None) == {"a" * 40: 2}
    with pytest.raises(OptionError, match=r"n: inputs counts 'a+'; expected "):
        get_counts({"inputs": {"a" * 41: 2}}, "inputs", "n", None)


def test_a_campaign_stored_before_kinds_had_names_asks_for_ratings():
    frozen = opened("adequacy")
    written = to_json(frozen).replace('"kind": "scale"', '"was": "scale"')
    assert from_json(written).protocol == frozen.protocol


def test_an_exported_answer_keeps_its_key():
    asks = protocol("cloze").steps[0].asks
    checked = asks.check({"answers": []}, "cloze", {"output": "too short"})
    again = replace(asks, every=3).relax_rules().check(checked, "cloze", {})
    assert again == checked
    assert asdict(asks.relax_rules())["keyed"] is True
