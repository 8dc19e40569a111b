"""What the page's script works with: every text and score once, as compact JSON."""

import base64
import json
import math
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from metra.insight.study import Study
from metra.report import grid
from metra.report.html.markup import Html, raw

ID = "data"


def block(study: Study) -> Html:
    """Embed the data where no script can be smuggled in and nothing is executed."""
    text = json.dumps(as_data(study), ensure_ascii=False, separators=(",", ":"))
    return raw(f'<script type="application/json" id="{ID}">{_inert(text)}</script>')


def _inert(text: str) -> str:
    """Keep JSON from ending its element or a line: it says the same with escapes.

    >>> _inert('"</script>"')
    '"\\\\u003c/script>"'
    """
    for sign in "<\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def as_data(study: Study) -> dict[str, Any]:
    """Give texts and scores by system and segment."""
    results, texts = study.results, study.texts
    names = [system.name for system in results.systems]
    first = results.systems[0].scores
    documents = list(dict.fromkeys(texts.documents or ()))
    index = {name: at for at, name in enumerate(documents)}
    return {
        "systems": names,
        "baseline": names.index(study.baseline),
        "rival": names.index(study.rival) if study.rival is not None else None,
        "metrics": [
            {"spec": spec, "up": first[spec].higher_is_better} for spec in results.specs
        ],
        # By metric, then by system.
        "corpus": [
            _rounded(system.scores[spec].score for system in results.systems)
            for spec in results.specs
        ],
        # Metric, first system, second, low end, high end, p corrected by Holm.
        "tests": [
            [
                results.specs.index(entry.metric),
                names.index(entry.baseline),
                names.index(entry.system),
                *_rounded(entry.interval or (math.nan, math.nan)),
                entry.p_holm,
            ]
            for entry in results.comparisons
        ],
        # By metric, then by system, then by segment.
        "scores": [
            [
                _rounded(_segments(system.scores[spec].segments))
                for system in results.systems
            ]
            for spec in results.specs
        ],
        "people": None
        if study.people is None
        else [_rounded(study.people.segments[name].tolist()) for name in names],
        "source": texts.source,
        "refs": texts.refs,
        "outputs": [texts.outputs[name] for name in names],
        "documents": documents,
        "document": [index[name] for name in texts.documents or ()],
        "gridSpec": study.grids.spec,
        "grids": {
            str(at): _packed(
                {
                    names.index(system): grid.inline(aligned)
                    for system, aligned in segments.items()
                }
            )
            for at, segments in study.grids.segments.items()
        },
    }


def _segments(scores: Any) -> Sequence[float]:
    return scores.tolist()


def _rounded(scores: Iterable[float]) -> list[float | int | None]:
    """Three digits tell scores apart, and a file of half the size opens sooner."""
    rounded = (round(s, 3) if math.isfinite(s) else None for s in scores)
    return [int(s) if s is not None and s == int(s) else s for s in rounded]


def _packed(pictures: dict[int, str]) -> str:
    """Pack pictures, which are long and repeat themselves."""
    text = json.dumps(pictures, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
