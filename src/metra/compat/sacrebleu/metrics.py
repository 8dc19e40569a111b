"""sacreBLEU's metric classes, BLEU, CHRF and TER, over metra's metrics.

Statistics are counted by metra, as scores of whole corpora and of segments are. Only the
scores of resampled corpora are computed here: sacreBLEU bootstraps in single precision, and
its p-values and intervals depend on that.
"""

import logging
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from metra.compat.sacrebleu.arguments import TOKENIZERS
from metra.compat.sacrebleu.scores import (
    BLEUScore,
    CHRFScore,
    SacreScore,
    Signature,
    TERScore,
    read_seed,
)
from metra.errors import CorpusError, UnknownNameError, no_such
from metra.metrics.record import Array, Metric
from metra.metrics.registry import find_factory

if TYPE_CHECKING:
    from metra.corpus.evalset import EvalSet
    from metra.scoring.statistics import CorpusStatistics

Segments = Sequence[str]
References = Sequence[Sequence[str | None]]

LOG = logging.getLogger("metra.compat.sacrebleu")

#: The name of a system that stands alone, in messages.
_ONLY = "hyps"

#: So many outputs that end in a blank and a full stop look as if they were tokenised.
MOST_TOKENIZED = 100


class SacreMetric:
    """What sacreBLEU's metrics have in common: corpus and sentence scores, signatures."""

    #: The name of the class in messages.
    _name: ClassVar[str]
    _metric: Metric

    def __init__(self, references: References | None, *, force: bool = True) -> None:
        self._references = references
        self._force = force
        self.num_refs: int | str | None = None
        self.n_bootstrap: int | None = None
        self.seed: int | str | None = None
        if references is not None:
            self.num_refs = _count_references(references)

    def corpus_score(
        self,
        hypotheses: Segments,
        references: References | None,
        n_bootstrap: int = 1,
    ) -> Any:
        """Score outputs against streams of references, each as long as the outputs.

        With `n_bootstrap` above 1 the score has a bootstrap interval.
        """
        self._check_hypotheses(hypotheses)
        outputs = {_ONLY: hypotheses}
        keep = n_bootstrap > 1
        rows = self.count(outputs, references, keep=keep)[_ONLY]
        score = self.build_score(self.sum_rows(rows) if keep else rows)
        if keep:
            import statistics

            from metra.compat.sacrebleu.significance import Resampler, estimate_ci

            seed = os.environ.get("SACREBLEU_SEED", "12345")
            resampler = Resampler(len(rows), n_bootstrap, read_seed(seed))
            samples = resampler.resample(self, rows)
            # The mean is that of exact fractions, and rounded once.
            mean = samples.dtype.type(statistics.mean(samples.tolist()))
            score.set_interval(float(mean), estimate_ci(samples)[1])
            self.n_bootstrap = n_bootstrap
            self.seed = seed.lower()
        return score

    def sentence_score(self, hypothesis: str, references: Segments) -> Any:
        """Score one segment against its references."""
        if not isinstance(hypothesis, str):
            msg = f"{self._name}: `hyp` is no text; expected one string."
            raise TypeError(msg)
        if isinstance(references, str):
            msg = f"{self._name}: `refs` is one string; expected a list of strings."
            raise TypeError(msg)
        streams = [[reference] for reference in references]
        total = self.count({_ONLY: [hypothesis]}, streams, keep=False)[_ONLY]
        return self.build_score(total)

    def get_signature(self) -> Signature:
        """Return what the last score was computed with."""
        if self.num_refs is None:
            msg = "The number of references is not known yet; score something first."
            raise ValueError(msg)
        known: dict[str, object] = {"nrefs": self.num_refs}
        if self.n_bootstrap is not None:
            known |= {"bs": self.n_bootstrap, "seed": self.seed}
        return Signature(self._list_options(), **known)

    def count(
        self,
        outputs: Mapping[str, Segments],
        references: References | None,
        *,
        keep: bool,
    ) -> dict[str, Any]:
        """Count the statistics of every system: rows of segments if kept, else sums."""
        counts = self._count_corpus(outputs, references, keep=keep)
        if keep:
            return {name: counts.tallies[name, self._name].rows for name in outputs}
        from metra.stats.totals import join_parts

        totals = {}
        for name in outputs:
            numbers: Any = join_parts(counts.totals[(), name, self._name].sums)
            if self._metric.sums is None:
                import numpy as np

                numbers = np.array(numbers)
            totals[name] = numbers
        return totals

    def score_segments(
        self, hypotheses: Segments, references: References | None
    ) -> list[Any]:
        """Score every segment of a corpus, which is quicker than one at a time."""
        rows = self.count({_ONLY: hypotheses}, references, keep=True)[_ONLY]
        return [self.build_score(row) for row in rows]

    def score_samples(self, sums: Array) -> Array:
        """Score sums of resampled rows in the precision that they have."""
        raise NotImplementedError

    def _count_corpus(
        self,
        outputs: Mapping[str, Segments],
        references: References | None,
        *,
        keep: bool,
    ) -> "CorpusStatistics":
        from metra.corpus.outputs import Outputs
        from metra.scoring.statistics import count_corpus

        streams = self._references if references is None else references
        if streams is None:
            msg = (
                f"{self._name} has no references; give them with the outputs, or once "
                "as `references`."
            )
            raise CorpusError(msg)
        for name, hypotheses in outputs.items():
            self._warn_tokenized(name, hypotheses)
        prepared = [self._prepare_references(stream) for stream in streams]
        stripped = {name: _strip(segments) for name, segments in outputs.items()}
        corpus = Outputs(_build_evalset(prepared), stripped)
        counts = count_corpus(corpus, {self._name: self._metric}, keep=keep)
        self.num_refs = counts.nrefs
        return counts

    def _prepare_references(self, stream: Sequence[str | None]) -> Any:
        return _strip(stream)

    def _warn_tokenized(self, name: str, hypotheses: Segments) -> None:
        if self._force:
            return
        count = sum(text.endswith(" .") for text in hypotheses)
        if count >= MOST_TOKENIZED:
            whose = "" if name == _ONLY else f" of {name}"
            LOG.warning(
                "%d outputs%s end in a blank and a full stop, as tokenised text does; "
                "BLEU expects detokenised text (force says that it is).",
                count,
                whose,
            )

    def _check_hypotheses(self, hypotheses: Segments) -> None:
        if isinstance(hypotheses, str):
            msg = f"{self._name}: `hyps` is one string; expected a list of strings."
            raise TypeError(msg)
        for text in hypotheses:
            if not isinstance(text, str):
                msg = f"{self._name}: `hyps` has {text!r} where a string was expected."
                raise TypeError(msg)

    def _list_options(self) -> dict[str, tuple[str, object]]:
        """Return the short key and the value of each option, for signatures."""
        raise NotImplementedError

    def sum_rows(self, rows: Array) -> Any:
        """Add up the rows of all segments."""
        return rows.sum(0)

    def build_score(self, totals: Any) -> SacreScore:
        """Build the score of the sums of a corpus or a segment."""
        raise NotImplementedError


#: The smoothing value of each method where none is given; None where it takes none.
SMOOTH_DEFAULTS: dict[str, float | None] = {
    "none": None,
    "floor": 0.1,
    "add-k": 1,
    "exp": None,
}


class BleuArithmetic:
    """BLEU from counts, with sacreBLEU's order of operations: the same last digits.

    metra's own formula agrees up to rounding, which would show in JSON of paired tests.
    """

    def __init__(
        self, order: int, smooth: str, value: float | None, effective: bool
    ) -> None:
        if smooth not in SMOOTH_DEFAULTS:
            raise UnknownNameError(no_such("smoothing", smooth, SMOOTH_DEFAULTS))
        default = SMOOTH_DEFAULTS[smooth]
        self.order = order
        self.smooth = smooth
        self.value = (default if value is None else value) or 0
        self.effective = effective

    def build_score(self, totals: Sequence[float]) -> BLEUScore:
        """Build the score of matches, n-grams, output length and reference length."""
        numbers = list(map(int, totals))
        score, precisions, penalty = self.compute(numbers, float)
        matches: list[Any] = numbers[: self.order]
        ngrams: list[Any] = numbers[self.order : -2]
        if self.smooth == "add-k" and any(matches):
            # sacreBLEU reports the counts that it has added to.
            for counts in (matches, ngrams):
                counts[1:] = [number + self.value for number in counts[1:]]
        hyp_len, ref_len = numbers[-2:]
        return BLEUScore(score, matches, ngrams, precisions, penalty, hyp_len, ref_len)

    def compute(
        self, totals: Sequence[float], round_number: Callable[[float], Any]
    ) -> tuple[float, list[float], float]:
        """Return the score, the precisions and the brevity penalty.

        `round_number` rounds each result that sacreBLEU keeps in the type of its counts.
        """
        hyp_len, ref_len = totals[-2:]
        penalty = 1.0
        if hyp_len < ref_len:
            penalty = math.exp(1 - ref_len / hyp_len) if hyp_len > 0 else 0.0
        if not any(totals[: self.order]):
            return 0.0, [0.0] * self.order, penalty
        precisions = self._compute_precisions(totals, round_number)
        # With effective order, only orders count that the output is long enough for.
        count = len(precisions) if self.effective else self.order
        precisions += [0.0] * (self.order - len(precisions))
        # The logarithm of 0 is next to minus infinity.
        logs = [math.log(part) if part else -9999999999 for part in precisions[:count]]
        return penalty * math.exp(sum(logs) / count), precisions, penalty

    def _compute_precisions(
        self, totals: Sequence[float], round_number: Callable[[float], Any]
    ) -> list[float]:
        """Return the precisions, per cent, of the orders that have any n-grams."""
        precisions: list[float] = []
        halves = 1
        for order in range(self.order):
            match, total = totals[order], totals[self.order + order]
            if self.smooth == "add-k" and order:
                match = float(round_number(match + float(round_number(self.value))))
                total = float(round_number(total + float(round_number(self.value))))
            if not total:
                break
            above = 100 * match
            if not match and self.smooth == "exp":
                halves *= 2
                above, total = 100, halves * total
            elif not match and self.smooth == "floor":
                above = 100 * self.value
            precisions.append(float(round_number(float(round_number(above)) / total)))
        return precisions


class BLEU(SacreMetric):
    """BLEU with sacreBLEU's parameters."""

    _name = "BLEU"
    SMOOTH_DEFAULTS = SMOOTH_DEFAULTS
    TOKENIZERS = TOKENIZERS
    TOKENIZER_DEFAULT = "13a"
    _TOKENIZER_MAP: ClassVar[dict[str, str]] = {
        "zh": "zh",
        "ja": "ja-mecab",
        "ko": "ko-mecab",
    }

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str = "",
        references: References | None = None,
    ) -> None:
        super().__init__(references, force=force)
        self.lowercase = lowercase
        self.trg_lang = trg_lang
        self.smooth_method = smooth_method
        self.smooth_value = smooth_value
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        if tokenize is None:
            tokenize = self._TOKENIZER_MAP.get(trg_lang, self.TOKENIZER_DEFAULT)
        name, self.tokenizer_signature = find_tokenizer(tokenize)
        self._formula = BleuArithmetic(
            max_ngram_order, smooth_method, smooth_value, effective_order
        )
        self._metric = find_factory("bleu")(
            n=max_ngram_order, tok=name, case="lower" if lowercase else "mixed"
        )

    def sentence_score(self, hypothesis: str, references: Segments) -> BLEUScore:
        """Score one segment against its references."""
        if not self.effective_order:
            LOG.warning("Sentence-level BLEU is best computed with effective_order.")
        score: BLEUScore = super().sentence_score(hypothesis, references)
        return score

    def score_samples(self, sums: Array) -> Array:
        """Score sums of resampled rows; precisions are rounded to their precision."""
        import numpy as np

        is_double = sums.dtype == np.float64
        rounding: Callable[[float], Any] = float if is_double else np.float32
        compute = self._formula.compute
        return np.array([compute(row, rounding)[0] for row in sums.tolist()])

    def _list_options(self) -> dict[str, tuple[str, object]]:
        smooth = self.smooth_method
        if self.SMOOTH_DEFAULTS[smooth] is not None:
            smooth += f"[{self._formula.value:.2f}]"
        return {
            "case": ("c", "lc" if self.lowercase else "mixed"),
            "eff": ("e", self.effective_order),
            "tok": ("tok", self.tokenizer_signature),
            "smooth": ("s", smooth),
        }

    def build_score(self, totals: Any) -> BLEUScore:
        """Build the score of the sums of a corpus or a segment."""
        return self._formula.build_score(totals)

    @staticmethod
    def compute_bleu(
        correct: list[int],
        total: list[int],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = 4,
    ) -> BLEUScore:
        """Compute the score of counted n-grams and lengths."""
        formula = BleuArithmetic(
            max_ngram_order, smooth_method, smooth_value, effective_order
        )
        return formula.build_score([*correct, *total, sys_len, ref_len])


class CHRF(SacreMetric):
    """chrF and chrF++ with sacreBLEU's parameters."""

    _name = "CHRF"
    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: References | None = None,
    ) -> None:
        super().__init__(references)
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.order = char_order + word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        self._metric = find_factory("chrf")(
            n=char_order,
            word_order=word_order,
            beta=beta,
            case="lower" if lowercase else "mixed",
            whitespace=whitespace,
            eps=eps_smoothing,
        )

    def score_samples(self, sums: Array) -> Array:
        """Score sums of resampled rows, all of it in their precision."""
        import numpy as np

        kind = sums.dtype.type
        parts = sums.reshape(len(sums), self.order, 3)
        hyp, ref, match = np.moveaxis(parts, -1, 0)
        factor = kind(self.beta**2)
        if self.eps_smoothing:
            tiny = kind(1e-16)
            precision = _divide(match, hyp, tiny)
            recall = _divide(match, ref, tiny)
            weight = factor * precision + recall
            orders = _divide((1 + factor) * precision * recall, weight, tiny)
            return kind(100) * _add_columns(orders) / kind(self.order)
        both = (hyp > 0) & (ref > 0)
        count = both.sum(1).astype(kind)
        zero = kind(0)
        precision = _add_columns(np.where(both, _divide(match, hyp, zero), zero))
        recall = _add_columns(np.where(both, _divide(match, ref, zero), zero))
        precision = _divide(precision, count, zero)
        recall = _divide(recall, count, zero)
        weight = factor * precision + recall
        product = (1 + factor) * precision * recall
        return kind(100) * _divide(product, weight, zero)

    def _list_options(self) -> dict[str, tuple[str, object]]:
        return {
            "case": ("c", "lc" if self.lowercase else "mixed"),
            "eff": ("e", not self.eps_smoothing),
            "nc": ("nc", self.char_order),
            "nw": ("nw", self.word_order),
            "space": ("s", self.whitespace),
        }

    def build_score(self, totals: Any) -> CHRFScore:
        """Build the score of the sums of a corpus or a segment."""
        score = float(self._metric.aggregate(totals))
        return CHRFScore(score, self.char_order, self.word_order, self.beta)


class TER(SacreMetric):
    """Translation edit rate with sacreBLEU's parameters."""

    _name = "TER"

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: References | None = None,
    ) -> None:
        super().__init__(references)
        self.no_punct = no_punct
        self.normalized = normalized
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        self._metric = find_factory("ter")(
            normalized=normalized,
            punct=not no_punct,
            asian=asian_support,
            case="mixed" if case_sensitive else "lower",
        )

    def score_samples(self, sums: Array) -> Array:
        """Score sums of resampled rows in the precision that they have."""
        edits = sums[:, :4].sum(1)
        without = (edits > 0).astype(sums.dtype)
        return sums.dtype.type(100) * _divide(edits, sums[:, 4], without)

    def sum_rows(self, rows: Array) -> Any:
        """Add up the rows of all segments."""
        import numpy as np

        # Average lengths may be fractions: added one after the other, as sacreBLEU does.
        return np.array([sum(column) for column in rows.T.tolist()])

    def _prepare_references(self, stream: Sequence[str | None]) -> Any:
        """Normalise references once more than outputs, as sacreBLEU does."""
        stripped = _strip(stream)
        if not (self.normalized or self.no_punct):
            return stripped
        from metra.corpus.batch import SegmentColumn
        from metra.text.columns import pack
        from metra.text.preparation import make_preparation

        steps = ("+normalized" * self.normalized, "+nopunct" * self.no_punct)
        name = "".join(["tercom", *steps, "+asian" * self.asian_support])
        case = "mixed" if self.case_sensitive else "lower"
        preparation = make_preparation(tok=name, case=case, stem="no")
        texts = SegmentColumn(pack(stripped, "refs")).tokens(preparation).joined()
        return [texts[index] for index in range(len(texts))]

    def _list_options(self) -> dict[str, tuple[str, object]]:
        return {
            "case": ("c", "mixed" if self.case_sensitive else "lc"),
            "tok": ("t", "tercom"),
            "norm": ("nr", self.normalized),
            "punct": ("pn", not self.no_punct),
            "asian": ("as", self.asian_support),
        }

    def build_score(self, totals: Any) -> TERScore:
        """Build the score of the sums of a corpus or a segment."""
        score = float(self._metric.aggregate(totals))
        return TERScore(score, float(totals[:4].sum()), float(totals[4]))


#: The classes by the names that the command line and `PairedTest` use.
METRICS: dict[str, type[SacreMetric]] = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

#: Models of SentencePiece tokenisers in the folder `models` of sacreBLEU's cache.
_MODELS = {
    "spm": ("flores101", "sacrebleu_tokenizer_spm.model"),
    "flores101": ("flores101", "sacrebleu_tokenizer_spm.model"),
    "flores200": ("flores200", "flores200sacrebleuspm"),
    "spBLEU-1K": ("spBLEU-1K", "spbleu-1k_tokenizer_spm.model"),
}


def find_tokenizer(name: str) -> tuple[str, str]:
    """Return metra's name of a tokeniser, and its name in sacreBLEU's signatures."""
    if name not in TOKENIZERS:
        raise UnknownNameError(no_such("tokeniser", name, TOKENIZERS))
    if name in _MODELS:
        from metra.compat.sacrebleu.testsets import get_cache_folder

        signature, file = _MODELS[name]
        return f"spm@{get_cache_folder() / 'models' / file}", signature
    if name == "ja-mecab":
        return name, f"{name}-{_get_mecab_version('MeCab')}-IPA"
    if name == "ko-mecab":
        return name, f"{name}-{_get_mecab_version('mecab_ko')}-KO"
    return name, name


def _get_mecab_version(package: str) -> str:
    """Return MeCab's version; empty where it is missing, which the metric then reports."""
    from importlib import import_module

    try:
        return str(import_module(package).VERSION)
    except ImportError:
        return ""


def _divide(above: Array, below: Array, otherwise: Any) -> Array:
    """Divide where the divisor is above 0."""
    import numpy as np

    out = np.broadcast_to(otherwise, above.shape).astype(above.dtype)
    return np.divide(above, below, out=out, where=below > 0)


def _add_columns(values: Array) -> Array:
    """Add columns one after the other, which rounds as sacreBLEU's loop does."""
    total = values[:, 0]
    for column in values.T[1:]:
        total = total + column
    return total


def _strip(stream: Sequence[str | None]) -> list[str | None]:
    return [text if text is None else text.rstrip() for text in stream]


def _build_evalset(streams: list[list[str | None]]) -> "EvalSet":
    """Make a test set of streams, also of as many as each is long."""
    from metra.corpus.evalset import EvalSet

    if any(len(stream) != len(streams) for stream in streams):
        return EvalSet(streams)
    rows: Any = list(zip(*streams, strict=True))
    return EvalSet(refs_per_segment=rows)


def _count_references(references: References) -> int | str:
    is_missing = any(text is None for stream in references for text in stream)
    return "var" if is_missing else len(references)
