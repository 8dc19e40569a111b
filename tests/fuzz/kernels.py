"""Let libFuzzer look for inputs that break a law of the kernels, with AddressSanitizer.

python tests/fuzz/kernels.py --seconds 3600

Needs a nightly toolchain (`rustup toolchain install nightly`) and `cargo install cargo-fuzz`.
The laws are those of rust/tests/laws; an input that breaks one is kept in rust/fuzz/artifacts.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "rust" / "fuzz"
#: Bytes of the longest input.
LONGEST = 4096


def list_laws() -> list[str]:
    """Return the names of the laws."""
    text = (ROOT / "rust" / "tests" / "laws" / "mod.rs").read_text()
    table = re.search(r"pub const LAWS.*?\];", text, re.DOTALL)
    assert table is not None
    return re.findall(r'\("([^"]+)"', table[0])


def fuzz_law(name: str, seconds: int) -> tuple[int, bool]:
    """Fuzz one law; return how many inputs were tried, and whether it held."""
    corpus = FOLDER / "corpus" / name.replace(" ", "-")
    corpus.mkdir(parents=True, exist_ok=True)
    command = ["cargo", "+nightly", "fuzz", "run", "--fuzz-dir", ".", "laws", corpus]
    limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=300"]
    done = subprocess.run(
        [*command, "--", *limits, "-print_final_stats=1"],
        cwd=FOLDER,
        env={**os.environ, "METRA_LAW": name},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    tried = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    if done.returncode:
        print(done.stderr[-3000:])
    return int(tried[1]) if tried else 0, done.returncode == 0


def main() -> None:
    """Fuzz all laws in turn; exit with 1 if one is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for all laws together")
    parser.add_argument("--only", default="", help="laws with this in their names")
    options = parser.parse_args()
    if subprocess.run(
        ["cargo", "+nightly", "fuzz", "--version"], check=False
    ).returncode:
        sys.exit("Install a nightly toolchain and cargo-fuzz to fuzz the kernels.")
    laws = [name for name in list_laws() if options.only in name]
    seconds = max(1, options.seconds // len(laws))
    rows = []
    for name in laws:
        rows.append((name, *fuzz_law(name, seconds)))
        print(*rows[-1], flush=True)
    sys.exit(0 if all(held for *_, held in rows) else 1)


if __name__ == "__main__":
    main()
