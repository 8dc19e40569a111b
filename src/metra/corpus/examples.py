"""The example that comes with metra: two French texts, references, a dozen outputs."""

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parent.parent / "examples"

#: Options without which a metric cannot be used, by its name.
SETTINGS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("example_options.toml").read_text("utf-8")
)


@dataclass(frozen=True, slots=True)
class ExampleFiles:
    """Paths of the example's files."""

    outputs: list[str]
    references: list[str]
    source: str
    docs: str


SUFFIXES = (".txt", ".md", ".tsv", ".conllu", ".toml", ".json")


def copy_example(folder: str) -> ExampleFiles:
    """Copy the files to a folder; existing files stay as they are."""
    target = Path(folder)
    for path in sorted(HOME.rglob("*")):
        place = target / path.relative_to(HOME)
        if path.suffix in SUFFIXES and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    return find_example(target)


def find_example(home: Path = HOME) -> ExampleFiles:
    """Name the example's files where they lie."""
    return ExampleFiles(
        outputs=[str(path) for path in sorted((home / "outputs").glob("*.txt"))],
        references=[str(path) for path in sorted(home.glob("reference.*.txt"))],
        source=str(home / "source.fr.txt"),
        docs=str(home / "docs.txt"),
    )


def build_spec(name: str, home: Path = HOME, **options: str) -> str:
    """Name a metric with what it needs of the example, and further options.

    >>> build_spec("bleu"), build_spec("bleu", tok="intl")
    ('bleu', 'bleu:tok=intl')
    """
    settings = {
        option: str(home / value) if "." in value else value
        for option, value in SETTINGS.get(name, {}).items()
    }
    given = settings | options
    listed = ",".join(f"{option}={value}" for option, value in given.items())
    return f"{name}:{listed}" if listed else name
