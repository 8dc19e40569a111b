"""Figures of a campaign as its surfaces show them: pages, exports, commands, the report.

The first part holds every expectation on names and layout. The second reads one surface a
function. A surface that shows fewer figures than the page is fine, unless `REQUIRED` names
the figure; a figure that it does show must be the page's.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any
from zipfile import ZipFile

from tests.golden_run import inside
from tests.golden_run.campaigns import Visitor
from tests.golden_run.record import Run, settled
from tests.laws.figures import Number, Reading, read_full, read_interval, read_number
from tests.laws.pages import Cell, Page, Table, parse_page

from metra.campaign.campaign import Campaign
from metra.store import campaigns

# --- Names and layout -------------------------------------------------------------------

#: Names of tables on the results page, as a label, a caption or a heading.
RANKING = r"Systems by (?P<scorer>.+)"
COEFFICIENTS = r"Agreement of \d+ judges on (?P<scorer>.+?)(, by pairwise comparison)?"
SPANS = r"Agreement on (?:tags|marked errors)"
WITH_METRICS = r"Judges and metrics"
AGREEMENT_HEADING = r"Agreement on (?P<scorer>.+)"
#: Headings of columns and the figures under them. An interval belongs to the figure before.
INTERVAL = r"95 ?% (confidence )?interval( after .*)?"
RANKING_COLUMNS = {
    "mean": "mean",
    "0–100": "hundred",
    "z": "z",
    "n": "items",
    "scores": "answers",
    "cluster": "cluster",
    "p next": "p next",
}
RANK_RANGE = "range"
SPAN_COLUMNS = {
    "F of characters": "F of characters",
    "F of matched spans": "F of matched spans",
    "F of identical spans": "F of identical spans",
    "Same severity": "same severity",
}
METRIC_COLUMNS = {
    "r, systems": "r of systems",
    "r, outputs": "r of outputs",
    "Pairwise accuracy": "pairwise accuracy",
}
SPAN_ALPHA = r"alpha over characters[^:]*: (?P<value>[−-]?\d\.\d+)"
PAIRS = r"(?P<value>\d+) pairs? of answers"

#: Names of tables on the measures page and on the page of exercises.
TEXTS = r"Text scores"
RELIABILITY = r"Evaluators by metric"
BETWEEN_METRICS = r"Correlation between metrics"
TEXT_COLUMNS = {"Items": "text items", "0–100": "text score", "Native": "text native"}
RELIABILITY_COLUMNS = {
    "Evaluators": "evaluators",
    "Translations": "translations",
    "with two or more evaluators": "shared",
    "Mean, 0–100": "mean",
    "Standard deviation": "deviation",
    "Krippendorff's alpha": "alpha",
}
BETWEEN_COLUMNS = {"Pearson's r": "pearson", "Spearman's rho": "spearman"}

#: Names of figures in JSON and tables with tabs, where they are not the figure's own.
JSON_NAMES = {
    "n": "items",
    "0–100": "hundred",
    "scores": "answers",
    "judgements": "answers",
    "native": "mean",
    "SD": "deviation",
    "agreement": "alpha",
    "F of equal spans": "F of identical spans",
    "Krippendorff's alpha, nominal": "alpha of characters",
}

#: The report gives judges' scores in their own unit.
REPORT_SCORES = r"Scores with .*"
REPORT_BY_SYSTEM = r".* and people by system"
REPORT_PEOPLE = r"people( [↑↓])?"
REPORT_CORRELATIONS = r"Correlation of metrics with human judgements"
REPORT_RELIABILITY = r"Agreement with human judgements.*"
REPORT_ALPHA = r"Krippendorff's alpha (?P<value>[−-]?\d\.\d+)"
REPORT_ANSWERS = r"(?P<value>\d+) judgements? by \d+ judges?"
REPORT_PAIRS = r"(?P<value>\d+) pairs? of judgements"

_COEFFICIENTS = frozenset(
    ("Krippendorff's alpha, interval", "Cohen's kappa, quadratic", "Pearson's r")
)
_SPANS = frozenset((*SPAN_COLUMNS.values(), "alpha of characters"))
_RANKS = frozenset(
    ("mean", "items", "z", "order", "cluster", "best rank", "worst rank")
)
#: Figures of a system that depend on the other systems.
AMONG_OTHERS = frozenset(
    ("order", "cluster", "best rank", "worst rank", "p next", "z", "all answers")
)
_RELIABILITY = frozenset((*RELIABILITY_COLUMNS.values(), *BETWEEN_COLUMNS.values()))
#: The figures that a kind of surface must show where the page shows them.
REQUIRED = {
    "systems.tsv": frozenset(("mean", "hundred", "items", "answers", "order")),
    "meta rank": _RANKS,
    "meta judges": _COEFFICIENTS,
    "meta spans": _SPANS,
    "meta correlate": frozenset(METRIC_COLUMNS.values()),
    "report": frozenset(
        ("mean", "order", "cluster", "all answers", "r of systems", "r of outputs")
    )
    | {"Krippendorff's alpha, interval"},
    "texts.tsv": frozenset(TEXT_COLUMNS.values()),
    "exercise tables": _RELIABILITY,
    "exercise page": _RELIABILITY,
    "exercise": _RELIABILITY,
}
#: Files of an export that `metra meta` and `metra exercise` read.
EXPORTS = {"jsonl": "judgements.jsonl", "tsv": "scores.tsv", "csv": "judgements.csv"}
#: Where an export says which rows it counts.
CODEBOOK = "codebook.md"
SYSTEMS = ("polished", "solid", "literal", "fluent-wrong")
METRICS = ("bleu", "chrf", "ter")

# --- A campaign and its surfaces --------------------------------------------------------


@dataclass
class Surfaces:
    """The surfaces of one campaign, each opened once."""

    run: Run
    admin: Visitor
    name: str
    key: str
    readings: dict[str, Reading] = field(default_factory=dict)

    def read(self, surface: str) -> Reading:
        """Read a surface, unless it has been read."""
        if surface not in self.readings:
            self.readings[surface] = SURFACES[surface](self)
        return self.readings[surface]

    def open_page(self, path: str) -> Page:
        """Open a page of the administration."""
        with settled(self.run.folder):
            reply = self.admin.client.get(path)
        assert reply.status_code == 200, f"{path}: {reply.status_code}"
        return parse_page(reply.text)

    def call(self, *words: str) -> str | None:
        """Run a command and return its output; None where it refuses."""
        with settled(self.run.folder):
            code, out, err = self.run.call(["metra", *words])
        assert code in (0, 2), err
        self.last_error = err.strip()
        return out if code == 0 else None

    def ask(self, reading: Reading, *words: str) -> dict[str, Any]:
        """Run a command and return its JSON; where it refuses, note that and nothing else."""
        out = self.call(*words, "--format", "json")
        if out is None:
            reading.refusals.append(self.last_error)
            return {"tables": {}}
        data = json.loads(out)
        reading.selections.append(data.get("selection", ""))
        return data

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign as it is stored."""
        store = inside.open_store(str(self.run.folder / "judge.db"))
        with closing(store), store.reading() as db:
            return campaigns.get_campaign(db, self.key).campaign

    @cached_property
    def has_controls(self) -> bool:
        """True if the page ranks systems of which the report gets no output."""
        systems = {system for figure, _, system in self.read("results page").figures}
        return not {name for name in systems if name} <= {*SYSTEMS, *METRICS}

    @cached_property
    def results(self) -> Page:
        """The results page with correlations of metrics."""
        return self.open_page(f"/admin/campaigns/{self.key}/results?metrics=yes")

    @cached_property
    def scorers(self) -> list[str]:
        """The scorers that the results page ranks by."""
        return [match["scorer"] for match, _ in self.results.find_tables(RANKING)]

    @cached_property
    def export(self) -> Path:
        """The folder of the campaign's export."""
        folder = self.run.folder / "exports" / self.key
        folder.mkdir(parents=True)
        packed = f"{folder}.zip"
        export = ("judge", "export", self.name, "--unblind", "--format", "zip")
        assert self.call(*export, "-o", packed) is not None, self.last_error
        with ZipFile(packed) as files:
            files.extractall(folder)
        return folder

    @cached_property
    def is_about_documents(self) -> bool:
        """Whether judges score whole documents: no score has a segment."""
        rows = self.read_table("scores.tsv")
        return bool(rows) and not any(row["segment"] for row in rows)

    def read_table(self, path: str) -> list[dict[str, str]]:
        """Read a table of the export; one that is missing has no rows."""
        file = self.export / path
        if not file.exists():
            return []
        with file.open(encoding="utf-8", newline="") as lines:
            rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            return list(rows)


def read_results(of: Surfaces) -> Reading:
    """Read rankings, agreement and correlations of the results page."""
    reading = Reading(selections=[of.results.text])
    for match, table in of.results.find_tables(RANKING):
        scorer = match["scorer"]
        for place, row in enumerate(table.read_rows(), 1):
            system = _get_first(row).name
            reading.add("order", scorer, system, Number(place))
            _read_columns(reading, row, RANKING_COLUMNS, scorer, system)
            reading.add_range(scorer, system, row[RANK_RANGE].text)
        _add_total(reading, scorer)
    for match, table in of.results.find_tables(COEFFICIENTS):
        for row in table.read_rows():
            names = {"value": _get_first(row).text}
            _read_columns(reading, row, names, match["scorer"], "")
    for heading, text in of.results.sections.items():
        match = re.fullmatch(AGREEMENT_HEADING, heading)
        if match and (pairs := re.search(PAIRS, text)):
            number = read_number(pairs["value"])
            reading.add("pairs of answers", match["scorer"], "", number)
    for _, table in of.results.find_tables(SPANS):
        if len(table.rows) == 2:  # all judges; the table of pairs has more rows
            row = next(table.read_rows())
            _read_columns(reading, row, SPAN_COLUMNS, "", "")
            match = re.search(SPAN_ALPHA, of.results.text)
            alpha = read_number(match["value"]) if match else None
            reading.add("alpha of characters", "", "", alpha)
            break
    for _, table in of.results.find_tables(WITH_METRICS):
        for row in table.read_rows():
            scorer, metric = row["Question"].text, row["Metric"].text
            _read_columns(reading, row, METRIC_COLUMNS, scorer, metric)
    return reading


def _get_first(row: Mapping[str, Cell]) -> Cell:
    return next(iter(row.values()))


def _read_columns(
    reading: Reading,
    row: Mapping[str, Cell],
    names: Mapping[str, str],
    scorer: str,
    system: str,
) -> None:
    """Read the figures of a row by the headings of its columns."""
    before = ""
    for heading, cell in row.items():
        if re.fullmatch(INTERVAL, heading):
            if before:
                ends = read_interval(cell.text)
                reading.add_interval(before, scorer, system, ends)
        elif heading in names:
            reading.add(names[heading], scorer, system, read_number(cell.text))
            if "[" in cell.text:
                ends = read_interval(cell.text)
                reading.add_interval(names[heading], scorer, system, ends)
        before = names.get(heading, "")


def read_systems(of: Surfaces) -> Reading:
    """Read the means of systems of an export; of several rows a system, the first."""
    codebook = (of.export / CODEBOOK).read_text(encoding="utf-8")
    reading = Reading(selections=[codebook])
    places: dict[str, dict[str, dict[str, str]]] = {}
    for row in of.read_table("systems.tsv"):
        if read_full(row["native"]):
            places.setdefault(row["scorer"], {}).setdefault(row["system"], row)
    for scorer, rows in places.items():
        for place, (system, row) in enumerate(rows.items(), 1):
            reading.add("order", scorer, system, Number(place))
            for name in ("native", "hundred", "items", "judgements"):
                figure = JSON_NAMES.get(name, name)
                reading.add(figure, scorer, system, read_full(row[name]))
            for figure, prefix in (("hundred", ""), ("mean", "native_")):
                cells = (row[f"{prefix}{end}"] for end in ("low", "high"))
                ends = [one for cell in cells if (one := read_full(cell))]
                reading.add_interval(figure, scorer, system, ends)
        _add_total(reading, scorer)
    return reading


def _add_total(reading: Reading, scorer: str) -> None:
    """Add up the answers about the outputs that the report is given."""
    answers = (reading.figures.get(("answers", scorer, name), []) for name in SYSTEMS)
    total = sum(number.value for numbers in answers for number in numbers)
    reading.add("all answers", scorer, "", Number(total) if total else None)


def read_rank(of: Surfaces, form: str) -> Reading:
    """Read `metra meta rank` on an export, scorer by scorer."""
    reading = Reading(in_json=True)
    for scorer in of.scorers or [""]:
        named = ("--scorer", scorer) if scorer else ()
        data = of.ask(reading, "meta", "rank", *_name_export(of, form), *named)
        rows = [row for row in _list_rows(data) if "mean" in row]
        for place, row in enumerate(rows):
            system = row["system"]
            reading.add("order", scorer, system, Number(place + 1))
            for name in ("mean", "0–100", "z", "n", "scores", "cluster", "p next"):
                _add_json(
                    reading, JSON_NAMES.get(name, name), scorer, system, row, name
                )
            reading.add_range(scorer, system, str(row.get("range") or ""))
    return reading


def read_agree(of: Surfaces, form: str) -> Reading:
    """Read `metra meta judges` on an export, scorer by scorer."""
    reading = Reading(in_json=True)
    for scorer in of.scorers or [""]:
        named = ("--scorer", scorer) if scorer else ()
        data = of.ask(reading, "meta", "judges", *_name_export(of, form), *named)
        for row in _list_rows(data):
            if "coefficient" in row:
                _add_json(reading, row["coefficient"], scorer, "", row, "value")
    return reading


def read_spans(of: Surfaces, form: str) -> Reading:
    """Read the agreement on spans of `metra meta spans` on an export."""
    reading = Reading(in_json=True)
    data = of.ask(reading, "meta", "spans", *_name_export(of, form))
    for row in _list_rows(data):
        if "agreement" in row:
            figure = JSON_NAMES.get(row["agreement"], row["agreement"])
            _add_json(reading, figure, "", "", row, "value")
    return reading


def read_correlate(of: Surfaces, form: str) -> Reading:
    """Read `metra meta correlate` on an export and the campaign's outputs."""
    reading = Reading(in_json=True)
    outputs, references = _name_texts(of)
    scored = [f"--output={path}" for path in outputs]
    scored += [*references, *(f"-m{name}" for name in METRICS), "--trials", "0"]
    lowest = "doc" if of.is_about_documents else "seg"
    levels = {
        "sys": {"pearson": "r of systems"},
        lowest: {"pearson": "r of outputs", "acc_eq:item": "pairwise accuracy"},
    }
    for scorer in of.scorers:
        words = ("correlate", *_name_export(of, form), "--gold", scorer, *scored)
        for level, figures in levels.items():
            coefficients = [f"--coef={name}" for name in figures]
            level_words = ("--level", level, "--set", "average=micro", *coefficients)
            data = of.ask(reading, "meta", *words, *level_words)
            for row in _list_rows(data):
                for name, figure in figures.items():
                    given = name.replace(":", " ")
                    heading = next(key for key in row if key.startswith(given))
                    _add_json(reading, figure, scorer, row["metric"], row, heading)
    return reading


def _name_export(of: Surfaces, form: str) -> tuple[str, ...]:
    return (str(of.export / EXPORTS[form]),)


def _name_texts(of: Surfaces) -> tuple[list[str], list[str]]:
    """Return the outputs, and the options that name references and documents.

    They are the texts that the campaign shows: judges of documents see each as one text, or
    its beginning, so metrics must score it as one.
    """
    campaign, home = of.campaign, of.run.folder / "texts" / of.key
    if not home.exists():
        home.mkdir(parents=True)
        columns = {one.name: one.outputs for one in campaign.systems}
        segments = campaign.segments
        for number in range(len(segments[0].references)):
            references = [one.references[number] for one in segments]
            columns[f"reference.{number}"] = tuple(references)
        columns["docs"] = tuple(one.document for one in segments)
        for name, texts in columns.items():
            lines = "".join(f"{' '.join(text.split())}\n" for text in texts)
            (home / f"{name}.txt").write_text(lines, encoding="utf-8")
    outputs = [f"{home}/{name}.txt" for name in SYSTEMS]
    references = [f"--reference={path}" for path in sorted(home.glob("reference.*"))]
    return outputs, [*references, f"--docs={home}/docs.txt"]


def _list_rows(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for rows in data["tables"].values():
        yield from rows


def _add_json(
    reading: Reading,
    figure: str,
    scorer: str,
    system: str,
    row: Mapping[str, Any],
    name: str,
) -> None:
    """Add a figure of a row, with its interval where it has one."""
    if name not in row:
        return
    value, ends = row[name], row.get("interval")
    if isinstance(value, dict):
        value, ends = value["value"], value.get("interval")
    reading.add(figure, scorer, system, read_full(value))
    if ends is not None:
        reading.add_interval(figure, scorer, system, filter(None, map(read_full, ends)))


def read_report(of: Surfaces, form: str) -> Reading:
    """Read the part on people of `metra report`, scorer by scorer."""
    reading = Reading()
    outputs, references = _name_texts(of)
    (judged,) = _name_export(of, form)
    words = (*outputs, *references, *("-m", "bleu", "-m", "chrf"))
    for scorer in of.scorers or [""]:
        named = ("--judgements", f"{judged}:question={scorer}" if scorer else judged)
        file = of.run.folder / "report.html"
        if of.call("report", *words, *named, "-o", str(file)) is None:
            reading.refusals.append(of.last_error)
            continue
        page = parse_page(file.read_text(encoding="utf-8"))
        _read_report_page(reading, page, scorer)
        reading.selections.append(page.text)
        if of.has_controls:
            for figure, system in product(AMONG_OTHERS, SYSTEMS):
                reading.figures.pop((figure, scorer, system), None)
    return reading


def _read_report_page(reading: Reading, page: Page, scorer: str) -> None:
    for _, table in page.find_tables(REPORT_SCORES):
        _read_report_scores(reading, table, scorer)
    for _, table in page.find_tables(RANKING):
        for row in table.read_rows():
            _read_columns(reading, row, RANKING_COLUMNS, scorer, _get_first(row).name)
    for _, table in page.find_tables(REPORT_BY_SYSTEM):
        for row in table.read_rows():
            number = read_number(row["people"].text)
            reading.add("mean", scorer, row["system"].name, number)
    # Its correlation of systems is another question: metrics score all segments there.
    for _, table in page.find_tables(REPORT_CORRELATIONS):
        for row in table.read_rows():
            number = read_number(row["Pearson"].text)
            reading.add("r of outputs", scorer, row["y-axis"].text, number)
    for _, table in page.find_tables(REPORT_RELIABILITY):
        for row in table.read_rows():
            what = {"systems": "systems", "segments": "outputs"}
            figure = f"r of {what.get(row['of'].text, 'outputs')}"
            number = read_number(row["Pearson"].text)
            reading.add(figure, scorer, row["metric"].text, number)
    _read_report_texts(reading, page.text, scorer)


def _read_report_texts(reading: Reading, text: str, scorer: str) -> None:
    for pattern, figure in (
        (REPORT_ALPHA, "Krippendorff's alpha, interval"),
        (REPORT_ANSWERS, "all answers"),
        (REPORT_PAIRS, "pairs of answers"),
    ):
        if match := re.search(pattern, text):
            reading.add(figure, scorer, "", read_number(match["value"]))


def _read_report_scores(reading: Reading, table: Table, scorer: str) -> None:
    """Read the judges' column of the report's table of scores."""
    for place, row in enumerate(table.read_rows(), 1):
        cell = next(
            (row[name] for name in row if re.fullmatch(REPORT_PEOPLE, name)), None
        )
        if cell is None:
            return
        system, given = row["system"].name, cell.attributes
        reading.add("order", scorer, system, Number(place))
        shown = [
            read_number(given.get(f"data-{name}", "")) for name in ("v", "low", "high")
        ]
        reading.add("mean", scorer, system, shown[0])
        reading.add_interval("mean", scorer, system, filter(None, shown[1:]))
        if match := re.search(r"group (\d+)", cell.text):
            reading.add("cluster", scorer, system, read_full(match[1]))


def read_measures(of: Surfaces) -> Reading:
    """Read scores of texts and the comparison of evaluators on the measures page."""
    page = of.open_page(f"/admin/campaigns/{of.key}/measures")
    return _read_exercise_page(page)


def read_exercise_page(of: Surfaces) -> Reading:
    """Read the page that compares evaluators, for this campaign alone."""
    return _read_exercise_page(of.open_page(f"/admin/exercise?campaign={of.key}"))


def _read_exercise_page(page: Page) -> Reading:
    reading = Reading(selections=[page.text])
    for _, table in page.find_tables(TEXTS):
        for row in table.read_rows():
            place = f"{row['Text'].text}/{row['Translation'].text}"
            _read_columns(reading, row, TEXT_COLUMNS, row["Metric"].text, place)
    for _, table in page.find_tables(RELIABILITY):
        for row in table.read_rows():
            _read_columns(reading, row, RELIABILITY_COLUMNS, row["Metric"].text, "")
    for _, table in page.find_tables(BETWEEN_METRICS):
        for row in table.read_rows():
            one, other = row["Metric"].text, row["Other metric"].text
            _read_columns(reading, row, BETWEEN_COLUMNS, one, other)
    return reading


def read_texts(of: Surfaces) -> Reading:
    """Read the judges' scores of texts of an export."""
    reading = Reading()
    for row in of.read_table("texts.tsv"):
        if row["evaluator"] == "all":
            place = f"{row['text']}/{row['translation']}"
            for name in ("items", "score", "native"):
                number = read_full(row[name])
                reading.add(f"text {name}", row["metric"], place, number)
    return reading


def read_exercise_tables(of: Surfaces) -> Reading:
    """Read the comparison of evaluators of an export."""
    tables = {
        name: of.read_table(f"exercise/{name}.tsv")
        for name in ("results", "reliability", "correlations")
    }
    return _read_exercise(Reading(), tables)


def read_exercise(of: Surfaces, form: str = "") -> Reading:
    """Read `metra exercise` on an export, or on the store."""
    reading = Reading(in_json=True)
    store = ("--store", "judge.db", "--campaign", of.name)
    source = _name_export(of, form) if form else store
    data = of.ask(reading, "exercise", *source)
    tables = {
        "results": data.get("results", []),
        "reliability": data["tables"].get("reliability", []),
        "correlations": data.get("correlations", []),
    }
    reading = _read_exercise(reading, tables)
    for row in data["tables"].get("means", []):
        for metric, value in row.items():
            if metric != "system":
                reading.add("system mean", metric, row["system"], read_full(value))
    return reading


def _read_exercise(
    reading: Reading, tables: Mapping[str, list[dict[str, Any]]]
) -> Reading:
    scores: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in tables["results"]:
        metric, system = row["metric"], row["translation"]
        place = f"{row['evaluator']}/{row['text']}/{system}"
        number = read_full(row["score"])
        reading.add("result", metric, place, number)
        if number:
            texts = scores.setdefault((metric, system), {})
            texts.setdefault(row["text"], []).append(number.value)
    for (metric, system), texts in scores.items():
        mean = fmean(map(fmean, texts.values()))
        reading.add("system mean", metric, system, Number(mean))
    for row in tables["reliability"]:
        for name in row:
            figure = JSON_NAMES.get(name, name)
            if figure in RELIABILITY_COLUMNS.values():
                reading.add(figure, row["metric"], "", read_full(row[name]))
    for row in tables["correlations"]:
        for figure in BETWEEN_COLUMNS.values():
            reading.add(figure, row["one"], row["other"], read_full(row[figure]))
    return reading


#: Surfaces by name, those of the same question together; the first page sets the digits.
ABOUT_SYSTEMS: dict[str, Callable[[Surfaces], Reading]] = {
    "results page": read_results,
    "systems.tsv": read_systems,
    **{f"meta rank {form}": partial(read_rank, form=form) for form in EXPORTS},
    **{f"meta judges {form}": partial(read_agree, form=form) for form in EXPORTS},
    "meta spans jsonl": partial(read_spans, form="jsonl"),
    **{
        f"meta correlate {form}": partial(read_correlate, form=form) for form in EXPORTS
    },
    **{f"report {form}": partial(read_report, form=form) for form in ("jsonl", "tsv")},
}
ABOUT_TEXTS: dict[str, Callable[[Surfaces], Reading]] = {
    "measures page": read_measures,
    "texts.tsv": read_texts,
    "exercise tables": read_exercise_tables,
    "exercise page": read_exercise_page,
    **{f"exercise {form}": partial(read_exercise, form=form) for form in EXPORTS},
    "exercise store": read_exercise,
}
SURFACES = ABOUT_SYSTEMS | ABOUT_TEXTS
