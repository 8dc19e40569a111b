"""Write what follows from the code: metrics, commands, lists, console output.

python docs/tools/generate.py          writes what is stale
python docs/tools/generate.py --check  writes nothing; exits 1 if anything is stale
python docs/tools/generate.py --check --but-consoles  runs no commands of pages for that
"""

import sys
from contextlib import chdir
from pathlib import Path

import api_names
import command_pages
import consoles
import metric_pages
import protocol_scales
import seed_rows
from page_blocks import fill_block

from metra.corpus import examples
from metra.limits import EXPLANATIONS, SERVED, Limits

ROOT = Path(__file__).parents[2]
METRICS = ROOT / "docs" / "metrics"
COMMANDS = ROOT / "docs" / "commands"


def main(arguments: list[str]) -> int:
    """Bring the pages up to date, or say which are not."""
    if arguments not in ([], ["--check"], ["--check", "--but-consoles"]):
        print(
            "usage: python docs/tools/generate.py [--check [--but-consoles]]",
            file=sys.stderr,
        )
        return 2
    wanted = generate_pages()
    if "--but-consoles" not in arguments:
        wanted = refresh_consoles(wanted)
    stale = [path for path, text in wanted.items() if found(path) != text]
    orphans = [
        path
        for folder in (METRICS, COMMANDS)
        for path in folder.rglob("*.md")
        if path not in wanted
    ]
    if arguments:
        for path in [*stale, *orphans]:
            place = path.relative_to(ROOT)
            print(
                f"{place} is stale; run: python docs/tools/generate.py", file=sys.stderr
            )
        return 1 if stale or orphans else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8", newline="\n")
    for path in orphans:
        path.unlink()
    return 0


def generate_pages() -> dict[Path, str]:
    """Return every generated page, and pages by hand with the blocks in them."""
    pages = {METRICS / "index.md": metric_pages.index()}
    with chdir(ROOT):  # where the example's files have short names
        for name in metric_pages.NAMES:
            pages[METRICS / f"{name}.md"] = metric_pages.page(name)
    for place, text in command_pages.write_pages().items():
        pages[COMMANDS / place] = text
    for place, block, text in (
        ("README.md", "speed", list_speeds()),
        ("docs/api/index.md", "names", api_names.write_tables()),
        ("docs/human/protocols.md", "scales", protocol_scales.scales()),
        ("docs/guards.md", "limits", list_limits()),
        ("zensical.toml", "metrics", metric_pages.menu()),
        ("zensical.toml", "commands", command_pages.write_menu()),
    ):
        path = ROOT / place
        if path.suffix == ".md":
            text = f"\n{text}\n"  # Markdown wants a blank line after a comment
        pages[path] = fill_block(pages.get(path) or found(path), block, text)
    seeds = ROOT / "docs" / "seeds.md"
    pages[seeds] = seed_rows.fill_rows(found(seeds))
    return pages


def refresh_consoles(pages: dict[Path, str]) -> dict[Path, str]:
    """Return the pages, those by hand with the outputs that their commands give now."""
    by_hand = {ROOT / "CONTRIBUTING.md", *pages, *(ROOT / "docs").rglob("*.md")}
    return pages | {
        path: consoles.refreshed(pages.get(path) or found(path), examples.HOME)
        for path in sorted(by_hand)
        if METRICS not in path.parents and COMMANDS not in path.parents
    }


#: The rows of bench/RESULTS.md that the README shows: the task, and the other program.
SHOWN_SPEEDS = (
    ("corpus BLEU", "sacrebleu"),
    ("corpus chrF", "sacrebleu"),
    ("TER", "sacrebleu"),
    ("WER", "jiwer"),
    ("METEOR, exact, stem and synonym", "METEOR 1.5 (Java)"),
    ("BLEU with interval", "sacrebleu"),
    ("paired bootstrap, 5 systems, 4 metrics, 1,000 trials", "sacrebleu"),
)


def list_speeds() -> str:
    """Give the README's table of speeds, from what the benchmark wrote."""
    lines = found(ROOT / "bench" / "RESULTS.md").split("\n")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    # The first row of a task is that of the usual size.
    rows = {(row[0], row[2]): row for row in reversed(cells) if len(row) == 9}
    table = [
        "| task | other program | its time | metra's | ratio |",
        "| :-- | :-- | --: | --: | --: |",
    ]
    for shown in SHOWN_SPEEDS:
        task, _, peer, its_time, own_time, ratio, *_ = rows[shown]
        table.append(f"| {task} | {peer} | {its_time} | {own_time} | {ratio} |")
    return "\n".join(table)


def list_limits() -> str:
    """Give every limit with its values on the command line and on the server."""
    lines = ["| limit | most | command line | server |", "| :-- | :-- | --: | --: |"]
    for name, what in EXPLANATIONS.items():
        values = (f"{getattr(own, name):,}" for own in (Limits(), SERVED))
        lines.append(f"| `{name}` | {what} | {' | '.join(values)} |")
    return "\n".join(lines)


def found(path: Path) -> str:
    """Read a page; nothing where there is none yet."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
