"""Small campaigns for tests: a text of two documents, two systems, and answers to all of it."""

from tests.campaigns import check_answer

from metra.campaign.assignment import assign
from metra.campaign.creation import freeze_campaign
from metra.campaign.settings import check_settings
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs

SECRET = b"s" * 32
REFERENCE = ["Ann met Bob in Rome.", "They left.", "The brake is new."]
SOURCE = ["Anne a vu Bob à Rome.", "Ils sont partis.", "Le frein est neuf."]
DOCUMENTS = ["trip", "trip", "brake"]
SYSTEMS = {
    "good": ["Ann met Bob in Rome .", "They went away.", "The brake is new."],
    "bad": ["Ann Bob at Rome have met.", "Gone they.", "Brake new is."],
}


def opened(
    asked,
    material=None,
    /,
    *,
    judges=("ann", "bob", "cleo", "dan"),
    corpus=None,
    **wishes,
):
    """A campaign over these texts, or a corpus, without checks unless wished."""
    wishes = {
        "name": "c",
        "protocol": asked,
        "source_language": "fr",
        "target_language": "en",
        "judges": list(judges),
        "calibration": 0,
    } | wishes
    corpus = corpus or Outputs(EvalSet([REFERENCE], SOURCE, DOCUMENTS), SYSTEMS)
    return freeze_campaign(check_settings(wishes, "c.toml"), corpus, material)


def answered(frozen, value):
    """Judgements of all tasks; `value` gives the answer to a task."""
    return [
        check_answer(
            frozen, task, value(task, number), id=f"{task.id}-{number}", number=number
        )
        for task in assign(frozen, secret=SECRET)
        for number in range(len(task.items))
    ]
