"""Texts of files stored as a test set with one run for each system."""

import re
from collections.abc import Sequence

from sqlalchemy import Connection

from metra.campaign.uploads import CampaignTexts, Use
from metra.errors import OptionError
from metra.formats.headed_table import is_workbook_name
from metra.metrics import REPORT_METRICS
from metra.metrics.registry import list_metrics, read_spec
from metra.scoring.evaluate import make_metrics
from metra.store import jobs, test_sets
from metra.store.test_sets import Run, StoredSet
from metra.workbench.run_scores import KIND

#: The account of whoever opens the workbench on their own machine.
ACCOUNT = "me"
_USES: dict[str, Use] = {"ref": "reference", "src": "source", "source": "source"}
_DOCUMENTS = re.compile(r"doc(?:s|uments?)?(?:[._-].*)?$")


def guess_use(name: str) -> Use:
    """Return the use of a file by its name; of a table, it is the use of the rest.

    >>> guess_use("ref.txt"), guess_use("source.fr.txt"), guess_use("refined.txt")
    ('reference', 'source', 'output')
    """
    stem = name.rpartition("/")[2].lower()
    if is_workbook_name(name) or stem.endswith((".tsv", ".csv", ".jsonl", ".parquet")):
        return "output"
    word = re.split(r"[._\-\d]", stem)[0].replace("reference", "ref")
    if _DOCUMENTS.match(stem):
        return "document"
    return _USES.get(word.removesuffix("s"), "output")


#: Metrics that need nothing but texts, and their options that name files.
_METRICS = frozenset(
    """bleu nist chrf rougel ter wer per ser cer precision recall f1 fmean gtm meteor
    ltv""".split()  # noqa: SIM905 -- as the registry lists them
)
_FILE_OPTIONS = frozenset({"info", "weights", "wordnet", "paraphrase"})
_PLAIN_VALUE = re.compile(r"[\w.+-]*")


def check_spec(spec: str) -> None:
    """Refuse a metric that would read files of the server or ask other machines."""
    name, given = read_spec(spec)
    if name not in _METRICS and name in list_metrics():
        msg = f"{name} cannot be computed here; choose from {', '.join(sorted(_METRICS))}."
        raise OptionError(msg)
    for option, value in given.items():
        if option in _FILE_OPTIONS or not _PLAIN_VALUE.fullmatch(value):
            msg = (
                f"{name}: {option}={value!r} names a file; here metrics are computed "
                "without files of the server."
            )
            raise OptionError(msg)


def import_texts(
    db: Connection,
    workspace: str,
    name: str,
    texts: CampaignTexts,
    *,
    now: float,
    who: str,
    specs: Sequence[str] = REPORT_METRICS,
) -> StoredSet:
    """Store texts as a test set with its runs, and queue their scoring."""
    columns = {
        "segments": len(next(iter(texts.outputs.values()))),
        "references": texts.references,
        "source": texts.source,
        "documents": texts.documents,
    }
    stored = test_sets.add_test_set(db, workspace, name, columns, now=now, who=who)
    runs = [
        test_sets.add_run(db, stored, system, outputs, now=now + at / 1e6, who=who)
        for at, (system, outputs) in enumerate(texts.outputs.items())
    ]
    queue_scoring(db, stored, runs, specs, now=now, who=who)
    return stored


def queue_scoring(
    db: Connection,
    stored: StoredSet,
    runs: Sequence[Run],
    specs: Sequence[str],
    *,
    now: float,
    who: str,
) -> str | None:
    """Queue the scoring of runs; return the job's id, or None without references."""
    for spec in specs:
        check_spec(spec)
    metrics = make_metrics(specs)
    if not stored.parts.references:
        return None
    payload = {"runs": [run.id for run in runs], "specs": list(metrics)}
    subject = stored.id
    return jobs.add_job(db, stored.workspace, KIND, subject, payload, now=now, who=who)
