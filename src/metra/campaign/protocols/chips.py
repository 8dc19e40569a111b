"""Chips: an output corrected word by word, so that each change is known and not guessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from metra.campaign.protocols.answers import (
    KEY,
    get_key,
    get_table,
    get_text,
    make_undefined,
    score_error_rate,
)
from metra.campaign.protocols.kind import KeyedKind, interpolate_chance
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore
from metra.text.corrections import (
    Change,
    CorrectedWord,
    EditCounts,
    count_changes,
    infer_changes,
)
from metra.text.lemmas import count_form_changes, find_stemmer_code, stem_words
from metra.text.words import recognise_spacing, split_workbook_words

if TYPE_CHECKING:
    import numpy as np

EXACT, INFERRED = "exact", "inferred"


@dataclass(frozen=True, slots=True)
class Chips(KeyedKind):
    """What became of each word; or the corrected text, from which that is inferred."""

    kind: ClassVar[str] = "chips"
    answer: ClassVar[str] = "What became of each word, or the corrected text."

    #: The language of the outputs, whose stems tell a change of form from another word.
    language: str = ""

    def set_language(self, language: str) -> "Chips":
        """Return the question for outputs in a language."""
        return replace(self, language=language)

    def extra(self, output: str) -> dict[str, Any]:
        """Return the words as chips."""
        return {"tokens": split_workbook_words(output)}

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the correction with its changes counted."""
        entry = get_table(value, name, "chips, or text")
        key = get_key(value, name) if self.keyed else self._build_key(texts["output"])
        before = key["tokens"]
        if "chips" in entry:
            chips = _check_chips(entry["chips"], before, name)
            made = count_changes(
                len(before),
                [CorrectedWord(chip["origin"], chip["change"]) for chip in chips],
            )
            free = sum(chip["change"] == "inflection" for chip in chips)
            tidy: dict[str, Any] = {"mode": EXACT, "chips": chips}
        else:
            corrected = get_text(entry, "text", name)
            after, code = split_workbook_words(corrected), key.get("stems", "")
            made = infer_changes(stem_words(before, code), stem_words(after, code))
            free = count_form_changes(before, after, code)
            tidy = {"mode": INFERRED, "text": corrected}
        return {**tidy, KEY: {**key, **made._asdict(), "inflections": free}}

    def _build_key(self, output: str) -> dict[str, Any]:
        return {
            "tokens": split_workbook_words(output),
            "counted": recognise_spacing(output),
            # By whose stems a change of form alone is inferred; by none if it is empty.
            "stems": find_stemmer_code(self.language),
        }

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Return changes per hundred words of the output."""
        key = value[KEY]
        if not key["tokens"]:
            reason = "the text has no words"
            return [make_undefined(name, reason, higher_is_better=False)]
        made = get_changes(value)
        return [score_error_rate(name, 100 * made.total / len(key["tokens"]))]

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> dict[str, Any]:
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


def get_changes(value: Mapping[str, Any]) -> EditCounts:
    """Return the counts of a checked answer."""
    return EditCounts(*(value[KEY][name] for name in EditCounts._fields))


def _check_chips(
    value: object, before: Sequence[str], name: str
) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > 10 * len(before) + 1000:
        msg = f"{name}: chips is no list of chips; expected origin, text and change of each."
        raise OptionError(msg)
    seen: set[int] = set()
    chips = []
    for number, chip in enumerate(value, 1):
        place = f"{name}, chip {number}"
        entry = get_table(chip, place, "origin, text and change")
        word = get_text(entry, "text", place).strip()
        origin = entry.get("origin")
        known = origin is None or (type(origin) is int and 0 <= origin < len(before))
        if not known or origin in seen or len(word.split()) != 1:
            msg = (
                f"{place} is {word!r} from {origin!r}; expected one word, and a word of the "
                f"output from 0 to {len(before) - 1} that no other chip is, or none."
            )
            raise OptionError(msg)
        if origin is not None:
            seen.add(origin)
        chips.append(
            {"origin": origin, "text": word, "change": _check_change(entry, place)}
        )
    return [_classify_change(chip, before) for chip in chips]


def _check_change(entry: Mapping[str, Any], place: str) -> Change:
    change = entry.get("change", "none")
    if change not in get_args(Change):
        msg = f"{place}: the change is {change!r}; expected {', '.join(get_args(Change))}."
        raise OptionError(msg)
    return change


def _classify_change(chip: dict[str, Any], before: Sequence[str]) -> dict[str, Any]:
    """Return a chip whose change agrees with its text."""
    if chip["origin"] is None or chip["text"] == before[chip["origin"]]:
        return chip | {"change": "none"}
    return chip if chip["change"] != "none" else chip | {"change": "substitution"}
