"""Scores and signatures as sacreBLEU writes them: text, JSON and short forms."""

import json
from collections.abc import Mapping
from typing import Any

from metra.errors import OptionError, not_possible

#: The version of sacreBLEU whose numbers and signatures these are.
VERSION = "2.6.0"

#: Keys that every signature may have, in their order, and their short forms.
_SHARED = {
    "nrefs": "#",
    "test": "t",
    "lang": "l",
    "subset": "S",
    "origlang": "o",
    "bs": "bs",
    "ar": "ar",
    "seed": "rs",
}


class Signature:
    """What a score was computed with, as `key:value` pairs joined by bars."""

    def __init__(self, options: Mapping[str, tuple[str, object]], **known: object):
        """Take each option's short key and value, and what is known of the call."""
        self._abbr = {**_SHARED, **{key: entry[0] for key, entry in options.items()}}
        self._abbr["version"] = "v"
        values = {key: entry[1] for key, entry in options.items()}
        empty: dict[str, object] = dict.fromkeys(_SHARED)
        self.info = {**empty, **known, **values, "version": VERSION}

    def get(self, name: str) -> Any:
        """Return the value of a key."""
        return self.info[name]

    def update(self, key: str, value: object) -> None:
        """Set the value of a key."""
        self.info[key] = value

    def format(self, short: bool = False) -> str:
        """Write the pairs whose values are known, with short keys if asked."""
        pairs = []
        for name, key in self._abbr.items():
            value = self.info.get(name)
            if isinstance(value, bool):
                value = "yes" if value else "no"
            if value is not None:
                pairs.append(f"{key if short else name}:{value}")
        return "|".join(pairs)

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__


class SacreScore:
    """A score with its name, and its interval once it has been estimated."""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""

    def format(
        self,
        width: int = 2,
        score_only: bool = False,
        signature: str = "",
        is_json: bool = False,
    ) -> str:
        """Write the score as one line of text, or as a JSON object."""
        number = f"{self.score:.{width}f}"
        interval = ""
        if self._mean > 0:
            interval = f"μ = {self._mean:.{width}f} ± {self._ci:.{width}f}"
        if is_json:
            return self._format_json(width, signature, interval)
        pieces = [number]
        if interval:
            pieces.append(f"({interval})")
        if score_only:
            return " ".join(pieces)
        if self._verbose:
            pieces.append(self._verbose)
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {' '.join(pieces)}"

    def _format_json(self, width: int, signature: str, interval: str) -> str:
        fields: dict[str, object] = {
            "name": self.name,
            "score": float(f"{self.score:.{width}f}"),
            "signature": signature,
        }
        if interval:
            fields["confidence_mean"] = float(f"{self._mean:.{width}f}")
            fields["confidence_var"] = float(f"{self._ci:.{width}f}")
            fields["confidence"] = interval
        if self._verbose:
            fields["verbose_score"] = self._verbose
        for pair in signature.split("|") if signature else ():
            key, _, value = pair.partition(":")
            fields[key] = value
        return json.dumps(fields, indent=1, ensure_ascii=False)

    def set_interval(self, mean: float, ci: float) -> None:
        """Record the mean of resampled scores and half the width of their interval."""
        self._mean, self._ci = mean, ci

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__


class BLEUScore(SacreScore):
    """A BLEU score with its precisions and lengths."""

    def __init__(
        self,
        score: float,
        counts: list[int],
        totals: list[int],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.prec_str = "/".join(f"{precision:.1f}" for precision in precisions)
        self.ratio = sys_len / ref_len if ref_len else 0
        self._verbose = (
            f"{self.prec_str} (BP = {bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {sys_len:d} ref_len = {ref_len:d})"
        )


class CHRFScore(SacreScore):
    """A chrF score, named after its beta and orders of words."""

    def __init__(
        self, score: float, char_order: int, word_order: int, beta: int
    ) -> None:
        super().__init__(f"chrF{beta}" + "+" * word_order, score)
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order


class TERScore(SacreScore):
    """A translation edit rate with its edits and average reference length."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length


def read_seed(value: str) -> int | None:
    """Read a seed as sacreBLEU's environment variable gives it; `none` draws anew."""
    if value.lower() == "none":
        return None
    try:
        return int(value)
    except ValueError:
        msg = not_possible(f"SACREBLEU_SEED={value}", "a whole number, or none")
        raise OptionError(msg) from None
