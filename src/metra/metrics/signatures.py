"""Signatures in other forms: without defaults, and as sacreBLEU writes them."""

from collections.abc import Iterable
from inspect import signature as signature_of

from metra.errors import MetraError, UnknownNameError
from metra.metrics.options import format_value
from metra.metrics.registry import find_factory
from metra.metrics.registry import metric as make_metric

SACREBLEU = "2.6.0"
#: What a signature says about an interval.
_INTERVAL = ("ci", "ci_unit", "trials", "seed")


def rewrite_signature(signature: str, form: str) -> str:
    """Return a signature in a form: full, short or sacrebleu."""
    if form == "short":
        return shorten_signature(signature)
    return convert_to_sacrebleu(signature) if form == "sacrebleu" else signature


def shorten_signature(signature: str) -> str:
    """Leave out the options that have their default values; the version stands for them.

    >>> shorten_signature(make_metric("bleu:tok=intl").signature(nrefs=4)).split("|")[:3]
    ['bleu', 'tok:intl', 'nrefs:4']
    """
    from metra.metrics.citations import get_metric_name

    name, *parts = signature.split("|")
    defaults = _list_defaults(get_metric_name(name))
    kept = [
        part
        for part in parts
        if part not in defaults or part.startswith(("nrefs:", "version:"))
    ]
    return "|".join([name, *kept])


def _list_defaults(name: str) -> list[str]:
    """List a metric's options with their default values, as in its signature."""
    try:
        return make_metric(name).signature().split("|")
    except UnknownNameError:
        return []
    except MetraError:  # it needs an option that has no default, such as a file
        parameters = signature_of(find_factory(name)).parameters.values()
        return [f"{each.name}:{format_value(each.default)}" for each in parameters]


def split_signature(signature: str) -> tuple[str, dict[str, str]]:
    """Part a signature from what it says about the interval: options by name.

    >>> split_signature("bleu|nrefs:1|ci:bca|ci_unit:segment|trials:9|seed:1|version:2")
    ('bleu|nrefs:1|version:2', {'ci': 'bca', 'ci_unit': 'segment', 'trials': '9', 'seed': '1'})
    >>> split_signature("bleu|nrefs:1|version:2")
    ('bleu|nrefs:1|version:2', {})
    """
    name, options = _read_signature(signature)
    if "ci" not in options:
        return signature, {}
    interval = {key: options.pop(key) for key in _INTERVAL}
    return "|".join([name, *(f"{k}:{v}" for k, v in options.items())]), interval


def convert_to_sacrebleu(signature: str) -> str:
    """Write a signature as sacreBLEU does, or leave it where sacreBLEU has no such metric.

    >>> convert_to_sacrebleu(make_metric("bleu").signature(nrefs=1))
    'BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0'
    """
    name, options = _read_signature(signature)
    if name not in _SACREBLEU or "clean" in options:
        return signature
    title, fixed, _ = _SACREBLEU[name]
    if not _split_pairs(fixed.split()).items() <= options.items():
        return signature
    resampled = ""
    if "ci" in options:
        resampled = f"|bs:{options['trials']}|seed:{options['seed']}"
    own = list_sacrebleu_options(signature)
    listed = "|".join(f"{key}:{value}" for key, value in own.items())
    title += "+" * min(int(options.get("word_order", 0)), 2)
    return f"{title}|nrefs:{options.get('nrefs', 1)}{resampled}|{listed}|version:{SACREBLEU}"


def list_sacrebleu_options(signature: str) -> dict[str, str]:
    """List the options of bleu, chrf or ter by sacreBLEU's keys, in its order.

    >>> list_sacrebleu_options(make_metric("chrf").signature())
    {'case': 'mixed', 'eff': 'yes', 'nc': '6', 'nw': '0', 'space': 'no'}
    """
    name, options = _read_signature(signature)
    options["case"] = "lc" if options["case"] == "lower" else "mixed"
    if name == "bleu":
        options["tok"] = _name_tokenizer(options["tok"])
        if options["smooth"] in ("floor", "add-k"):
            options["smooth"] += f"[{float(options['smooth_value']):.2f}]"
    elif name == "chrf":
        options["eff"] = "no" if options["eps"] == "yes" else "yes"
    else:
        options["tok"] = "tercom"
    keys = _split_pairs(_SACREBLEU[name][2].split())
    return {key: options[own] for key, own in keys.items()}


def _read_signature(signature: str) -> tuple[str, dict[str, str]]:
    name, *parts = signature.split("|")
    return name, _split_pairs(parts)


def _split_pairs(parts: Iterable[str]) -> dict[str, str]:
    return dict(part.partition(":")[::2] for part in parts)


#: sacreBLEU's names of the SentencePiece models in the folder `models` of its cache.
SENTENCEPIECE_MODELS = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}
#: The dictionaries of MeCab, which sacreBLEU names beside its version.
_DICTIONARIES = {"ja-mecab": "IPA", "ko-mecab": "KO"}


def _name_tokenizer(tok: str) -> str:
    """Return sacreBLEU's name of a tokeniser.

    >>> _name_tokenizer("13a"), _name_tokenizer("ja-mecab[MeCab 0.996, IPA]")
    ('13a', 'ja-mecab-0.996-IPA')
    >>> _name_tokenizer("spm@/models/flores200sacrebleuspm[1f2e]")
    'flores200'
    """
    name, _, version = tok.rstrip("]").partition("[")
    if name in _DICTIONARIES:
        return f"{name}-{version.split()[1].rstrip(',')}-{_DICTIONARIES[name]}"
    models = SENTENCEPIECE_MODELS.items()
    return next((m for m, file in models if name.endswith(f"/{file}")), tok)


#: By metric: its name there, the values of options that sacreBLEU does not have, and its
#: keys with the names of our options.
_SACREBLEU = {
    "bleu": (
        "BLEU",
        "n:4 stem:no ref_len:closest average:geometric style:sacrebleu",
        "case:case eff:eff tok:tok smooth:smooth",
    ),
    "chrf": (
        "chrF2",
        "beta:2 stem:no",
        "case:case eff:eff nc:n nw:word_order space:whitespace",
    ),
    "ter": (
        "TER",
        "tok:none stem:no style:sacrebleu",
        "case:case tok:tok norm:normalized punct:punct asian:asian",
    ),
}
