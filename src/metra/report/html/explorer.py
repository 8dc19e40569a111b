"""The explorer of segments: its place in the page, and the data of the page's script.

The script gets every text and score once, as compact JSON.
"""

import base64
import json
import zlib
from typing import Any

from metra.analysis.headlines import choose_trusted_metric
from metra.analysis.relations import get_segment_scores
from metra.report.html.markup import Html, join_markup, mark_safe, tag
from metra.report.pictures import grid
from metra.report.study import Study
from metra.report.writers.headings import describe_family
from metra.scoring.json import convert_number
from metra.stats.arrays import round_for_display, round_values
from metra.text.words import Span, to_utf16_inclusive

ID = "data"


def build_segments_section(study: Study) -> Html:
    """Explain the signs, and give the script its place."""
    explained = join_markup("Outputs by segment.")
    intro = (
        "Compare two systems segment by segment. Words that differ between the outputs"
    )
    hit, miss, other = (
        tag("mark", f"{line}line", class_=kind)
        for line, kind in (("solid ", "hit"), ("wavy ", "miss"), ("", "other"))
    )
    if study.texts.refs and study.rival is not None:
        signs = hit, " if a reference contains them, ", miss, " if none does."
        explained = join_markup(f"{intro} are underlined: ", *signs)
    elif study.texts.refs:
        words = "Words that are in no reference have a "
        explained = join_markup(words, miss, " under them.")
    elif study.rival is not None:
        explained = join_markup(f"{intro} have a ", other, " under them.")
    without = tag("noscript", tag("p", "The table of segments needs JavaScript."))
    segments = tag("div", without, id="segments")
    return join_markup(tag("p", explained), segments)


def embed_data(study: Study) -> Html:
    """Embed the data where no script can be smuggled in and nothing is executed."""
    text = json.dumps(convert_study(study), ensure_ascii=False, separators=(",", ":"))
    return mark_safe(
        f'<script type="application/json" id="{ID}">{_escape_json(text)}</script>'
    )


def _escape_json(text: str) -> str:
    """Keep JSON from ending its element or a line: it says the same with escapes.

    >>> _escape_json('"</script>"')
    '"\\\\u003c/script>"'
    """
    for sign in "<\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def convert_study(study: Study) -> dict[str, Any]:
    """Give texts and scores by system and segment."""
    results, texts = study.results, study.texts
    people = study.people.scores if study.people else None
    names = [system.name for system in results.systems]
    first = results.systems[0].scores
    documents = list(dict.fromkeys(texts.documents or ()))
    index = {name: number for number, name in enumerate(documents)}
    # Three digits tell scores apart, and a file of half the size opens sooner.
    digits = {spec: 3 + first[spec].more_digits for spec in results.specs}
    # What is rounded twice may end in another digit; of these there are few.
    exact_digits = {spec: places + 4 for spec, places in digits.items()}
    return {
        "systems": names,
        "baseline": names.index(study.baseline),
        "trusted": results.specs.index(choose_trusted_metric(results)),
        "rival": names.index(study.rival) if study.rival is not None else None,
        "metrics": [
            {
                "spec": spec,
                "up": first[spec].higher_is_better,
                "digits": digits[spec] - 1,
            }
            | ({} if first[spec].target is None else {"target": first[spec].target})
            for spec in results.specs
        ],
        # By metric, then by system.
        "corpus": [
            round_values(
                [s.scores[spec].score for s in results.systems], exact_digits[spec]
            )
            for spec in results.specs
        ],
        # The family with the baseline first, whose p-values come before those of all pairs.
        "families": [
            {
                "family": each.terms.family,
                "about": describe_family(each.terms),
                # Metric, baseline, system, difference, low end, high end, p, p by Holm.
                "comparisons": [
                    [
                        results.specs.index(entry.metric),
                        names.index(entry.baseline),
                        names.index(entry.system),
                        convert_number(entry.difference),
                        *(entry.interval or (None, None)),
                        entry.p_value,
                        entry.p_holm,
                    ]
                    for entry in each.comparisons
                ],
            }
            for each in (study.standing.against_baseline, results)
            if each.terms is not None
        ],
        # By metric, then by system, then by segment.
        "scores": [
            [
                round_for_display(
                    get_segment_scores(results, system.name, spec), digits[spec] - 1
                )
                for system in results.systems
            ]
            for spec in results.specs
        ],
        "people": None
        if people is None
        else [round_for_display(people.segments[name], 2) for name in names],
        "source": None if texts.source is None else list(texts.source),
        "refs": [list(ref) for ref in texts.refs],
        "outputs": [list(texts.outputs[name]) for name in names],
        "documents": documents,
        "document": [index[name] for name in texts.documents or ()],
        "errors": _convert_errors(study),
        "gridSpec": study.grids.spec,
        "grids": {
            str(segment): _compress_pictures(
                {
                    names.index(system): grid.render(aligned, "")
                    for system, aligned in segments.items()
                }
            )
            for segment, segments in study.grids.segments.items()
        },
    }


def _convert_errors(study: Study) -> list[dict[str, list[Any]]] | None:
    """Give marked errors by system, then by segment; places count as scripts count."""
    if study.errors is None:
        return None
    converted = []
    for name in study.texts.outputs:
        by_segment = {}
        for at, marked in study.errors.spans[name].items():
            text = study.texts.outputs[name][at] or ""
            entries = []
            for judge, mark in marked:
                place = None
                if mark.start is not None and mark.end is not None:
                    span = Span(mark.start, mark.end)
                    first, last = to_utf16_inclusive(text, span)
                    place = [first, last + 1]
                about = (mark.severity, mark.category, judge, mark.side, mark.text)
                entries.append([place, *about])
            by_segment[str(at)] = entries
        converted.append(by_segment)
    return converted


def _compress_pictures(pictures: dict[int, str]) -> str:
    """Pack pictures, which are long and repeat themselves."""
    text = json.dumps(pictures, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
