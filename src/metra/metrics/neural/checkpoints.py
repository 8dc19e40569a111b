"""Checkpoints on this machine: their files, digests, tokenisers and networks."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pickle import UnpicklingError
from typing import Any, NamedTuple, TypeVar
from zipfile import is_zipfile

from metra.errors import (
    FormatError,
    MissingResourceError,
    OptionError,
    missing_package,
    require_package,
)
from metra.formats.stream import (
    UnreadableError,
    check_values,
    compute_file_version,
    get_file_state,
    parse_json,
    read_text,
    refuse_damage,
)
from metra.metrics.neural.inference import Precision, check_precision, list_devices
from metra.metrics.neural.score_store import ScoreStore

T = TypeVar("T")

#: Files of a tokeniser; a folder may lack some.
_TOKENISER_FILES = (
    *("tokenizer.json", "sentencepiece.bpe.model", "spiece.model", "vocab.txt"),
    *("vocab.json", "merges.txt", "tokenizer_config.json", "special_tokens_map.json"),
    "added_tokens.json",
)

_WEIGHT_FILES = (
    *("model.safetensors", "model.safetensors.index.json"),
    *("pytorch_model.bin", "pytorch_model.bin.index.json"),
)

# Tokens of a text, where no tokeniser limits them.
_UNLIMITED = 1 << 20


class LocalModel(NamedTuple):
    """A model whose files are on this machine, and how a metric computes it."""

    owner: str
    name: str
    digest: str
    precision: Precision
    devices: tuple[str, ...]
    settled: Mapping[str, object]

    def load(self, make: Callable[..., T], *arguments: Any) -> T:
        """Load the model once, until its files change."""
        return load_once(self.digest, make, *arguments, self.precision, self.devices)


def describe_model(
    owner: str, folder: str, files: Sequence[str], precision: Precision
) -> LocalModel:
    """Describe the model in a folder, whose scores depend on some files."""
    versions = _require_packages(owner)
    digests = "".join(_digest_file(path, get_file_state(path)) for path in files)
    digest = sha256(digests.encode()).hexdigest()
    devices = tuple(list_devices())
    check_precision(owner, precision, devices)
    name = name_folder(folder)
    # The digest is there for signatures.
    settled = {"model": f"{name}[sha256:{digest[:12]}]", **versions}
    return LocalModel(owner, name, digest, precision, devices, settled)


def check_folder(owner: str, option: str, folder: str, expected: str) -> str:
    """Return the folder of a path or of a downloaded model's name, or say what it must be."""
    if not folder:
        msg = f"{owner} needs {expected}; write {owner}:{option}=FOLDER."
        raise OptionError(msg)
    path = folder if os.path.isdir(folder) else find_hub_folder(folder)
    if path is None:
        msg = f"{owner}: folder {folder} does not exist; expected {expected}."
        raise MissingResourceError(msg)
    return path


def require_file(owner: str, folder: str, *names: str) -> str:
    """Return the path of the first of some files that a folder has."""
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    msg = (
        f"{owner}: {folder} has no file {' or '.join(names)}; expected the folder of "
        "a complete model."
    )
    raise MissingResourceError(msg)


def _require_packages(owner: str) -> dict[str, str]:
    """Return the versions of torch and transformers; refuse if one is not installed."""
    versions = {}
    for package in ("torch", "transformers"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            msg = missing_package(owner, package, "neural")
            raise MissingResourceError(msg) from None
    return versions


@lru_cache(maxsize=256)
def _digest_file(path: str, state: object) -> str:
    """Return a digest of a file's bytes; a large one is read once, until it changes."""
    key = f"{os.path.realpath(path)}\0{state}".encode()
    store = ScoreStore("files")
    stored = store.read([key])
    if key in stored:
        return stored[key]
    digest = compute_file_version(path)[-13:-1]
    store.write({key: digest})
    return digest


@lru_cache(maxsize=6)
def load_once(digest: str, load: Callable[..., T], *arguments: Any) -> T:
    """Load a checkpoint and keep it; the digest tells whether its files have changed."""
    del digest
    return load(*arguments)


def find_hub_folder(name: str) -> str | None:
    """Return the folder of a model that Hugging Face's programs downloaded under a name."""
    home = os.environ.get("HF_HOME") or os.path.expanduser("~/.cache/huggingface")
    hub = os.environ.get("HF_HUB_CACHE") or os.path.join(home, "hub")
    folder = os.path.join(hub, "models--" + name.replace("/", "--"))
    try:
        name = read_text(os.path.join(folder, "refs", "main")).strip()
    except UnreadableError:
        return None
    snapshot = os.path.join(folder, "snapshots", name)
    return snapshot if os.path.isdir(snapshot) else None


def list_encoder_files(owner: str, folder: str) -> list[str]:
    """List the files of an encoder: its settings and its tokeniser."""
    return [require_file(owner, folder, "config.json"), *list_tokeniser_files(folder)]


def list_weight_files(owner: str, folder: str) -> list[str]:
    """List the files with a network's weights, of which there may be several."""
    first = require_file(owner, folder, *_WEIGHT_FILES)
    if not first.endswith(".index.json"):
        return [first]
    with refuse_damage(first):
        parts = sorted(set(_read_object(first)["weight_map"].values()))
        return [first, *(require_file(owner, folder, part) for part in parts)]


def name_folder(folder: str) -> str:
    """Return the name of a folder, without those above it; of a download, the model's."""
    *_, model, parent, name = ["", "", *os.path.abspath(folder).split(os.sep)]
    return model.split("--")[-1] if parent == "snapshots" else name


def list_tokeniser_files(folder: str) -> list[str]:
    """List the files of a tokeniser in a folder."""
    paths = (os.path.join(folder, name) for name in _TOKENISER_FILES)
    return [path for path in paths if os.path.isfile(path)]


def read_yaml(path: str) -> dict[str, Any]:
    """Read a file of settings."""
    with require_package(path, "pyyaml", "neural"):
        import yaml
    try:
        with refuse_damage(path):
            settings = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        reason = str(error).partition("\n")[0]
        msg = f"{path} is not YAML: {reason}."
        raise FormatError(msg) from None
    return _check_object(settings, path)


def _read_object(path: str) -> dict[str, Any]:
    """Read a file of settings in JSON."""
    return _check_object(parse_json(read_text(path), path), path)


def _check_object(settings: Any, path: str) -> dict[str, Any]:
    if not isinstance(settings, dict):
        msg = f"{path} contains no named settings; expected a table of them."
        raise FormatError(msg)
    check_values(settings, path)
    return settings


class Tokeniser:
    """A tokeniser of a Hugging Face folder, with the ids of its marks."""

    def __init__(self, owner: str, folder: str) -> None:
        with name_problems(owner, "tokeniser", folder):
            self._backend = _load_backend(folder)
        self._backend.no_padding()
        marks = self._backend.encode("").ids
        #: The marks at the beginning and at the end of each text; None where there are none.
        self.first: int | None = marks[0] if len(marks) > 1 else None
        self.last: int | None = marks[-1] if marks else None
        paddings = (self._backend.token_to_id(name) for name in ("<pad>", "[PAD]"))
        self.padding: int = next((n for n in paddings if n is not None), 0)
        self.longest = _read_longest(folder)

    def encode(self, texts: Sequence[str], longest: int) -> list[Any]:
        """Return the ids and offsets of each text's tokens, cut to a number of tokens."""
        self._backend.enable_truncation(max_length=longest)
        return self._backend.encode_batch(list(texts))

    def encode_ids(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Return the ids of each text's tokens, which takes less time."""
        self._backend.enable_truncation(max_length=longest)
        return [each.ids for each in self._backend.encode_batch_fast(list(texts))]


def _load_backend(folder: str) -> Any:
    """Load the tokeniser as it was saved; where only pieces are there, build it."""
    path = os.path.join(folder, "tokenizer.json")
    if os.path.isfile(path):
        from tokenizers import Tokenizer

        return Tokenizer.from_file(path)
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
    return loaded.backend_tokenizer


def _read_longest(folder: str) -> int:
    """Return how many tokens a text may have for this tokeniser."""
    path = os.path.join(folder, "tokenizer_config.json")
    if not os.path.isfile(path):
        return _UNLIMITED
    with refuse_damage(path):
        longest = _read_object(path).get("model_max_length") or _UNLIMITED
        return int(min(longest, _UNLIMITED))


def read_config(owner: str, folder: str) -> dict[str, Any]:
    """Read the settings of a network, as they are in the file."""
    return _read_object(require_file(owner, folder, "config.json"))


def load_network(owner: str, path: str, kind: Any, **given: Any) -> Any:
    """Load a network from a folder, or from given weights and settings.

    Refuse one that lacks weights or has others of other sizes, which would be random.
    """
    with name_problems(owner, "network", path), hide_progress():
        network, about = kind.from_pretrained(
            None if given else path,
            local_files_only=True,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **given,
        )
    missing = [n for n in sorted(about["missing_keys"]) if not n.startswith("pooler.")]
    if missing:
        msg = f"{owner}: {path} lacks the weights {missing[0]}; expected all of them."
        raise FormatError(msg)
    for name, *shapes in sorted(about["mismatched_keys"]):
        sizes = [" × ".join(map(str, shape)) for shape in shapes]
        msg = (
            f"{owner}: {path} has {sizes[0]} weights {name}, but the network has "
            f"{sizes[1]}; the weights and the settings must belong together."
        )
        raise FormatError(msg)
    return network.eval()


def load_tensor(owner: str, folder: str, name: str) -> Any:
    """Load some of a network's weights by their name, without the others."""
    for path in list_weight_files(owner, folder):
        if path.endswith(".safetensors"):
            from safetensors import safe_open

            with safe_open(path, framework="pt") as file:
                if name in file.keys():  # noqa: SIM118, it is no dict
                    return file.get_tensor(name)
        elif path.endswith(".bin"):
            weights = load_weights(owner, path)
            if name in weights:
                return weights[name]
    msg = f"{owner}: {folder} lacks the weights {name}; expected all of the network's."
    raise FormatError(msg)


def load_config(owner: str, folder: str) -> Any:
    """Load the settings of a network."""
    from transformers import AutoConfig

    require_file(owner, folder, "config.json")
    with name_problems(owner, "network", folder):
        return AutoConfig.from_pretrained(folder, local_files_only=True)


@contextmanager
def name_problems(owner: str, kind: str, path: str) -> Iterator[None]:
    """Raise errors of any kind, from three libraries, as one that names the file."""
    try:
        yield
    except UnpicklingError:  # torch's message advises to run what is in the file
        reason = "it is damaged, or holds more than weights and settings"
    except Exception as error:
        reason = str(error).partition("\n")[0].rstrip(".")
    else:
        return
    msg = (
        f"{owner}: the {kind} {path} cannot be loaded: {reason}; get a complete "
        "copy of it."
    )
    raise FormatError(msg)


@contextmanager
def hide_progress() -> Iterator[None]:
    """Keep transformers from drawing progress bars and from telling what it loads."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    was_enabled = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if was_enabled:
            logging.enable_progress_bar()


def load_weights(owner: str, path: str) -> dict[str, Any]:
    """Load a checkpoint of torch's, in which only numbers and plain settings are read."""
    from torch import load, serialization

    is_zip = is_zipfile(path)
    with name_problems(owner, "checkpoint", path):
        foreign = serialization.get_unsafe_globals_in_checkpoint(path) if is_zip else ()
        with serialization.safe_globals([(_ForeignObject, name) for name in foreign]):
            return load(path, map_location="cpu", weights_only=True, mmap=is_zip)


class _ForeignObject:
    """Stand-in for objects of other packages, such as those of Lightning in old files."""

    def __new__(cls, *_: object) -> "_ForeignObject":
        return super().__new__(cls)
