"""sacreBLEU's command line: what each call reads, scores and prints."""

import logging
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from metra.compat.sacrebleu.arguments import parse_arguments
from metra.compat.sacrebleu.metrics import LOG, METRICS, SacreMetric
from metra.errors import CorpusError, LengthError, OptionError
from metra.formats.stream import STDIN

Lines = list[str]


def run(arguments: Sequence[str]) -> str:
    """Return what a call with these arguments prints on standard output."""
    options = parse_arguments(arguments)
    warnings = logging.StreamHandler()
    warnings.setFormatter(logging.Formatter("metra: %(message)s"))
    LOG.setLevel(logging.CRITICAL if options.quiet else logging.WARNING)
    LOG.addHandler(warnings)
    try:
        return _answer(options)
    finally:
        LOG.removeHandler(warnings)


def _answer(options: Namespace) -> str:
    for flag, answer in _ANSWERS.items():
        if getattr(options, flag):
            return answer(options)
    _check_options(options)
    references = _read_references(options)
    systems = _read_systems(options)
    _check_lengths(systems, references)
    if options.origlang or options.subset:
        systems, references = _select_segments(options, systems, references)
    metrics = _make_metrics(options, references)
    if options.sentence_level:
        return _format_sentences(options, systems, metrics)
    if len(systems) > 1:
        return _format_systems(options, systems, metrics)
    (lines,) = systems.values()
    text = _format_system(options, lines, metrics)
    if options.detail:
        text += _format_details(options, lines, references)
    return text


def _list_test_sets(options: Namespace) -> str:
    from metra.compat.sacrebleu.testsets import describe_test_sets

    return describe_test_sets(options.test_set, options.langpair)


def _refuse_citation(options: Namespace) -> str:
    what = f"{options.test_set}" if options.test_set else "a test set (-t)"
    msg = f"metra has no citations of test sets; sacrebleu --citation prints {what}'s."
    raise OptionError(msg)


def _refuse_download(options: Namespace) -> str:
    from metra.compat.sacrebleu.testsets import get_cache_folder

    msg = (
        f"metra downloads nothing; put {options.download} into {get_cache_folder()}, for "
        f"example with: sacrebleu --download {options.download}"
    )
    raise OptionError(msg)


def _echo_fields(options: Namespace) -> str:
    from metra.compat.sacrebleu.testsets import read_fields

    if not options.test_set or not options.langpair:
        msg = "--echo needs a test set (-t) and a language pair (-l)."
        raise OptionError(msg)
    columns: list[Lines] | None = None
    for name in options.test_set.split(","):
        fields = read_fields(name, options.langpair, options.echo)
        if options.origlang or options.subset:
            one_set = Namespace(**(vars(options) | {"test_set": name}))
            _, fields = _select_segments(one_set, {}, fields)
        if columns is None:
            columns = fields
        else:
            for column, more in zip(columns, fields, strict=True):
                column.extend(more)
    return "\n".join("\t".join(row) for row in zip(*(columns or []), strict=True))


#: Flags that ask for something else than scores, and who answers them.
_ANSWERS = {
    "download": _refuse_download,
    "list": _list_test_sets,
    "citation": _refuse_citation,
    "echo": _echo_fields,
}


def _check_options(options: Namespace) -> None:
    """Refuse what does not go together, before anything is read."""
    paired = options.paired_ar or options.paired_bs
    several = bool(options.input) and len(dict.fromkeys(options.input)) > 1
    sentences = options.sentence_level
    wrong = {
        "-t and reference files exclude each other; give one of them": (
            options.test_set and options.refs
        ),
        "There is nothing to compare with; give reference files before -i, or a test set "
        "with -t": not options.test_set and not options.refs,
        "A test set needs a language pair, such as -l en-de": (
            options.test_set and not options.langpair
        ),
        "--num-refs needs exactly one reference file": (
            options.num_refs != 1 and (options.test_set or len(options.refs) > 1)
        ),
        "--origlang, --subset and --detail need a test set (-t)": (
            (options.origlang or options.subset or options.detail)
            and not options.test_set
        ),
        "--sentence-level takes one metric and one system, and no intervals or tests": (
            sentences
            and (len(options.metrics) > 1 or several or paired or options.confidence)
        ),
        "--confidence takes one system; compare several with --paired-bs": (
            several and options.confidence
        ),
        "Paired tests need several systems after -i": paired and not several,
    }
    for what, is_wrong in wrong.items():
        if is_wrong:
            msg = f"{what}."
            raise OptionError(msg)


def _read_references(options: Namespace) -> list[Lines]:
    """Read the streams of references from files or test sets."""
    if options.test_set:
        from metra.compat.sacrebleu.testsets import read_references

        return read_references(options.test_set.split(","), options.langpair)
    streams = [_read_file(path, options.encoding) for path in options.refs]
    if options.num_refs == 1:
        return streams
    rows = [line.split("\t") for line in streams[0]]
    for number, row in enumerate(rows, 1):
        if len(row) != options.num_refs:
            msg = (
                f"{options.refs[0]}, line {number}: found {len(row)} tab-separated "
                f"references; expected {options.num_refs}."
            )
            raise CorpusError(msg)
    return [list(stream) for stream in zip(*rows, strict=True)]


def _read_systems(options: Namespace) -> dict[str, Lines]:
    """Read the outputs: files by their paths, or standard input."""
    if not options.input:
        return {STDIN: _read_file(STDIN, options.encoding)}
    return {path: _read_file(path, options.encoding) for path in options.input}


def _read_file(path: str, encoding: str) -> Lines:
    """Read the lines of a file; they end at line feeds only."""
    from metra.formats.lines import read_lines

    if encoding.lower().replace("_", "-") in {"utf-8", "utf8"}:
        return read_lines(path)
    from metra.compat.sacrebleu.testsets import read_encoded_lines

    return read_encoded_lines(path, encoding)


def _check_lengths(systems: Mapping[str, Lines], references: list[Lines]) -> None:
    expected = len(references[0])
    named = {f"reference {number}": ref for number, ref in enumerate(references, 1)}
    for name, lines in [*systems.items(), *named.items()]:
        if len(lines) != expected:
            msg = (
                f"{name} has {len(lines)} segments but the first reference has {expected}; "
                "each line must be one segment, in the same order in every file."
            )
            raise LengthError(msg)


def _select_segments(
    options: Namespace, systems: Mapping[str, Lines], references: list[Lines]
) -> tuple[dict[str, Lines], list[Lines]]:
    from metra.compat.sacrebleu.testsets import choose_segments

    chosen = choose_segments(
        options.test_set.split(","), options.langpair, options.origlang, options.subset
    )
    if not any(chosen):
        msg = "No segment of the test set is of this --origlang and --subset."
        raise CorpusError(msg)

    kept = {name: _filter_lines(lines, chosen) for name, lines in systems.items()}
    return kept, [_filter_lines(lines, chosen) for lines in references]


def _filter_lines(lines: Lines, chosen: Sequence[bool]) -> Lines:
    return [line for line, is_chosen in zip(lines, chosen, strict=True) if is_chosen]


def _make_metrics(
    options: Namespace, references: list[Lines]
) -> dict[str, SacreMetric]:
    """Make the metrics in the order of their names, which is that of the output."""
    language = (options.langpair or "-").split("-")[-1]
    given: dict[str, dict[str, Any]] = {
        "bleu": {
            "lowercase": options.lowercase,
            "force": options.force,
            "tokenize": options.tokenize,
            "smooth_method": options.smooth_method,
            "smooth_value": options.smooth_value,
            "effective_order": options.sentence_level,
            "trg_lang": language,
        },
        "chrf": {
            "char_order": options.chrf_char_order,
            "word_order": options.chrf_word_order,
            "beta": options.chrf_beta,
            "lowercase": options.chrf_lowercase,
            "whitespace": options.chrf_whitespace,
            "eps_smoothing": options.chrf_eps_smoothing,
        },
        "ter": {
            "normalized": options.ter_normalized,
            "no_punct": options.ter_no_punct,
            "asian_support": options.ter_asian_support,
            "case_sensitive": options.ter_case_sensitive,
        },
    }
    return {
        name.upper(): METRICS[name.upper()](references=references, **given[name])
        for name in sorted(set(options.metrics))
    }


def _format_sentences(
    options: Namespace,
    systems: Mapping[str, Lines],
    metrics: Mapping[str, SacreMetric],
) -> str:
    (metric,), (lines,) = metrics.values(), systems.values()
    scores = metric.score_segments(lines, None)
    text = metric.get_signature().format(options.short)
    return "\n".join(
        score.format(options.width, options.score_only, text) for score in scores
    )


def _format_system(
    options: Namespace, lines: Lines, metrics: Mapping[str, SacreMetric]
) -> str:
    """Write one system's scores: JSON, or lines of text."""
    # Details are lines of text, so the scores above them are as well.
    is_json = options.format == "json" and not options.detail
    trials = options.confidence_n if options.confidence else 1
    texts = []
    for metric in metrics.values():
        score = metric.corpus_score(lines, None, n_bootstrap=trials)
        signature = metric.get_signature()
        texts.append(
            score.format(
                options.width,
                options.score_only,
                signature.format(options.short and not is_json),
                is_json=is_json and not options.score_only,
            )
        )
    if is_json and len(texts) > 1:
        return "[\n" + ",\n".join(texts) + "\n]"
    if not is_json and not options.score_only:
        return _align_texts(texts)
    return "\n".join(texts)


def _format_details(options: Namespace, lines: Lines, references: list[Lines]) -> str:
    """Write the scores of each original language, and of its countries and domains."""
    from metra.compat.sacrebleu import testsets

    names = options.test_set.split(",")
    rows = []
    for language in testsets.list_languages(names, options.langpair):
        for label, subset in testsets.list_subsets(names, options.langpair):
            chosen = testsets.choose_segments(names, options.langpair, language, subset)
            count = sum(chosen)
            if not count:
                continue
            part = _filter_lines(lines, chosen)
            streams = [_filter_lines(stream, chosen) for stream in references]
            for metric in _make_metrics(options, streams).values():
                score = metric.corpus_score(part, None)
                rows.append((f"origlang={language} {label}", count, score))
    width = max(len(label) for label, _, _ in rows)
    longest = max(len(score.name) for _, _, score in rows)
    return "".join(
        f"\n{label:<{width}} : sentences={count:<6} {score.name:<{longest}} = "
        f"{score.score:.{options.width}f}"
        for label, count, score in rows
    )


def _align_texts(texts: Sequence[str]) -> str:
    """Set lines below each other so that their equals signs meet."""
    pairs = [text.split(" = ", 1) for text in texts]
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{name:>{width}} = {score}" for name, score in pairs)


def _format_systems(
    options: Namespace,
    systems: Mapping[str, Lines],
    metrics: Mapping[str, SacreMetric],
) -> str:
    """Write a table of all systems, with paired tests if they are asked for."""
    from metra.compat.sacrebleu import tables

    if options.paired_ar or options.paired_bs:
        signatures, table = _test_systems(options, systems, metrics)
    else:
        scores: dict[str, Any] = {"System": list(systems)}
        signatures = {}
        for metric in metrics.values():
            totals = metric.count(systems, None, keep=False)
            column = [metric.build_score(total) for total in totals.values()]
            scores[column[0].name] = column
            signatures[column[0].name] = metric.get_signature()
        table = tables.format_scores(scores, form=options.format, width=options.width)
    if options.format == "json":
        return table
    return f"{table}\n{tables.format_signatures(signatures, short=options.short)}"


def _test_systems(
    options: Namespace,
    systems: Mapping[str, Lines],
    metrics: Mapping[str, SacreMetric],
) -> tuple[dict[str, Any], str]:
    from metra.compat.sacrebleu import tables
    from metra.compat.sacrebleu.significance import PairedTest

    test = "bs" if options.paired_bs else "ar"
    trials = options.paired_bs_n if options.paired_bs else options.paired_ar_n
    named = list(systems.items())
    named[0] = (f"Baseline: {named[0][0]}", named[0][1])
    signatures, results = PairedTest(named, metrics, None, test, trials)()
    color = sys.stdout.isatty() and not options.no_color
    table = tables.format_paired(
        results,
        form=options.format,
        width=options.width,
        test=test,
        trials=trials,
        color=color,
    )
    return signatures, table
