"""sacreBLEU's command line: what each call reads, scores and prints."""

import json
import logging
import os
import re
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, redirect_stdout
from io import StringIO
from itertools import compress
from typing import Any

from metra.compat.sacrebleu.arguments import parse_arguments
from metra.compat.sacrebleu.metrics import LOG, METRICS, SacreMetric
from metra.errors import (
    CorpusError,
    MissingResourceError,
    OptionError,
    missing_package,
)
from metra.formats.lines import LineReader
from metra.formats.stream import STDIN
from metra.text.columns import check_lengths

Lines = list[str]


#: What --detail says where no languages are known; part of sacreBLEU's output.
_NO_SUBSETS = "No subset information found. Consider using --origlang argument."


def run(arguments: Sequence[str]) -> str:
    """Return what a call with these arguments prints on standard output."""
    options = parse_arguments(arguments)
    warnings = logging.StreamHandler()
    warnings.setFormatter(logging.Formatter("metra: %(message)s"))
    level = LOG.level
    LOG.setLevel(logging.CRITICAL if options.quiet else logging.WARNING)
    LOG.addHandler(warnings)
    try:
        return "".join(f"{line}\n" for line in _answer(options))
    finally:
        LOG.removeHandler(warnings)
        LOG.setLevel(level)


def _answer(options: Namespace) -> Iterable[str]:
    """Return the lines, or groups of lines, that answer a call."""
    for flag, answer in _ANSWERS.items():
        if getattr(options, flag):
            return answer(options)
    _check_options(options)
    names = _list_names(options)
    references = _read_references(options)
    systems = _read_systems(options)
    _check_systems(options, systems)
    _check_lengths(systems, references)
    labels = None
    if options.test_set and (options.origlang or options.subset or options.detail):
        from metra.compat.sacrebleu.testsets import read_labels

        tagged = bool(options.subset or options.detail)
        labels = read_labels(names, options.langpair, tagged=tagged)
    whole = systems, references
    if options.origlang or options.subset:
        chosen = _choose_segments(options, labels)
        systems = {
            name: list(compress(lines, chosen)) for name, lines in systems.items()
        }
        references = [list(compress(lines, chosen)) for lines in references]
    metrics = _make_metrics(options, references)
    if options.sentence_level:
        return _format_sentences(options, systems, metrics)
    # Details are lines of text, so the scores above them are as well.
    if options.detail and options.format == "json":
        options.format = "text"
    if len(systems) > 1:
        return [_format_systems(options, systems, metrics)]
    (lines,) = systems.values()
    text = _format_system(options, lines, metrics)
    if not options.detail:
        return [text]
    ((lines,), references) = whole[0].values(), whole[1]
    return [text, *_list_details(options, lines, references, labels)]


def _list_names(options: Namespace) -> list[str]:
    return options.test_set.split(",") if options.test_set else []


def _list_test_sets(options: Namespace) -> Iterable[str]:
    from metra.compat.sacrebleu.testsets import describe_test_sets

    yield describe_test_sets(options.test_set, options.langpair)


def _cite(options: Namespace) -> Iterable[str]:
    from metra.compat.sacrebleu.testsets import cite_test_sets

    if not options.test_set:
        msg = "--citation needs a test set (-t)."
        raise OptionError(msg)
    yield cite_test_sets(_list_names(options))


def _download(options: Namespace) -> Iterable[str]:
    from metra.compat.sacrebleu.testsets import download_test_set

    download_test_set(options.download, options.langpair)
    return []


def _echo_fields(options: Namespace) -> Iterable[str]:
    from metra.compat.sacrebleu.testsets import choose_fields, read_labels

    if not options.test_set or not options.langpair:
        msg = "--echo needs a test set (-t) and a language pair (-l)."
        raise OptionError(msg)
    lines: Lines = []
    for name in _list_names(options):
        columns = choose_fields(name, options.langpair, options.echo)
        if options.origlang or options.subset:
            tagged = bool(options.subset)
            labels = read_labels([name], options.langpair, tagged=tagged)
            chosen = labels.choose(options.origlang, options.subset)
            columns = [list(compress(column, chosen)) for column in columns]
        rows = zip(*columns, strict=True)
        lines += ["\t".join(field.rstrip() for field in row) for row in rows]
    return lines


#: Flags that ask for something else than scores, and who answers them.
_ANSWERS = {
    "download": _download,
    "list": _list_test_sets,
    "citation": _cite,
    "echo": _echo_fields,
}


def _check_options(options: Namespace) -> None:
    """Refuse what does not go together, before anything is read."""
    _refuse(
        {
            "-t and reference files exclude each other; give one of them": (
                options.test_set and options.refs
            ),
            "There is nothing to compare with; give reference files before -i, or a test "
            "set with -t": not options.test_set and not options.refs,
            "A test set needs a language pair, such as -l en-de": (
                options.test_set and not options.langpair
            ),
            "-l expects two languages with a hyphen between them, such as en-de": (
                options.langpair and "-" not in options.langpair
            ),
            "--num-refs needs exactly one reference file": (
                options.num_refs != 1 and (options.test_set or len(options.refs) > 1)
            ),
            "--num-refs expects at least 1": options.num_refs < 1,
            "--width expects at least 0": options.width < 0,
            "--origlang and --subset need a test set (-t)": (
                (options.origlang or options.subset) and not options.test_set
            ),
            "--sentence-level takes one metric": (
                options.sentence_level and len(options.metrics) > 1
            ),
            "-i expects output files": options.input == [],
        }
    )


def _check_systems(options: Namespace, systems: Mapping[str, Lines]) -> None:
    """Refuse what does not go with the number of systems."""
    paired = options.paired_ar or options.paired_bs
    several = len(systems) > 1
    _refuse(
        {
            "--sentence-level takes one system, and no intervals or tests": (
                options.sentence_level and (several or paired or options.confidence)
            ),
            "--confidence takes one system; compare several with --paired-bs": (
                several and options.confidence
            ),
            "Paired tests need several systems after -i": paired and not several,
        }
    )


def _refuse(problems: Mapping[str, object]) -> None:
    for what, is_wrong in problems.items():
        if is_wrong:
            msg = f"{what}."
            raise OptionError(msg)


def _read_references(options: Namespace) -> list[Lines]:
    """Read the streams of references from files or test sets."""
    if options.test_set:
        from metra.compat.sacrebleu.testsets import read_references

        return read_references(_list_names(options), options.langpair)
    streams = [_read_file(path, options.encoding) for path in options.refs]
    if options.num_refs == 1:
        return streams
    return _split_columns(streams[0], options.refs[0], options.num_refs)


def _read_systems(options: Namespace) -> dict[str, Lines]:
    """Read the outputs: files by their paths, or columns of standard input."""
    paired = options.paired_ar or options.paired_bs
    if options.input is None:
        lines = _read_file(STDIN, options.encoding)
        count = lines[0].rstrip().count("\t") + 1 if lines else 1
        names = [f"System {number}" for number in range(1, count + 1)]
        if paired:
            names = ["Baseline", *names[:-1]]
        columns = _split_columns(lines, "standard input", count)
        return dict(zip(names, columns, strict=True))
    systems: dict[str, Lines] = {}
    for path in options.input:
        if path not in systems:
            systems[path] = _read_file(path, options.encoding)
        elif not (paired and path == options.input[0]):
            msg = f"{path} is given twice; expected each output once."
            raise OptionError(msg)
    if paired:
        first, *others = systems
        systems = {
            f"Baseline: {first}": systems[first],
            **{name: systems[name] for name in others},
        }
    return systems


def _split_columns(lines: Lines, path: str, count: int) -> list[Lines]:
    """Split lines at tabs; expect as many columns in each."""
    if count == 1:
        return [lines]
    rows = [line.rstrip().split("\t") for line in lines]
    for number, row in enumerate(rows, 1):
        if len(row) != count:
            msg = (
                f"{path}, line {number}: found {len(row)} tab-separated "
                f"text{'s' * (len(row) > 1)}; expected {count}."
            )
            raise CorpusError(msg)
    return [list(column) for column in zip(*rows, strict=True)]


def _read_file(path: str, encoding: str) -> Lines:
    """Read the lines of a file; they end at line feeds only."""
    is_usual = encoding.lower().replace("_", "-") in {"utf-8", "utf8"}
    with closing(LineReader(path, None if is_usual else encoding)) as lines:
        return list(lines)


def _check_lengths(systems: Mapping[str, Lines], references: list[Lines]) -> None:
    lengths = {"the first reference": len(references[0])}
    lengths |= {name: len(lines) for name, lines in systems.items()}
    lengths |= {f"reference {n}": len(ref) for n, ref in enumerate(references, 1)}
    rule = "each line must be one segment, in the same order in every file"
    check_lengths(lengths, rule)


def _choose_segments(options: Namespace, labels: Any) -> list[bool]:
    chosen: list[bool] = labels.choose(options.origlang, options.subset)
    if not any(chosen):
        msg = f"No segment of {options.test_set} is of this --origlang and --subset."
        raise CorpusError(msg)
    return chosen


def _make_metrics(
    options: Namespace, references: list[Lines]
) -> dict[str, SacreMetric]:
    """Make the metrics in the order in which they are given."""
    given: dict[str, dict[str, Any]] = {
        "bleu": {
            "lowercase": options.lowercase,
            "force": options.force,
            "tokenize": options.tokenize,
            "smooth_method": options.smooth_method,
            "smooth_value": options.smooth_value,
            "effective_order": options.sentence_level,
            "trg_lang": (options.langpair or "-").split("-")[1],
        }
    }
    for name in ("chrf", "ter"):
        given[name] = {
            flag.removeprefix(f"{name}_"): value
            for flag, value in vars(options).items()
            if flag.startswith(f"{name}_")
        }
    return {
        name.upper(): METRICS[name.upper()](references=references, **given[name])
        for name in dict.fromkeys(options.metrics)
    }


def _format_sentences(
    options: Namespace,
    systems: Mapping[str, Lines],
    metrics: Mapping[str, SacreMetric],
) -> Iterable[str]:
    (metric,), (lines,) = metrics.values(), systems.values()
    scores = metric.score_segments(lines, None)
    text = metric.get_signature().format(options.short)
    return [score.format(options.width, options.score_only, text) for score in scores]


def _format_system(
    options: Namespace, lines: Lines, metrics: Mapping[str, SacreMetric]
) -> str:
    """Write one system's scores: JSON, or lines of text."""
    is_json = options.format == "json"
    trials = options.confidence_n if options.confidence else 1
    texts = []
    for _, metric in sorted(metrics.items()):
        score = metric.corpus_score(lines, None, n_bootstrap=trials)
        signature = metric.get_signature().format(options.short and not is_json)
        texts.append(
            score.format(options.width, options.score_only, signature, is_json=is_json)
        )
    if is_json:
        return "[\n" + ",\n".join(texts) + "\n]" if len(texts) > 1 else texts[0]
    return _INTERVAL.sub(
        lambda interval: _paint(options, interval[0], "cyan"),
        "\n".join(_align_texts(texts)),
    )


#: The interval in a line of text, which terminals show in colour.
_INTERVAL = re.compile(r"\(μ = [0-9.]+ ± [0-9.]+\)")


def _align_texts(texts: Sequence[str]) -> Sequence[str]:
    """Set lines below each other so that their first equals signs meet."""
    if len(texts) == 1 or not all("=" in text for text in texts):
        return texts
    pairs = [text.split(" =", 1) for text in texts]
    width = max(len(name) for name, _ in pairs)
    return [f"{name:>{width}} ={score}" for name, score in pairs]


_COLOURS = {"yellow": 33, "cyan": 36}


def _paint(options: Namespace, text: str, colour: str) -> str:
    """Write a text in a colour of the terminal, if there is one."""
    code = _COLOURS[colour]
    return f"\x1b[{code}m{text}\x1b[0m" if _has_colours(options) else text


def _has_colours(options: Namespace) -> bool:
    """Return whether output goes to a terminal and the user wants colours."""
    is_plain = options.no_color or os.environ.get("NO_COLOR")
    return not is_plain and sys.stdout.isatty()


def _list_details(
    options: Namespace, lines: Lines, references: list[Lines], labels: Any
) -> Iterable[str]:
    """List the scores of each original language, and of its countries and domains."""
    languages = labels.list_languages() if labels else []
    if options.origlang:
        languages = [options.origlang]
    if not languages:
        return [_NO_SUBSETS]
    subsets = [None, *([options.subset] if options.subset else labels.subsets)]
    rows = []
    for language in languages:
        for subset in subsets:
            chosen = labels.choose(language, subset)
            if not any(chosen):
                continue
            part = list(compress(lines, chosen))
            streams = [list(compress(stream, chosen)) for stream in references]
            for metric in _make_metrics(options, streams).values():
                score = metric.corpus_score(part, None)
                rows.append((_name_part(language, subset), len(part), score))
    width = max(len(name) for name, _, _ in rows) + 1
    longest = max(len(score.name) for _, _, score in rows)
    return [
        f"{_paint(options, f'{name:<{width}}', 'yellow')}: sentences={count:<6} "
        f"{score.name:<{longest}} = {score.score:.{options.width}f}"
        for name, count, score in rows
    ]


def _name_part(language: str, subset: str | None) -> str:
    if subset is None:
        return f"origlang={language} domain=ALL"
    kind, colon, name = subset.partition(":")
    named = f"country={name}" if kind == "country" and colon else f"domain={subset}"
    return f"origlang={language} {named}"


def _format_systems(
    options: Namespace,
    systems: Mapping[str, Lines],
    metrics: Mapping[str, SacreMetric],
) -> str:
    """Write a table of all systems, with paired tests if they are asked for."""
    results: dict[str, list[Any]]
    signatures: Mapping[str, Any]
    if options.paired_ar or options.paired_bs:
        from metra.compat.sacrebleu.significance import PairedTest

        test = "bs" if options.paired_bs else "ar"
        trials = options.paired_bs_n if options.paired_bs else options.paired_ar_n
        run_test = PairedTest(list(systems.items()), metrics, None, test, trials)
        signatures, results = run_test()
    else:
        results = {"System": list(systems)}
        signatures = {}
        for _, metric in sorted(metrics.items()):
            totals = metric.count(systems, None, keep=False)
            column = [metric.build_score(total) for total in totals.values()]
            texts = [f"{score.score:.{options.width}f}" for score in column]
            results[column[0].name] = texts
            signatures[column[0].name] = metric.get_signature()
    if options.format == "json":
        return _format_json(results)
    formatted = {name: each.format(options.short) for name, each in signatures.items()}
    return _format_table(options, results, formatted)


def _format_json(results: Mapping[str, Sequence[Any]]) -> str:
    """Write an object for each system; results of tests are objects as well."""
    names = ["system", *list(results)[1:]]
    rows = [
        dict(zip(names, row, strict=True))
        for row in zip(*results.values(), strict=True)
    ]
    return json.dumps(rows, indent=4, default=vars)


def _format_table(
    options: Namespace, results: dict[str, list[Any]], signatures: Mapping[str, str]
) -> str:
    """Let sacreBLEU write its table of several systems, as text or LaTeX."""
    try:
        from sacrebleu.utils import Color, print_results_table
    except ImportError:
        what = f"A table of several systems (--format {options.format})"
        msg = missing_package(what, "sacrebleu", "testsets")
        raise MissingResourceError(msg) from None
    Color.ENABLE_COLORS = _has_colours(options)
    with redirect_stdout(StringIO()) as table:
        print_results_table(results, dict(signatures), options)
    return table.getvalue().removesuffix("\n")
