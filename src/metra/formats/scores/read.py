"""Files of scores in any format: `read_scores` recognises them and gives one record.

To add a format, write a module with a function that reads a path, and add a line to
`SCORE_FORMATS`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from zipfile import is_zipfile

from metra.errors import FormatError, OptionError
from metra.formats.scores import appraise, long_table, metra, mqm, mt_metrics_eval, wmt_da
from metra.formats.scores.columns import find_columns
from metra.formats.scores.record import ScoredItem, Scores, concatenate_scores
from metra.formats.stream import STDIN, ByteStream, format_path

_HEAD = 1 << 16


class FileStart(NamedTuple):
    """The first part of a file, by which its format is recognised."""

    text: str

    @property
    def first_line(self) -> str:
        """The first line, without its end."""
        return self.text.partition("\n")[0].rstrip("\r")

    @property
    def headings(self) -> list[str]:
        """The cells of the first line, in lower case, if tabs separate them."""
        return [cell.strip().lower() for cell in self.first_line.split("\t")]

    @property
    def entry(self) -> dict[str, object] | None:
        """The first line as a JSON object, empty if there is more to the object."""
        if not self.text.lstrip().startswith("{"):
            return None
        try:
            return dict(json.loads(self.first_line))
        except ValueError:
            return {}


class ScoreFormat(NamedTuple):
    """How files of a format are read and recognised."""

    #: Takes a path; also `units` if `has_units`.
    read: Callable[..., Scores]
    recognise: Callable[[FileStart], bool] = lambda _: False
    #: Whether columns are up to those who write a file, and may tell segments apart.
    has_units: bool = False


def _is_judgements(start: FileStart) -> bool:
    return str((start.entry or {}).get("schema", "")).startswith("metra-judgement/")


def _is_metra_json(start: FileStart) -> bool:
    return start.entry is not None and (not start.entry or "metra" in start.entry)


def _is_wmt_da(start: FileStart) -> bool:
    return start.first_line.startswith(("SYS SID ", "HITId WorkerId "))


def _is_long_table(start: FileStart) -> bool:
    return find_columns(start.headings).keys() >= {"system", "scorer", "value"}


def _is_matrix(start: FileStart) -> bool:
    roles = find_columns(start.headings)
    return len(start.headings) > 1 and ("system" in roles or "judge" in roles)


def _refuse_judgements(path: str) -> Scores:
    msg = (
        f"{format_path(path)} holds judgements, whose scores depend on their protocols; "
        "read it with the formats of `metra.campaign.judgement_files`."
    )
    raise FormatError(msg)


#: All formats. The first one that recognises a file reads it. `metra.campaign` has the
#: same table with what protocols and metrics know.
SCORE_FORMATS: Mapping[str, ScoreFormat] = {
    "metra-judgements": ScoreFormat(_refuse_judgements, _is_judgements),
    "metra-json": ScoreFormat(metra.read_metra_json, _is_metra_json),
    "metra-tsv": ScoreFormat(
        metra.read_metra_tsv,
        lambda start: (
            {"level", "system", "item", "metric", "score"} <= {*start.headings}
        ),
    ),
    "mqm": ScoreFormat(
        mqm.read_mqm,
        lambda start: {"system", "category", "severity"} <= {*start.headings},
    ),
    "da": ScoreFormat(wmt_da.read_wmt_da, _is_wmt_da),
    "long": ScoreFormat(long_table.read_long_table, _is_long_table, has_units=True),
    "jsonl": ScoreFormat(
        long_table.read_jsonl, lambda start: start.entry is not None, has_units=True
    ),
    "matrix": ScoreFormat(long_table.read_matrix, _is_matrix, has_units=True),
    "esa": ScoreFormat(appraise.read_esa, lambda s: appraise.is_esa(s.first_line)),
    "appraise": ScoreFormat(
        appraise.read_appraise, lambda s: appraise.is_appraise(s.first_line)
    ),
    "mqm-wmt": ScoreFormat(mqm.read_mqm_as_wmt),
    "mt-metrics-eval": ScoreFormat(mt_metrics_eval.read_mt_metrics_eval),
}
#: Formats that the official scorer of WMT reads otherwise.
_AS_WMT = {"mqm": "mqm-wmt"}


def read_scores(
    path: str,
    *,
    input_format: str = "auto",
    units: Sequence[str] = (),
    wmt: bool = False,
    formats: Mapping[str, ScoreFormat] = SCORE_FORMATS,
) -> Scores:
    """Read a file or directory of scores; `LANG=PATH` says which language pair it is of.

    The language pair, say `en-de=scores.tsv`, is for files that do not name it. `units`
    names more columns of tables and JSON lines that tell apart what was scored. `wmt` reads
    errors of MQM with the rounding of WMT's official scores. Judgements of metra and its
    own tables of scores need what protocols and metrics know: give the `formats` of
    `metra.campaign.judgement_files`.
    """
    lang, equals, rest = path.partition("=")
    if equals and _is_language_pair(lang):
        scores = read_scores(
            rest, input_format=input_format, units=units, wmt=wmt, formats=formats
        )
        items = (ScoredItem(*item[:3], item.lang or lang) for item in scores.items)
        return replace(scores, items=tuple(items))
    name = recognise_score_format(path) if input_format == "auto" else input_format
    name = _AS_WMT.get(name, name) if wmt else name
    if name not in formats:
        known = ", ".join(formats)
        msg = f"No format named {name!r} for {format_path(path)}; known: {known}."
        raise OptionError(msg)
    if not units:
        return formats[name].read(path)
    if not formats[name].has_units:
        known = ", ".join(known for known, form in formats.items() if form.has_units)
        msg = (
            f"{format_path(path)} is of the format {name}, which has no columns of one's "
            f"own; `units` is for {known}."
        )
        raise OptionError(msg)
    return formats[name].read(path, units)


def read_score_files(
    paths: Sequence[str],
    *,
    input_format: str = "auto",
    units: Sequence[str] = (),
    wmt: bool = False,
    formats: Mapping[str, ScoreFormat] = SCORE_FORMATS,
) -> Scores:
    """Read several files into one table."""
    return concatenate_scores(
        [
            read_scores(
                path, input_format=input_format, units=units, wmt=wmt, formats=formats
            )
            for path in paths
        ]
    )


def recognise_score_format(path: str) -> str:
    """Return the name of a file's format, by its name and its first lines."""
    is_file = path == STDIN or not Path(path).is_dir()
    if not is_file or path.endswith((".seg.score", ".sys.score", ".doc.score")):
        return "mt-metrics-eval"
    if path != STDIN and is_zipfile(path):
        return "mt-metrics-eval"
    start = read_start(path)
    if not start.text:
        msg = f"{format_path(path)} is empty; expected scores."
        raise FormatError(msg)
    for name, form in SCORE_FORMATS.items():
        if form.recognise(start):
            return name
    msg = (
        f"{format_path(path)} begins with {start.first_line[:60]!r}, which is no table of "
        "scores that is known; give `input_format`."
    )
    raise FormatError(msg)


def read_start(path: str) -> FileStart:
    """Read the first part of a file."""
    with closing(ByteStream(path)) as stream:
        return FileStart(stream.read(_HEAD).decode("utf-8-sig", errors="replace"))


def _is_language_pair(name: str) -> bool:
    """Tell `en-de` or `zh_Hans-en`, which are not paths.

    >>> _is_language_pair("en-de"), _is_language_pair("runs/a-b")
    (True, False)
    """
    first, _, second = name.partition("-")
    return all(
        2 <= len(part) <= 8 and part.replace("_", "").isalnum()
        for part in (first, second)
    )
