"""Run many calls of sacreBLEU's command line and note what each prints.

Reads a JSON list of calls, `{"arguments", "environment", "stdin"}`, from the file that is
its first argument, runs each in a process of its own that has sacreBLEU loaded already, and
writes a JSON list of `{"code", "out", "err"}` to the file that is the second.
"""

import json
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any


def run_call(call: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Fork, run one call in the child, and read what it left behind."""
    source, out, err = (folder / name for name in ("in", "out", "err"))
    source.write_text(call.get("stdin", ""), encoding="utf-8")
    child = os.fork()
    if child == 0:
        run_main(call, source, out, err)
    _, status = os.waitpid(child, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": out.read_text(encoding="utf-8"),
        "err": err.read_text(encoding="utf-8"),
    }


def run_main(call: dict[str, Any], source: Path, out: Path, err: Path) -> None:
    """Run sacreBLEU's main function with the streams of a process; never return."""
    from sacrebleu.sacrebleu import main

    os.dup2(os.open(source, os.O_RDONLY), 0)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.environ.update(call.get("environment", {}))
    sys.argv = ["sacrebleu", *call["arguments"]]
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if not ended.code else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    calls = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        results = [run_call(call, Path(scratch)) for call in calls]
    Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")
