"""Run many calls of sacreBLEU's command line, or of metra's, and note what each prints.

Reads a JSON list of calls, `{"arguments", "environment", "stdin", "terminal"}`, from the
file that is the second argument, runs each in a process of its own that has the program
(the first argument: sacrebleu or metra) loaded already, and writes a JSON list of
`{"code", "out", "err"}` to the file that is the third.
"""

import json
import os
import pty
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any


def run_call(program: str, call: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Fork, run one call in the child, and read what it left behind."""
    source, out, err = (folder / name for name in ("in", "out", "err"))
    source.write_bytes(call.get("stdin", "").encode())
    if call.get("terminal"):
        child, screen = pty.fork()
        if child == 0:
            run_main(program, call, source, None, err)
        text = read_screen(screen)
    else:
        child = os.fork()
        if child == 0:
            run_main(program, call, source, out, err)
        text = ""
    _, status = os.waitpid(child, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": text or out.read_bytes().decode(),
        "err": err.read_bytes().decode(),
    }


def read_screen(screen: int) -> str:
    """Read what is written to a terminal, with plain line feeds."""
    blocks = []
    try:
        while block := os.read(screen, 65536):
            blocks.append(block)
    except OSError:  # the other end is closed
        pass
    os.close(screen)
    return b"".join(blocks).decode().replace("\r\n", "\n")


def run_main(
    program: str, call: dict[str, Any], source: Path, out: Path | None, err: Path
) -> None:
    """Run a program's main function with the streams of a process; never return."""
    os.dup2(os.open(source, os.O_RDONLY), 0)
    for number, path in ((1, out), (2, err)):
        if path:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(path, flags), number)
    os.environ.update(call.get("environment", {}))
    code = 0
    try:
        start(program, call["arguments"])
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
    if program == "metra":
        import metra.cli
        import metra.compat.sacrebleu.command
        import metra.compat.sacrebleu.significance  # noqa: F401
    else:
        import sacrebleu.sacrebleu
        import sacrebleu.significance  # noqa: F401


if __name__ == "__main__":
    calls = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    load(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        results = [run_call(sys.argv[1], call, Path(scratch)) for call in calls]
    Path(sys.argv[3]).write_text(json.dumps(results), encoding="utf-8")
