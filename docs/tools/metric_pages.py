"""The pages of the metrics, from their docstrings, their options and the example."""

import re
from pathlib import Path
from typing import Any

from metra.corpus import examples
from metra.errors import MetraError
from metra.metrics import registry
from metra.metrics.options import read_parameters
from metra.metrics.record import Metric
from metra.metrics.registry import Description, read_description
from metra.report.table import Style
from metra.report.writers.results import render
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
from metra.scoring.files import FileCorpus, open_corpus
from metra.scoring.results import Results

NAMES = tuple(registry.BUILT_IN)
#: Metrics by what they compare, for the index and the menu; others come last.
FAMILIES = {
    "N-grams": "bleu nist chrf rougel ltv",
    "Edit distance": "ter wer per ser cer",
    "Word matches": "precision recall f1 fmean gtm meteor",
    "Neural metrics and language models": "comet bertscore metricx llm",
    "Names, terms and extraction": "entities terminology untranslated ie",
    "Syntax": "syntax xscore transfer",
    "Judgements and combinations": "evaltrans mwer spans outside quality",
}

OUTPUTS = ("solid", "terse", "verbose")
REFERENCES = ("reference.1.txt", "reference.2.txt")

# The output whose details are shown, if it is not the second one.
NOTED = {"untranslated": "untranslated"}
# Metrics that use an optional reference.
WITH_REFERENCES = ("evaltrans",)
# Metrics that use an optional source.
WITH_SOURCE = ("untranslated",)

# Pages that explain options of many metrics.
EXPLAINED = {
    "tok": "[a tokeniser](../text.md#tokenisers)",
    "stem": "[a stemmer](../text.md#stems)",
}

NOTE = "<!-- Written by docs/tools/generate.py; change the docstring of the metric instead. -->"


def page(name: str) -> str:
    """Explain one metric."""
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
    if metric.notes.estimate is None:  # the others send requests to an endpoint
        blocks += [
            "## On the example",
            _console(_spec(name), metric),
            _noted(_spec(name), metric),
            _variations(found, metric),
            "## Statistics",
            _statistics(_spec(name), metric),
        ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def index() -> str:
    """List the metrics."""
    blocks = [
        "<!-- Written by docs/tools/generate.py. -->",
        "# Metrics",
        "A spec names a metric and optionally its options, for example "
        "`bleu:tok=intl,case=lower`. `metra metrics NAME` prints the definition and the "
        "options of a metric in the terminal.",
    ]
    for family, names in group_names().items():
        lines = (
            f"- [`{name}`]({name}.md): {_prose(read_description(name).summary)}"
            for name in names
        )
        blocks += [f"## {family}", "\n".join(lines)]
    return "\n\n".join(blocks) + "\n"


def group_names() -> dict[str, list[str]]:
    """Return the names of the metrics by family."""
    groups = {family: names.split() for family, names in FAMILIES.items()}
    known = {name for names in groups.values() for name in names}
    others = [name for name in NAMES if name not in known]
    return groups | ({"Other metrics": others} if others else {})


def menu() -> str:
    """Return the entries of the metrics in the menu of the site."""
    lines = []
    for family, names in group_names().items():
        lines.append(f'      {{ "{family}" = [')
        lines += [f'        {{ "{name}" = "metrics/{name}.md" }},' for name in names]
        lines.append("      ] },")
    return "\n".join(lines)


def _spec(name: str, **options: str) -> str:
    """Name a metric with its files of the example, relative to the repository root."""
    return examples.build_spec(name, Path("examples"), **options)


def _options(found: Description) -> str:
    if not found.options:
        return "None."
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
    return "an integer" if "int" in text else "a number" if "float" in text else "text"


def _console(spec: str, metric: Metric) -> str:
    table = render(_results([spec], OUTPUTS, metric, ci=True), "table", Style())
    return f"```console\n{_command(spec, OUTPUTS, metric)} --ci\n{table}\n```"


def _noted(spec: str, metric: Metric) -> str:
    """Show the details of the metric for one output, if it has details."""
    if metric.notes.details is None:
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
    if "whole_documents" in metric.needs or "documents" in metric.needs:
        files.append("--docs examples/docs.txt")
    return f"$ metra score {' '.join(files)} -m {spec}"


def _variations(found: Description, metric: Metric) -> str:
    """Show the score of one output for each value of each option."""
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
        f"Score of `{OUTPUTS[0]}` if one option is changed:",
        "",
        "| spec | score |",
        "| :-- | --: |",
        *(f"| `{spec}` | {score.score:.2f} |" for spec, score in scores.items()),
    ]
    return "\n".join(lines)


def _possible(spec: str, metric: Metric) -> bool:
    """Return whether the spec works with the inputs of the example."""
    try:
        found = registry.metric(spec)
    except MetraError:
        return False
    return "source" not in found.needs or _takes_source(metric)


def _statistics(spec: str, metric: Metric) -> str:
    columns = ", ".join(f"`{column}`" for column in metric.columns)
    lines = [f"Statistics per segment: {columns}. Scores are computed from their sums."]
    parts = _results([spec], OUTPUTS[:1], metric)[OUTPUTS[0]][spec].parts
    if parts:
        lines += [
            "",
            f"JSON and Python also return these parts of the score, here for `{OUTPUTS[0]}`:",
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
        if "whole_documents" in metric.needs or "documents" in metric.needs
        else None,
    )


def _references(metric: Metric) -> list[str]:
    if "references" in metric.needs or metric.name in WITH_REFERENCES:
        return [f"examples/{path}" for path in REFERENCES]
    return []


def _takes_source(metric: Metric) -> bool:
    return "source" in metric.needs or metric.name in WITH_SOURCE


def _prose(text: str) -> str:
    """Escape Markdown characters outside of code."""
    pieces = re.split(r"(`[^`]*`|(?<=\n) {4}[^\n]*)", text)
    plain = [re.sub(r"([*<\[\]])", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(
        piece for pair in zip(plain, [*pieces[1::2], ""], strict=True) for piece in pair
    )
