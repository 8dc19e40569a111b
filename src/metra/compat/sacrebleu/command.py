"""sacreBLEU's command line, with its classes replaced by those that count with metra."""

import logging
import sys
from collections.abc import Sequence
from importlib import import_module

from metra.compat.sacrebleu.metrics import METRICS
from metra.errors import MetraError, OptionError


def run(arguments: Sequence[str]) -> None:
    """Run a call of sacreBLEU's command line in this process, which prints what it finds.

    What sacreBLEU refuses is an error of ours, with its message.
    """
    program = import_module("sacrebleu.sacrebleu")
    program.METRICS.update(METRICS)
    errors: list[str] = []

    def keep_errors(record: logging.LogRecord) -> bool:
        """Note errors, which are raised in the end; other messages are shown."""
        if record.levelno < logging.ERROR:
            return True
        errors.append(record.getMessage())
        return False

    program.sacrelogger.addFilter(keep_errors)
    sys.argv = ["metra sacrebleu", *arguments]
    try:
        program.main()
    except SystemExit:
        if not errors:  # of argparse, which has said why
            raise
    except MetraError:
        raise
    except Exception as error:  # sacreBLEU lets any error through
        errors.append(f"sacreBLEU stopped: {error or type(error).__name__}.")
    finally:
        program.sacrelogger.removeFilter(keep_errors)
        sys.stdout.flush()
    if errors:
        raise OptionError(" ".join(errors))
