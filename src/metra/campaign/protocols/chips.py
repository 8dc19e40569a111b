"""Chips: an output corrected word by word, so that each change is known and not guessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, get_args

from metra.campaign.protocols.kind import (
    KEY,
    Answer,
    KeyedKind,
    Rng,
    Texts,
    get_table,
    get_text,
    interpolate_chance,
    make_undefined,
    score_error_rate,
)
from metra.errors import OptionError
from metra.scores.table import ScoreRow
from metra.text import corrections
from metra.text.lemmas import count_form_changes, find_word_forms, stem_words
from metra.text.words import recognise_spacing, split_workbook_words


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
