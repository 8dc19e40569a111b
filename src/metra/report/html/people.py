"""People against metrics: by segment and by system."""

from metra.insight.study import Study
from metra.report.html import trust
from metra.report.html.markup import Html, joined, tag
from metra.report.html.relations import (
    correlations,
    segments_figure,
    systems_figure,
)
from metra.report.layout import counted


def section(study: Study) -> Html | None:
    """Hold every metric against the judgements; nothing where there are none."""
    found = study.people
    if found is None:
        return None
    judges = "" if found.judges is None else f" by {counted(found.judges, 'judge')}"
    judged = sum(entry.segments for entry in found.relations[:1])
    trusted = study.trust
    fits = trusted.fits if trusted is not None else {}
    systems = [systems_figure(entry, fits.get(entry.y)) for entry in found.relations]
    segments = [segments_figure(entry) for entry in found.relations]
    return joined(
        tag(
            "p",
            f"{counted(found.judgements, 'judgement')}{judges} of "
            f"{counted(judged, 'output')}. Several judgements of one output are averaged as "
            "they are. A metric that points down (↓) should go with people downwards: its "
            "correlation is then negative.",
        ),
        correlations(found.relations, "How the metrics go with people", "people"),
        tag("div", systems, class_="figures"),
        tag("div", segments, class_="figures"),
        trust.parts(trusted) if trusted is not None else None,
    )
