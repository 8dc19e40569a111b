"""The selection: which rows of a table of scores count, and the words that say so.

There is one default for everything. Calibration items, repeats and degraded copies describe
judges and never count for systems or agreement; judges whom the campaign flagged are set
apart, and shown both ways; of an answer that was changed, the last revision counts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, TypeAlias, get_args

import numpy as np

from metra.errors import OptionError, UnknownNameError, format_count, no_such
from metra.scores.judgement import Judgement
from metra.scores.table import COUNTED, ITEM_KINDS, Scores, find_used
from metra.stats.arrays import Mask, group_lines

#: Answers of flagged judges count, are set apart from figures and shown beside them, or are
#: left out of everything, the table of judges included.
Flagged: TypeAlias = Literal["apart", "count", "out"]
EVERY_KIND = frozenset(ITEM_KINDS) - {"earlier"}
_PLURALS = {
    **{"check": "attention checks", "repeat": "repeats", "degraded": "degraded copies"},
    **{"incomplete": "incomplete documents", "baseline": "baseline readings"},
}


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows that count; an empty filter keeps everything."""

    kinds: frozenset[str] = COUNTED
    flagged: Flagged = "apart"
    judges: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    #: Judges and systems that do not count.
    no_judges: frozenset[str] = frozenset()
    no_systems: frozenset[str] = frozenset()
    #: Answers from then on, and before then, in seconds since 1970; those without a time go.
    since: float | None = None
    until: float | None = None

    def select(self, scores: Scores) -> Scores:
        """Return the rows that count, with their values, for figures about systems."""
        # Several questions are asked of the same rows.
        if self not in scores.selections:
            rows = _drop_flagged(self._filter(scores), self)
            scores.selections[self] = rows.compact()
        return scores.selections[self]

    def select_flagged(self, scores: Scores) -> Scores:
        """Return the rows of the other way: with flagged judges if they are set apart.

        If they count, these are the rows without them.
        """
        other: Flagged = "apart" if self.flagged == "count" else "count"
        return replace(self, flagged=other).select(scores)

    def select_answers(self, scores: Scores) -> Scores:
        """Return the rows that count, missing values included, with all numbers of names."""
        rows = scores.keep_lines(self._match(scores))
        return _drop_flagged(rows, self)

    def list_flagged(self, scores: Scores) -> list[str]:
        """List the flagged judges whose rows would count if flagged judges did."""
        flagged = list_flagged(scores)
        if not flagged:
            return []
        judges = replace(self, flagged="count")._select_counted(scores).judges
        return [judge for judge in flagged if judge in judges]

    def check_names(self, scores: Scores) -> None:
        """Refuse a judge, system, document or domain that the table does not have."""
        documents = dict.fromkeys(item.document for item in scores.items)
        domains = dict.fromkeys(item.domain for item in scores.items)
        for what, chosen, names in (
            ("judge", self.judges | self.no_judges, scores.judges),
            ("system", self.systems | self.no_systems, scores.systems),
            ("document", self.documents, [name for name in documents if name]),
            ("domain", self.domains, [name for name in domains if name]),
        ):
            for name in sorted(chosen.difference(names)):
                raise UnknownNameError(no_such(what, name, names))

    def describe(self, scores: Scores, scorer: str = "") -> str:
        """Return the selection in a few words, for every figure made with it.

        Answers are counted whatever they score; without answers, the scorer's scores are.

        >>> from metra.scores.table import ScoredItem, Scorer, build_score_table
        >>> scores = build_score_table(["a"], [ScoredItem("1")], {Scorer("da"): [1.0]}, ["J"])
        >>> Selection().describe(scores)
        '1 score of 1 judge'
        """
        if not len(scores.answer) and scorer in scores.names:
            scores = scores.lines(scorer)
        return "; ".join(self._list_words(scores))

    def _list_words(self, scores: Scores) -> list[str]:
        counted = self._select_counted(scores)
        words = [_count_answers(counted, "answer" if len(scores.answer) else "score")]
        kinds = {ITEM_KINDS[at] for at in find_used(scores.get_kinds())}
        dropped = [kind for kind in ITEM_KINDS if kind in kinds - self.kinds]
        dropped = [kind for kind in dropped if kind != "earlier"]
        if dropped:
            names = [_PLURALS.get(kind, f"{kind} items") for kind in dropped]
            words.append(f"without {_join(names)}")
        flagged = self.list_flagged(scores)
        if flagged and self.flagged != "count":
            apart = [name for name in flagged if name not in counted.judges]
            what = "set apart" if self.flagged == "apart" else "left out"
            if apart:
                words.append(f"flagged judges {what}: {_join(apart)}")
            kept = [name for name in flagged if name in counted.judges]
            if kept:
                words.append(f"flagged, but without others to go by: {_join(kept)}")
        elif flagged:
            words.append(f"flagged judges count: {_join(flagged)}")
        for title in ("systems", "judges", "documents", "domains"):
            if chosen := getattr(self, title):
                words.append(f"only {title} {_join(sorted(chosen))}")
        for title in ("systems", "judges"):
            if chosen := getattr(self, f"no_{title}"):
                words.append(f"without {title} {_join(sorted(chosen))}")
        days = [_format_day(at) for at in (self.since, self.until)]
        for word, day in zip(("from", "before"), days, strict=True):
            words += [f"answered {word} {day} UTC"] if day else []
        return words

    def _select_counted(self, scores: Scores) -> Scores:
        """Return the rows with values; if there are none, as of tags, all answers."""
        return self.select(scores) or self.select_answers(scores).compact()

    def _filter(self, scores: Scores) -> Scores:
        keep = self._match(scores) & np.isfinite(scores.value)
        rows = scores if keep.all() else scores.keep_lines(keep)
        return _rank_among(rows) if self.systems or self.no_systems else rows

    def _match(self, scores: Scores) -> Mask:
        kinds = [ITEM_KINDS.index(kind) for kind in sorted(self.kinds)]
        keep = np.isin(scores.get_kinds(), kinds)
        for names, codes, chosen in (
            (scores.judges, scores.judge, self.judges),
            (scores.systems, scores.system, self.systems),
            ([item.document for item in scores.items], scores.item, self.documents),
            ([item.domain for item in scores.items], scores.item, self.domains),
        ):
            if chosen:
                keep &= _flag_names(names, chosen)[codes]
        if self.no_judges:
            is_out = np.append(_flag_names(scores.judges, self.no_judges), False)
            keep &= ~is_out[scores.judge]
        if self.no_systems:
            keep &= ~_flag_names(scores.systems, self.no_systems)[scores.system]
        if self.since is not None or self.until is not None:
            times = scores.submitted_at
            if not len(times):
                times = np.full(len(scores), np.nan)
            since = -np.inf if self.since is None else self.since
            until = np.inf if self.until is None else self.until
            keep &= (times >= since) & (times < until)
        return keep


DEFAULT = Selection()


def list_flagged(scores: Scores) -> list[str]:
    """List the judges whom the campaign flagged."""
    return [judge for judge in scores.judges if scores.flags.get(judge)]


def select_judgements(
    judgements: Sequence[Judgement], scores: Scores, selection: Selection
) -> list[Judgement]:
    """Return the answers that count; `scores` is the table of all of them."""
    answers = find_used(selection.select_answers(scores).answer)
    return [judgements[at] for at in answers.tolist()]


def parse_selection(text: str) -> Selection:
    """Parse a selection such as `flagged=count,items=judged+calibration,judge=Ann+Bob`."""
    fields = {
        **{"judge": "judges", "system": "systems", "document": "documents"},
        **{"domain": "domains", "judge!": "no_judges", "system!": "no_systems"},
    }
    changes: dict[str, object] = {}
    given: set[str] = set()
    for part in filter(None, text.split(",")):
        key, _, value = (each.strip() for each in part.partition("="))
        if key in given:
            msg = (
                f"{part.strip()!r} gives {key} a second time; give it once, several names "
                "with + between them."
            )
            raise OptionError(msg)
        given.add(key)
        names = frozenset(name.strip() for name in value.split("+") if name.strip())
        if key in fields and names:
            changes[fields[key]] = names
        elif key == "flagged" and value in get_args(Flagged):
            changes["flagged"] = value
        elif key == "items" and names <= {*ITEM_KINDS, "all"} and names:
            changes["kinds"] = EVERY_KIND if "all" in names else names
        elif key in ("from", "to") and (at := _parse_day(value)) is not None:
            changes["since" if key == "from" else "until"] = at + 86400 * (key == "to")
        else:
            msg = (
                f"{part.strip()!r} is not a selection; expected flagged=apart, count or "
                f"out, items=KIND+KIND with kinds among {', '.join(ITEM_KINDS[:-1])} or "
                "all, judge=NAME+NAME, system=, document=, domain=, judge!=NAME, system!=, "
                "from=DAY or to=DAY."
            )
            raise OptionError(msg)
    return replace(DEFAULT, **changes)  # type: ignore[arg-type]


def _drop_flagged(rows: Scores, selection: Selection) -> Scores:
    """Drop flagged judges; a scorer whose judges are all flagged keeps them."""
    if selection.flagged == "count" or not rows.flags:
        return rows
    is_flagged = np.append(_flag_names(rows.judges, list_flagged(rows)), False)
    drop = is_flagged[rows.judge]
    if selection.flagged == "apart":
        # Others need values to go by, unless nobody has any, as of tags.
        has_value, count = np.isfinite(rows.value), len(rows.scorers)
        is_scored = np.bincount(rows.scorer[has_value], minlength=count) > 0
        counted = ~drop & (has_value | ~is_scored[rows.scorer])
        others = np.bincount(rows.scorer[counted], minlength=count)
        drop &= (others > 0)[rows.scorer]
    return rows.keep_lines(~drop)


def _rank_among(rows: Scores) -> Scores:
    """Rank the outputs of each answer anew among the remaining ones.

    An answer that then compares nothing is dropped.
    """
    compares = np.array([scorer.compares for scorer in rows.scorers], bool)
    ranked = np.flatnonzero(compares[rows.scorer])
    if not len(ranked) or not len(rows.answer):
        return rows
    value, hundred = rows.value.copy(), rows.hundred.copy()
    keep = np.ones(len(rows), bool)
    answers = rows.answer[ranked] * len(rows.scorers) + rows.scorer[ranked]
    for _, places in group_lines(answers):
        lines = ranked[places]
        ranks = np.unique(value[lines], return_inverse=True)[1] + 1.0
        keep[lines] = len(lines) > 1
        wins = (ranks[:, None] < ranks).sum(1) + (ranks[:, None] == ranks).sum(1) / 2
        # Less the half win that each has against itself.
        hundred[lines] = 100 * (wins - 0.5) / max(len(lines) - 1, 1)
        value[lines] = ranks
    return replace(rows, value=value, hundred=hundred).keep_lines(keep)


def _flag_names(names: Sequence[str], chosen: Collection[str]) -> Mask:
    return np.array([name in chosen for name in names], bool)


def _count_answers(rows: Scores, noun: str) -> str:
    """Return the number of answers, or of scores where answers are not known."""
    judges = len(find_used(rows.judge))
    count = len(find_used(rows.answer)) if noun == "answer" else len(rows)
    counted = format_count(count, noun)
    return f"{counted} of {format_count(judges, 'judge')}" if judges else counted


def _join(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _format_day(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def _parse_day(day: str) -> float | None:
    try:
        return datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None
