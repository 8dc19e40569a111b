"""The shapes of what a judge's browser sends."""

from typing import Annotated, Any, TypeVar

from pydantic import UUID4, AfterValidator, BaseModel, ConfigDict, Field

from metra.formats.stream import check_values
from metra.limits import get_limits, use_limits

T = TypeVar("T")

_MOST = 2**53 - 1
_Count = Annotated[int, Field(ge=0, le=_MOST)]
_Comment = Annotated[str, Field(max_length=10_000)]
_Reason = Annotated[str, Field(min_length=1, max_length=1_000)]
#: How deep lists and tables may stand in one another; no answer needs as much.
_DEEPEST = 20


def _check_limits(value: T) -> T:
    """Refuse nesting and numbers that no page sends, and that nobody could read again."""
    with use_limits(get_limits()._replace(depth=_DEEPEST)):
        check_values(value, "The answer")
    return value


_Anything = Annotated[Any, AfterValidator(_check_limits)]
_Value = Annotated[dict[str, Any], AfterValidator(_check_limits)]


class _Payload(BaseModel):
    model_config = ConfigDict(extra="ignore")


class EventIn(_Payload):
    """An event; `seq` counts up in each window, so that a repeated event is stored once."""

    client: Annotated[str, Field(max_length=40)] = ""
    seq: _Count | None = None
    t_ms: Annotated[float, Field(ge=0, le=_MOST, allow_inf_nan=False)]
    kind: Annotated[str, Field(min_length=1, max_length=40)]
    data: _Anything = None


_Events = Annotated[list[EventIn], Field(max_length=2_000)]


class DraftIn(_Payload):
    """A draft; `rev` is one more than that of the draft before.

    `answered` is the revision of the answer that it changes, 0 where there was none yet.
    """

    rev: _Count
    answered: _Count = 0
    value: _Value
    comment: _Comment = ""
    events: _Events = []


class RevealIn(_Payload):
    """A request for the texts of a step, with the answers to the steps before it."""

    step: Annotated[int, Field(ge=0, le=100)]
    rev: _Count
    answered: _Count = 0
    value: _Value


class TimesIn(_Payload):
    """Milliseconds by the browser's clock."""

    active_ms: _Count = 0
    idle_ms: _Count = 0
    hidden_ms: _Count = 0
    paused_ms: _Count = 0
    first_action_ms: _Count | None = None


class AnswerIn(_Payload):
    """An answer, under an id that the browser makes and repeats when it retries."""

    id: UUID4
    value: _Value | None = None
    comment: _Comment = ""
    cannot: _Reason | None = None
    times: TimesIn = TimesIn()
    #: The language in which the page had the questions.
    wording: Annotated[str, Field(max_length=40)] = ""
    events: _Events = []


class ScreenName(_Payload):
    """The name of a screen: its task and number."""

    task: Annotated[str, Field(max_length=100)]
    number: Annotated[int, Field(ge=0, le=100_000)]


class TokenIn(_Payload):
    """A judge's link, or the secret at its end."""

    token: Annotated[str, Field(max_length=2_000)]
