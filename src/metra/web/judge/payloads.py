"""What a judge's browser sends, as far as its shape goes."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import UUID4, BaseModel, ConfigDict, Field

from metra.store.answers import Answer, AnswerTimes, Draft
from metra.store.events import Event

_MOST = 2**53 - 1
_Count = Annotated[int, Field(ge=0, le=_MOST)]
_Comment = Annotated[str, Field(max_length=10_000)]
_Reason = Annotated[str, Field(min_length=1, max_length=1_000)]


class _Payload(BaseModel):
    model_config = ConfigDict(extra="ignore")


class EventIn(_Payload):
    """An event; each window counts `seq` up, so that one sent again is kept once."""

    client: Annotated[str, Field(max_length=40)] = ""
    seq: _Count | None = None
    t_ms: Annotated[float, Field(ge=0, le=_MOST, allow_inf_nan=False)]
    kind: Annotated[str, Field(min_length=1, max_length=40)]
    data: Any = None


_Events = Annotated[list[EventIn], Field(max_length=2_000)]


def convert_events(sent: list[EventIn]) -> list[Event]:
    """The events as the store keeps them."""
    return [Event(one.seq, one.t_ms, one.kind, one.data, one.client) for one in sent]


class DraftIn(_Payload):
    """A draft; `rev` is one more than that of the draft before.

    `answered` is the revision of the answer that it changes, 0 where there was none yet.
    """

    rev: _Count
    answered: _Count = 0
    value: dict[str, Any]
    comment: _Comment = ""
    events: _Events = []

    def draft(self) -> Draft:
        """The draft as the store keeps it."""
        return Draft(self.rev, self.value, self.comment)


class RevealIn(_Payload):
    """The wish to see the texts of a step, with the answers to the steps before it."""

    step: Annotated[int, Field(ge=0, le=100)]
    rev: _Count
    answered: _Count = 0
    value: dict[str, Any]


class TimesIn(_Payload):
    """Milliseconds by the browser's clock."""

    active_ms: _Count = 0
    idle_ms: _Count = 0
    hidden_ms: _Count = 0
    paused_ms: _Count = 0
    first_action_ms: _Count | None = None


class AnswerIn(_Payload):
    """An answer, under an id that the browser made up and keeps when it sends it again."""

    id: UUID4
    value: dict[str, Any] | None = None
    comment: _Comment = ""
    cannot: _Reason | None = None
    times: TimesIn = TimesIn()
    #: The language in which the page had the questions.
    wording: Annotated[str, Field(max_length=40)] = ""
    events: _Events = []

    def answer(self) -> Answer:
        """The answer as the store takes it."""
        return Answer(
            str(UUID(bytes=self.id.bytes)),
            self.value,
            self.comment,
            self.cannot,
            AnswerTimes(**self.times.model_dump()),
        )


class ScreenName(_Payload):
    """Which screen."""

    task: Annotated[str, Field(max_length=100)]
    number: Annotated[int, Field(ge=0, le=100_000)]


class TokenIn(_Payload):
    """A judge's link, or the secret at its end."""

    token: Annotated[str, Field(max_length=2_000)]
