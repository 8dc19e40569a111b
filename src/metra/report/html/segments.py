"""Segments: the most changed as a plain table, all of them by the script."""

from metra.analysis.distributions import get_segment_scores
from metra.report.html.markup import Html, join_markup, tag
from metra.report.html.tables import convert_table
from metra.report.study import Study
from metra.scoring.table import Cell, Column, make_table

#: Segments that are listed where there is no script to list all.
LISTED = 20


def build_segments_section(study: Study) -> Html:
    """Give the script its place, filled with what can be read without it."""
    hit, miss = (
        tag("mark", f"{line} line", class_=kind)
        for line, kind in (("solid", "hit"), ("wavy", "miss"))
    )
    if not study.texts.refs:
        other = tag("mark", "line", class_="other")
        explained = [
            "Compare two systems segment by segment. Words that differ between the "
            "outputs have a ",
            other,
            " under them.",
        ]
        if study.rival is None:
            explained = ["Outputs by segment."]
    elif study.rival is None:
        explained = ["Words that are in no reference have a ", miss, " under them."]
    else:
        explained = [
            "Compare two systems segment by segment. Words that differ between the "
            "outputs are underlined: ",
            hit,
            " if a reference contains them, ",
            miss,
            " if none does.",
        ]
    segments = tag("div", _build_static_table(study), id="segments")
    return join_markup(tag("p", explained), segments)


def _build_static_table(study: Study) -> Html:
    """List the outputs of the segments whose scores differ most."""
    spec = study.results.specs[0]
    names = [name for name in (study.baseline, study.rival) if name is not None]
    scores = [get_segment_scores(study.results, name, spec) for name in names]
    rows = [
        (
            str(segment + 1),
            [
                *(Cell(float(column[segment])) for column in scores),
                *(Cell(study.texts.outputs[name][segment] or "") for name in names),
            ],
        )
        for segment in study.changed[:LISTED]
    ]
    digits = study.get_digits(spec)
    columns = [
        *(Column(f"{spec}, {name}", digits=digits) for name in names),
        *(Column(name, "left") for name in names),
    ]
    caption = "Segments with the largest differences; JavaScript shows all segments"
    table = make_table("segment", columns, rows, caption=caption, name="changed")
    return convert_table(table)
