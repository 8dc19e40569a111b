"""Other programs' files as judgements or texts, and finished campaigns rebuilt from them.

`metra.scores.registry` has the formats. Files of judgements tell who judged which texts, not
how they were shared out: settings that nobody can know any more have their simplest values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

from metra.campaign.assignment import BASELINE, Task, TaskItem
from metra.campaign.campaign import (
    NUMBERS,
    PORTIONS,
    Campaign,
    CampaignSegment,
    System,
    group_by,
)
from metra.campaign.judgement import check_imported
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.settings import Settings
from metra.errors import FormatError, OptionError, UnknownNameError, no_such
from metra.formats.recognise import FileHead, recognise
from metra.formats.stream import find_encoding, read_bytes, refuse_damage
from metra.scores import appraise, pearmut
from metra.scores.judgement import JudgedText, Judgement
from metra.scores.registry import SCORE_FORMATS
from metra.text.scripts import is_language_code

_UNKNOWN = ("und", "und")
_FORMATS = [f for f in SCORE_FORMATS.values() if f.read_judgements or f.read_texts]
#: Formats of texts without judgements.
TEXTS = tuple(form.name for form in _FORMATS if form.read_texts)


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file, the name of its format, and its text."""

    path: str
    kind: str
    text: str

    @property
    def name(self) -> str:
        """Name for the campaign."""
        return Path(self.path).name.partition(".")[0]

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        lines = self.text.removesuffix("\n").split("\n")
        return [line.removesuffix("\r") for line in lines]


def parse_judgements(
    files: Sequence[ImportedFile],
    *,
    languages: tuple[str, str] | None = None,
    protocol: str | None = None,
) -> list[Judgement]:
    """Parse the judgements of files; texts that belong to them may be among the files.

    Appraise's batches bring the texts of its export, and a campaign of Pearmut says which
    protocol its results followed.
    """
    if protocol is not None and protocol not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", protocol, PROTOCOLS))
    outputs: dict[tuple[str, str, str], tuple[str | None, str]] = {}
    for file in files:
        if file.kind == "pearmut-campaign":
            protocol = protocol or pearmut.find_protocol(file.text, file.path)
        if file.kind == "appraise-batches":
            outputs |= appraise.index_batches(file.text, file.path)
    options: dict[str, Any] = {
        "languages": languages or _UNKNOWN,
        "protocol": protocol,
        "outputs": outputs,
        "protocols": PROTOCOLS,
    }
    judgements: list[Judgement] = []
    for file in files:
        form = SCORE_FORMATS[file.kind]
        if form.read_judgements is not None:
            given = options | {"campaign": file.name}
            chosen = {name: given[name] for name in form.options}
            with refuse_damage(file.path):
                judgements += form.read_judgements(
                    file.lines, file.path, check=check_imported, **chosen
                )
    if not judgements:
        kinds = ", ".join(f"{file.path} ({file.kind})" for file in files)
        msg = f"There are no judgements in {kinds}."
        raise FormatError(msg)
    return judgements


def parse_texts(files: Sequence[ImportedFile]) -> list[JudgedText]:
    """Parse the texts of campaigns that other programs made."""
    texts: list[JudgedText] = []
    for file in files:
        read = SCORE_FORMATS[file.kind].read_texts
        if read is None:
            msg = (
                f"{file.path} holds no campaign texts; expected a Pearmut campaign "
                "or Appraise batches."
            )
            raise OptionError(msg)
        with refuse_damage(file.path):
            texts += read(file.text, file.path)
    return texts


def read_file(path: str) -> ImportedFile:
    """Read a file as UTF-8 text, and recognise its format."""
    return _recognise_file(path, read_bytes(path))


def recognise_upload(name: str, content: bytes) -> ImportedFile:
    """Recognise a file that was sent."""
    return _recognise_file(name.replace("\\", "/").rpartition("/")[2], content)


def _recognise_file(path: str, content: bytes) -> ImportedFile:
    encoding = find_encoding(content, None, path)
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8."
        raise FormatError(msg) from None
    head = FileHead(path, text.encode())
    form = recognise(head, _FORMATS)
    if form is not None:
        return ImportedFile(path, form.name, text)
    msg = (
        f"{path} begins with {head.first_line[:60]!r}, which is not a known format; "
        "expected judgements from metra, Pearmut or Appraise; `metra meta` reads scores and "
        "marked errors of other programs."
    )
    raise FormatError(msg)


def split_language_pair(name: str | None) -> tuple[str, str] | None:
    """Split a pair of languages.

    >>> split_language_pair("en-de")
    ('en', 'de')
    """
    if name is None:
        return None
    source, dash, target = name.partition("-")
    if not (dash and is_language_code(source) and is_language_code(target)):
        msg = f"The languages are {name!r}; expected two codes, such as en-de."
        raise OptionError(msg)
    return source, target


#: What tells segments apart: files may use a number twice.
_Place: TypeAlias = tuple[int, str, str | None]


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen and all answers to it, the oldest first."""

    task: Task
    number: int
    answers: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class RebuiltCampaign:
    """A campaign, the tasks of its judges in their order, and what was answered."""

    campaign: Campaign
    tasks: tuple[Task, ...]
    screens: tuple[Screen, ...]


def group_by_campaign(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Group judgements by campaign; a name used twice says what sets them apart."""
    groups = group_by(
        judgements,
        lambda one: (
            one.campaign,
            one.protocol,
            f"{one.source_language}-{one.target_language}",
        ),
    )
    names = [name for name, _, _ in groups]
    return {
        name if names.count(name) == 1 else f"{name} {asked} {pair}": group
        for (name, asked, pair), group in groups.items()
    }


def rebuild_campaign(judgements: Sequence[Judgement], name: str) -> RebuiltCampaign:
    """Rebuild a campaign; all judgements follow one protocol for one pair of languages."""
    first = judgements[0]
    asked = PROTOCOLS[first.protocol]
    judges = tuple(dict.fromkeys(judgement.judge for judgement in judgements))
    # By number; those of a number in the order in which they came.
    by_number = sorted(dict.fromkeys(map(_get_place, judgements)), key=itemgetter(0))
    places = {place: index for index, place in enumerate(by_number)}
    settings = Settings(
        *(name, asked.name, first.source_language, first.target_language, judges),
        seed=0,
        each=1,
        calibration=0,
        repeats=0.0,
        degraded=0.0,
    )
    content = Campaign(
        settings,
        asked,
        tuple(CampaignSegment(document, source, ()) for _, document, source in places),
        _collect_systems(judgements, places),
        {
            NUMBERS: [number for number, _, _ in places],
            **_collect_portions(judgements, places),
        },
    )
    tasks, screens = [], []
    counts = dict.fromkeys(judges, 0)
    for answers_by_screen in _group_by_task(judgements, together=not asked.contrastive):
        first = answers_by_screen[0][0]
        counts[first.judge] += 1
        items = []
        for number, (answer, *_) in enumerate(answers_by_screen):
            place = places[_get_place(answer)]
            for output in zip(answer.systems, answer.outputs, strict=True):
                items.append(TaskItem(f"{number}", output[0], place, output[1]))
        task = Task(
            *(first.task, first.judge, counts[first.judge], first.kind),
            tuple(items),
            first.original,
        )
        tasks.append(task)
        screens += [
            Screen(task, number, _sort_revisions(answers))
            for number, answers in enumerate(answers_by_screen)
        ]
    return RebuiltCampaign(content, tuple(tasks), tuple(screens))


def _get_place(judgement: Judgement) -> _Place:
    return judgement.segment, judgement.document, judgement.source


def _collect_systems(
    judgements: Iterable[Judgement], places: dict[_Place, int]
) -> tuple[System, ...]:
    """Collect the systems with the outputs that were judged; degraded copies are nobody's."""
    kinds: dict[str, str] = {}
    outputs: dict[str, list[str]] = {}
    for judgement in judgements:
        kind = judgement.kind
        for system, output in zip(judgement.systems, judgement.outputs, strict=True):
            if system == BASELINE and kind == "baseline":
                continue
            texts = outputs.setdefault(system, [""] * len(places))
            is_special = kind in ("reference", "control")
            kinds[system] = kind if is_special else kinds.get(system, "mt")
            if kind != "degraded":
                texts[places[_get_place(judgement)]] = output
    return tuple(
        System(name, kinds[name], tuple(texts))  # type: ignore[arg-type]
        for name, texts in outputs.items()
    )


def _collect_portions(
    judgements: Iterable[Judgement], places: dict[_Place, int]
) -> dict[str, dict[str, dict[str, list[int]]]]:
    """Collect the parts of outputs that were judged, as material; nothing if all was."""
    portions: dict[str, dict[str, list[int]]] = {}
    for one in judgements:
        if one.portion is not None:
            number = str(places[_get_place(one)] + 1)
            portions.setdefault(one.systems[0], {})[number] = list(one.portion)
    return {PORTIONS: portions} if portions else {}


def _group_by_task(
    judgements: Iterable[Judgement], *, together: bool
) -> Iterable[list[list[Judgement]]]:
    """Group by task, and within a task the revisions of each screen's answer.

    Compared outputs stand on one screen, so that each has a task of its own.
    """
    tasks: dict[object, dict[object, list[Judgement]]] = {}
    for judgement in judgements:
        screen = (*_get_place(judgement), judgement.systems, judgement.outputs)
        task = (judgement.judge, judgement.task, judgement.kind, judgement.original)
        key = task if together else (*task, *screen)
        tasks.setdefault(key, {}).setdefault(screen, []).append(judgement)
    return [list(screens.values()) for screens in tasks.values()]


def _sort_revisions(answers: list[Judgement]) -> tuple[Judgement, ...]:
    if len({answer.revision for answer in answers}) < len(answers):
        last = answers[-1]
        msg = (
            f"{last.judge} has two answers with revision {last.revision} to segment "
            f"{last.segment} of {last.systems[0]} ({last.task}); expected each once."
        )
        raise FormatError(msg)
    return tuple(sorted(answers, key=lambda answer: answer.revision))
