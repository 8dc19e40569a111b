"""spaCy models, by the names of their packages or by their folders."""

from importlib.metadata import version
from typing import Any

from metra.errors import MissingResourceError


def spacy_model(model: str, *, owner: str, extra: str) -> Any:
    """Load a model; what is not installed is named with the step that installs it."""
    try:
        import spacy
    except ImportError:
        msg = (
            f"{owner}: model={model} needs the package 'spacy', which is not installed; "
            f"install it with: pip install 'metra[{extra}]'"
        )
        raise MissingResourceError(msg) from None
    try:
        return spacy.load(model)
    except (OSError, ImportError):
        known = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
        msg = (
            f"spaCy has no model {model!r} (installed: {known}); install one, for example "
            "with: python -m spacy download en_core_web_sm, or give a model's folder."
        )
        raise MissingResourceError(msg) from None


def model_version(pipeline: Any) -> str:
    """Name a model and spaCy with their versions, for signatures."""
    about = pipeline.meta
    return (
        f"{about['lang']}_{about['name']} {about['version']}, spaCy {version('spacy')}"
    )
