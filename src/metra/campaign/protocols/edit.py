"""Editing: a whole text corrected, with the time, the keys and the edits that it took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from metra import _core
from metra.campaign.protocols.answers import (
    KEY,
    get_count,
    get_counts,
    get_key,
    get_table,
    get_text,
    make_undefined,
    score_error_rate,
)
from metra.campaign.protocols.kind import KeyedKind, KindWords, interpolate_chance
from metra.campaign.protocols.reading import (
    MINUTE,
    TIMES,
    get_dictionary_words,
    limit_times,
)
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore
from metra.text.columns import pack
from metra.text.preparation import make_preparation, prepare
from metra.text.words import find_words, recognise_spacing, split_words

if TYPE_CHECKING:
    import numpy as np


class Edits(NamedTuple):
    """How many edits, a moved block counting as one, and the words of the correction."""

    edits: int
    words: int


def count_edits(output: str, correction: str) -> Edits:
    """Count the edits line by line; as one text where lines were joined or split.

    Snover et al. 2006; HTER is `ter` with the correction as the only reference. In scripts
    without blanks each letter is a word.

    >>> count_edits("a b c d", "c d a b"), count_edits("市場が開く", "市場は開く")
    (Edits(edits=1, words=4), Edits(edits=1, words=5))
    """
    before, after = _lines(output), _lines(correction)
    if len(before) != len(after):
        before, after = (
            [" ".join(split_words(output))],
            [" ".join(split_words(correction))],
        )
    text = make_preparation(tok="none", case="lower", stem="no")
    hyps, refs = (prepare(pack(lines, "text"), text) for lines in (before, after))
    rows = _core.ter_rows(_core.Hits(hyps, [refs]), "sacrebleu")
    return Edits(int(rows[:, :4].sum()), int(rows[:, 4].sum()))


def _lines(text: str) -> list[str | None]:
    return [" ".join(split_words(line)) for line in text.split("\n")]


#: Kinds of keys: what was typed is not kept.
KEYS = (
    "letter",
    "digit",
    "punctuation",
    "space",
    "enter",
    "backspace",
    "delete",
    "navigation",
    "clipboard",
    "undo",
    "composition",
    "other",
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

    def limit_times(self, value: Mapping[str, Any], wall_ms: int) -> dict[str, Any]:
        """Return the answer with no time beyond the server's."""
        return limit_times(value, wall_ms)

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the correction with the edits that it took."""
        entry = get_table(value, name, "text")
        corrected = get_text(entry, "text", name)
        if self.keyed:
            key = get_key(value, name)
        else:
            output = texts["output"]
            edits = count_edits(output, corrected)
            key = {
                "words": len(find_words(output)),
                "counted": recognise_spacing(output),
                "edits": edits.edits,
                "corrected_words": edits.words,
                "worst": [self.worst_minutes, self.worst_keys],
                "brief": self.brief,
            }
        tidy = {
            "text": corrected,
            **{what: get_count(entry, what, name) for what in TIMES},
            "keys": get_counts(entry, "keys", name, KEYS),
            # The browser's own names for what came in, such as insertFromPaste.
            "inputs": get_counts(entry, "inputs", name, None),
            **get_dictionary_words(entry, name),
        }
        if not tidy["ms"]:
            msg = f"{name}: ms is 0; expected the time that correcting took."
            raise OptionError(msg)
        return {**tidy, KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Return minutes for ten words, keys for a word, and HTER in per cent.

        >>> key = {"words": 100, "edits": 9, "corrected_words": 90, "worst": [1.0, 6.0]}
        >>> value = {"ms": 300000, "keys": {"letter": 60}, "key": key}
        >>> [one.native for one in Edit().scores(value, "correction")]
        [0.5, 0.6, 10.0]
        """
        key = value[KEY]
        names = f"{name}-time", f"{name}-keys", "hter"
        if not key["words"]:
            return [
                make_undefined(scorer, "the text has no words", higher_is_better=False)
                for scorer in names
            ]
        minutes = 10 * value["ms"] / MINUTE / key["words"]
        keys = sum(value["keys"].values()) / key["words"]
        return [
            score_error_rate(names[0], minutes, worst=key["worst"][0]),
            score_error_rate(names[1], keys, worst=key["worst"][1]),
            _score_hter(key, names[2]),
        ]

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> dict[str, Any]:
        """Delete words, fewer of them where the quality is higher."""
        lines = text.split("\n")
        kept = [
            " ".join(
                word
                for word in line.split(" ")
                if rng.random() < interpolate_chance(qualities, 0.8, 1)
            )
            for line in lines
        ]
        changed = sum(
            len(before.split(" ")) - len(after.split(" "))
            for before, after in zip(lines, kept, strict=True)
        )
        count = len(find_words(text))
        speed = interpolate_chance(qualities, 0.5, 2)
        typed, deleted = 4 * changed, 5 * changed
        return {
            "text": "\n".join(kept),
            "ms": 1 + round(count * 0.05 * MINUTE / speed),
            "keys": {"letter": typed, "backspace": deleted, "navigation": count},
            "inputs": {"insertText": typed, "deleteContentBackward": deleted},
        }


def _score_hter(key: Mapping[str, Any], name: str) -> OutputScore:
    if not key["corrected_words"]:
        reason = "the correction has no words"
        return make_undefined(name, reason, higher_is_better=False)
    return score_error_rate(name, 100 * key["edits"] / key["corrected_words"])
