"""sacreBLEU's functions: scores of corpora and sentences in one call, and n-grams."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from metra.compat.sacrebleu.metrics import BLEU, CHRF, TER, References
from metra.compat.sacrebleu.scores import BLEUScore, CHRFScore, TERScore


def corpus_bleu(
    hypotheses: Sequence[str],
    references: References,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """Compute BLEU of outputs against streams of references.

    >>> corpus_bleu(["the cat sat on a mat"], [["the cat sat on the mat"]])
    BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
    """
    metric = BLEU(
        lowercase=lowercase,
        force=force,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    score: BLEUScore = metric.corpus_score(hypotheses, references)
    return score


def raw_corpus_bleu(
    hypotheses: Sequence[str],
    references: References,
    smooth_value: float | None = 0.1,
) -> BLEUScore:
    """Compute BLEU of tokenised text, with floor smoothing."""
    return corpus_bleu(
        hypotheses,
        references,
        smooth_method="floor",
        smooth_value=smooth_value,
        force=True,
        tokenize="none",
        use_effective_order=True,
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """Compute BLEU of one segment against its references."""
    metric = BLEU(
        lowercase=lowercase,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: References,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Compute chrF of outputs against streams of references."""
    metric = CHRF(
        char_order=char_order,
        word_order=word_order,
        beta=beta,
        whitespace=not remove_whitespace,
        eps_smoothing=eps_smoothing,
    )
    score: CHRFScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Compute chrF of one segment against its references."""
    metric = CHRF(
        char_order=char_order,
        word_order=word_order,
        beta=beta,
        whitespace=not remove_whitespace,
        eps_smoothing=eps_smoothing,
    )
    score: CHRFScore = metric.sentence_score(hypothesis, references)
    return score


def corpus_ter(
    hypotheses: Sequence[str],
    references: References,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Compute TER of outputs against streams of references."""
    metric = TER(normalized, no_punct, asian_support, case_sensitive)
    score: TERScore = metric.corpus_score(hypotheses, references)
    return score


def sentence_ter(
    hypothesis: str,
    references: Sequence[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Compute TER of one segment against its references."""
    metric = TER(normalized, no_punct, asian_support, case_sensitive)
    score: TERScore = metric.sentence_score(hypothesis, references)
    return score


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """Count the n-grams of a list of words, each joined by blanks.

    >>> extract_word_ngrams(["a", "b", "c"], 2)
    Counter({'a b': 1, 'b c': 1})
    """
    starts = range(len(tokens) - n + 1)
    return Counter(" ".join(tokens[start : start + n]) for start in starts)


def extract_char_ngrams(
    line: str, n: int, include_whitespace: bool = False
) -> Counter[str]:
    """Count the n-grams of the characters of a text, by default without white space.

    >>> extract_char_ngrams("a bc", 2)
    Counter({'ab': 1, 'bc': 1})
    """
    text = line if include_whitespace else "".join(line.split())
    return Counter(text[start : start + n] for start in range(len(text) - n + 1))


def smart_open(file: str, mode: str = "rt", encoding: str = "utf-8") -> Any:
    """Open a text, packed by gzip or not, whose lines end at line feeds only."""
    if file.endswith(".gz"):
        import gzip

        return gzip.open(file, mode=mode, encoding=encoding, newline="\n")
    return open(file, mode=mode, encoding=encoding, newline="\n")
