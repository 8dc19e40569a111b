"""The page itself: its head, its menu, its sections, and what may be executed on it."""

import base64
import hashlib
import html
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from metra import __version__
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import format_count
from metra.formats.atomic import write_file
from metra.metrics import REPORT_METRICS
from metra.metrics.record import Metric
from metra.report.chart import read_static_file
from metra.report.html import bundle, explorer, findings, overview, relations
from metra.report.html.markup import Html, join_markup, mark_safe, tag
from metra.report.html.tables import build_definitions
from metra.report.study import Study, build_study
from metra.report.writers.headings import describe_corpus, list_signatures
from metra.scoring.evaluate import make_metrics
from metra.stats.defaults import SEED
from metra.text.columns import Segments

if TYPE_CHECKING:
    from metra.scores.table import Scores


def build_reading_section(study: Study) -> Html:
    """Explain, and give the signatures."""
    import tomllib

    terms = tomllib.loads(read_static_file("reading.toml"))
    signatures = [tag("li", tag("code", s)) for s in list_signatures(study.results)]
    advice = (
        "Report these signatures with your scores. They hold all metric options, the "
        "resampling and the version of metra."
    )
    return join_markup(
        build_definitions(terms.items()),
        tag("h3", "Signatures"),
        tag("p", advice),
        tag("ul", signatures, class_="signatures"),
    )


SECTIONS: tuple[tuple[str, str, Callable[[Study], Html | None]], ...] = (
    ("overview", "Overview", lambda s: overview.build_overview_section(s.standing)),
    ("compare", "Segments", explorer.build_segments_section),
    ("errors", "Errors", findings.build_errors_section),
    ("buckets", "Buckets", findings.build_buckets_section),
    ("ngrams", "N-grams", findings.build_ngrams_section),
    ("profiles", "Profiles", findings.build_profiles_section),
    ("distributions", "Distributions", relations.build_distributions_section),
    ("metrics", "Metrics", relations.build_relations_section),
    ("people", "People", relations.build_judgements_section),
    ("notes", "How to read this report", build_reading_section),
)
#: Styles of all pages, then the report's.
STYLES = (
    "kit/tokens.css",
    "kit/kit.css",
    "kit/charts.css",
    "kit/scores.css",
    "kit/explorer/grid.css",
    "kit/explorer/explorer.css",
    "report/html/static/report.css",
)
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Crect width='16' height='16' rx='3' fill='%2300695c'/%3E%3Cpath d='M3 3h4v4H3z"
    "M7 7h3v3H7zM10 10h3v3h-3z' fill='white'/%3E%3C/svg%3E"
)


def write_report(
    evalset: EvalSet,
    outputs: Mapping[str, Segments],
    path: str | PathLike[str],
    metrics: Sequence[str | Metric] = REPORT_METRICS,
    *,
    baseline: str | None = None,
    judgements: "str | PathLike[str] | Scores | None" = None,
    question: str | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    grids: int = 50,
    seed: int = SEED,
    title: str = "Translation report",
) -> Path:
    """Write an HTML report about the outputs of one or more systems; return its path.

    The parameters are those of `metra.evaluate` and the options of `metra report`:
    `judgements` is a file of human judgements or its content, and `question` selects a
    question; `labels` maps names to a label per segment, and `grids` is the number of
    segments with a grid.
    """
    if isinstance(judgements, (str, PathLike)):
        from metra.meta.people import choose_question
        from metra.scores.registry import read_scores

        source = fspath(judgements)
        judgements = read_scores(source)
        question = choose_question(judgements, question, source)
    study = build_study(
        Outputs(evalset, outputs),
        make_metrics(metrics),
        baseline=baseline,
        judgements=judgements,
        question=question,
        labels=labels or {},
        most_grids=grids,
        seed=seed,
    )
    page = render(study, title, "metra.report(…)")
    with write_file(fspath(path)) as file:
        file.write(f"{page}\n".encode())
    return Path(path)


def get_date() -> str:
    """Return the day, or the day that SOURCE_DATE_EPOCH says."""
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def render(study: Study, title: str, command: str, files: Sequence[str] = ()) -> str:
    """Write the whole report as one HTML file, without a final newline.

    The footer names the command and its files.
    """
    # The page sets the colours of grids.
    style = "".join(map(bundle.read_file, STYLES))
    script = bundle.join_modules("report/html/static/report.js")
    links, blocks = [], []
    for key, name, build_body in SECTIONS:
        body = build_body(study)
        if not body:
            continue
        links.append(tag("li", tag("a", name, href=f"#{key}")))
        inside = join_markup(tag("h2", name, id=f"{key}-title"), body)
        blocks.append(tag("section", inside, id=key, aria_labelledby=f"{key}-title"))
    systems = format_count(len(study.results.systems), "system")
    summary = f"{systems}, {describe_corpus(study.results)}"
    # The data are most of the page: joined once, they are not copied tag by tag.
    return "".join(
        [
            '<!doctype html>\n<html lang="en">',
            _build_head(title, style, script),
            "<body>",
            tag("a", "Skip to the report", href="#report", class_="skip"),
            tag(
                "nav",
                tag("a", tag("bdi", title), href="#report", class_="home"),
                tag("ul", links),
                aria_label="Report",
                id="menu",
            ),
            tag(
                "div",
                tag("header", tag("h1", tag("bdi", title)), tag("p", summary)),
                tag("main", blocks, id="report", tabindex=-1),
                tag("main", id="segment", tabindex=-1, hidden=True),
                _build_footer(command, files),
                class_="page",
            ),
            explorer.embed_data(study),
            tag("script", mark_safe(script)),
            "</body></html>",
        ]
    )


_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')


def read_policy(page: str) -> str:
    """Return the policy that a report states, for a server to state as well."""
    [policy] = _POLICY.findall(page[:4000])
    return f"{html.unescape(policy)}; frame-ancestors 'none'"


def _build_head(title: str, style: str, script: str) -> Html:
    policy = (
        f"default-src 'none'; style-src '{_hash_text(style)}'; "
        f"script-src '{_hash_text(script)}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("link", rel="icon", href=ICON),
        tag("style", mark_safe(style)),
    )


def _build_footer(command: str, files: Sequence[str]) -> Html:
    """Say by what, when and from which files the report was made."""
    return tag(
        "footer",
        tag(
            "p",
            f"Created by metra {__version__}, {get_date()}. ",
            "The report is self-contained and loads nothing from other sites.",
        ),
        tag(
            "details",
            tag("summary", "Command and files"),
            tag("pre", tag("code", command), tabindex=0),
            tag("ul", [tag("li", tag("bdi", path)) for path in files]),
        ),
    )


def _hash_text(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
