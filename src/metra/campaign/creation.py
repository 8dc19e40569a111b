"""Creation of a campaign from its settings and texts, or from its file."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from metra.campaign.campaign import (
    MARKS,
    PORTIONS,
    REFERENCE,
    SAMPLE,
    Campaign,
    CampaignSegment,
    System,
    group_by,
)
from metra.campaign.protocols.record import Protocol
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.spans import find_missed_names
from metra.campaign.rules import STRING, STRINGS, Rule, check_table, make_choice
from metra.campaign.settings import Settings, check_settings
from metra.campaign.translations import add_wordings
from metra.campaign.uploads import READERS, read_material
from metra.corpus.outputs import Corpus
from metra.errors import (
    CorpusError,
    FormatError,
    OptionError,
    TextWarning,
    format_count,
    refuse_first,
)
from metra.formats.stream import read_toml
from metra.formats.texts.columns import ColumnNames, ReadingOptions
from metra.formats.texts.roles import split_output_column
from metra.scoring.files import open_corpus
from metra.scoring.guards import find_text_problems
from metra.scoring.read import collect_texts

_SINGLE = ("source", "documents")
_READING = ("input_format", *ReadingOptions._fields)
#: Keys for the roles of columns, by the parameters in messages.
_COLUMNS = {
    "`columns.outputs`": "files.hyp_columns",
    "`columns.references`": "files.ref_columns",
    "`columns.source`": "files.source_column",
    "`columns.document`": "files.doc_column",
}
#: What [files] may say: files, and of tables the same as the options of `metra score`.
_FILE_RULES = {
    "outputs": Rule(
        lambda value: value and STRINGS.fits(value), 'a list ["NAME=PATH", …]'
    ),
    **dict.fromkeys(("references", "hyp_columns", "ref_columns"), STRINGS),
    **dict.fromkeys((*_SINGLE, *READERS, "source_column", "doc_column"), STRING),
    **dict.fromkeys(_READING, STRING),
    "quotes": make_choice("auto", "yes", "no"),
    "codes": make_choice("drop", "keep", "placeholders"),
    "untranslated": make_choice("refuse", "empty"),
}


def open_campaign(path: str, layouts: dict[str, str] | None = None) -> Campaign:
    """Return the campaign of a file with its texts; `layouts` gets how tables were read."""
    table = read_toml(path)
    given = table.pop("files", None)
    files = dict(
        check_table(given, _FILE_RULES, f"{path}: [files]", needed=["outputs"])
    )
    columns, reading = _pop_table_options(files)
    words = table.pop("wording", None)
    settings = check_settings(table, path)
    here = Path(path).parent

    def resolve_path(file: str) -> str:
        """Return a file's path from the campaign's folder; its name before `=` stays."""
        name, equals, relative = file.rpartition("=")
        return f"{name}{equals}{here / relative}"

    try:
        corpus = open_corpus(
            [*map(resolve_path, files["outputs"])],
            [*map(resolve_path, files.get("references", ()))],
            *(resolve_path(files[name]) if name in files else None for name in _SINGLE),
            input_format=files.get("input_format", "auto"),
            columns=columns,
            reading=reading,
        )
        if layouts is not None:
            layouts |= corpus.layouts
        for problem in find_text_problems(corpus):
            warnings.warn(problem, TextWarning, stacklevel=2)
        material = {name: str(here / files[name]) for name in READERS if name in files}
        frozen = freeze_campaign(settings, corpus, read_material(material))
    except FormatError as error:
        # What is an option of other commands stands in the campaign's file here.
        names = _COLUMNS | {f"`{name}`": f"files.{name}" for name in _READING}
        msg = re.sub("`[a-z_.]+`", lambda m: names.get(m[0], m[0]), str(error))
        raise FormatError(msg) from None
    return add_wordings(check_marks(frozen), words, path)


def _pop_table_options(
    files: dict[str, Any],
) -> tuple[ColumnNames | None, ReadingOptions]:
    """Take out the options of tables: the roles of columns, and the dialect."""
    columns = ColumnNames(
        outputs=tuple(map(split_output_column, files.pop("hyp_columns", ()))),
        references=tuple(files.pop("ref_columns", ())),
        source=files.pop("source_column", None),
        document=files.pop("doc_column", None),
    )
    named = {name: files.pop(name) for name in ReadingOptions._fields if name in files}
    return None if columns == ColumnNames() else columns, ReadingOptions(**named)


def freeze_campaign(
    settings: Settings, corpus: Corpus, material: Mapping[str, Any] | None = None
) -> Campaign:
    """Return a campaign of settings, texts and material, or say why they do not fit."""
    given = dict(material or {})
    asked = _adapt_protocol(settings, given)
    segments, systems = _read_corpus(corpus)
    if asked.over == "reference":
        systems = [_build_reference_system(segments, asked, settings.name)]
    elif asked.over == "references":
        systems = _build_reference_systems(segments, settings.name)
    elif settings.reference_as_system:
        systems.append(_build_reference_system(segments, asked, settings.name))
    if asked.whole:
        segments, systems = _join_documents(segments, systems, asked)
    if asked.over == "misses":
        segments, systems = _keep_missing_names(segments, systems, settings, given)
    if asked.control:
        systems.append(_build_control(segments, asked, settings.name))
    given |= _choose_segments(segments, systems, asked, settings, given)
    frozen = Campaign(settings, asked, tuple(segments), tuple(systems), given)
    _check_texts(frozen, corpus)
    _check_material(frozen)
    _check_settings(frozen)
    return frozen


def _choose_segments(
    segments: Sequence[CampaignSegment],
    systems: Sequence[System],
    asked: Protocol,
    settings: Settings,
    given: Mapping[str, Any],
) -> dict[str, Any]:
    """Return, as material, which segments and parts of them are judged if not all are."""
    chosen: dict[str, Any] = {}
    places: Sequence[int] = range(len(segments))
    if given.get(PORTIONS):
        portions = _locate_portions(given[PORTIONS], systems, asked, settings.name)
        places = sorted(
            {int(number) - 1 for own in portions.values() for number in own}
        )
        chosen = {PORTIONS: portions, SAMPLE: places}
    if settings.sample is not None:
        documents = {place: segments[place].document for place in places}
        chosen[SAMPLE] = draw_sample(documents, settings)
    return chosen


def draw_sample(documents: Mapping[int, str], settings: Settings) -> list[int]:
    """Return the places of the segments to judge, in order; `documents` names each place's.

    A larger sample with the same seed holds the smaller one.
    """
    wanted, by = settings.sample or 0, settings.sample_by
    if by != "segment" and not any(documents.values()):
        msg = (
            f"{settings.name}: the sample is drawn by document, but the corpus has no "
            'documents; add them, or set sample_by = "segment".'
        )
        raise CorpusError(msg)
    grouped = list(group_by(documents, documents.__getitem__).values())
    rng = np.random.default_rng([settings.seed, 3])
    if by == "within-document":
        parts = [(group, rng.permutation(len(group))[:wanted]) for group in grouped]
        return sorted(group[at] for group, drawn in parts for at in drawn)
    units = [[place] for place in documents] if by == "segment" else grouped
    if wanted > len(units):
        count = f"{len(units)} {by}" + ("s" if len(units) != 1 else "")
        msg = (
            f"{settings.name}: the sample is {wanted}, but the corpus has only "
            f"{count}; choose a smaller sample."
        )
        raise OptionError(msg)
    return sorted(
        at for unit in rng.permutation(len(units))[:wanted] for at in units[unit]
    )


def _locate_portions(
    given: Mapping[str, Mapping[str, Sequence[Any]]],
    systems: Sequence[System],
    asked: Protocol,
    name: str,
) -> dict[str, dict[str, list[int]]]:
    """Return start and end of each portion, or say which is not in its output."""
    if asked.contrastive or not all(step.asks.rates_portions for step in asked.steps):
        msg = (
            f"{name}: {asked.name} does not rate single outputs on a scale, so parts "
            "of outputs cannot be judged; remove files.portions."
        )
        raise OptionError(msg)
    outputs = {system.name: system.outputs for system in systems}
    listed = [(system, number) for system, own in given.items() for number in own]
    numbers = dict.fromkeys(number for _, number in listed)
    wanted = dict.fromkeys(product(outputs, numbers))
    for system, number in listed:
        if (system, number) not in wanted or not 0 < int(number) <= len(
            outputs[system]
        ):
            expected = (
                f"{', '.join(outputs)}, segments from 1 to {len(systems[0].outputs)}"
            )
            msg = (
                f"{name}: there is no segment {number} of {system!r}; expected a "
                f"portion of {expected}."
            )
            raise CorpusError(msg)
    portions: dict[str, dict[str, list[int]]] = {}
    for system, number in wanted:
        place = f"{name}: {system}, segment {number}"
        if number not in given.get(system, {}):
            msg = (
                f"{place} has no portion, but another system has one; give one for "
                "each system."
            )
            raise CorpusError(msg)
        output = outputs[system][int(number) - 1]
        both_ends = _find_portion(given[system][number], output, place)
        portions.setdefault(system, {})[number] = both_ends
    return portions


def _find_portion(portion: Sequence[Any], output: str, place: str) -> list[int]:
    words, start = portion
    place_in_output = output.find(words) if start is None else start
    again = start is None and output.find(words, place_in_output + 1) >= 0
    if again or place_in_output < 0 or not output.startswith(words, place_in_output):
        problem = "occurs twice in" if again else "is not in"
        msg = (
            f"{place}: the portion {words!r} {problem} {output!r}; expected words of the "
            "output, and their start in code points if they occur twice."
        )
        raise CorpusError(msg)
    return [place_in_output, place_in_output + len(words)]


def _adapt_protocol(settings: Settings, material: Mapping[str, Any]) -> Protocol:
    """Return the adapted protocol, with those optional steps that have material."""
    asked = protocol(settings.protocol, settings.options)
    language = settings.target_language
    steps = (
        replace(step, asks=step.asks.set_language(language), optional=False)
        for step in asked.steps
        if not step.optional or material.get(step.asks.document_material)
    )
    return replace(asked, steps=tuple(steps), basis=settings.basis or asked.basis)


def _build_control(
    segments: list[CampaignSegment], asked: Protocol, place: str
) -> System:
    """Return a control as a system: no text at all, or the original."""
    if asked.control == "no text":
        return System(asked.control, "control", ("",) * len(segments))
    texts = [segment.source for segment in segments if segment.source is not None]
    if len(texts) < len(segments):
        msg = f"{place}: the original is judged too, but the corpus has no source; add it."
        raise CorpusError(msg)
    return System(asked.control, "control", tuple(texts))


def _join_documents(
    segments: list[CampaignSegment], systems: list[System], asked: Protocol
) -> tuple[list[CampaignSegment], list[System]]:
    """Return each document as one segment; its lines are what the segments were."""
    documents = group_by(range(len(segments)), lambda at: segments[at].document)
    joined = [places[: asked.first or None] for places in documents.values()]
    texts = []
    for name, places in zip(documents, joined, strict=True):
        sources = [segments[at].source for at in places]
        texts_read = [source for source in sources if source is not None]
        # As many references as every segment has.
        references = zip(*(segments[at].references for at in places), strict=False)
        source = "\n".join(texts_read) if len(texts_read) == len(sources) else None
        texts.append(CampaignSegment(name, source, tuple(map("\n".join, references))))
    return texts, [
        replace(
            system,
            outputs=tuple(
                "\n".join(system.outputs[at] for at in places) for places in joined
            ),
        )
        for system in systems
    ]


def _keep_missing_names(
    segments: list[CampaignSegment],
    systems: list[System],
    settings: Settings,
    given: dict[str, Any],
) -> tuple[list[CampaignSegment], list[System]]:
    """Return the outputs that lack names, each once; `given` gets the names."""
    names = given.get("entities", {})
    outputs = list(zip(*(system.outputs for system in systems), strict=True))
    cases = find_missed_names(outputs, names, settings.target_language)
    if not cases:
        listed = sum(map(len, names.values()))
        msg = (
            f"{settings.name}: none of {format_count(listed, 'name')} is missing from "
            "an output, so there is nothing to check; give files.entities, a table "
            "of names by "
            "segment."
        )
        raise CorpusError(msg)
    given["cases"] = cases
    system = System("outputs", "mt", tuple(case["text"] for case in cases))
    return [segments[case["segment"] - 1] for case in cases], [system]


def _read_corpus(corpus: Corpus) -> tuple[list[CampaignSegment], list[System]]:
    outputs, references, source, documents = collect_texts(corpus)
    systems = [
        System(name, "mt", tuple(text or "" for text in column))
        for name, column in outputs.items()
    ]
    segments = []
    for at in range(len(systems[0].outputs)):
        texts = tuple(text for ref in references if (text := ref[at]) is not None)
        about = documents[at] if documents else "", source[at] if source else None
        segments.append(CampaignSegment(*about, texts))
    return segments, systems


def _build_reference_system(
    segments: list[CampaignSegment], asked: Protocol, place: str
) -> System:
    """Return the last reference as a system; the first may be on the screen.

    Where people work on the reference itself, it is the first, which metrics use.
    """
    needed = 2 if asked.basis == "reference" and asked.over == "outputs" else 1
    for at, segment in enumerate(segments, 1):
        if len(segment.references) < needed:
            msg = (
                f"{place}: segment {at} has "
                f"{format_count(len(segment.references), 'reference')}; judging a "
                f"reference as a system needs {needed}, because judges see "
                f"the {asked.basis}."
            )
            raise CorpusError(msg)
    last = 0 if asked.over == "reference" else -1
    texts = tuple(segment.references[last] for segment in segments)
    return System(REFERENCE, "reference", texts)


def _build_reference_systems(
    segments: list[CampaignSegment], place: str
) -> list[System]:
    """Return a system for each reference, of which every segment has as many."""
    count = len(segments[0].references) if segments else 0
    for at, segment in enumerate(segments, 1):
        if len(segment.references) != count or count < 2:
            msg = (
                f"{place}: segment {at} has "
                f"{format_count(len(segment.references), 'reference')}; to choose "
                "among references, every segment needs the same number, two or more."
            )
            raise CorpusError(msg)
    columns = zip(*(segment.references for segment in segments), strict=True)
    return [
        System(f"{REFERENCE} {number}", "reference", texts)
        for number, texts in enumerate(columns, 1)
    ]


def _check_texts(frozen: Campaign, corpus: Corpus) -> None:
    settings, asked = frozen.settings, frozen.protocol
    available = {"source": corpus.has_source, "reference": corpus.has_references}
    shown = any("basis" in step.shows for step in asked.steps)
    other = "source" if asked.basis == "reference" else "reference"
    names = [system.name for system in frozen.systems]
    wrong = {
        f"{asked.name} shows the {asked.basis}, which the corpus does "
        f'not have; add it, or set basis = "{other}"': shown
        and not available[asked.basis],
        "the unit is the document, but the corpus has no documents; "
        'add them, or set unit = "segment"': (
            settings.unit == "document" and not corpus.has_documents
        ),
        f"{asked.name} judges whole texts, but the corpus has no documents; add them": (
            asked.whole and not corpus.has_documents
        ),
        f"a system is called {REFERENCE!r}, which is the name of the judged "
        "reference; rename it": len(set(names)) < len(names),
    }
    refuse_first(wrong, settings.name, CorpusError)


def _check_material(frozen: Campaign) -> None:
    """Raise an error for what would leave every score undefined."""
    place, asked, given = frozen.settings.name, frozen.protocol, frozen.material
    documents = {frozen.segments[at].document for text in frozen.texts for at in text}
    needed = {step.asks.document_material for step in asked.steps} - {""}
    for what in sorted(needed):
        missing = sorted(documents - set(given.get(what, {})))
        if missing:
            msg = (
                f"{place}: {asked.name} has no {what} for {missing[0]!r}; give {what} "
                f"for each text in files.{what}."
            )
            raise CorpusError(msg)
    timed = any(step.asks.needs_baseline for step in asked.steps)
    if timed and not given.get("baseline"):
        msg = (
            f"{place}: {asked.name} compares a judge's reading speed with natural "
            "text; give files.baseline, or natural = WORDS_PER_MINUTE in "
            f"[{asked.name}]."
        )
        raise OptionError(msg)


def _check_settings(frozen: Campaign) -> None:
    settings, asked = frozen.settings, frozen.protocol
    judges, systems = len(settings.judges), len(frozen.systems)
    texts = len(frozen.texts)
    needed = settings.each * (1 if frozen.blocks else systems)
    fresh = frozen.needs_fresh_eyes and not settings.several_versions
    switches = "complete = true" + " and several_versions = true" * fresh
    wrong = {
        f"{asked.name} needs judges who have not seen another version of a text; set "
        "complete = false, or several_versions = true to let readers see several, "
        "which results then state": fresh and settings.complete and systems > 1,
        f"{asked.name} compares outputs, but the corpus has "
        f"{format_count(systems, 'system')}; give two or more": (
            asked.contrastive and systems < 2
        ),
        f'{asked.name} compares segment by segment; set unit = "segment"': (
            asked.contrastive and settings.unit == "document"
        ),
        f'{asked.name} takes sentences out of their texts; set unit = "segment"': (
            asked.shuffled and settings.unit == "document"
        ),
        f"{asked.name} compares outputs, so none can be degraded; set degraded = 0": (
            asked.contrastive and frozen.degraded > 0
        ),
        "parts of outputs are judged, so none can be degraded; set degraded = 0": (
            PORTIONS in frozen.material and frozen.degraded > 0
        ),
        f"the calibration takes {frozen.calibration} of "
        f"{format_count(texts, 'text')}; leave at least one text to judge": (
            frozen.calibration >= texts
        ),
        f"the campaign has {format_count(judges, 'judge')}, but {needed} are needed "
        f"so that {settings.each} see each unit and nobody sees two versions of a "
        "text; add judges, or lower "
        f"each, or set {switches}": judges < needed and not frozen.blocks,
        f"the campaign has {format_count(judges, 'judge')}, but each unit needs "
        f"{needed}; add judges, or lower each": judges < needed and frozen.blocks,
    }
    refuse_first(wrong, settings.name, OptionError)


def check_marks(campaign: Campaign) -> Campaign:
    """Return the campaign with tidy marks, or say which lies outside its text."""
    given = campaign.material.get(MARKS)
    if not given:
        return campaign
    name = campaign.settings.name
    step = campaign.protocol.marks_step
    if step is None:
        msg = f"{name}: {campaign.protocol.name} has no marks; remove files.marks."
        raise OptionError(msg)
    outputs = {system.name: system.outputs for system in campaign.systems}
    tidy: dict[str, dict[str, Any]] = {}
    for system, by_segment in given.items():
        if system not in outputs:
            expected = ", ".join(outputs)
            msg = f"{name}: marks for unknown system {system!r}; expected {expected}."
            raise CorpusError(msg)
        for segment, marks in by_segment.items():
            place = int(segment) - 1
            if not 0 <= place < len(campaign.segments):
                msg = (
                    f"{name}: marks in segment {segment} of {system}, but the corpus "
                    f"has {len(campaign.segments)} segments."
                )
                raise CorpusError(msg)
            output, source = outputs[system][place], campaign.segments[place].source
            texts = campaign.protocol.name_texts([output], source)
            where = f"{name}: {system}, segment {segment}"
            tidy.setdefault(system, {})[segment] = step.asks.check(marks, where, texts)
    return replace(campaign, material=campaign.material | {MARKS: tidy})
