"""The pages of the measures, from their docstrings, their options and the example."""

import re
from typing import Any

from metra import examples, metrics
from metra.describe import Description, description
from metra.errors import MetraError
from metra.evaluation import Questions, by_spec, evaluate_corpus
from metra.io import open_corpus
from metra.measure import Metric, parameters_of
from metra.report import render
from metra.report.layout import Style
from metra.results import Results

NAMES = tuple(metrics.BUILT_IN)

OUTPUTS = ("solid", "terse", "verbose")
REFERENCES = ("reference.1.txt", "reference.2.txt")

# Options that many measures share are explained on a page of their own.
EXPLAINED = {
    "tok": "[a tokeniser](../text.md#tokenisers)",
    "stem": "[a stemmer](../text.md#stems)",
}

NOTE = "<!-- Written by docs/generate.py; change the measure's docstring instead. -->"


def page(name: str) -> str:
    """Explain one measure."""
    found = description(name)
    metric = metrics.metric(name)
    blocks = [
        NOTE,
        f"# {name}",
        f"**{_prose(found.summary)}**",
        _prose(found.definition),
        "## Options",
        _options(found),
        "## On the example",
        _console(name, metric),
        _variations(found, metric),
        "## What is counted",
        _statistics(name, metric),
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
        f"- [`{name}`]({folder}{name}.md): {_prose(description(name).summary)}"
        for name in NAMES
    )


def menu() -> str:
    """Give the measures' entries in the site's menu."""
    return "\n".join(f"      - {name}: metrics/{name}.md" for name in NAMES)


def _options(found: Description) -> str:
    if not found.options:
        return "It has none."
    kinds = parameters_of(metrics.factory(found.name))
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


def _console(name: str, metric: Metric) -> str:
    outputs = " ".join(f"examples/outputs/{output}.txt" for output in OUTPUTS)
    references = " ".join(f"-r examples/{path}" for path in REFERENCES)
    source = " -s examples/source.fr.txt" if metric.needs_source else ""
    docs = " --docs examples/docs.txt" if metric.needs_documents else ""
    command = f"$ metra score {outputs} {references}{source}{docs} -m {name} --ci"
    table = render(_results([name], OUTPUTS, metric, ci=True), "table", Style())
    return f"```console\n{command}\n{table}\n```"


def _variations(found: Description, metric: Metric) -> str:
    """Say what each option alone does to one output's score, where it can stand alone."""
    specs = [found.name]
    for option in found.options:
        for choice in option.choices:
            spec = f"{found.name}:{option.name}={choice}"
            if choice != option.default and _possible(spec):
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


def _possible(spec: str) -> bool:
    try:
        metrics.metric(spec)
    except MetraError:
        return False
    return True


def _statistics(name: str, metric: Metric) -> str:
    columns = ", ".join(f"`{column}`" for column in metric.columns)
    lines = [f"For each segment: {columns}. Scores are made from sums of these."]
    parts = _results([name], OUTPUTS[:1], metric)[OUTPUTS[0]][name].parts
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
    home = examples.HOME
    corpus = open_corpus(
        [str(home / "outputs" / f"{output}.txt") for output in outputs],
        [str(home / path) for path in REFERENCES],
        str(home / "source.fr.txt") if metric.needs_source else None,
        str(home / "docs.txt") if metric.needs_documents else None,
    )
    return evaluate_corpus(corpus, by_spec(specs), Questions(ci=ci))


def _prose(text: str) -> str:
    """Keep signs that Markdown would take for its own, outside of `code`."""
    pieces = re.split(r"(`[^`]*`)", text)
    plain = [re.sub(r"([*<\[\]])", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(
        piece for pair in zip(plain, [*pieces[1::2], ""], strict=True) for piece in pair
    )
