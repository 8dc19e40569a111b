"""Make the pictures of the pages again.

python docs/tools/pictures.py

Pictures of studies are drawn from the numbers that are kept beside them; those of
docs/meta/judges.md need the data sets themselves, where these are at hand. Pictures of reports
and of the judging app and its elements are taken in chromium, if it is installed.
"""

import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

HERE = Path(__file__).parents[1]
sys.path += [str(HERE / "studies"), str(HERE / "meta")]

import false_alarms  # noqa: E402 (docs is no package)
import judges  # noqa: E402
import judging_pictures  # noqa: E402
import kit_pictures  # noqa: E402
import report_pictures  # noqa: E402
from run import DATA, NAMES  # noqa: E402
from study_page import read_numbers, write_study  # noqa: E402

from metra.corpus import examples  # noqa: E402


def main() -> None:
    """Make all pictures that can be made here, and say which cannot."""
    for name in NAMES:
        write_study(name, read_numbers(name))
    false_alarms.main(["systems", "0"])
    draw_grid()
    if DATA.is_dir():
        with redirect_stdout(None):  # its tables, which stand on the page
            judges.main(DATA, plots=True)
    else:
        print(f"{DATA} is no folder; the pictures of docs/meta/judges.md stay.")
    if shutil.which("chromium"):
        report_pictures.main()
        judging_pictures.main()
        kit_pictures.main()
    else:
        print("Install chromium to take the pictures of reports and the judging app.")


def draw_grid() -> None:
    """Draw the grid of docs/report.md."""
    home = Path(examples.HOME)
    references = [f"-r{home / f'reference.{number}.txt'}" for number in (1, 2)]
    command = [sys.executable, "-m", "metra", "grid", str(home / "outputs/solid.txt")]
    command += [*references, "--segment", "8", "--format", "svg"]
    drawing = subprocess.run(command, check=True, capture_output=True).stdout
    (HERE / "grid.svg").write_bytes(drawing)


if __name__ == "__main__":
    main()
