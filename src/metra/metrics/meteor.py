"""METEOR: words linked one to one by form, stem or meaning, with its tuned parameters."""

import math
import tomllib
from functools import lru_cache, partial
from itertools import compress
from pathlib import Path
from typing import Literal, NamedTuple

from metra import _core
from metra.errors import MissingResourceError, OptionError, not_possible
from metra.formats import resources
from metra.formats.stream import compute_file_digest
from metra.metrics.alignment import Alignment, build_alignments, make_link
from metra.metrics.options import Case, FromZero, Range, Share
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts, metric_factory
from metra.text.preparation import Preparation, Tokens, make_preparation


class Parameters(NamedTuple):
    """The four of the formula, and the weight of a match by each stage."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    exact: float = 1.0
    stem: float = 1.0
    synonym: float = 1.0
    paraphrase: float = 1.0


_TABLES = tomllib.loads(
    Path(__file__).with_name("meteor.toml").read_text(encoding="utf-8")
)
_PARAMETERS: dict[str, dict[str, Parameters]] = {
    table: {name: Parameters(*numbers) for name, numbers in _TABLES[table].items()}
    for table in ("tasks", "languages", "2007", "2005")
}
# Tasks for which 1.5 has parameters in English only.
_ENGLISH_TASKS = ("adq", "hter", "util")
LANGUAGES = tuple(_TABLES["languages"])
STEMMERS: dict[str, str] = _TABLES["stemmers"]
FUNCTION_WORDS: list[str] = _TABLES["function_words"].split()

# Other names by which METEOR knows languages.
_OTHER_NAMES = {name: code for code, name in STEMMERS.items()}
_OTHER_NAMES |= {"cs": "cz", "czech": "cz", "se": "sv"}


def choose_parameters(variant: str, lang: str, task: str) -> Parameters:
    """Choose the parameters of a variant for a language and a task."""
    if variant == "2005":
        return _PARAMETERS["2005"]["any"]
    if variant == "2007":
        return _PARAMETERS["2007"].get(lang, _PARAMETERS["2007"]["en"])
    tasks = _PARAMETERS["tasks"]
    if task in _ENGLISH_TASKS and lang != "en":
        msg = (
            f"meteor: task={task} has parameters for lang=en only; expected one of rank, "
            f"li and universal for lang={lang}."
        )
        raise OptionError(msg)
    if task == "rank":
        return _PARAMETERS["languages"].get(lang, tasks["li"])
    return tasks[task]


STAGES = ("exact", "stem", "synonym", "paraphrase")
# What a match of a stage may weigh.
_WEIGHT = Range(0, 1)


@metric_factory(title="METEOR", papers="denkowski2014")
def meteor(
    *,
    variant: Literal["1.5", "2007", "2005"] = "1.5",
    lang: str = "en",
    task: Literal["rank", "adq", "hter", "util", "li", "universal"] = "rank",
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
    case: Case = "lower",
) -> Metric:
    """Word matches by form, stem and synonym with an order penalty, 0 to 100. Higher is better.

    Words of the output are linked to words of a reference, each at most once, so that
    the number of links is maximal and the number of chunks (runs in the same order on
    both sides) is minimal. P and R are the weighted shares of linked words of output
    and reference; Fmean = 1 / ((1 - alpha)/P + alpha/R); the score is Fmean * (1 -
    gamma * (chunks / links)^beta). Content words have the weight delta, function words
    1 - delta. For every language the function words come from an English list, as in
    the program. With several references, the best one of each segment counts. Document
    and system scores apply the formula to summed counts; they are not means.

    Banerjee and Lavie 2005; Lavie and Agarwal 2007; Denkowski and Lavie 2014, "Meteor
    Universal", WMT. All variants use the aligner of METEOR 1.5. With
    `tok=none,case=mixed` on tokenised text, or with `norm=yes`, alignments and scores
    equal those of METEOR 1.5 with the same modules and weights.

    Options:
        variant: version of the formula and its parameters.
        lang: language of the text: en, cz (or cs), de, es, fr, ru with parameters of
            their own; da, fi, hu, it, nl, no, pt, ro, sv, tr with a stemmer; for any
            other, only equal words match.
        task: purpose for which the parameters of 1.5 were tuned; adq, hter and util are
            for English.
        modules: stages joined by +: exact, stem, synonym, paraphrase; auto uses those
            of the language, and paraphrase if a table is given.
        alpha: weight of recall in Fmean.
        beta: exponent of the fragmentation in the penalty.
        gamma: maximum penalty.
        delta: weight of content words.
        weights: weight of a match of each stage, joined by +.
        wordnet: folder of WordNet's files, if it is not the default folder of the
            platform.
        paraphrase: file with a METEOR paraphrase table; adds a stage that links
            phrases.
        norm: prepare text with METEOR's normaliser instead of tok and case: en, cz, de,
            es, fr or ru.
        tok: tokeniser; none splits at ASCII white space, as the program does.
    """
    lang = _OTHER_NAMES.get(lang.lower(), lang.lower())
    chosen = choose_parameters(variant, lang, task)
    stages = _choose_stages(
        modules,
        lang,
        universal=variant == "1.5" and task == "universal",
        paraphrases=bool(paraphrase),
    )
    formula = [
        tuned if given is None else given
        for tuned, given in zip(chosen[:4], (alpha, beta, gamma, delta), strict=True)
    ]
    stage_weights = _parse_weights(weights, stages, chosen)
    text, settled = _prepare_text(lang, tok, case, norm=norm)
    settled["lang"] = lang
    settled |= dict(zip(Parameters._fields, formula, strict=False))
    settled["modules"] = "+".join(stages)
    settled["weights"] = "+".join(f"{weight:g}" for weight in stage_weights)
    folder: tuple[str, object] = "", None
    if "synonym" in stages:
        home = resources.find_wordnet_folder(wordnet)
        folder = str(home), resources.check_wordnet(home)
        settled["wordnet"] = resources.read_wordnet_version(home)
    elif not wordnet:
        settled["wordnet"] = "none"
    digest = compute_file_digest(paraphrase) if paraphrase else ""
    if digest:
        settled["paraphrase"] = digest
    aligner = _build_aligner(
        *(lang, stages, folder),
        *((paraphrase, digest), tuple(formula), stage_weights),
    )

    def prepare_batch(batch: AnyBatch) -> tuple[Tokens, list[Tokens]]:
        return batch.hyps.tokens(text), [ref.tokens(text) for ref in batch.refs]

    def align(batch: AnyBatch, index: int) -> list[Alignment]:
        """Link words and phrases by the stage that matched them, with each reference."""
        best, alignments = aligner.alignments(*prepare_batch(batch), index)
        return build_alignments(
            batch,
            index,
            text,
            lambda place: [
                make_link(stages[stage], hyp, ref, hyp_words, ref_words)
                for ref, ref_words, hyp, hyp_words, stage in alignments[place]
            ],
            kinds=(*stages, "insertion", "deletion"),
            chosen=best,
        )

    sides = ("hyp_content", "ref_content", "hyp_function", "ref_function")
    named = (*stages, "unused", "unused_2", "unused_3")[:4]
    return Metric(
        name="meteor",
        columns=(
            *("hyp_len", "ref_len", "hyp_function", "ref_function"),
            *(f"{stage}_{side}" for stage in named for side in sides),
            *("chunks", "hyp_matches", "ref_matches"),
        ),
        rows=lambda batch: aligner.rows(*prepare_batch(batch)),
        aggregate=aligner.score,
        parts=partial(parts, aligner=aligner),
        settled=settled,
        notes=Notes(align=align),
    )


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


def _choose_stages(
    modules: str, lang: str, *, universal: bool, paraphrases: bool
) -> tuple[str, ...]:
    if modules == "auto":
        # The universal task takes what every language has.
        own = not universal
        has = True, own and lang in STEMMERS, own and lang == "en", paraphrases
        return tuple(compress(STAGES, has))
    stages = tuple(modules.split("+"))
    if stages[0] != "exact" or stages != tuple(s for s in STAGES if s in stages):
        expected = (
            "exact, then any of stem, synonym and paraphrase in this order, joined by +"
        )
        raise OptionError(not_possible(f"meteor: modules={modules}", expected))
    if "stem" in stages and lang not in STEMMERS:
        msg = (
            f"meteor has no stemmer for lang={lang}; expected one of "
            f"{', '.join(STEMMERS)}, or modules=exact."
        )
        raise OptionError(msg)
    if "synonym" in stages and lang != "en":
        msg = f"meteor has no synonyms for lang={lang}; expected lang=en."
        raise OptionError(msg)
    if ("paraphrase" in stages) != paraphrases:
        msg = (
            "meteor: the module paraphrase and a table, paraphrase=FILE, go together; "
            "give both or neither."
        )
        raise OptionError(msg)
    return stages


def _parse_weights(
    weights: str, stages: tuple[str, ...], tuned: Parameters
) -> tuple[float, ...]:
    if weights == "auto":
        return tuple(getattr(tuned, stage) for stage in stages)
    try:
        given = tuple(float(weight) for weight in weights.split("+"))
    except ValueError:
        given = ()
    if len(given) != len(stages) or any(weight not in _WEIGHT for weight in given):
        expected = (
            f"{len(stages)} numbers {_WEIGHT} joined by +, for {', '.join(stages)}"
        )
        raise OptionError(not_possible(f"meteor: weights={weights}", expected))
    return given


def _prepare_text(
    lang: str, tok: str, case: Case, *, norm: bool
) -> tuple[Preparation, dict[str, object]]:
    """Choose how text becomes tokens, and what the signature says of it."""
    if not norm:
        white = "java-white" if tok == "none" else tok
        text = make_preparation(tok=white, case=case, stem="no")
        return text, {"tok": tok if tok == "none" else text.versions()["tok"]}
    if lang not in LANGUAGES:
        msg = (
            f"meteor has no normaliser for lang={lang}; expected one of "
            f"{', '.join(LANGUAGES)}, or norm=no."
        )
        raise OptionError(msg)
    # The normaliser looks at capitals before it lower-cases.
    text = make_preparation(tok=f"meteor-{lang}", case="mixed", stem="no")
    return text, {"tok": f"meteor-{lang}", "case": "lower"}


@lru_cache(maxsize=16)
def _build_aligner(
    lang: str,
    stages: tuple[str, ...],
    wordnet: tuple[str, object],
    paraphrase: tuple[str, str],
    formula: tuple[float, ...],
    weights: tuple[float, ...],
) -> _core.Meteor:
    """Make an aligner; files are given with what tells whether they are still the same."""
    folder, _ = wordnet
    table = resources.read_paraphrase_table(paraphrase[0]) if paraphrase[0] else None
    try:
        return _core.Meteor(
            list(stages),
            STEMMERS[lang] if "stem" in stages else None,
            folder or None,
            table,
            FUNCTION_WORDS,
            [*formula, *weights, *[0.0] * (4 - len(weights))],
        )
    except (ValueError, OSError) as error:
        files = " and ".join(filter(None, [folder, paraphrase[0]]))
        msg = f"{files} cannot be used: {error}."
        raise MissingResourceError(msg) from None
