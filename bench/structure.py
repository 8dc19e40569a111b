"""The structure of a checkout in figures, beside where it started and where it should go.

python bench/structure.py [CHECKOUT]             sizes, imports and names
python bench/structure.py --flows                and how much code each flow visits
python bench/structure.py --list participles     what a figure counts, place by place
python bench/structure.py --list score           the functions that a flow visits
python bench/structure.py --definitions          how each figure is defined
python bench/structure.py --shrink-names         update tests/names_allowed.txt
"""

import argparse
import json
import signal
from pathlib import Path
from typing import Any

from code_figures import Figure, list_names, measure_code, read_sources, shrink_allowed
from flow_figures import FLOWS, measure_flow

#: The figures before the restructuring.
BEFORE = {
    "units": 38,
    "packages": 15,
    "modules": 20,
    "layers": 13,
    "declared_layers": 14,
    "cycles": 0,
    "files": 546,
    "lines": 58192,
    "median_lines": 89,
    "longest_file": 396,
    "small_files": 157,
    "single_importer": 175,
    "long_functions": 24,
    "participles": 326,
    "participles_checked": 341,
    "duplicate_classes": 49,
    "gerund_modules": 45,
    "found": 516,
    "isinstance": 233,
}
#: Where the plan gives a number.
TARGETS = {
    "packages": 13,
    "modules": 1,
    "declared_layers": 8,
    "cycles": 0,
    "files": 340,
    "lines": 52_000,
    "small_files": 40,
    "single_importer": 60,
    "participles": 20,
    "participles_checked": 0,
    "duplicate_classes": 0,
    "gerund_modules": 0,
}
#: Functions and files that each flow visited before the restructuring, counted as here.
FLOWS_BEFORE = {
    "score": (204, 38),
    "report": (632, 150),
    "answer": (84, 32),
    "batch": (84, 19),
    "parquet": (224, 42),
}
#: The same as the plan of the restructuring gives them, measured with other inputs.
FLOWS_IN_PLAN = {
    "score": (204, 38),
    "report": (635, 150),
    "answer": (83, 31),
    "batch": (87, 21),
}
#: How often the report opened its input files before the restructuring.
OPENS_BEFORE = {"score": 9, "report": 33}
#: Functions and files that each flow may visit in the end.
FLOW_TARGETS = {
    "score": (120, 24),
    "report": (350, 70),
    "answer": (60, 20),
    "batch": (60, 15),
}


def format_code(figures: list[Figure]) -> str:
    """Format the figures of the code as a Markdown table."""
    rows = [
        [
            figure.name,
            f"{figure.value:,g}" if figure.value < 1e5 else f"{figure.value:,.0f}",
            _cell(BEFORE.get(figure.name)),
            _cell(TARGETS.get(figure.name)),
        ]
        for figure in figures
    ]
    return format_table(["figure", "now", "before", "target"], rows)


def format_flows(flows: dict[str, dict[str, Any]]) -> str:
    """Format the figures of the flows as a Markdown table of functions/files."""
    rows = []
    for name, flow in flows.items():
        is_measured = "visited" in flow
        opens = flow["opens"] if is_measured else {}
        rows.append(
            [
                name,
                _pair(flow["visited"]) if is_measured else "not measured",
                _pair(FLOWS_BEFORE.get(name)),
                _pair(FLOWS_IN_PLAN.get(name)),
                _pair(FLOW_TARGETS.get(name)),
                _pair(flow["called"]) if is_measured else "",
                f"{sum(opens.values())} ({_opens(opens)})"
                if any(opens.values())
                else "",
                _cell(OPENS_BEFORE.get(name)),
            ]
        )
    header = ["flow", "visited", "before", "in the plan", "target", "called"]
    return format_table([*header, "input opens", "before"], rows)


def format_table(header: list[str], rows: list[list[str]]) -> str:
    """Format rows as a Markdown table whose columns line up."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines
    )


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _pair(counts: tuple[int, int] | None) -> str:
    return "" if counts is None else f"{counts[0]}/{counts[1]}"


def _opens(opens: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in opens.items())


def _list(checkout: Path, name: str) -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # for `| head`
    if name in FLOWS:
        flow = measure_flow(checkout, name)
        print("\n".join(flow.get("names", [flow.get("error", "")])))
        return
    figures = {figure.name: figure for figure in measure_code(checkout)}
    if name not in figures:
        msg = f"no figure {name}; known: {', '.join([*figures, *FLOWS])}"
        raise SystemExit(msg)
    for item in figures[name].items:
        print(item)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = Path(__file__).resolve().parent.parent
    parser.add_argument("checkout", nargs="?", type=Path, default=here)
    parser.add_argument("--flows", action="store_true")
    parser.add_argument("--list", metavar="NAME")
    parser.add_argument("--definitions", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--shrink-names", action="store_true")
    arguments = parser.parse_args()
    checkout = arguments.checkout.resolve()
    if arguments.list:
        _list(checkout, arguments.list)
        return
    if arguments.shrink_names:
        names = list_names(read_sources(checkout))
        changes = shrink_allowed(checkout / "tests" / "names_allowed.txt", names)
        print(f"{changes} entries changed")
        return
    figures = measure_code(checkout)
    flows = {}
    if arguments.flows:
        flows = {name: measure_flow(checkout, name) for name in FLOWS}
    if arguments.json:
        code = {
            figure.name: {"value": figure.value, "definition": figure.definition}
            for figure in figures
        }
        traces = {
            name: {key: value for key, value in flow.items() if key != "names"}
            for name, flow in flows.items()
        }
        print(json.dumps({"code": code, "flows": traces}, indent=2))
        return
    print(format_code(figures))
    if arguments.definitions:
        print()
        for figure in figures:
            print(f"{figure.name}: {figure.definition}")
    if flows:
        print(f"\n{format_flows(flows)}")
        for name, flow in flows.items():
            if "error" in flow:
                print(f"{name}: {flow['error']}")


if __name__ == "__main__":
    main()
