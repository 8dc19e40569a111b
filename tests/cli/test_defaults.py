"""Trials and seeds: every command takes its defaults from one place."""

import subprocess
import sys

import pytest

# Other defaults than those of metra, so that a number typed elsewhere shows.
CHANGED = """
from metra.stats import defaults
defaults.SEED, defaults.TRIALS, defaults.TEST_TRIALS = 777, 88, 9999
import importlib, sys
import click
from metra.cli import cli

def walk(command, path):
    for param in command.params:
        if param.name in ("seed", "trials"):
            print(path, param.name, param.default, param.show_default, sep="\\t")
    for name in getattr(command, "list_commands", lambda _: [])(None):
        walk(command.get_command(None, name), f"{path} {name}")

walk(cli, "metra")
"""


@pytest.fixture(scope="module")
def found() -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", CHANGED], capture_output=True, text=True, check=True
    )
    return [line.split("\t") for line in done.stdout.strip().split("\n")]


def test_commands_take_their_defaults_from_one_place(found):
    expected = {"seed": "777", "trials": "88"}
    # As many trials as comparisons need are no number that could be typed.
    commands = "metra compare", "metra gate", "metra meta compare", "metra meta task"
    tests = [[command, "trials"] for command in commands]
    given = [row for row in found if row[:2] not in tests]
    assert [row for row in given if row[2] != expected[row[1]]] == []
    paths = {row[0] for row in found}
    assert {"metra score", "metra compare", "metra meta correlate"} <= paths


def test_what_is_shown_is_the_default(found):
    shown = next(row[3] for row in found if row[:2] == ["metra compare", "trials"])
    assert shown.startswith("9999, or as many")


def test_settings_of_campaigns_and_their_form():
    from metra.campaign.settings import Settings
    from metra.stats import defaults
    from metra.web.admin import wizard

    assert Settings.__dataclass_fields__["seed"].default is defaults.SEED
    assert wizard.DEFAULTS["seed"] == str(defaults.SEED)
