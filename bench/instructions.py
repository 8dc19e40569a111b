"""Instructions that each kernel takes for a segment, and a digest of its rows.

Neither depends on the load of the machine.

    python bench/instructions.py             compare with bench/instructions.json
    python bench/instructions.py --update    rewrite it

Needs cargo and valgrind. The kernels are those of rust/examples/kernels.rs, the texts our
own examples and, where it is there, WMT23. A kernel that takes more than its budget fails;
one that takes clearly less asks for an update, and so does one whose rows differ in any
bit. Counts depend on the compiler, so the budget names it.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import environment  # noqa: F401, fixes the threads before anything is loaded
from inputs import ROOT, corpus

BUDGET = Path(__file__).with_suffix(".json")
TEXTS = ("examples", "english")
SEGMENTS = 3_000
TOLERANCE = 0.03


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="rewrite the budget")
    options = parser.parse_args()
    kept: dict[str, Any] = json.loads(BUDGET.read_text()) if BUDGET.exists() else {}
    compiler = _output("rustc", "--version").strip()
    if not options.update and kept.get("compiler") != compiler:
        print(f"The budget is for {kept.get('compiler')}, this is {compiler}.")
    kernels = build_kernels()
    failed = 0
    for name in TEXTS:
        text = corpus(name, SEGMENTS)
        budget = kept.get(name, {})
        if not options.update and budget.get("sha256") != text.sha256:
            print(f"{name}: the budget's text is not on this machine.")
            continue
        counts, digests = count_instructions(kernels, *text.files)
        if options.update:
            budget = {"sha256": text.sha256, "instructions": counts, "rows": digests}
            kept |= {"compiler": compiler, name: budget}
        print(f"{name}, instructions a segment:")
        failed += compare_counts(counts, budget["instructions"])
        failed += compare_rows(digests, budget["rows"])
    if options.update:
        BUDGET.write_text(json.dumps(kept, indent=1) + "\n")
    return 1 if failed else 0


def build_kernels() -> str:
    """Build the program that runs the kernels; give its path."""
    _output(
        *("cargo", "build", "--quiet", "--release", "--no-default-features"),
        *("--example", "kernels"),
    )
    return str(ROOT / "target" / "release" / "examples" / "kernels")


def count_instructions(
    kernels: str, hyps: str, ref: str
) -> tuple[dict[str, float], dict[str, str]]:
    """Run the kernels under callgrind: instructions a segment, and digests of rows."""
    with TemporaryDirectory() as folder:
        profile = f"{folder}/callgrind.out"
        printed = _output(
            *("valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}"),
            *("--toggle-collect=*kernel_*", kernels, hyps, ref),
        )
        listing = _output(
            *("callgrind_annotate", "--inclusive=yes", "--threshold=100", profile)
        )
    segments, *lines = printed.strip().split("\n")
    digests = dict(line.split(" ") for line in lines)
    counts: dict[str, float] = {}
    for shown, name in re.findall(
        r"^ *([\d,]+) .*::kernel_(\w+)", listing, re.MULTILINE
    ):
        # A function is listed once for each file that was inlined into it, whole once.
        count = int(shown.replace(",", "")) / int(segments)
        counts[name] = max(counts.get(name, 0), round(count, 1))
    return dict(sorted(counts.items())), digests


def compare_rows(digests: dict[str, str], expected: dict[str, str]) -> int:
    """Name each kernel whose rows are others than before; give their number."""
    changed = [
        name
        for name in sorted(digests.keys() | expected.keys())
        if digests.get(name) != expected.get(name)
    ]
    for name in changed:
        print(f"  {name}: other rows than before")
    return len(changed)


def compare_counts(counts: dict[str, float], budget: dict[str, float]) -> int:
    """Print each kernel's count beside its budget; give the number of failures."""
    failed = 0
    width = max(map(len, counts))
    for name, count in counts.items():
        allowed = budget.get(name)
        if allowed is None:
            remark, bad = "no budget: run with --update", True
        else:
            change = count / allowed - 1
            remark, bad = f"{change:+.1%} of {allowed:,.0f}", change > TOLERANCE
            if change < -TOLERANCE:
                remark += ", better: run with --update"
        failed += bad
        mark = "  TOO MUCH" if bad else ""
        print(f"  {name:<{width}} {count:>9,.0f}  {remark}{mark}")
    for name in budget.keys() - counts.keys():
        failed += 1
        print(f"  {name:<{width}} was not measured: run with --update if it is gone")
    return failed


def _output(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.decode()}")
    return done.stdout.decode()


if __name__ == "__main__":
    sys.exit(main())
