"""Filled campaigns on our own example, for looking around, for pictures and for tests.

Made-up answers to the workbook's measures, better where a text is better.
Judges made up for demonstrations: each as strict, as steady and as quick as chance made her.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from uuid import UUID
from zlib import crc32

import numpy as np

from metra.campaign.campaign import Campaign, freeze_campaign
from metra.campaign.material import read_material
from metra.campaign.own_wording import freeze_wordings
from metra.campaign.protocols.chips import Chips
from metra.campaign.protocols.edit import Edit
from metra.campaign.protocols.gaps import Gaps
from metra.campaign.protocols.marks import Marks
from metra.campaign.protocols.missed import Missed
from metra.campaign.protocols.near import MOST, Near
from metra.campaign.protocols.orders import RankOrder
from metra.campaign.protocols.questions import Question, QuestionSet
from metra.campaign.protocols.reading import MINUTE, Reading
from metra.campaign.protocols.record import Ask, Protocol
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.protocols.scales import RatingScale
from metra.campaign.protocols.tags import SpanTags
from metra.campaign.protocols.template import Template
from metra.campaign.screen import get_screen_protocol
from metra.campaign.settings import Settings
from metra.campaign.task import Task, TaskItem
from metra.corpus import examples
from metra.scoring.files import open_corpus
from metra.store import answers, campaigns, judges, screens, tasks
from metra.store.database import Store
from metra.text.words import find_words

if TYPE_CHECKING:
    from sqlalchemy import Connection


_GUESSED = 0.25


def _compute_chance(seen: Sequence[float], low: float, high: float) -> float:
    """A chance that grows with the quality that is seen."""
    return low + (high - low) * min(1.0, max(0.0, seen[0]))


def _answer_gaps(
    asks: Gaps, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    right = _compute_chance(seen, 0.2, 0.8)
    every = [text[span.start : span.end] for span in find_words(text)]
    answers = []
    for span in asks.places(text):
        other = every[int(rng.integers(0, len(every)))] if rng.random() < 0.7 else ""
        answers.append(text[span.start : span.end] if rng.random() < right else other)
    return {"answers": answers}


def _answer_reading(
    _: Reading, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    speed = _compute_chance(seen, 90, 240) * float(rng.lognormal(0, 0.1))
    interrupted = int(rng.random() < 0.1)
    return {
        "ms": 1 + round(len(find_words(text)) * MINUTE / speed),
        "pauses": interrupted,
    }


def _answer_edit(
    _: Edit, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    kept = [
        " ".join(
            word
            for word in line.split(" ")
            if rng.random() < _compute_chance(seen, 0.8, 1)
        )
        for line in text.split("\n")
    ]
    changed = sum(
        len(before.split(" ")) - len(after.split(" "))
        for before, after in zip(text.split("\n"), kept, strict=True)
    )
    count = len(find_words(text))
    return {
        "text": "\n".join(kept),
        "ms": 1 + round(count * 0.05 * MINUTE / _compute_chance(seen, 0.5, 2)),
        "keys": {"letter": 4 * changed, "backspace": 5 * changed, "navigation": count},
        "inputs": {"insertText": 4 * changed, "deleteContentBackward": 5 * changed},
    }


def _answer_questions(
    asks: QuestionSet, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    right = _compute_chance(seen, 0.3, 0.95) if text else _GUESSED

    def answer(question: Question) -> str | None:
        if rng.random() < right:
            return question.accepted[0]
        if question.choices and rng.random() < 0.6:
            return question.choices[int(rng.integers(0, len(question.choices)))]
        return None

    return {"answers": [answer(question) for question in asks.questions]}


def _answer_template(
    asks: Template, seen: list[float], _: str, rng: np.random.Generator
) -> dict[str, Any]:
    right = _compute_chance(seen, 0.3, 0.95)
    found = [list(pair) for pair in asks.expected if rng.random() < right]
    wrong = [
        [slot, "something else"] for slot, _ in asks.expected if rng.random() < 0.1
    ]
    return {"filled": found + wrong}


def _answer_chips(
    asks: Chips, seen: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    keep = _compute_chance(seen, 0.8, 1)
    chips = [
        {"origin": at, "text": token, "change": "none"}
        for at, token in enumerate(asks.extra(text)["tokens"])
        if rng.random() < keep
    ]
    if len(chips) > 2 and rng.random() > keep:
        chips[0], chips[1] = chips[1], chips[0]
    return {"chips": chips}


def _answer_tags(
    asks: SpanTags, _: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    """Capitals inside the sentence are names; long words are terms."""
    found = []
    for span in find_words(text)[1:]:
        word = text[span.start : span.end]
        wanted = word[0].isupper() if asks.types else len(word) > 7
        if wanted and rng.random() < 0.85:
            kind = {"type": asks.types[0]} if asks.types else {}
            found.append({"start": span.start, "end": span.end, **kind})
    return {"tags": found}


def _answer_near(
    _: Near, seen: list[float], __: str, rng: np.random.Generator
) -> dict[str, Any]:
    quality = seen[0] + float(rng.normal(0, 0.03))
    return {"score": min(MOST, max(0, round(MOST * quality)))}


def _answer_missed(
    asks: Missed, _: list[float], text: str, rng: np.random.Generator
) -> dict[str, Any]:
    """Now and then some word is the name in another form."""
    spans = find_words(text)

    def place() -> dict[str, int] | None:
        if not spans or rng.random() < 0.7:
            return None
        span = spans[int(rng.integers(0, len(spans)))]
        return {"start": span.start, "end": span.end}

    return {"found": [place() for _ in asks.names]}


ANSWERS: dict[type, Callable[..., Any]] = {
    Gaps: _answer_gaps,
    Reading: _answer_reading,
    Edit: _answer_edit,
    QuestionSet: _answer_questions,
    Template: _answer_template,
    Chips: _answer_chips,
    SpanTags: _answer_tags,
    Near: _answer_near,
    Missed: _answer_missed,
}


#: How much worse a spoilt copy looks.
_DEGRADED = 0.3


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """What a made-up judge is like: added to the quality she sees, and noise around it."""

    mildness: float
    noise: float
    #: Seconds for a word, and before the first.
    pace: float
    start: float = 3.0


@dataclass(frozen=True, slots=True)
class SimulatedAnswer:
    """An answer, and how long it took."""

    value: dict[str, Any]
    seconds: float


def draw_judges(count: int, *, rng: np.random.Generator) -> list[SimulatedJudge]:
    """Make some judges up."""
    return [
        SimulatedJudge(
            float(rng.normal(0, 0.08)),
            float(rng.uniform(0.05, 0.12)),
            float(rng.uniform(0.35, 0.9)),
        )
        for _ in range(count)
    ]


def can_simulate(protocol: Protocol) -> bool:
    """Whether all its questions are of kinds that made-up judges can answer."""
    return all(isinstance(step.asks, tuple(_ANSWERS)) for step in protocol.steps)


def simulate_answer(
    campaign: Campaign,
    task: Task,
    number: int,
    temper: SimulatedJudge,
    *,
    rng: np.random.Generator,
) -> SimulatedAnswer:
    """Answer one screen."""
    items = task.items if campaign.protocol.contrastive else (task.items[number],)
    seen = [
        _estimate_quality(item.text, campaign.segments[item.segment].references)
        + temper.mildness
        + temper.noise * _draw_preference(task.judge, item)
        - (_DEGRADED if task.kind == "degraded" else 0)
        for item in items
    ]
    value = {
        step.name: _find_answerer(step.asks)(step.asks, seen, items[0].text, rng)
        for step in get_screen_protocol(campaign, task, number).steps
    }
    words = sum(len(item.text.split()) for item in items)
    haste = float(rng.lognormal(0, 0.35))
    return SimulatedAnswer(value, (temper.start + words * temper.pace) * haste)


def make_hasty(temper: SimulatedJudge) -> SimulatedJudge:
    """Make a judge answer faster than anybody can read."""
    return replace(temper, pace=0.02, start=0.3)


def _draw_preference(judge: str, item: TaskItem) -> float:
    """What a judge likes of an output: the same whenever she meets it."""
    key = crc32(f"{judge}\0{item.system}\0{item.segment}".encode())
    return float(np.random.default_rng(key).normal())


def _estimate_quality(output: str, references: Sequence[str]) -> float:
    """Share of word pairs, single words included, that a reference has too, from 0 to 1."""
    mine = _collect_ngrams(output)
    if not mine or not references:
        return 0.5
    best = max(len(mine & _collect_ngrams(text)) / len(mine) for text in references)
    return 0.15 + 0.85 * best


def _collect_ngrams(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return {(word,) for word in words} | set(pairwise(words))


def _find_answerer(asks: Ask) -> Callable[..., Any]:
    return next(answer for kind, answer in _ANSWERS.items() if isinstance(asks, kind))


def _answer_scale(
    asks: RatingScale, seen: list[float], _: str, rng: np.random.Generator
) -> float:
    quality = min(1.0, max(0.0, seen[0] + float(rng.normal(0, 0.02))))
    return float(round(asks.low + quality * (asks.high - asks.low)))


def _answer_marks(
    asks: Marks, seen: list[float], text: str, rng: np.random.Generator
) -> list[dict[str, Any]]:
    words = text.split(" ")
    wrong = int(rng.poisson(max(0.0, 1 - seen[0]) * 5))
    chosen = rng.permutation(len(words))[: min(wrong, asks.most or 9, len(words))]
    found = []
    for at in sorted(int(place) for place in chosen):
        start = len(" ".join(words[:at])) + (at > 0)
        if words[at]:
            mark = {"side": "output", "start": start, "end": start + len(words[at])}
            mark["severity"] = asks.severities[int(rng.integers(0, 2))]
            if asks.categories:
                kinds = asks.categories[:9]
                mark["category"] = kinds[int(rng.integers(0, len(kinds)))]
            found.append(mark)
    return found


def _answer_order(
    _: RankOrder, seen: list[float], __: str, ___: np.random.Generator
) -> list[int]:
    """Ranks; what is nearly as good as the one before shares its place."""
    best_first = sorted(range(len(seen)), key=lambda at: -seen[at])
    ranks = [1] * len(seen)
    for before, at in pairwise(best_first):
        ranks[at] = ranks[before] + (seen[before] - seen[at] > 0.05)
    return ranks


_ANSWERS: dict[type, Callable[..., Any]] = {
    RatingScale: _answer_scale,
    Marks: _answer_marks,
    RankOrder: _answer_order,
    **ANSWERS,
}


SYSTEMS = ("polished", "solid", "literal", "fluent-wrong")
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")
#: How much each judge has done; the last ones are still at it.
_DONE = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6, 0.25)
_HASTY = 6
#: What some protocols need beside the texts.
_MATERIAL = {
    "questions": "campaigns/questions.tsv",
    "templates": "templates/reference.tsv",
    "baseline": "campaigns/baseline.en.txt",
    "judged": "judged.tsv",
    "entities": "entities.tsv",
}
_HOUR = 3600.0
_COMMENTS = (
    "The second half reads as if somebody else had written it.",
    "I would have called it brakes, but one understands.",
    "Good!",
)


@dataclass(frozen=True, slots=True)
class DemoCampaign:
    """A campaign that was filled: its id, and a judge's link that still has work."""

    id: str
    name: str
    token: str
    judge: str


def list_demo_protocols() -> list[str]:
    """The protocols that made-up judges can answer."""
    return [name for name, known in PROTOCOLS.items() if can_simulate(known)]


def build_example_campaign(name: str) -> Campaign:
    """Our example's texts under a protocol."""
    home = examples.HOME
    corpus = open_corpus(
        [str(home / "outputs" / f"{system}.txt") for system in SYSTEMS],
        [str(home / f"reference.{number}.txt") for number in (1, 2)],
        str(home / "source.fr.txt"),
        str(home / "docs.txt"),
    )
    asked = PROTOCOLS[name]
    wished = Settings(f"Market and brake: {asked.title}", name, "fr", "en", NAMES)
    if not (asked.contrastive or asked.whole or asked.over != "outputs"):
        wished = replace(wished, degraded=0.15, repeats=0.1)
    if asked.control:
        wished = replace(wished, each=1)
    files = {what: str(home / path) for what, path in _MATERIAL.items()}
    return freeze_wordings(freeze_campaign(wished, corpus, read_material(files)))


def fill_store(
    store: Store,
    names: Sequence[str],
    *,
    now: float,
    seed: int = 7,
    tell: Callable[[str], None] = lambda _: None,
) -> list[DemoCampaign]:
    """Put a campaign for each protocol into a store, with answers of made-up judges.

    `tell` hears whose turn it is.
    """
    found = []
    for at, name in enumerate(names):
        content = build_example_campaign(name)
        tell(f"{content.settings.name}: {at + 1} of {len(names)}")
        rng = np.random.default_rng([seed, at])
        with store.transaction() as db:
            begun = now - 30 * _HOUR
            key = campaigns.create_campaign(
                db, content, now=begun, who="demo", state="open"
            )
            stored = campaigns.get_campaign(db, key)
            everybody = judges.list_judges(db, key)
            token = ""
            made_up = draw_judges(len(everybody), rng=rng)
            # One of them is in too much of a hurry, so that there is something to find.
            made_up[_HASTY] = make_hasty(made_up[_HASTY])
            for judge, temper, share in zip(everybody, made_up, _DONE, strict=True):
                token = judges.issue_link(db, judge.id, now=begun, who="demo")
                judges.record_consent(db, judge.id, now=begun)
                judges.record_guide(db, judge.id, now=begun)
                _simulate_work(db, stored, judge, temper, share, begun, rng)
            found.append(DemoCampaign(key, stored.name, token, everybody[-1].label))
    return found


def _simulate_work(
    db: "Connection",
    stored: campaigns.StoredCampaign,
    judge: judges.Judge,
    temper: SimulatedJudge,
    share: float,
    begun: float,
    rng: np.random.Generator,
) -> None:
    """Let a judge answer a share of her screens, one after the other."""
    mine = tasks.list_judge_tasks(db, judge.id)
    at = begun + float(rng.uniform(0, 20)) * _HOUR
    last = len(stored.campaign.protocol.steps) - 1
    for owned in mine[: round(share * len(mine))]:
        for number in range(owned.screens):
            answer = simulate_answer(
                stored.campaign, owned.task, number, temper, rng=rng
            )
            screens.record_shown_steps(db, owned.task.id, number, last, now=at)
            active = round(1000 * answer.seconds)
            says = rng.random() < 0.03
            words = _COMMENTS[int(rng.integers(0, len(_COMMENTS)))] if says else ""
            at += answer.seconds + float(rng.uniform(0.5, 6))
            given = answers.Answer(
                str(UUID(bytes=rng.bytes(16), version=4)),
                answer.value,
                words,
                times=answers.AnswerTimes(active_ms=active),
            )
            answers.submit_answer(db, stored, owned, number, given, now=at)
    judges.record_activity(db, judge.id, now=at)
