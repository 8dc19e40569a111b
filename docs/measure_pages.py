"""The pages of the measures, from their docstrings, their options and the example."""

import re
from pathlib import Path
from typing import Any

from metra.corpus import examples
from metra.errors import MetraError
from metra.metrics import registry
from metra.metrics.describe import Description, read_description
from metra.metrics.options import read_parameters
from metra.metrics.record import Metric
from metra.report.table import Style
from metra.report.writers.results import render
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
from metra.scoring.files import FileCorpus, open_corpus
from metra.scoring.results import Results

NAMES = tuple(registry.BUILT_IN)

OUTPUTS = ("solid", "terse", "verbose")
REFERENCES = ("reference.1.txt", "reference.2.txt")

# The output that shows best what a measure notes, where that is not the second one.
NOTED = {"untranslated": "untranslated"}
# Measures that need no reference but look at it if it is there.
WITH_REFERENCES = ("evaltrans",)
# Measures that need no source but look at it if it is there.
WITH_SOURCE = ("untranslated",)

# Options that many measures share are explained on a page of their own.
EXPLAINED = {
    "tok": "[a tokeniser](../text.md#tokenisers)",
    "stem": "[a stemmer](../text.md#stems)",
}

NOTE = "<!-- Written by docs/generate.py; change the measure's docstring instead. -->"


def page(name: str) -> str:
    """Explain one measure."""
    found = read_description(name)
    blocks = [
        NOTE,
        f"# {name}",
        f"**{_prose(found.summary)}**",
        _prose(found.definition),
        "## Options",
        _options(found),
    ]
    if name in registry.WITH_MODEL:
        more = "See [Neural metrics](../neural.md) for models, precision, speed and the cache."
        return "\n\n".join([*blocks, more]) + "\n"
    metric = registry.metric(_spec(name))
    if metric.estimate is None:  # others ask machines that are not ours
        blocks += [
            "## On the example",
            _console(_spec(name), metric),
            _noted(_spec(name), metric),
            _variations(found, metric),
            "## What is counted",
            _statistics(_spec(name), metric),
        ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def index() -> str:
    """List the measures."""
    blocks = [
        "<!-- Written by docs/generate.py. -->",
        "# Measures",
        "Each measure is named by a spec: its name, or its name with options, as in "
        "`bleu:tok=intl,case=lower`. `metra metrics NAME` says in the terminal what its "
        "page says here.",
        listed(""),
    ]
    return "\n\n".join(blocks) + "\n"


def listed(folder: str) -> str:
    """Name every measure with its first line, linked to its page in the folder."""
    return "\n".join(
        f"- [`{name}`]({folder}{name}.md): {_prose(read_description(name).summary)}"
        for name in NAMES
    )


def menu() -> str:
    """Give the measures' entries in the site's menu."""
    return "\n".join(f'      {{ "{name}" = "metrics/{name}.md" }},' for name in NAMES)


def _spec(name: str, **options: str) -> str:
    """Name a measure with its files of the example, as seen from the repository's root."""
    return examples.build_spec(name, Path("examples"), **options)


def _options(found: Description) -> str:
    if not found.options:
        return "It has none."
    kinds = read_parameters(registry.find_factory(found.name))
    lines = ["| option | meaning | values | default |", "| :-- | :-- | :-- | :-- |"]
    for option in found.options:
        values = ", ".join(f"`{choice}`" for choice in option.choices)
        values = values or EXPLAINED.get(option.name) or _kind(kinds[option.name])
        meaning = _prose(option.meaning.rstrip(".")).replace("|", "\\|")
        lines.append(f"| `{option.name}` | {meaning} | {values} | `{option.default}` |")
    return "\n".join(lines)


def _kind(parameter: Any) -> str:
    text = str(parameter.annotation)
    return (
        "a whole number" if "int" in text else "a number" if "float" in text else "text"
    )


def _console(spec: str, metric: Metric) -> str:
    table = render(_results([spec], OUTPUTS, metric, ci=True), "table", Style())
    return f"```console\n{_command(spec, OUTPUTS, metric)} --ci\n{table}\n```"


def _noted(spec: str, metric: Metric) -> str:
    """Show what the measure notes in one output, if it notes anything."""
    if metric.details is None:
        return ""
    outputs = (NOTED.get(metric.name, OUTPUTS[1]),)
    corpus = _corpus(outputs, metric)
    options = EvaluationOptions(details=True)
    results = evaluate_corpus(corpus, make_metrics([spec]), options)
    table = render(results, "table", Style())
    return f"```console\n{_command(spec, outputs, metric)} --details\n{table}\n```"


def _command(spec: str, outputs: tuple[str, ...], metric: Metric) -> str:
    files = [f"examples/outputs/{output}.txt" for output in outputs]
    files += [f"-r {path}" for path in _references(metric)]
    if _takes_source(metric):
        files.append("-s examples/source.fr.txt")
    if metric.whole_documents or metric.needs_documents:
        files.append("--docs examples/docs.txt")
    return f"$ metra score {' '.join(files)} -m {spec}"


def _variations(found: Description, metric: Metric) -> str:
    """Say what each option alone does to one output's score, where it can stand alone."""
    specs = [_spec(found.name)]
    for option in found.options:
        for choice in option.choices:
            spec = _spec(found.name, **{option.name: choice})
            if choice != option.default and _possible(spec, metric):
                specs.append(spec)
    if len(specs) == 1:
        return ""
    scores = _results(specs, OUTPUTS[:1], metric)[OUTPUTS[0]]
    lines = [
        f"What each option, changed alone, makes of the score of `{OUTPUTS[0]}`:",
        "",
        "| spec | score |",
        "| :-- | --: |",
        *(f"| `{spec}` | {score.score:.2f} |" for spec, score in scores.items()),
    ]
    return "\n".join(lines)


def _possible(spec: str, metric: Metric) -> bool:
    """Tell whether the spec can be used on what the measure itself is shown with."""
    try:
        found = registry.metric(spec)
    except MetraError:
        return False
    return not found.needs_source or _takes_source(metric)


def _statistics(spec: str, metric: Metric) -> str:
    columns = ", ".join(f"`{column}`" for column in metric.columns)
    lines = [f"For each segment: {columns}. Scores are made from sums of these."]
    parts = _results([spec], OUTPUTS[:1], metric)[OUTPUTS[0]][spec].parts
    if parts:
        lines += [
            "",
            "JSON and Python give these parts beside the score, here for "
            f"`{OUTPUTS[0]}`:",
            "",
            "| part | value |",
            "| :-- | :-- |",
            *(f"| `{part}` | {_shown(value)} |" for part, value in parts.items()),
        ]
    return "\n".join(lines)


def _shown(value: float | list[float]) -> str:
    numbers = value if isinstance(value, list) else [value]
    return ", ".join(f"{number:.6g}" for number in numbers)


def _results(
    specs: list[str], outputs: tuple[str, ...], metric: Metric, *, ci: bool = False
) -> Results:
    return evaluate_corpus(
        _corpus(outputs, metric), make_metrics(specs), EvaluationOptions(ci=ci)
    )


def _corpus(outputs: tuple[str, ...], metric: Metric) -> FileCorpus:
    return open_corpus(
        [f"examples/outputs/{output}.txt" for output in outputs],
        _references(metric),
        "examples/source.fr.txt" if _takes_source(metric) else None,
        "examples/docs.txt"
        if metric.whole_documents or metric.needs_documents
        else None,
    )


def _references(metric: Metric) -> list[str]:
    if metric.needs_reference or metric.name in WITH_REFERENCES:
        return [f"examples/{path}" for path in REFERENCES]
    return []


def _takes_source(metric: Metric) -> bool:
    return metric.needs_source or metric.name in WITH_SOURCE


def _prose(text: str) -> str:
    """Keep signs that Markdown would take for its own, outside of code."""
    pieces = re.split(r"(`[^`]*`|(?<=\n) {4}[^\n]*)", text)
    plain = [re.sub(r"([*<\[\]])", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(
        piece for pair in zip(plain, [*pieces[1::2], ""], strict=True) for piece in pair
    )
