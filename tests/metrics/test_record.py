"""Specs and options: how text becomes a measure, and what is said where it cannot."""

import math
from dataclasses import fields
from typing import Literal

import numpy as np
import pytest

import metra
from metra.corpus import examples
from metra.errors import (
    OptionError,
    UnknownNameError,
)
from metra.metrics import registry
from metra.metrics.options import Range, parse_spec, read_parameters
from metra.metrics.record import Metric, metric_factory


@metric_factory
def toy(
    *,
    number: int = 1,
    share: float | None = None,
    flag: bool = False,
    kind: Literal["a", "b", "no"] = "a",
    text: str = "x",
) -> Metric:
    """A measure with an option of every kind. Higher is better."""
    return Metric(
        name="toy",
        columns=("one",),
        rows=lambda batch: np.ones((len(batch), 1)),
        aggregate=lambda totals: totals[..., 0],
        settled={"text": f"{text}!"},
        for_segments=Metric(
            name="toy", columns=("one",), rows=lambda _: None, aggregate=lambda _: None
        ),
        parts=lambda _: {"given": [number, share, flag, kind]},
    )


SPECS = [
    ("bleu", ("bleu", {})),
    ("bleu:", ("bleu", {})),
    ("bleu:n=2", ("bleu", {"n": "2"})),
    ("bleu:n=2,tok=intl,", ("bleu", {"n": "2", "tok": "intl"})),
    ("bleu:tok=spm@a:b=c", ("bleu", {"tok": "spm@a:b=c"})),
    ("bleu:tok=", ("bleu", {"tok": ""})),
]


@pytest.mark.parametrize(("spec", "expected"), SPECS)
def test_specs(spec, expected):
    assert parse_spec(spec) == expected


OPTIONS = [
    ({"number": "3"}, "number", 3),
    ({"number": 3}, "number", 3),
    ({"number": 3.0}, "number", 3),
    ({"share": "0.5"}, "share", 0.5),
    ({"share": 2}, "share", 2.0),
    ({"share": None}, "share", None),
    ({"flag": "yes"}, "flag", True),
    ({"flag": "no"}, "flag", False),
    ({"flag": True}, "flag", True),
    ({"kind": "b"}, "kind", "b"),
    ({"kind": False}, "kind", "no"),
    ({"text": "any thing"}, "text", "any thing"),
]


@pytest.mark.parametrize(("given", "name", "expected"), OPTIONS)
def test_options_become_what_they_are(given, name, expected):
    found = toy(**given).options[name]
    assert found == expected
    assert type(found) is type(expected)


def test_every_option_is_recorded():
    metric = toy(number=2)
    expected = {"number": 2, "share": None, "flag": False, "kind": "a", "text": "x"}
    assert metric.options == expected
    assert metric.for_segments.options == expected
    assert list(metric.options) == list(read_parameters(toy))


WRONG = [
    ({"number": "x"}, "toy: number=x is not possible; expected a whole number."),
    ({"number": 1.5}, "toy: number=1.5 is not possible; expected a whole number."),
    ({"number": True}, "toy: number=yes is not possible; expected a whole number."),
    ({"number": None}, "toy: number=None is not possible; expected a whole number."),
    ({"share": "much"}, "toy: share=much is not possible; expected a number."),
    # A factory that declares no range still gets finite numbers only.
    ({"share": "nan"}, "toy: share=nan is not possible; expected a number."),
    ({"share": math.inf}, "toy: share=inf is not possible; expected a number."),
    ({"number": math.inf}, "toy: number=inf is not possible; expected a whole number."),
    ({"flag": "maybe"}, "toy: flag=maybe is not possible; expected one of yes, no."),
    ({"flag": 1}, "toy: flag=1 is not possible; expected one of yes, no."),
    ({"kind": "c"}, "toy: kind=c is not possible; expected one of a, b, no."),
    ({"kind": True}, "toy: kind=yes is not possible; expected one of a, b, no."),
    ({"text": 3}, "toy: text=3 is not possible; expected a text."),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_impossible_values(given, message):
    with pytest.raises(OptionError) as caught:
        toy(**given)
    assert str(caught.value) == message


def test_an_unknown_option():
    with pytest.raises(UnknownNameError) as caught:
        toy(numbre=3)
    assert str(caught.value) == (
        "toy has no option named 'numbre'. Did you mean 'number'? "
        "Known: flag, kind, number, share, text."
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "bleu:tok",
            "'bleu:tok' has 'tok' where option=value was expected; give each metric "
            "separately.",
        ),
        ("bleu:n=1,n=1", "'bleu:n=1,n=1' gives the option 'n' twice; give it once."),
    ],
)
def test_wrong_specs(spec, message):
    with pytest.raises(OptionError) as caught:
        metra.metric(spec)
    assert str(caught.value) == message


def test_signatures_hold_what_was_settled():
    assert toy(flag=True).signature(nrefs="var", seed=3) == (
        "toy|number:1|share:None|flag:yes|kind:a|text:x!|nrefs:var|seed:3"
        f"|version:{metra.__version__}"
    )


def test_every_name_of_the_registry_makes_a_measure_of_that_name():
    for name in registry.list_metrics():
        if name in registry.WITH_MODEL:
            continue
        # Scores made elsewhere have the name that their program gives them.
        expected = "COMET" if name == "outside" else name
        assert metra.metric(examples.build_spec(name)).name == expected


@pytest.mark.parametrize(
    ("limits", "inside", "outside", "text"),
    [
        (Range(1), [1, 2.5, 1e300], [0.9, math.inf, math.nan], "of at least 1"),
        (Range(0, 1), [0, 1], [-0.1, 1.1, math.nan], "from 0 to 1"),
        (Range(0, above=True), [1e-9], [0, math.inf], "above 0"),
        (Range(0, 5, above=True), [5], [0, 6], "above 0 and at most 5"),
    ],
)
def test_ranges(limits, inside, outside, text):
    assert all(value in limits for value in inside)
    assert not any(value in limits for value in outside)
    assert str(limits) == text


def test_options_by_keyword():
    """Values may be of their own type, or as in a spec."""
    by_spec = metra.metric("chrf:word_order=2,whitespace=yes")
    for made in (
        metra.metric("chrf", word_order=2, whitespace=True),
        metra.metric("chrf:word_order=2", whitespace="yes"),
    ):
        assert made.signature() == by_spec.signature()


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("bleu:n=3", {"n": 3}, r"n is given by keyword and in the spec 'bleu:n=3'"),
        ("bleu", {"nn": 3}, "bleu has no option named 'nn'"),
        ("bleu", {"n": 0}, "bleu: n=0 is not possible"),
        ("blue", {"n": 3}, "No metric named 'blue'"),
        (
            "GLEU",
            {},
            "metra does not compute GLEU; give scores of its program as GLEU@FILE.",
        ),
    ],
)
def test_keywords_that_cannot_be(spec, options, message):
    with pytest.raises(metra.MetraError, match=message):
        metra.metric(spec, **options)


def build(**given: object) -> Metric:
    """A metric of the required fields and some others."""
    return Metric(name="x", columns=(), rows=np.ones, aggregate=np.sum, **given)


def test_the_record_has_twelve_fields_and_three_groups():
    groups = {"fast", "fit", "notes"}
    names = {each.name for each in fields(Metric)}
    assert len(names - groups) == 12
    assert groups < names
    assert build(needs=["source"]).needs == {"source"}
    assert build().needs == {"references"}
