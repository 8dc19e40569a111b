"""Sentences for a paper's section on methods, with citations and BibTeX."""

from collections.abc import Callable, Iterator, Sequence

from metra import __version__
from metra.errors import format_count
from metra.metrics.citations import (
    CITATIONS,
    PAPERS_OF_METHODS,
    format_bibliography,
    is_outside,
    list_papers,
)
from metra.metrics.signatures import (
    convert_to_sacrebleu,
    shorten_signature,
    split_signature,
)
from metra.report.table import (
    Style,
    escape_latex,
    format_latex_comments,
)
from metra.report.writers.headings import (
    CORRECTIONS,
    TESTS,
    describe_intervals,
    is_corrected,
    join_names,
)
from metra.report.writers.paper import apply_names
from metra.scoring.results import Results

#: What smoothings are called in print.
_SMOOTHINGS = {"exp": "exponential", "none": "no"}
#: What a sentence says of its own, or what says nothing of how a metric was computed.
_SAID = ("tok", "case", "stem", "smooth", "smooth_value", "nrefs", "version")

#: Write keys of papers as they are cited.
Citer = Callable[[Sequence[str]], str]


def describe_methods(results: Results, form: str, style: Style) -> str:
    """Say what was computed and how, then list the papers in BibTeX.

    Citations are commands of natbib where `form` is latex.
    """
    results, names = apply_names(results, style)
    cited: list[str] = []
    write: Citer = _cite_latex if form == "latex" else _cite_plain

    def cite(keys: Sequence[str]) -> str:
        cited.extend(keys)
        return write(keys) if keys else ""

    escape = escape_latex if form == "latex" else str
    shows_intervals = results.terms is None or style.paper.differences
    whole = [score.signature for score in results.systems[0].scores.values()]
    plain = [split_signature(signature)[0] for signature in whole]
    sentences = [
        _describe_metrics(results, list(names.values()), plain, escape, cite),
        *_describe_test(results, escape, cite),
    ]
    if shows_intervals and whole != plain:
        papers = cite(PAPERS_OF_METHODS["interval"])
        of = " of differences" if results.terms else ""
        intervals = escape(describe_intervals(results))
        sentences.append(f"Intervals{of} are {intervals}{papers}.")
    # Comments for LaTeX, and nothing to BibTeX.
    comments = format_latex_comments(whole if shows_intervals else plain)
    return "\n\n".join([" ".join(sentences), comments, format_bibliography(cited)])


def _cite_latex(keys: Sequence[str]) -> str:
    return rf" \citep{{{','.join(keys)}}}"


def _cite_plain(keys: Sequence[str]) -> str:
    entries = [CITATIONS[key] for key in keys]
    listed = (f"{each.format_authors()}, {each.year}" for each in entries)
    return f" ({'; '.join(listed)})"


def _describe_metrics(
    results: Results,
    names: Sequence[str],
    signatures: Sequence[str],
    escape: Callable[[str], str],
    cite: Citer,
) -> str:
    """Name the metrics, what was scored, and the options of each metric."""
    titles = list(map(escape, names))
    named = [
        f"{title}{cite(_choose_papers(signature))}"
        for title, signature in zip(titles, signatures, strict=True)
    ]
    counts = format_count(results.segments, "segment")
    if results.documents is not None:
        counts += f" in {format_count(results.documents, 'document')}"
    if results.references:
        counts += f" with {format_count(results.references, 'reference')}"
    sentences = [
        f"We report {join_names(named)} on {counts}, computed with metra {__version__}."
    ]
    for title, signature in zip(titles, signatures, strict=True):
        if is_outside(signature):
            sentences.append(
                f"The segment scores of {title} were computed with another program."
            )
        elif options := list(_describe_options(signature)):
            sentences.append(f"{title} uses {join_names(list(map(escape, options)))}.")
    return " ".join(sentences)


def _choose_papers(signature: str) -> list[str]:
    """List a metric's papers; sacreBLEU's where sacreBLEU would give the same score."""
    is_sacrebleu = convert_to_sacrebleu(signature) != signature
    papers = list_papers(signature)
    return [key for key in papers if is_sacrebleu or key != "post2018"]


def _describe_options(signature: str) -> Iterator[str]:
    """Name the preparation of words, then the options that are not the default."""
    parts = [part.partition(":")[::2] for part in signature.split("|")[1:]]
    options = dict(parts)
    if tok := options.get("tok"):
        yield "no tokeniser" if tok == "none" else f"the tokeniser {tok}"
    # This one lower-cases whatever the case is.
    if (case := options.get("case")) and tok != "rouge":
        yield "lower-cased text" if case == "lower" else "cased text"
    if options.get("stem", "no") != "no":
        yield f"the stemmer {options['stem']}"
    if smooth := options.get("smooth"):
        value = options.get("smooth_value", "none")
        number = "" if value == "none" else f" ({value})"
        yield f"{_SMOOTHINGS.get(smooth, smooth)} smoothing{number}"
    others = [
        part.replace(":", " = ", 1)
        for part in shorten_signature(signature).split("|")[1:]
        if part.partition(":")[0] not in _SAID
    ]
    if others:
        yield f"the option{'s' if others[1:] else ''} {', '.join(others)}"


def _describe_test(
    results: Results, escape: Callable[[str], str], cite: Citer
) -> Iterator[str]:
    """Say what was compared with what, and by which test, if anything was tested."""
    terms = results.terms
    if terms is None or all(each.reason for each in results.comparisons):
        return
    pairs = "between all pairs of systems"
    if not results.clusters:
        pairs = f"from {results.comparisons[0].baseline}"
    yield (
        f"We test differences {escape(pairs)} for significance by {TESTS[terms.test]}"
        f"{cite(PAPERS_OF_METHODS[terms.test])} of {format_count(terms.units, terms.unit)} "
        f"with {format_count(terms.trials, 'trial')} (seed {terms.seed}), "
        f"{escape(f'at p ≤ {terms.alpha:g}')}"
    ) + (
        f" after {CORRECTIONS[terms.correction]} correction"
        f"{cite(PAPERS_OF_METHODS[terms.correction])} for "
        f"{format_count(terms.family_size, 'comparison')} per metric."
        if is_corrected(results)
        else "."
    )
