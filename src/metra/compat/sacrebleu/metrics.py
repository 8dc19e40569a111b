"""sacreBLEU's classes BLEU, CHRF and TER, whose segments metra counts.

Everything else is sacreBLEU's: options, formulas, intervals, tests, signatures and texts.
"""

import logging
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias

from metra.corpus.batch import CorpusChunk, SegmentColumn, check_chunk
from metra.errors import CorpusError, require_package
from metra.formats.testsets.lookup import find_cache
from metra.metrics.record import Array, Metric
from metra.metrics.registry import find_factory
from metra.metrics.signatures import SENTENCEPIECE_MODELS
from metra.text.columns import check_lengths, pack

with require_package("metra.compat.sacrebleu", "sacrebleu", "testsets"):
    from sacrebleu.metrics import base, bleu, chrf, ter
    from sacrebleu.metrics.bleu import BLEUScore
    from sacrebleu.metrics.chrf import CHRFScore
    from sacrebleu.metrics.ter import TERScore

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

LOG = logging.getLogger("sacrebleu")

#: So many outputs that end in a blank and a full stop look as if they were tokenised.
MOST_TOKENIZED = 100

Stream: TypeAlias = Sequence[str | None]
_RULE = "each reference needs a text, or None, for every output"
#: Names of metra for texts as they are, and in lower case.
_CASES = ("mixed", "lower")


class CountedMetric(base.Metric):
    """A metric of sacreBLEU that has whole corpora counted by a metric of metra."""

    num_refs: int

    @property
    @abstractmethod
    def _counter(self) -> Metric:
        """The metric of metra with the same options."""

    def _list_statistics(self, rows: Array) -> list[list[Any]]:
        """List the statistics of segments in sacreBLEU's order and types."""
        return rows.astype(int).tolist()

    def _cache_references(self, references: Sequence[Stream]) -> list[Any]:
        """Keep the texts, and how many references a segment has: -1 if that varies."""
        streams = [self._prepare_references(stream) for stream in references]
        counts = {
            sum(text is not None for text in row) for row in zip(*streams, strict=False)
        }
        self.num_refs = counts.pop() if len(counts) == 1 else -1
        return streams

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Stream] | None
    ) -> list[list[Any]]:
        """Count every segment; refuse texts of different lengths."""
        streams = self._cache_references(references) if references else self._ref_cache
        if not streams:
            msg = (
                f"{type(self).__name__} has no references; give them with the outputs, "
                "or once as `references`."
            )
            raise CorpusError(msg)
        texts = {"hyps": self._prepare(hypotheses)}
        texts |= {f"reference {n}": stream for n, stream in enumerate(streams, 1)}
        check_lengths({name: len(stream) for name, stream in texts.items()}, _RULE)
        self._warn_tokenized(texts["hyps"])
        columns = {n: SegmentColumn(pack(stream, n)) for n, stream in texts.items()}
        outputs = {"hyps": columns.pop("hyps")}
        chunk = CorpusChunk(outputs, [*columns.values()], None, None)
        rows = self._counter.rows(check_chunk(chunk).batch("hyps"))
        return self._list_statistics(rows)

    def _prepare(self, texts: Stream) -> list[str | None]:
        """Remove white space at the ends of lines, and a byte order mark before the first."""
        if isinstance(texts, str):
            msg = (
                f"{type(self).__name__}: a list of texts is one text; expected a list."
            )
            raise TypeError(msg)
        prepared = [text and text.rstrip() for text in texts]
        if prepared and prepared[0]:
            prepared[0] = prepared[0].removeprefix("\ufeff")
        return prepared

    def _prepare_references(self, texts: Stream) -> list[str | None]:
        return self._prepare(texts)

    def _warn_tokenized(self, outputs: Stream) -> None:
        count = sum(text is not None and text.endswith(" .") for text in outputs)
        if not self._force and count >= MOST_TOKENIZED:
            LOG.warning(
                "%d outputs end in a space and a full stop, like tokenised text; BLEU "
                "expects detokenised text (force disables this check).",
                count,
            )


class BLEU(CountedMetric, bleu.BLEU):
    """BLEU with sacreBLEU's parameters."""

    @cached_property
    def _counter(self) -> Metric:
        return find_factory("bleu")(
            n=self.max_ngram_order,
            tok=self._find_tokenizer(),
            case=_CASES[self.lowercase],
        )

    def _find_tokenizer(self) -> str:
        """Find metra's name of the tokeniser; models lie in sacreBLEU's cache."""
        sign = self.tokenizer_signature  # MeCab's has its version behind the name
        name = next(n for n in self.TOKENIZERS if f"{sign}-".startswith(f"{n}-"))
        model = SENTENCEPIECE_MODELS.get(name)
        return f"spm@{find_cache() / 'models' / model}" if model else name

    def _list_statistics(self, rows: Array) -> list[list[Any]]:
        return [[*row[-2:], *row[:-2]] for row in super()._list_statistics(rows)]


class CHRF(CountedMetric, chrf.CHRF):
    """chrF and chrF++ with sacreBLEU's parameters."""

    @cached_property
    def _counter(self) -> Metric:
        return find_factory("chrf")(
            n=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            case=_CASES[self.lowercase],
            whitespace=self.whitespace,
            eps=self.eps_smoothing,
        )


class TER(CountedMetric, ter.TER):
    """Translation edit rate with sacreBLEU's parameters."""

    @cached_property
    def _counter(self) -> Metric:
        return find_factory("ter")(
            normalized=self.normalized,
            punct=not self.no_punct,
            asian=self.asian_support,
            case=_CASES[not self.case_sensitive],
        )

    def _prepare_references(self, texts: Stream) -> list[str | None]:
        """Normalise references once more than outputs, as sacreBLEU does."""
        prepared = super()._prepare_references(texts)
        if not (self.normalized or self.no_punct):
            return prepared
        return [text and self.tokenizer(text) for text in prepared]

    def _list_statistics(self, rows: Array) -> list[list[Any]]:
        edits = rows[:, :4].sum(1).astype(int).tolist()
        return [list(pair) for pair in zip(edits, rows[:, 4].tolist(), strict=True)]


#: The classes by the names that the command line uses.
METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}
