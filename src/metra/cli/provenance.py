"""Where a report comes from: the command, the files, the day."""

import os
import shlex
import sys
import time
from collections.abc import Sequence

from metra.report.html.notes import Provenance


def provenance(files: Sequence[str]) -> Provenance:
    """Note the command line and the day, or the day that SOURCE_DATE_EPOCH says."""
    command = shlex.join(["metra", *sys.argv[1:]])
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return Provenance(command, files, time.strftime("%Y-%m-%d", time.gmtime(moment)))
