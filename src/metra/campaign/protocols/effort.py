"""Effort of people with a text: the time to read or correct it, and each changed word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self, get_args

from metra import _core
from metra.campaign.protocols.kind import (
    KEY,
    Answer,
    KeyedKind,
    KindWords,
    Rng,
    Texts,
    get_count,
    get_counts,
    get_table,
    get_text,
    interpolate_chance,
    make_undefined,
    score_error_rate,
)
from metra.errors import OptionError
from metra.scores.table import ScoreRow
from metra.text import corrections
from metra.text.columns import pack
from metra.text.lemmas import count_form_changes, find_word_forms, stem_words
from metra.text.preparation import make_preparation, prepare
from metra.text.words import (
    LETTERS_PER_WORD,
    find_words,
    recognise_spacing,
    split_words,
    split_workbook_words,
)

_MINUTE = 60_000
#: Words per minute at which nobody reads: twice as fast as quick readers of plain prose read
#: (Brysbaert 2019: 175 to 300).
FASTEST = 600.0
#: What is measured: milliseconds in sight and not paused, those of them without a sign of
#: life, pauses, and milliseconds out of sight.
_TIMES = ("ms", "idle_ms", "pauses", "hidden_ms")


@dataclass(frozen=True, slots=True)
class Reading(KeyedKind):
    """Milliseconds from start to finish, without pauses, and how often there was one."""

    kind: ClassVar[str] = "reading"
    needs_fresh_eyes: ClassVar[bool] = True
    answer: ClassVar[str] = "Time from start to finish, without pauses."
    measures_reading: ClassVar[bool] = True

    aloud: bool = False
    #: Words per minute of natural text; 0 takes the judge's own, from the baseline text.
    natural: float = 0
    #: Whether there is no score without a natural speed to compare with, or none needed.
    compared: bool = True
    #: Multiples of the natural speed that are 0 of 100, below and above it.
    worst_slow: float = 0.0
    worst_fast: float = 2.0
    #: Words per minute outside of which nobody reads; 0 is no bound.
    slowest: float = 0.0
    fastest: float = FASTEST

    @property
    def needs_baseline(self) -> bool:
        """True if scores need the judge's own speed."""
        return self.compared and not self.natural

    def build_key(self, texts: Texts) -> Answer:
        """Return the number of words, the speed to compare with and the scale."""
        key = {
            **_count_words(texts["output"]),
            "natural": self.natural or None,
            "scale": [self.worst_slow, self.worst_fast],
            "limits": [self.slowest, self.fastest],
        }
        return key if self.compared else {**key, "compared": False}

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the times with the number of words."""
        entry = get_table(value, name, "ms")
        key = self.find_key(value, name, texts)
        times = {what: get_count(entry, what, name) for what in _TIMES}
        if not times["ms"] and key["words"]:
            msg = f"{name}: ms is 0; expected the time that reading took."
            raise OptionError(msg)
        return {**times, KEY: key}

    def scores(self, value: Answer, name: str) -> list[ScoreRow]:
        """Return words per minute; as fast as natural text is 100, slower or faster less.

        A speed at which nobody reads is no answer.

        >>> value = {"ms": 30000, "pauses": 0, "key": {"words": 60, "natural": 160.0}}
        >>> Reading().scores(value, "reading-speed")[0][1:3]
        (120.0, 75.0)
        """
        key = value[KEY]
        if not key["words"]:
            return [make_undefined(name, "the text has no words")]
        if not value["ms"]:
            return [make_undefined(name, "no time was measured")]
        if not key.get("compared", True):
            return []
        pace = compute_reading_speed(value)
        reason = explain_unreadable_speed(value)
        if not reason and key["natural"]:
            scale = key.get("scale", (self.worst_slow, self.worst_fast))
            hundred = score_reading_speed(pace / key["natural"], *scale)
            return [ScoreRow(name, pace, hundred)]
        reason = reason or "the judge has not read the baseline text"
        return [make_undefined(name, reason)._replace(value=pace)]

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Draw a reading time, shorter where the quality is higher."""
        speed = interpolate_chance(qualities, 90, 240) * float(rng.lognormal(0, 0.1))
        interruptions = int(rng.random() < 0.1)
        milliseconds = 1 + round(len(find_words(text)) * _MINUTE / speed)
        return {"ms": milliseconds, "pauses": interruptions}


def compute_reading_speed(value: Mapping[str, Any]) -> float:
    """Return words per minute of active time."""
    return float(value[KEY]["words"] * _MINUTE / value["ms"])


def score_reading_speed(ratio: float, worst_slow: float, worst_fast: float) -> float:
    """Return 100 at the natural speed, and less in proportion to 0 at either bound.

    `ratio` is a speed over the natural one.

    >>> [score_reading_speed(ratio, 0.5, 2) for ratio in (0.4, 0.75, 1, 1.5, 14.7)]
    [0.0, 50.0, 100.0, 50.0, 0.0]
    """
    worst = worst_slow if ratio < 1 else worst_fast
    return 100 * max(0.0, (ratio - worst) / (1 - worst))


def explain_unreadable_speed(value: Mapping[str, Any]) -> str:
    """Return why nobody reads at the speed of an answer; empty where somebody may.

    >>> key = {"words": 60, "limits": [0, 600]}
    >>> [explain_unreadable_speed({"ms": ms, "key": key}) for ms in (2850, 30000)]
    ['faster than people can read', '']
    """
    key = value[KEY]
    slowest, fastest = key.get("limits", (0.0, FASTEST))
    # Where a script has no blanks, letters were counted.
    unit = 1 if key.get("counted", "blanks") == "blanks" else LETTERS_PER_WORD
    pace = compute_reading_speed(value)
    if fastest and pace > fastest * unit:
        return "faster than people can read"
    return "slower than people read" if pace < slowest else ""


def _count_words(text: str) -> Answer:
    return {"words": len(find_words(text)), "counted": recognise_spacing(text)}


#: Kinds of keys: what was typed is not kept.
_KEYS = (
    *("letter", "digit", "punctuation", "space", "enter", "backspace", "delete"),
    *("navigation", "clipboard", "undo", "composition", "other"),
)


@dataclass(frozen=True, slots=True)
class Edit(KeyedKind):
    """The corrected text, milliseconds without pauses, keys and inputs by kind."""

    kind: ClassVar[str] = "edit"
    answer: ClassVar[str] = "The corrected text, the time, and keys by kind."
    counts_keys: ClassVar[bool] = True

    #: What the text is wanted for; judges see it.
    brief: str = ""
    #: Minutes for ten words, and keys for a word, that are 0 of 100: as if made anew.
    worst_minutes: float = 1.0
    worst_keys: float = 6.0

    def get_words(self) -> KindWords:
        """Return the brief."""
        return KindWords(brief=self.brief)

    def build_key(self, texts: Texts) -> Answer:
        """Return the number of words and edits, and the values for 0 of 100."""
        edits = count_edits(texts["output"], texts["corrected"])
        return {
            **_count_words(texts["output"]),
            "edits": edits.edits,
            "corrected_words": edits.words,
            "worst": [self.worst_minutes, self.worst_keys],
            "brief": self.brief,
        }

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the correction with the edits that it took."""
        entry = get_table(value, name, "text")
        corrected = get_text(entry, "text", name)
        key = self.find_key(value, name, {**texts, "corrected": corrected})
        tidy = {
            "text": corrected,
            **{what: get_count(entry, what, name) for what in _TIMES},
            "keys": get_counts(entry, "keys", name, _KEYS),
            # The browser's own names for what came in, such as insertFromPaste.
            "inputs": get_counts(entry, "inputs", name, None),
        }
        if not tidy["ms"]:
            msg = f"{name}: ms is 0; expected the time that correcting took."
            raise OptionError(msg)
        return {**tidy, KEY: key}

    def scores(self, value: Answer, name: str) -> list[ScoreRow]:
        """Return minutes for ten words, keys for a word, and HTER in per cent.

        >>> key = {"words": 100, "edits": 9, "corrected_words": 90, "worst": [1.0, 6.0]}
        >>> value = {"ms": 300000, "keys": {"letter": 60}, "key": key}
        >>> [one.value for one in Edit().scores(value, "correction")]
        [0.5, 0.6, 10.0]
        """
        key, words = value[KEY], value[KEY]["words"]
        time, keys, hter = f"{name}-time", f"{name}-keys", "hter"
        if not words:
            reason = "the text has no words"
            return [make_undefined(one, reason, False) for one in (time, keys, hter)]
        minutes = 10 * value["ms"] / _MINUTE / words
        pressed = sum(value["keys"].values()) / words
        after = key["corrected_words"]
        return [
            score_error_rate(time, minutes, key["worst"][0]),
            score_error_rate(keys, pressed, key["worst"][1]),
            score_error_rate(hter, 100 * key["edits"] / after)
            if after
            else make_undefined(hter, "the correction has no words", False),
        ]

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Delete words, fewer of them where the quality is higher."""
        keep = interpolate_chance(qualities, 0.8, 1)
        lines = [
            [word for word in line.split(" ") if rng.random() < keep]
            for line in text.split("\n")
        ]
        # A line without words counts as one empty word.
        words = sum(len(line.split(" ")) for line in text.split("\n"))
        changed = words - sum(len(line) or 1 for line in lines)
        count = len(find_words(text))
        speed = interpolate_chance(qualities, 0.5, 2)
        typed, deleted = 4 * changed, 5 * changed
        return {
            "text": "\n".join(map(" ".join, lines)),
            "ms": 1 + round(count * 0.05 * _MINUTE / speed),
            "keys": {"letter": typed, "backspace": deleted, "navigation": count},
            "inputs": {"insertText": typed, "deleteContentBackward": deleted},
        }


class Edits(NamedTuple):
    """Count edits, a moved block as one, and the words of the correction."""

    edits: int
    words: int


def count_edits(output: str, correction: str) -> Edits:
    """Count the edits line by line; as one text where lines were joined or split.

    Snover et al. 2006; HTER is `ter` with the correction as the only reference. In scripts
    without blanks each letter is a word.

    >>> count_edits("a b c d", "c d a b"), count_edits("市場が開く", "市場は開く")
    (Edits(edits=1, words=4), Edits(edits=1, words=5))
    """
    both = output.split("\n"), correction.split("\n")
    if len(both[0]) != len(both[1]):
        both = [output], [correction]
    text = make_preparation(tok="none", case="lower", stem="no")
    hyps, refs = (
        prepare(pack([" ".join(split_words(line)) for line in lines], "text"), text)
        for lines in both
    )
    rows = _core.ter_rows(_core.Hits(hyps, [refs]), "sacrebleu")
    return Edits(int(rows[:, :4].sum()), int(rows[:, 4].sum()))


@dataclass(frozen=True, slots=True)
class Chips(KeyedKind):
    """The change of each word, or the corrected text, from which changes are inferred."""

    kind: ClassVar[str] = "chips"
    answer: ClassVar[str] = "What happened to each word, or the corrected text."

    #: The language of the outputs, whose lemmas tell a change of form from another word.
    language: str = ""

    def set_language(self, language: str) -> Self:
        """Return the question for outputs in a language."""
        return replace(self, language=language)

    def extra(self, output: str) -> Answer:
        """Return the words as chips."""
        return {"tokens": split_workbook_words(output)}

    def build_key(self, texts: Texts) -> Answer:
        """Return the words, how they were counted, and by whose lemmas."""
        forms = find_word_forms(self.language)
        return {
            "tokens": split_workbook_words(texts["output"]),
            "counted": recognise_spacing(texts["output"]),
            # By whose lemmas or stems a change of form alone is inferred; by none if it is
            # empty.
            "forms": forms.name,
            "library": forms.library,
        }

    def check(self, value: object, name: str, texts: Texts) -> Answer:
        """Return the correction with its changes counted."""
        entry = get_table(value, name, "chips, or text")
        key = self.find_key(value, name, texts)
        before = key["tokens"]
        if "chips" in entry:
            chips = _check_chips(entry["chips"], before, name)
            words = [
                corrections.CorrectedWord(chip["origin"], chip["change"])
                for chip in chips
            ]
            made = corrections.count_changes(len(before), words)
            free = sum(chip["change"] == "inflection" for chip in chips)
            tidy: Answer = {"mode": "exact", "chips": chips}
        else:
            corrected = get_text(entry, "text", name)
            after = split_workbook_words(corrected)
            # Answers of older versions name a stemmer.
            forms: str = key["forms"] if "forms" in key else key.get("stems", "")
            bases = (stem_words(words, forms) for words in (before, after))
            made = corrections.infer_changes(*bases)
            free = count_form_changes(before, after, forms)
            tidy = {"mode": "inferred", "text": corrected}
        return {**tidy, KEY: {**key, **made._asdict(), "inflections": free}}

    def scores(self, value: Answer, name: str) -> list[ScoreRow]:
        """Return changes per hundred words of the output."""
        tokens = value[KEY]["tokens"]
        if not tokens:
            return [make_undefined(name, "the text has no words", False)]
        return [score_error_rate(name, 100 * get_changes(value).total / len(tokens))]

    def simulate(self, qualities: Sequence[float], text: str, rng: Rng) -> Answer:
        """Delete words, fewer where the quality is higher; sometimes swap the first two."""
        keep = interpolate_chance(qualities, 0.8, 1)
        chips = [
            {"origin": origin, "text": token, "change": "none"}
            for origin, token in enumerate(split_workbook_words(text))
            if rng.random() < keep
        ]
        if len(chips) > 2 and rng.random() > keep:
            chips[0], chips[1] = chips[1], chips[0]
        return {"chips": chips}


def get_changes(value: Mapping[str, Any]) -> corrections.EditCounts:
    """Return the counts of a checked answer."""
    names = corrections.EditCounts._fields
    return corrections.EditCounts(*(value[KEY][name] for name in names))


def _check_chips(value: object, before: Sequence[str], name: str) -> list[Answer]:
    """Return chips whose changes agree with their texts."""
    if not isinstance(value, list) or len(value) > 10 * len(before) + 1000:
        msg = f"{name}: chips is not a list of chips; expected origin, text and change of each."
        raise OptionError(msg)
    seen: set[int] = set()
    chips = []
    for number, chip in enumerate(value, 1):
        place = f"{name}, chip {number}"
        entry = get_table(chip, place, "origin, text and change")
        word = get_text(entry, "text", place).strip()
        origin, change = entry.get("origin"), entry.get("change", "none")
        is_origin = origin is None or (
            type(origin) is int and 0 <= origin < len(before)
        )
        if not is_origin or origin in seen or len(word.split()) != 1:
            msg = (
                f"{place} is {word!r} from {origin!r}; expected one word, and a word of the "
                f"output from 0 to {len(before) - 1} that no other chip is, or none."
            )
            raise OptionError(msg)
        if change not in get_args(corrections.Change):
            expected = ", ".join(get_args(corrections.Change))
            msg = f"{place}: the change is {change!r}; expected {expected}."
            raise OptionError(msg)
        if origin is None or word == before[origin]:
            change = "none"
        elif change == "none":
            change = "substitution"
        if origin is not None:
            seen.add(origin)
        chips.append({"origin": origin, "text": word, "change": change})
    return chips
