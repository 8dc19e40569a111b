"""The structure of a checkout in figures, beside where it started and where it should go.

python bench/structure.py [CHECKOUT]             sizes, imports and names
python bench/structure.py --flows                and how much code each flow visits
python bench/structure.py --list participles     what a figure counts, place by place
python bench/structure.py --list score           the functions that a flow visits
python bench/structure.py --definitions          how each figure is defined
python bench/structure.py --shrink-names         update tests/names_allowed.txt
python bench/structure.py --budget               lines of each package against bench/budget.toml
"""

import argparse
import signal
import tomllib
from pathlib import Path
from typing import Any

from code_figures import count_lines_by_package, measure_code
from flow_figures import FLOWS, measure_flow
from name_figures import list_names, shrink_allowed
from option_figures import list_options, measure_options
from source_tree import Figure, read_sources

#: The figures before the code base was made smaller.
BEFORE = {
    "units": 19,
    "packages": 13,
    "cycles": 0,
    "files": 454,
    "lines": 98_260,
    "code_lines": 70_739,
    "small_files": 40,
    "long_functions": 36,
    "function_median": 9,
    "function_p90": 26,
    "complexity": 4.09,
    "docstring_starts": 339,
    "docstring_clauses": 456,
    "empty_names": 320,
    "options": 1_184,
    "flags": 266,
    "options_of_score": 53,
    "test_lines": 82_716,
    "golden_lines": 58_674,
    "rust_lines": 16_397,
}
#: Where the plan gives a number.
TARGETS = {
    "cycles": 0,
    "files": 390,
    "lines": 76_000,
    "code_lines": 55_400,
    "participles_checked": 0,
    "duplicate_classes": 0,
    "gerund_modules": 0,
    "docstring_starts": 0,
    "docstring_clauses": 0,
    "empty_names": 0,
    "options": 650,
    "flags": 180,
    "options_of_score": 34,
    "test_lines": 68_000,
    "golden_lines": 45_000,
    "rust_lines": 15_000,
}
#: Functions and files that each flow visited before, counted as here.
FLOWS_BEFORE = {
    "score": (194, 35),
    "report": (502, 79),
    "answer": (77, 27),
    "batch": (101, 16),
}
#: Functions and files that each flow may visit in the end.
FLOW_TARGETS = {
    "score": (130, 24),
    "report": (350, 65),
    "answer": (60, 20),
    "batch": (60, 13),
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
                _pair(FLOW_TARGETS.get(name)),
                _pair(flow["called"]) if is_measured else "",
                f"{sum(opens.values())} ({_opens(opens)})"
                if any(opens.values())
                else "",
            ]
        )
    header = ["flow", "visited", "before", "target", "called", "input opens"]
    return format_table(header, rows)


def check_budget(checkout: Path) -> bool:
    """Print the lines of each package against its budget; False if one is exceeded."""
    budget = tomllib.loads((checkout / "bench" / "budget.toml").read_text("utf-8"))
    lines = count_lines_by_package(read_sources(checkout))
    packages = sorted(budget.keys() | lines.keys())
    rows = []
    for package in packages:
        count, limit = lines.get(package, 0), budget.get(package, 0)
        remark = f"{count - limit:,} too many" if count > limit else ""
        rows.append([package, f"{count:,}", f"{limit:,}", remark])
    total = sum(lines.values()), sum(budget.values())
    rows.append(["together", *(f"{count:,}" for count in total), ""])
    print(format_table(["package", "lines", "budget", ""], rows))
    return not any(row[3] for row in rows)


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
    if name == "options":
        for command, flags in list_options(checkout).items():
            print(f"{len(flags):>3} {command}: {' '.join(flags)}")
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
    parser.add_argument("--shrink-names", action="store_true")
    parser.add_argument("--budget", action="store_true")
    arguments = parser.parse_args()
    checkout = arguments.checkout.resolve()
    if arguments.list:
        _list(checkout, arguments.list)
        return
    if arguments.budget:
        if not check_budget(checkout):
            msg = "Make the package smaller, or raise its budget and say why there."
            raise SystemExit(msg)
        return
    if arguments.shrink_names:
        names = list_names(read_sources(checkout))
        changes = shrink_allowed(checkout / "tests" / "names_allowed.txt", names)
        print(f"{changes} entries changed")
        return
    figures = [*measure_code(checkout), *measure_options(checkout)]
    flows = {}
    if arguments.flows:
        flows = {name: measure_flow(checkout, name) for name in FLOWS}
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
