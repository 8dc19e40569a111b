"""Quality models explained under a table: what for, which measures, how much each counts."""

from collections.abc import Sequence
from textwrap import fill

from metra.annotations.quality_model import QualityModel
from metra.measure import shown
from metra.report.headings import short_names


def legend(models: Sequence[QualityModel]) -> str:
    """Say of each model what it is for and how its figure is made."""
    return "\n\n".join(map(_entry, models))


def _entry(model: QualityModel) -> str:
    named = short_names([member.spec for member in model.members])
    total = sum(member.weight for member in model.members)
    context = " ".join(model.context.split())
    lines = [fill(f"{model.name}: {context}", 88)]
    for member in model.members:
        lines.append(
            f"{100 * member.weight / total:6.1f} %  {named[member.spec]}, worth 0 at "
            f"{shown(member.worst)}, 100 at {shown(member.best)}"
        )
    return "\n".join(lines)
