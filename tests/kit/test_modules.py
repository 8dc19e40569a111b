"""The browser modules, tested by node, and the script that a report joins them into."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import metra
from metra.formats.table import format_rows
from metra.report.html.bundle import join_modules

KIT = Path(metra.__file__).parent / "kit"
#: The first version that takes a file with imports for a module without being told.
NODE_VERSION = (20, 19)


def run_node(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run node on the installed kit, or skip the test."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node: apt-get install nodejs")
    version = subprocess.check_output([node, "--version"], text=True)
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < NODE_VERSION:
        pytest.skip(f"needs node 20.19 or newer, and this is {version.strip()}")
    environment = os.environ | {"METRA_KIT": KIT.as_uri()}
    return subprocess.run(
        [node, *arguments], env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parent.glob("*.mjs")), ids=lambda path: path.stem
)
def test_modules(path):
    ran = run_node("--test", str(path))
    assert ran.returncode == 0, ran.stdout


CELLS = [
    "a", "", "=1+1", "'=1", "-1.5", "-x", "+1e9", "+", "@a", "−5", "'tis", "-inf",
    "a\tb", "\ta", "x\ny", "\r=1", "a\r\nb", '"q"', "'-2", "-1.5e-3x", "日本", "=ا",
]  # fmt: skip


def test_cells_are_escaped_as_in_tables_of_ours():
    code = """
      const { formatTsv } = await import(`${process.env.METRA_KIT}/files.js`);
      process.stdout.write(formatTsv(JSON.parse(process.argv[1])));
    """
    rows = [[cell] for cell in CELLS]
    ran = run_node("--input-type=module", "-e", code, "--", json.dumps(rows))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == format_rows(rows)


def test_modules_are_joined_once_each_before_their_readers():
    script = join_modules("report/html/static/report.js")
    order = re.findall(r'^modules\["([^"]+)"\]', script, re.MULTILINE)
    assert len(order) == len(set(order)) > 10
    assert order[-1] == "report/html/static/report.js"
    assert order.index("kit/elements.js") < order.index("kit/explorer/explorer.js")
    for name in re.findall(r'= modules\["([^"]+)"\];', script):
        assert name in order
    # Nothing of a module's own syntax is left, nor a comment.
    assert not re.search(r"^ *(import|export|//|/\*)", script, re.MULTILINE)


def test_every_module_is_written_as_the_bundle_reads_it():
    for path in KIT.rglob("*.js"):
        for line in re.findall(r"^ *(?:import|export)\b.*", path.read_text(), re.M):
            assert re.match(
                r'import \{ [\w, ]+ \} from "\.{1,2}/[\w/]+\.js";$'
                r"|export (const|function\*?) \w+",
                line,
            ), f"{path}: {line}"
        assert path.read_text().startswith("// @ts-check\n"), path
