"""METEOR: words linked one to one by form, stem or meaning, broken links penalised."""

import math
from functools import lru_cache, partial
from typing import Literal

from metra import _core
from metra.corpus.batch import Batch, Sentence, get_segment_words
from metra.errors import MissingResourceError, OptionError
from metra.metrics.alignment import Alignment, Link, WordRange, sort_links
from metra.metrics.meteor_parameters import (
    FUNCTION_WORDS,
    STEMMERS,
    choose_parameters,
)
from metra.metrics.options import FromZero, Range, Share
from metra.metrics.record import Array, Metric, Parts, record_options
from metra.text.preparation import Preparation, make_preparation
from metra.text.resources import (
    compute_table_digest,
    find_wordnet_folder,
    read_paraphrase_table,
    read_wordnet_version,
)

STAGES = ("exact", "stem", "synonym", "paraphrase")
# What a match of a stage may weigh.
_WEIGHT = Range(0, 1)


@record_options
def meteor(
    *,
    variant: Literal["1.5", "2007", "2005"] = "1.5",
    lang: str = "en",
    task: Literal["rank", "adq", "hter", "util", "li", "tune", "universal"] = "rank",
    modules: str = "auto",
    alpha: Share | None = None,
    beta: FromZero | None = None,
    gamma: Share | None = None,
    delta: Share | None = None,
    weights: str = "auto",
    wordnet: str = "",
    paraphrase: str = "",
    norm: bool = False,
    tok: str = "13a",
    case: Literal["mixed", "lower"] = "lower",
) -> Metric:
    """Words matched by form, stem and meaning, in order; 0 to 100. Higher is better.

    Words of the output are linked to words of a reference, each at most once, so that as
    many as possible are equal and the links form as few chunks, runs in the same order
    on both sides, as possible. P and R are the weighted shares of output and reference
    words that are linked; Fmean = 1 / ((1 - alpha)/P + alpha/R); the score is
    Fmean * (1 - gamma * (chunks / links)^beta). Content words weigh delta, function words
    1 - delta. A segment's best reference counts; documents and systems are the formula
    over summed counts, not a mean.

    Banerjee and Lavie 2005; Lavie and Agarwal 2007; Denkowski and Lavie 2014, "Meteor
    Universal", WMT. There is one aligner, METEOR 1.5's, for all variants; with
    `tok=none,case=mixed` on tokenised text the alignments and scores are METEOR 1.5's own
    with the same modules.

    Options:
        variant: whose formula and parameters.
        lang: language of the text: en, cz, de, es, fr, ru with parameters of their own;
            da, fi, hu, it, nl, no, pt, ro, sv, tr with a stemmer; any other matches forms.
        task: what the English parameters of 1.5 were tuned for.
        modules: stages joined by +: exact, stem, synonym, paraphrase; auto takes those
            that the language has, and paraphrase where a table is given.
        alpha: weight of recall in Fmean.
        beta: how steeply the penalty grows with fragmentation.
        gamma: the largest penalty.
        delta: weight of content words.
        weights: weight of a match of each stage, joined by +.
        wordnet: folder of WordNet's files, if not where Debian's wordnet-base puts them.
        paraphrase: file with a METEOR paraphrase table; adds a stage that links phrases.
        norm: prepare text by METEOR's own normaliser, English only, instead of tok and case.
        tok: how text is cut into words; none: at ASCII white space, as the program does.
        case: whether letter case counts.
    """
    stages = _choose_stages(modules, lang, paraphrases=bool(paraphrase))
    chosen = choose_parameters(variant, lang, task)
    formula = [
        tuned if given is None else given
        for tuned, given in zip(chosen[:4], (alpha, beta, gamma, delta), strict=True)
    ]
    stage_weights = _parse_weights(
        weights, stages, dict(zip(STAGES, chosen[4:], strict=True))
    )
    if norm and lang != "en":
        msg = f"meteor: there is no normaliser for lang={lang}; expected norm=no."
        raise OptionError(msg)
    if norm:
        # The normaliser looks at capitals before it lower-cases.
        text = make_preparation(tok="meteor-en", case="mixed", stem="no")
        settled: dict[str, object] = {"tok": "meteor-en", "case": "lower"}
    else:
        white = "java-white" if tok == "none" else tok
        text = make_preparation(tok=white, case=case, stem="no")
        settled = {"tok": tok if tok == "none" else text.versions()["tok"]}
    settled |= dict(zip(("alpha", "beta", "gamma", "delta"), formula, strict=True))
    settled["modules"] = "+".join(stages)
    settled["weights"] = "+".join(f"{weight:g}" for weight in stage_weights)
    folder = ""
    if "synonym" in stages:
        path = find_wordnet_folder(wordnet)
        folder = str(path)
        settled["wordnet"] = read_wordnet_version(path)
    elif not wordnet:
        settled["wordnet"] = "none"
    digest = compute_table_digest(paraphrase) if paraphrase else ""
    if digest:
        settled["paraphrase"] = digest
    aligner = _build_aligner(
        lang, stages, folder, (paraphrase, digest), tuple(formula), stage_weights
    )
    per_stage = [
        f"{stage}_{side}"
        for stage in (*stages, *("unused", "unused_2", "unused_3"))[:4]
        for side in ("hyp_content", "ref_content", "hyp_function", "ref_function")
    ]
    return Metric(
        name="meteor",
        columns=(
            *("hyp_len", "ref_len", "hyp_function", "ref_function"),
            *per_stage,
            *("chunks", "hyp_matches", "ref_matches"),
        ),
        rows=partial(rows, aligner=aligner, text=text),
        aggregate=aligner.score,
        parts=partial(parts, aligner=aligner),
        align=partial(align, aligner=aligner, stages=stages, text=text),
        settled=settled,
    )


def rows(batch: Batch | Sentence, *, aligner: _core.Meteor, text: Preparation) -> Array:
    """Counts of each segment's alignment with its best reference: (segments, 23)."""
    refs = [ref.tokens(text) for ref in batch.refs]
    return aligner.rows(batch.hyps.tokens(text), refs)


def parts(totals: Array, *, aligner: _core.Meteor) -> Parts:
    """The pieces of one score."""
    precision, recall, fmean, penalty = (
        0.0 if math.isnan(piece) else piece for piece in aligner.pieces(totals)
    )
    return {
        "precision": 100 * precision,
        "recall": 100 * recall,
        "fmean": 100 * fmean,
        "penalty": penalty,
        "chunks": float(totals[-3]),
        "matches": float(totals[-2]),
        "hyp_len": float(totals[0]),
        "ref_len": float(totals[1]),
    }


def align(
    batch: Batch | Sentence,
    index: int,
    *,
    aligner: _core.Meteor,
    stages: tuple[str, ...],
    text: Preparation,
) -> list[Alignment]:
    """Link words and phrases by the stage that matched them, with each reference."""
    refs = [ref.tokens(text) for ref in batch.refs]
    best, alignments = aligner.alignments(batch.hyps.tokens(text), refs, index)
    hyp, references = get_segment_words(batch, index, text)
    return [
        Alignment(
            hyp=hyp,
            ref=words,
            links=sort_links(
                [_make_link(link, stages) for link in links], len(hyp), len(words)
            ),
            kinds=(*stages, "insertion", "deletion"),
            reference=number,
            chosen=place == best,
        )
        for place, ((number, words), links) in enumerate(
            zip(references, alignments, strict=True)
        )
    ]


def _make_link(match: tuple[int, int, int, int, int], stages: tuple[str, ...]) -> Link:
    ref, ref_words, hyp, hyp_words, stage = match
    return Link(
        stages[stage], WordRange(hyp, hyp + hyp_words), WordRange(ref, ref + ref_words)
    )


def _choose_stages(modules: str, lang: str, *, paraphrases: bool) -> tuple[str, ...]:
    if modules == "auto":
        has = {
            "exact": True,
            "stem": lang in STEMMERS,
            "synonym": lang == "en",
            "paraphrase": paraphrases,
        }
        return tuple(stage for stage in STAGES if has[stage])
    stages = tuple(modules.split("+"))
    if stages[0] != "exact" or stages != tuple(s for s in STAGES if s in stages):
        msg = (
            f"meteor: modules={modules} is not possible; expected exact, then any of "
            "stem, synonym and paraphrase in this order, joined by +."
        )
        raise OptionError(msg)
    if "stem" in stages and lang not in STEMMERS:
        msg = (
            f"meteor: there is no stemmer for lang={lang}; expected one of "
            f"{', '.join(STEMMERS)}, or modules=exact."
        )
        raise OptionError(msg)
    if "synonym" in stages and lang != "en":
        msg = f"meteor: there are no synonyms for lang={lang}; expected lang=en."
        raise OptionError(msg)
    if ("paraphrase" in stages) != paraphrases:
        msg = (
            "meteor: the module paraphrase and a table, paraphrase=FILE, go together; "
            "give both or neither."
        )
        raise OptionError(msg)
    return stages


def _parse_weights(
    weights: str, stages: tuple[str, ...], tuned: dict[str, float]
) -> tuple[float, ...]:
    if weights == "auto":
        return tuple(tuned[stage] for stage in stages)
    try:
        given = tuple(float(weight) for weight in weights.split("+"))
    except ValueError:
        given = ()
    if len(given) != len(stages) or any(weight not in _WEIGHT for weight in given):
        msg = (
            f"meteor: weights={weights} is not possible; expected {len(stages)} numbers "
            f"{_WEIGHT} joined by +, for {', '.join(stages)}."
        )
        raise OptionError(msg)
    return given


@lru_cache(maxsize=16)
def _build_aligner(
    lang: str,
    stages: tuple[str, ...],
    folder: str,
    paraphrase: tuple[str, str],
    formula: tuple[float, ...],
    weights: tuple[float, ...],
) -> _core.Meteor:
    """Make an aligner; a table of paraphrases is its path and what is in it."""
    table = read_paraphrase_table(paraphrase[0]) if paraphrase[0] else None
    try:
        return _core.Meteor(
            list(stages),
            STEMMERS[lang] if "stem" in stages else None,
            folder or None,
            table,
            FUNCTION_WORDS.get(lang, "").split(),
            [*formula, *weights, *[0.0] * (4 - len(weights))],
        )
    except (ValueError, OSError) as error:
        files = " and ".join(filter(None, [folder, paraphrase[0]]))
        msg = f"{files} cannot be used: {error}."
        raise MissingResourceError(msg) from None
