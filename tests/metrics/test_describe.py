"""Every measure explains itself: what the docs and `metra metrics` are made of."""

import re

import pytest

from metra.corpus import examples
from metra.metrics import registry
from metra.metrics.options import format_value, read_parameters
from metra.metrics.registry import describe_metric, read_description

every_measure = pytest.mark.parametrize("name", registry.list_metrics())


@every_measure
def test_the_docstring_is_complete(name):
    found = read_description(name)
    assert found.name == name
    assert found.summary
    assert "\n" not in found.summary
    assert found.summary.endswith(".")
    assert len(found.definition) > 100


@pytest.mark.parametrize(
    "name", [n for n in registry.list_metrics() if n not in registry.WITH_MODEL]
)
def test_the_direction_is_said(name):
    if name == "outside":  # the file says it
        definition = " ".join(read_description(name).definition.split())
        assert "Whether higher is better" in definition
        return
    words = registry.metric(examples.build_spec(name)).direction.words
    assert f"{words.capitalize()}." in read_description(name).summary


@every_measure
def test_every_option_is_explained(name):
    parameters = read_parameters(registry.find_factory(name))
    options = read_description(name).options
    assert [option.name for option in options] == list(parameters)
    for option, parameter in zip(options, parameters.values(), strict=True):
        assert option.meaning.endswith("."), f"{name}: {option.name} has no meaning"
        default = parameter.default
        expected = "none" if default in (None, "") else format_value(default)
        assert option.default == expected
        assert option.choices == tuple(parameter.choices())


@every_measure
def test_no_other_option_is_explained(name):
    doc = registry.find_factory(name).__doc__ or ""
    listed = re.findall(r"^ {8}(\w+): ", doc.partition("Options:\n")[2], re.MULTILINE)
    assert set(listed) <= set(read_parameters(registry.find_factory(name)))


def test_bleu_in_full():
    text = describe_metric("bleu")
    assert text.startswith(
        "bleu: N-gram precision with a brevity penalty, 0 to 100. Higher is "
        "better.\n\nFor each n, p_n is the share"
    )
    assert "\nOptions, as in bleu:n=4,tok=13a\n  n             maximum length" in text
    assert "\n  case          mixed keeps letter case, lower ignores it.\n" in text
    assert "\n                one of mixed, lower; default mixed\n" in text
    assert "\n                default none\n" in text
