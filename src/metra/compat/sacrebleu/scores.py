"""Scores and signatures as sacreBLEU writes them: text, JSON and short forms."""

import json
import os
from collections.abc import Mapping, Sequence

from metra.errors import OptionError, not_possible
from metra.metrics.signatures import SACREBLEU

#: What signatures name of a call, in their order, and the short keys of all pairs.
_CALL = ("nrefs", "bs", "ar", "seed", "test", "lang", "origlang", "subset")
_SHORT = {
    **{"nrefs": "#", "test": "t", "lang": "l", "subset": "S", "origlang": "o"},
    **{"seed": "rs", "version": "v", "case": "c", "eff": "e", "smooth": "s"},
    **{"space": "s", "norm": "nr", "punct": "pn", "asian": "as"},
}


class Signature:
    """The settings of a score, as `key:value` pairs joined by bars."""

    def __init__(self, options: Mapping[str, str], **call: object):
        """Take a metric's options and the settings of the call."""
        self.info: dict[str, object] = {
            **dict.fromkeys(_CALL),
            **call,
            **options,
            "version": SACREBLEU,
        }

    def update(self, key: str, value: object) -> None:
        """Set the value of a key."""
        self.info[key] = value

    def format(self, short: bool = False) -> str:
        """Write the pairs whose values are known, with short keys if asked."""
        # The version comes last, and TER's tokeniser has a shorter key than BLEU's.
        names = sorted(self.info, key=lambda name: name == "version")
        keys = _SHORT | ({"tok": "t"} if self.info.get("tok") == "tercom" else {})
        return "|".join(
            f"{keys.get(name, name) if short else name}:{self.info[name]}"
            for name in names
            if self.info[name] is not None
        )

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
        pieces = [number]
        if interval:
            pieces.append(f"({interval})")
        if score_only:
            return " ".join(pieces)
        if is_json:
            return self._format_json(width, signature, interval)
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

    def estimate_ci(self, scores: Sequence["SacreScore"]) -> None:
        """Set the mean of resampled scores, and half the width of their 95 % interval."""
        self.set_interval([score.score for score in scores])

    def set_interval(self, values: Sequence[float]) -> None:
        """Set the mean and the interval of resampled values, in the precision they have."""
        import statistics

        values = sorted(values)
        cut = len(values) // 40
        self._ci = 0.5 * (values[len(values) - cut - 1] - values[cut])
        # The mean is that of exact fractions, and rounded once.
        self._mean = statistics.mean(values)

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


def get_seed() -> str:
    """Return the seed as the environment gives it, which signatures name."""
    return os.environ.get("SACREBLEU_SEED", "12345").lower()


def read_seed() -> int | None:
    """Read the seed of the environment; `none` draws anew."""
    value = get_seed()
    if value == "none":
        return None
    if not value.isdecimal():
        msg = not_possible(f"SACREBLEU_SEED={value}", "a whole number, or none")
        raise OptionError(msg)
    return int(value)
