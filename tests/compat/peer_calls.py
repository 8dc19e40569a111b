"""Run many calls of sacreBLEU's command line, or of metra's, and note what each prints.

Reads a JSON list of lists of arguments from the file that is the second argument, runs each
in a process of its own that has the program (the first argument: sacrebleu or metra) loaded
already, and writes a JSON list of `{"code", "out", "err"}` to the file that is the third.
"""

import json
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any


def run_call(program: str, arguments: list[str], folder: Path) -> dict[str, Any]:
    """Fork, run one call in the child, and read what it left behind."""
    out, err = (folder / name for name in ("out", "err"))
    child = os.fork()
    if child == 0:
        run_main(program, arguments, out, err)
    _, status = os.waitpid(child, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": out.read_bytes().decode(),
        "err": err.read_bytes().decode(),
    }


def run_main(program: str, arguments: list[str], out: Path, err: Path) -> None:
    """Run a program's main function with the streams of a process; never return."""
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    code = 0
    try:
        start(program, arguments)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if not ended.code else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def start(program: str, arguments: list[str]) -> None:
    """Call the main function of a program."""
    if program == "metra":
        from metra.cli import main

        sys.argv = ["metra", "sacrebleu", *arguments]
    else:
        from sacrebleu.sacrebleu import main

        sys.argv = ["sacrebleu", *arguments]
    main()


def load(program: str) -> None:
    """Load what every call needs, once."""
    import sacrebleu.sacrebleu
    import sacrebleu.significance  # noqa: F401

    if program == "metra":
        import metra.cli
        import metra.compat.sacrebleu.command  # noqa: F401


if __name__ == "__main__":
    calls = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    load(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        results = [run_call(sys.argv[1], call, Path(scratch)) for call in calls]
    Path(sys.argv[3]).write_text(json.dumps(results), encoding="utf-8")
