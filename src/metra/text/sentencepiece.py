"""Word pieces by SentencePiece, with the model file that the user gives."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from metra.errors import MissingResourceError, OptionError


def from_model(path: str) -> Callable[[str], list[str]]:
    """Cut with the model at `path` (extra `spm`); its digest goes into the signature."""
    import sentencepiece

    if not path:
        msg = (
            "Tokeniser 'spm' needs a model file; name it after an @: tok=spm@FILE.model"
        )
        raise OptionError(msg)
    if not Path(path).is_file():
        msg = f"There is no SentencePiece model at {path}; give the path of a .model file."
        raise MissingResourceError(msg)
    model = sentencepiece.SentencePieceProcessor(model_file=path)
    digest = sha256(Path(path).read_bytes()).hexdigest()[:12]
    return _Cutter(model, f"sha256:{digest}")


class _Cutter:
    def __init__(self, model: object, version: str) -> None:
        self._model = model
        self.version = version

    def __call__(self, segment: str) -> list[str]:
        return self._model.encode(segment.rstrip(), out_type=str)  # type: ignore[attr-defined]
