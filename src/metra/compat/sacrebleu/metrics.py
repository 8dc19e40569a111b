"""sacreBLEU's metric classes, BLEU, CHRF and TER, over metra's metrics.

Statistics are counted by metra, as scores of whole corpora and of segments are. Only the
scores of resampled corpora are computed here: sacreBLEU bootstraps in single precision, and
its p-values and intervals depend on that.
"""

import logging
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from metra.compat.sacrebleu.arguments import TOKENIZERS
from metra.compat.sacrebleu.scores import (
    BLEUScore,
    CHRFScore,
    SacreScore,
    Signature,
    TERScore,
    get_seed,
)
from metra.errors import CorpusError, UnknownNameError, no_such
from metra.metrics.record import Array, Metric
from metra.metrics.registry import find_factory
from metra.metrics.signatures import SENTENCEPIECE_MODELS, list_sacrebleu_options

if TYPE_CHECKING:
    from metra.metrics.options import Case

Segments = Sequence[str]
References = Sequence[Sequence[str | None]]

LOG = logging.getLogger("metra.compat.sacrebleu")

#: The name of a system that stands alone, in messages.
_ONLY = "hyps"

#: So many outputs that end in a blank and a full stop look as if they were tokenised.
MOST_TOKENIZED = 100


class SacreMetric(ABC):
    """Shared parts of sacreBLEU's metrics: corpus and sentence scores, signatures."""

    #: The name of the class in messages.
    _name: ClassVar[str]
    _metric: Metric
    _tokenizer_name: str = "none"
    _case: "Case" = "mixed"

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
        outputs = {_ONLY: hypotheses}
        keep = n_bootstrap > 1
        rows = self.count(outputs, references, keep=keep)[_ONLY]
        score = self.build_score(self.sum_rows(rows) if keep else rows)
        if keep:
            from metra.compat.sacrebleu.significance import make_generator, resample

            (samples,) = resample(self, [rows], n_bootstrap, make_generator())
            score.set_interval(list(samples))
            self.n_bootstrap = n_bootstrap
            self.seed = get_seed()
        return score

    def sentence_score(self, hypothesis: str, references: Segments) -> Any:
        """Score one segment against its references."""
        if not isinstance(hypothesis, str):
            msg = f"{self._name}: `hyp` is not a text; expected one string."
            raise TypeError(msg)
        self._check_sequence("refs", references, "strings")
        streams = [[reference] for reference in references]
        total = self.count({_ONLY: [hypothesis]}, streams, keep=False)[_ONLY]
        return self.build_score(total)

    def get_signature(self) -> Signature:
        """Return what the last score was computed with."""
        if self.num_refs is None:
            msg = "The number of references is not known yet; score something first."
            raise ValueError(msg)
        options = list_sacrebleu_options(self._metric.signature())
        call = {"nrefs": self.num_refs, "bs": self.n_bootstrap, "seed": self.seed}
        return Signature(options, **call)

    @property
    def tokenizer_signature(self) -> str:
        """The tokeniser as signatures name it."""
        return list_sacrebleu_options(self._metric.signature())["tok"]

    def tokenizer(self, line: str) -> str:
        """Cut a text as the metric does, with blanks between the tokens."""
        return _tokenize([line.rstrip()], self._tokenizer_name, self._case)[0] or ""

    def count(
        self,
        outputs: Mapping[str, Segments],
        references: References | None,
        *,
        keep: bool,
    ) -> dict[str, Any]:
        """Count the statistics of every system: rows of segments if kept, else sums."""
        from metra.corpus.evalset import EvalSet
        from metra.corpus.outputs import Outputs
        from metra.scoring.statistics import count_corpus
        from metra.stats.totals import join_parts

        streams = self._find_references(references)
        prepared = [self._prepare_references(stream) for stream in streams]
        columns = {name: self._strip(name, outputs[name]) for name in outputs}
        for name, hypotheses in outputs.items():
            self._warn_tokenized(name, hypotheses)
        corpus = Outputs(EvalSet.from_streams(prepared), columns)
        counts = count_corpus(corpus, {self._name: self._metric}, keep=keep)
        self.num_refs = _count_references(streams)
        if keep:
            return {name: counts.tallies[name, self._name].rows for name in outputs}
        wholes = {name: counts.totals.whole[name, self._name].sums for name in outputs}
        totals: dict[str, Any] = {
            name: join_parts(each) for name, each in wholes.items()
        }
        if self._metric.fast.sums is None:
            import numpy as np

            totals = {name: np.array(total) for name, total in totals.items()}
        return totals

    def score_segments(
        self, hypotheses: Segments, references: References | None
    ) -> list[Any]:
        """Score every segment of a corpus, which is quicker than one at a time."""
        rows = self.count({_ONLY: hypotheses}, references, keep=True)[_ONLY]
        return [self.build_score(row) for row in rows]

    @abstractmethod
    def score_samples(self, sums: Array) -> Array:
        """Score sums of resampled rows in the precision that they have."""

    def _find_references(self, references: References | None) -> References:
        if references is not None:
            self._check_sequence("refs", references, "streams")
        streams = references or self._references
        if not streams:
            msg = (
                f"{self._name} has no references; give them with the outputs, or once "
                "as `references`."
            )
            raise CorpusError(msg)
        return streams

    def _prepare_references(self, stream: Sequence[str | None]) -> Any:
        return self._strip("refs", stream, may_lack=True)

    def _strip(
        self, what: str, segments: Sequence[str | None], *, may_lack: bool = False
    ) -> Any:
        """Return the segments without the white space at their ends."""
        self._check_sequence(what, segments, "strings")
        kinds = set(map(type, segments)) - ({type(None)} if may_lack else set())
        for kind in kinds:
            if not issubclass(kind, str):
                msg = (
                    f"{self._name}: `{what}` has a value of type {kind.__name__} where a "
                    "string was expected."
                )
                raise TypeError(msg)
        return [text and text.rstrip() for text in segments]

    def _check_sequence(self, what: str, values: object, kind: str) -> None:
        if isinstance(values, str) or not isinstance(values, Sequence):
            msg = (
                f"{self._name}: `{what}` is not a list; expected a sequence of {kind}."
            )
            raise TypeError(msg)

    def _warn_tokenized(self, name: str, hypotheses: Segments) -> None:
        if self._force:
            return
        count = sum(text.endswith(" .") for text in hypotheses)
        if count >= MOST_TOKENIZED:
            whose = "" if name == _ONLY else f" of {name}"
            LOG.warning(
                "%d outputs%s end in a space and a full stop, like tokenised text; "
                "BLEU expects detokenised text (force disables this check).",
                count,
                whose,
            )

    def sum_rows(self, rows: Array) -> Any:
        """Add up the rows of all segments."""
        return rows.sum(0)

    @abstractmethod
    def build_score(self, totals: Any) -> SacreScore:
        """Build the score of the sums of a corpus or a segment."""


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
        score, precisions, penalty = self.compute(numbers, float, operator.add)
        matches: list[Any] = numbers[: self.order]
        ngrams: list[Any] = numbers[self.order : -2]
        if self.smooth == "add-k" and any(matches):
            # sacreBLEU reports the counts that it has added to.
            for counts in (matches, ngrams):
                counts[1:] = [number + self.value for number in counts[1:]]
        hyp_len, ref_len = numbers[-2:]
        return BLEUScore(score, matches, ngrams, precisions, penalty, hyp_len, ref_len)

    def compute(
        self,
        totals: Sequence[float],
        round_number: Callable[[float], Any],
        add: Callable[[float, float], float],
    ) -> tuple[float, list[float], float]:
        """Return the score, the precisions and the brevity penalty.

        `round_number` rounds precisions, and `add` adds to counts, in the type that
        sacreBLEU keeps them in.
        """
        hyp_len, ref_len = totals[-2:]
        penalty = 1.0
        if hyp_len < ref_len:
            penalty = math.exp(1 - ref_len / hyp_len) if hyp_len > 0 else 0.0
        if not any(totals[: self.order]):
            return 0.0, [0.0] * self.order, penalty
        precisions = self._compute_precisions(totals, round_number, add)
        # With effective order, only orders count that the output is long enough for.
        count = len(precisions) if self.effective else self.order
        precisions += [0.0] * (self.order - len(precisions))
        # The logarithm of 0 is next to minus infinity.
        logs = [math.log(part) if part else -9999999999 for part in precisions[:count]]
        return penalty * math.exp(sum(logs) / count), precisions, penalty

    def _compute_precisions(
        self,
        totals: Sequence[float],
        round_number: Callable[[float], Any],
        add: Callable[[float, float], float],
    ) -> list[float]:
        """Return the precisions, per cent, of the orders that have any n-grams."""
        precisions: list[float] = []
        halves = 1
        for order in range(self.order):
            match, total = totals[order], totals[self.order + order]
            if self.smooth == "add-k" and order:
                match, total = add(match, self.value), add(total, self.value)
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
        self._formula = BleuArithmetic(
            max_ngram_order, smooth_method, smooth_value, effective_order
        )
        self._tokenizer_name = find_tokenizer(tokenize)
        self._metric = find_factory("bleu")(
            n=max_ngram_order,
            tok=self._tokenizer_name,
            case="lower" if lowercase else "mixed",
            smooth=smooth_method,
            smooth_value=smooth_value,
            eff="yes" if effective_order else "no",
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

        single = np.float32

        def add_singles(count: float, more: float) -> float:
            return float(single(count) + single(more))

        def add_whole(count: float, more: float) -> float:
            # Counts of swapped outputs are whole numbers, and stay so.
            return float(int(count + more))

        is_double = sums.dtype == np.float64
        kinds = (float, add_whole) if is_double else (single, add_singles)
        compute = self._formula.compute
        return np.array([compute(row, *kinds)[0] for row in sums.tolist()])

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
        self._case: Case = "mixed" if case_sensitive else "lower"
        steps = {"normalized": normalized, "nopunct": no_punct, "asian": asian_support}
        self._tokenizer_name = "+".join(
            ["tercom", *(name for name, is_on in steps.items() if is_on)]
        )
        self._metric = find_factory("ter")(
            normalized=normalized,
            punct=not no_punct,
            asian=asian_support,
            case=self._case,
        )

    def count(
        self,
        outputs: Mapping[str, Segments],
        references: References | None,
        *,
        keep: bool,
    ) -> dict[str, Any]:
        """Count the edits and the average length of the references."""
        import numpy as np

        counts = super().count(outputs, references, keep=keep)
        return {
            name: np.stack([rows[..., :4].sum(-1), rows[..., 4]], axis=-1)
            for name, rows in counts.items()
        }

    def score_samples(self, sums: Array) -> Array:
        """Score sums of resampled rows in the precision that they have."""
        edits, lengths = sums.T
        without = (edits > 0).astype(sums.dtype)
        return sums.dtype.type(100) * _divide(edits, lengths, without)

    def sum_rows(self, rows: Array) -> Any:
        """Add up the rows of all segments."""
        import numpy as np

        # Average lengths may be fractions: added one after the other, as sacreBLEU does.
        return np.array([sum(column) for column in rows.T.tolist()])

    def _prepare_references(self, stream: Sequence[str | None]) -> Any:
        """Normalise references once more than outputs, as sacreBLEU does."""
        stripped = super()._prepare_references(stream)
        if not (self.normalized or self.no_punct):
            return stripped
        return _tokenize(stripped, self._tokenizer_name, self._case)

    def build_score(self, totals: Any) -> TERScore:
        """Build the score of the sums of a corpus or a segment."""
        (score,) = self.score_samples(totals[None])
        edits, length = totals.tolist()
        return TERScore(float(score), edits, length)


#: The classes by the names that the command line and `PairedTest` use.
METRICS: dict[str, type[SacreMetric]] = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}


def find_tokenizer(name: str) -> str:
    """Return metra's name of a tokeniser; models lie in sacreBLEU's cache."""
    if name not in TOKENIZERS:
        raise UnknownNameError(no_such("tokeniser", name, TOKENIZERS))
    model = SENTENCEPIECE_MODELS.get("flores101" if name == "spm" else name)
    if model is None:
        return name
    from metra.formats.testsets.sacrebleu_cache import find_cache

    return f"spm@{find_cache() / 'models' / model}"


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


def _tokenize(texts: list[str | None], name: str, case: "Case") -> list[str | None]:
    """Cut segments, and join the tokens of each by blanks."""
    from metra.corpus.batch import SegmentColumn
    from metra.text.columns import pack
    from metra.text.preparation import make_preparation

    preparation = make_preparation(tok=name, case=case, stem="no")
    joined = SegmentColumn(pack(texts, "refs")).tokens(preparation).joined()
    return [joined[index] for index in range(len(joined))]


def _count_references(references: References) -> int | str:
    """Count the references of each segment; `var` where that varies."""
    if not any(None in stream for stream in references):
        return len(references)
    rows = zip(*references, strict=True)
    counts = {sum(text is not None for text in row) for row in rows}
    return counts.pop() if len(counts) == 1 else "var"
