"""Names of metrics and systems above and beside tables, and what was scored."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from metra.errors import format_count
from metra.metrics.options import match_outside
from metra.metrics.registry import is_signed_option
from metra.report.table import Style
from metra.scoring.results import Results, Score, SystemScores
from metra.scoring.table import Column

if TYPE_CHECKING:
    from metra.scoring.compare import SignificanceSettings, SystemComparison

TESTS = {
    "ar": "two-sided paired approximate randomisation",
    "bootstrap": "two-sided paired bootstrap",
}
# Options whose values may look like files and are none.
_NO_FILES = {("llm", "model")}
_FILE = r".*[/\\].*|.*\.[A-Za-z]\w{1,6}"


def shorten_specs(specs: Sequence[str]) -> dict[str, str]:
    """Leave files out of specs, and options that change no score.

    Where two would look the same, give the files' last names.

    >>> shorten_specs(["ie:reference=a/b.tsv,x=1", "bleu"])["ie:reference=a/b.tsv,x=1"]
    'ie:x=1'
    >>> list(shorten_specs(["q:model=a/b.toml", "q:model=a/c.toml"]).values())
    ['q:model=b.toml', 'q:model=c.toml']
    >>> list(shorten_specs(["comet@a/b.tsv:better=higher", "bleu"]).values())
    ['comet', 'bleu']
    >>> shorten_specs(["llm:model=org/judge-1.5b,timeout=9"]).popitem()[1]
    'llm:model=org/judge-1.5b'
    """
    short = [_rewrite_spec(spec, keep_files=False) for spec in specs]
    longer = [_rewrite_spec(spec, keep_files=True) for spec in specs]
    names = dict(zip(specs, specs, strict=True))
    for spec, name, name_with_files in zip(specs, short, longer, strict=True):
        if short.count(name) == 1:
            names[spec] = name
        elif longer.count(name_with_files) == 1:
            names[spec] = name_with_files
    return names


def _rewrite_spec(spec: str, *, keep_files: bool) -> str:
    name, _, rest = spec.partition(":")
    options = []
    outside = match_outside(spec)
    if outside:
        last = re.split(r"[/\\]", outside[2])[-1]
        return f"{outside[1]}@{last}" if keep_files else outside[1]
    for option in filter(None, rest.split(",")):
        key, _, value = option.partition("=")
        if not is_signed_option(name, key):
            continue
        if not re.fullmatch(_FILE, value) or (name, key) in _NO_FILES:
            options.append(option)
        elif keep_files:
            last = re.split(r"[/\\]", value)[-1]
            options.append(f"{key}={last}")
    return f"{name}:{','.join(options)}" if options else name


def build_metric_columns(
    results: Results, titles: Mapping[str, str] | None = None
) -> list[Column]:
    """Build a column for each metric, headed by its title or short name and direction."""
    titles = titles or shorten_specs(results.specs)
    first = results.systems[0].scores
    return [build_metric_column(titles[spec], first[spec]) for spec in first]


def build_metric_column(title: str, score: Score) -> Column:
    """Build the column of a metric: its direction and digits are those of the score."""
    return Column(title, direction=score.direction, more_digits=score.more_digits)


def format_metric_heading(spec: str, score: Score) -> str:
    """Name a metric with an arrow that points to the better scores."""
    return Column(spec, direction=score.direction).title


def order_systems(results: Results, style: Style) -> list[SystemScores]:
    """List the systems as given or, with `style.sort`, the best by the first metric first."""
    if not style.sort:
        return list(results.systems)
    return results.rank_systems(results.specs[0])


def describe_corpus(results: Results) -> str:
    """Say how many segments, documents, groups and references were scored."""
    counts = [(results.segments, "segment")]
    if results.documents is not None:
        counts.append((results.documents, "document"))
    if results.groups is not None:
        counts.append((len(results.groups), "group"))
    if results.references:
        counts.append((results.references, "reference"))
    counted = ", ".join(format_count(count, noun) for count, noun in counts)
    read = [f"{path} ({layout})" for path, layout in results.layouts.items()]
    return "; ".join(filter(None, [counted, results.joined, *read]))


def list_signatures(results: Results, form: str = "full") -> list[str]:
    """List each metric's signature, once, in a form of `metra.metrics.signatures`."""
    signatures = [
        signature
        for score in results.systems[0].scores.values()
        for signature in (score.signature, score.segment_signature)
    ]
    unique = dict.fromkeys(filter(None, signatures))
    return [format_signature(signature, form) for signature in unique]


def format_signature(signature: str, form: str) -> str:
    """Write a signature in a form of `metra.metrics.signatures`."""
    if form == "full":
        return signature
    from metra.metrics.signatures import rewrite_signature

    return rewrite_signature(signature, form)


FAMILIES = {"baseline": "each system against the baseline", "all_pairs": "all pairs"}
CORRECTIONS = {"holm": "Holm's", "bh": "Benjamini and Hochberg's"}


def describe_test(results: Results) -> str:
    """Name the level of significance and the test; an empty string if nothing was tested."""
    terms = results.terms
    if terms is None:
        return ""
    return f"p ≤ {terms.alpha:g}{say_correction(results)}; {name_test(terms)}"


def name_test(terms: "SignificanceSettings") -> str:
    """Name the test, what it was made on, its trials and its seed."""
    return (
        f"{TESTS[terms.test]} of {format_count(terms.units, terms.unit)}, "
        f"{format_count(terms.trials, 'trial')}, seed {terms.seed}"
    )


def describe_family(terms: "SignificanceSettings | SystemComparison") -> str:
    """Name the comparisons for whose number p-values are corrected."""
    count = format_count(terms.family_size, "comparison")
    return f"{count} per metric: {FAMILIES[terms.family]}"


def find_correction(results: Results) -> str:
    """Return how p-values were corrected for the number of comparisons: none, holm or bh."""
    terms = results.terms
    tested = sum(each.p_value is not None for each in results.comparisons)
    if terms is None or tested <= len(results.specs):
        return "none"
    return terms.correction


def say_correction(results: Results) -> str:
    """Name the correction of p-values and its family; an empty string without one."""
    authors = CORRECTIONS.get(find_correction(results))
    if results.terms is None or authors is None:
        return ""
    return f" after {authors} correction for {describe_family(results.terms)}"


def name_correction(results: Results) -> list[str]:
    """Name the column of corrected p-values, if there is one."""
    names = {"holm": ["p (Holm)"], "bh": ["p (BH)"]}
    return names.get(find_correction(results), [])


def describe_intervals(results: Results) -> str:
    """Name the intervals, their resamples and their seed, as far as signatures say."""
    from metra.metrics.signatures import split_signature

    score = next(iter(results.systems[0].scores.values()))
    _, interval = split_signature(score.signature)
    if not interval:
        return "95% confidence intervals"
    method = {"bca": "BCa"}.get(interval["ci"], interval["ci"])
    return (
        f"95% {method} bootstrap confidence intervals ({int(interval['trials']):,} "
        f"resamples of {interval['ci_unit']}s, seed {interval['seed']})"
    )


def join_names(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    >>> join_names(["bleu"]), join_names(["bleu", "chrf", "ter"])
    ('bleu', 'bleu, chrf and ter')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
