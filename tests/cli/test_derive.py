"""Options derived from records: types, defaults, limits, and numbers that are none."""

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Literal

import click
import pytest
from click.testing import CliRunner

from metra.cli.derive import options_from
from metra.cli.options import FiniteRange
from metra.meta import options


@dataclass(frozen=True)
class Settings:
    """Show settings."""

    rule: Literal["wmt", "greedy"] = "wmt"
    most_pairs: int = field(default=3, metadata={"flags": "-p --pairs", "low": 1})
    alpha: float = field(default=0.05, metadata={"low": 0, "high": 1, "open": True})
    eps: float | None = None
    names: tuple[str, ...] = field(default=(), metadata={"split": True})
    counts: tuple[int, ...] = field(default=(), metadata={"low": 1})
    quiet: bool = False
    depth: int = field(default=1, metadata={"low": 0, "rare": True})
    marks: tuple[str, ...] = field(
        default=(), metadata={"flags": "--marked", "split": True, "rare": True}
    )
    hidden: str = field(default="", metadata={"flag": False})


@click.command()
@options_from(
    Settings,
    {"rule": "The rule.", "eps": "Threshold of ties, if any.", "depth": "How deep."},
)
def show(options):
    click.echo(repr(options))


def run(*arguments):
    return CliRunner().invoke(show, arguments)


def test_defaults_are_the_records():
    assert run().output.strip() == repr(Settings())


RECORDS = [
    record
    for record in vars(options).values()
    if is_dataclass(record) and record.__module__ == options.__name__
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_a_question_asked_without_options_is_the_same_in_python(record):
    """Flags are off, and the default that a help shows is the one that counts."""

    @click.command()
    @options_from(record, {})
    def ask(options):
        click.echo(repr(options))

    assert CliRunner().invoke(ask, []).output.strip() == repr(record())
    assert not any(getattr(record(), entry.name) is True for entry in fields(record))


def test_everything_given_arrives():
    given = run(
        *("--rule", "greedy", "-p", "7", "--alpha", "0.5", "--eps", "-1", "--quiet"),
        *("--names", "a, b", "--names", "c", "--counts", "2", "--counts", "3"),
    )
    expected = Settings("greedy", 7, 0.5, -1.0, ("a", "b", "c"), (2, 3), True)
    assert given.output.strip() == repr(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rule", "best"], "'best' is not one of 'wmt', 'greedy'"),
        (["--pairs", "0"], "0 is not in the range x>=1"),
        (["--alpha", "1"], "1.0 is not in the range 0<x<1"),
        (["--eps", "nan"], "NaN and infinity are not possible"),
        (["--eps", "inf"], "NaN and infinity are not possible"),
        (["--alpha", "nan"], "NaN and infinity are not possible"),
        (
            ["--set", "depth=-1"],
            "--set depth=-1 is not possible; expected a whole number of at least 0.",
        ),
        (["--set", "deep=1"], "No setting of --set named 'deep'"),
        (["--set", "depth"], "--set depth: expected KEY=VALUE"),
        (["--depth", "1"], "No such option"),
        (["--hidden", "x"], "No such option"),
    ],
)
def test_what_is_not_possible_is_refused(arguments, message):
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert message in refused.output


def test_rare_options_are_settings_of_one():
    given = run("--set", "depth=4,marked=a,b").output.strip()
    assert given == repr(Settings(depth=4, marks=("a", "b")))
    assert run("--set", "marked=a", "--set", "depth=0").exit_code == 0


def test_help_shows_text_limits_and_default():
    text = " ".join(run("--help").output.split())
    assert "--rule [wmt|greedy] The rule. [default: wmt]" in text
    assert "-p, --pairs NUMBER [default: 3; x>=1]" in text
    assert "--eps FLOAT Threshold of ties, if any." in text
    assert "Settings that are rarely needed. depth: How deep; marked: ." in text


def test_infinity_is_in_no_range():
    with pytest.raises(click.BadParameter, match="expected a finite number"):
        FiniteRange(0).convert("inf", None, None)
