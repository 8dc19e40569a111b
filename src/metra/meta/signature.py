"""The line that says how a result of meta-evaluation came about."""

from metra import __version__
from metra.meta.panel import Panel


def signature(panel: Panel | None = None, **parts: object) -> str:
    """Join names and values, in the order given; what is None or empty is left out.

    >>> signature(coef="pearson", group="none", eps=None).rpartition("|")[0]
    'meta|coef:pearson|group:none'
    """
    about: dict[str, object] = {}
    if panel is not None:
        about["gold"] = panel.gold_name
        about["lang"] = panel.lang
        about["sys"] = len(panel.systems)
        if panel.gold.size:
            unit = "doc" if parts.get("level") == "doc" else "seg"
            about[unit] = f"{panel.compared}/{panel.gold.shape[1]}"
    shown = {**parts, **about}
    pieces = [
        f"{name.replace('_', '-')}:{_shown(value)}"
        for name, value in shown.items()
        if value is not None and value != ""
    ]
    return "|".join(["meta", *pieces, f"v:{__version__}"])


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
