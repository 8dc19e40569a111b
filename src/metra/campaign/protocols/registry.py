"""All protocols, as texts/protocols.toml has them, and all kinds of questions, by name."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib.resources import files
from math import inf
from typing import Any, get_args, get_origin, get_type_hints

from metra.campaign.protocols.effort import Chips, Edit, Reading
from metra.campaign.protocols.kind import QuestionKind
from metra.campaign.protocols.questions import Gaps, QuestionSet, Template, Verdict
from metra.campaign.protocols.ratings import Choice, Near, RankOrder, RatingScale
from metra.campaign.protocols.record import Protocol
from metra.campaign.protocols.spans import Marks, Missed, Reconcile, SpanTags
from metra.campaign.rules import BY_TYPE, check_table
from metra.errors import OptionError, UnknownNameError, no_such
from metra.scores.mqm import MQM_WEIGHTS
from metra.scores.scale import ScoreScale

#: Which protocol settles what raters have marked.
SETTLED_BY = {
    "entity-tagging": "entity-reconciliation",
    "term-marking": "term-reconciliation",
}
_CLASSES: tuple[type[QuestionKind], ...] = (
    *(RatingScale, Near, RankOrder, Choice, Marks, SpanTags, Reconcile, Missed),
    *(QuestionSet, Template, Verdict, Gaps, Chips, Reading, Edit),
)
#: Every kind of question, by its name.
KINDS = {one.kind: one for one in _CLASSES}


def build_record(wanted: Any, value: Any) -> Any:
    """Return plain lists and tables as what a type says."""
    if wanted is QuestionKind:
        wanted = KINDS[value.get("kind", "scale")]
    if is_dataclass(wanted):
        hints = _get_hints(wanted)
        names = (field.name for field in fields(wanted) if field.name in value)
        parts = {name: build_record(hints[name], value[name]) for name in names}
        return wanted(**parts)  # type: ignore[operator]
    if get_origin(wanted) is not tuple:
        return value
    kinds = get_args(wanted)
    if kinds[-1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    pairs = zip(kinds, value, strict=True)
    return tuple(build_record(kind, item) for kind, item in pairs)


_get_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


def _read_protocol(name: str) -> Protocol:
    """Return a protocol of the file with the defaults of its options."""
    steps = []
    for entry in _TABLES[name]["steps"]:
        step = _TABLES[entry["of"]]["steps"][-1] if "of" in entry else entry
        asks = step["asks"]
        if asks.get("costs") == "mqm":
            asks = asks | {"costs": MQM_WEIGHTS}
        steps.append(step | {"asks": asks})
    table = {"name": name} | _TABLES[name] | {"steps": steps}
    return _set_options(build_record(Protocol, table), table.get("options", {}))


def list_question_scales() -> dict[str, ScoreScale | None]:
    """Return the questions of protocols, with the ends of their scales; None without one.

    >>> str(list_question_scales()["clarity"]), list_question_scales()["cloze"]
    ('0..3', None)
    """
    steps = [step for asked in PROTOCOLS.values() for step in asked.steps]
    ends = {step.name: step.asks.native_range for step in steps}
    return {
        name: ScoreScale(*both, "protocol") if both else None
        for name, both in ends.items()
    }


def protocol(name: str, options: Mapping[str, Any] | None = None) -> Protocol:
    """Return a protocol by its name, adapted as the options say.

    >>> protocol("da").steps[0].asks.high
    100.0
    >>> protocol("cloze", {"every": 6}).steps[0].asks.every
    6
    """
    if name not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", name, PROTOCOLS))
    if not options:
        return PROTOCOLS[name]
    defaults = _TABLES[name].get("options", {})
    rules = {option: BY_TYPE[type(value)] for option, value in defaults.items()}
    check_table(options, rules, name, what="option")
    adapted = defaults | dict(options)
    for names, allows, expected in _RULES:
        values = [adapted[one] for one in names if one in adapted]
        if values and not allows(*values):
            shown = [
                f"{v:g}" if isinstance(v, int | float) else list(v) for v in values
            ]
            pairs = zip(names, shown, strict=True)
            wrong = " and ".join(f"{option} is {value}" for option, value in pairs)
            msg = f"{name}: {wrong}; expected {expected}."
            raise OptionError(msg)
    return _set_options(PROTOCOLS[name], adapted)


def _set_options(asked: Protocol, options: Mapping[str, Any]) -> Protocol:
    """Return a protocol with options, most of which are fields of what it asks first."""
    first, *others = asked.steps
    hints = _get_hints(type(first.asks))
    own = {
        name: float(value) if hints[name] is float else build_record(hints[name], value)
        for name, value in options.items()
        if name in hints
    }
    first = replace(first, asks=replace(first.asks, **own))
    if "beside" in options:
        first = replace(first, shows=("basis",) if options["beside"] else ())
    if "hidden" in options:
        # A text that is read first and then hidden is read in a step of its own.
        first = replace(first, optional=not options["hidden"])
        others = [replace(others[0], asks=QuestionSet(hidden=options["hidden"]))]
    control = asked.control
    if "control" in options:
        control = "no text" if options["control"] else ""
    if "original" in options:
        control = "original" if options["original"] else ""
    count = options.get("first", asked.first)
    return replace(asked, steps=(first, *others), control=control, first=count)


def _are_different(names: Any) -> bool:
    return 0 < len(set(names)) == len(names)


#: The ranges of options, alone or together, and what to say of others.
_RULES: tuple[tuple[tuple[str, ...], Callable[..., bool], str], ...] = (
    (("natural",), lambda speed: 0 <= speed < inf, "words per minute"),
    (
        ("worst_slow",),
        lambda ratio: 0 <= ratio < 1,
        "a multiple of the natural speed from 0 and below 1",
    ),
    (
        ("worst_fast",),
        lambda ratio: 1 < ratio < inf,
        "a multiple of the natural speed above 1",
    ),
    (
        ("slowest", "fastest"),
        lambda slow, fast: 0 <= slow < (fast or inf) and fast < inf,
        "words per minute, the slowest below the fastest, or 0 for no bound",
    ),
    (("first",), lambda count: count >= 0, "a number of segments, or 0 for all"),
    (("types",), _are_different, "different names"),
    (("slots",), _are_different, "different names"),
    (
        ("every", "offset"),
        lambda every, offset: every > 1 and 0 <= offset <= every,
        "2 or more for every, and 0 to every for offset",
    ),
    (
        ("worst_minutes", "worst_keys"),
        lambda minutes, keys: minutes > 0 and keys > 0,
        "numbers above 0",
    ),
    (("k",), lambda k: k >= 0, "the number of judged outputs to show, 0 or more"),
)
_TABLES = tomllib.loads(
    files("metra.campaign").joinpath("texts/protocols.toml").read_text("utf-8")
)
PROTOCOLS = {name: _read_protocol(name) for name in _TABLES}
