"""Campaigns: what is read and frozen, and what is refused with which words."""

from dataclasses import replace

import pytest
from tests.tables import load_cases

from metra import errors
from metra.campaign.creation import freeze_campaign
from metra.campaign.settings import check_settings
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs

SETTINGS = {
    "name": "spring",
    "protocol": "ldc",
    "source_language": "fr",
    "target_language": "en",
    "judges": ["ann", "bob", "cleo", "dan"],
}


def corpus(**streams):
    evalset = EvalSet(
        streams.get("refs"), streams.get("source"), streams.get("documents")
    )
    names = streams.get("names", ["one", "two"])
    return Outputs(evalset, {name: [f"{name} a", f"{name} b"] for name in names})


FULL = {"refs": [["r a", "r b"]], "source": ["s a", "s b"], "documents": ["d", "d"]}

UNFIT = load_cases("campaign: unfit")


@pytest.mark.parametrize(("wish", "streams", "kind", "says"), UNFIT)
def test_wishes_that_the_texts_do_not_allow(wish, streams, kind, says):
    with pytest.raises(getattr(errors, kind), match=says):
        freeze_campaign(check_settings(SETTINGS | wish, "x"), corpus(**streams))


def test_frozen():
    frozen = freeze_campaign(check_settings(SETTINGS, "x"), corpus(**FULL))
    assert [system.name for system in frozen.systems] == ["one", "two"]
    assert frozen.systems[1].outputs == ("two a", "two b")
    assert frozen.segments[0].source == "s a"
    assert frozen.reference_of(1) == "r b"
    assert frozen.texts == ((0,), (1,))
    assert frozen.calibration == 0


def test_a_document_is_judged_as_one():
    frozen = freeze_campaign(
        check_settings(SETTINGS | {"unit": "document"}, "x"), corpus(**FULL)
    )
    assert frozen.texts == ((0, 1),)


def test_the_version_follows_every_text_and_wish():
    frozen = freeze_campaign(check_settings(SETTINGS, "x"), corpus(**FULL))
    again = freeze_campaign(check_settings(SETTINGS, "x"), corpus(**FULL))
    assert frozen.version == again.version
    seeds = replace(frozen, settings=replace(frozen.settings, seed=1))
    texts = replace(frozen, systems=frozen.systems[::-1])
    source = freeze_campaign(
        check_settings(SETTINGS | {"basis": "source"}, "x"), corpus(**FULL)
    )
    assert len({one.version for one in (frozen, seeds, texts, source)}) == 4
    assert source.protocol.version != frozen.protocol.version
