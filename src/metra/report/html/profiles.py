"""What each system's output is like, apart from how good it is."""

from metra.insight.profiles import Trait, TraitValue
from metra.insight.study import Study
from metra.report.html.markup import Html, joined, tag
from metra.report.html.tables import heading, ranged, row_heading, scrolling
from metra.report.layout import Style, number, ordered


def section(study: Study) -> Html | None:
    """Lay out every trait of every system, with a reading in words."""
    found = study.findings.profiles
    if found is None:
        return None
    traits = [
        trait
        for trait in found.traits
        if any(
            profile.traits[trait.name].value is not None for profile in found.profiles
        )
    ]
    by_name = {profile.system: profile for profile in found.profiles}
    names = [entry.name for entry in ordered(study.results, Style(sort=True))]
    rows = [
        tag(
            "tr",
            row_heading(name),
            tag("td", by_name[name].reading, class_="reading"),
            [_cell(by_name[name].traits[trait.name], trait) for trait in traits],
        )
        for name in names
    ]
    if found.references:
        rows.append(
            tag(
                "tr",
                tag("th", "references", scope="row"),
                tag("td", "for comparison", class_="reading note"),
                [
                    _cell(TraitValue(value=found.references.get(trait.name)), trait)
                    for trait in traits
                ],
            )
        )
    heads = [
        tag("th", trait.title, scope="col", class_="num", title=trait.meaning)
        for trait in traits
    ]
    ratios = [trait.title for trait in traits if trait.unit != "percent"]
    caption = (
        f"Profiles of the outputs, in percent except {' and '.join(ratios)}; text cut by "
        f"{found.preparation}"
    )
    inside = tag(
        "table",
        tag("caption", caption),
        tag(
            "thead",
            tag("tr", heading("system"), heading("reading"), heads),
        ),
        tag("tbody", rows),
        class_="scores profiles",
        data_csv="profiles",
        data_sortable=True,
    )
    return joined(
        tag(
            "p",
            "Two systems with the same score may differ in kind: one says too much, another "
            "leaves out half but gets the rest right.",
        ),
        scrolling(inside, caption),
        tag(
            "details",
            tag("summary", "What the columns mean"),
            tag(
                "dl",
                [[tag("dt", t.title), tag("dd", t.meaning)] for t in traits],
                class_="meanings",
            ),
        ),
    )


def _cell(found: TraitValue, trait: Trait) -> Html:
    if found.value is None:
        return tag("td", "–", class_="num", data_v="")
    digits = 1 if trait.unit == "percent" else 2
    return ranged(found.value, found.interval, number(found.value, digits))
