"""Babych and Hartley 2004: salience of words that only one translator uses, and as a weight."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from data_sets import JudgedSet, read_columns, read_elitr, read_wmt23, read_wmt23_errors
from differences import (
    Coefficients,
    Estimate,
    correlate_systems,
    make_claim,
    settle,
    spread_evenly,
)
from study_page import Claim, MatchPlot, Section, StudyTable

from metra.analysis.word_stability import (
    SETS,
    WEIGHTS,
    MatchSets,
    StabilityResult,
    compute_match_sets,
    compute_stability,
)
from metra.meta.correlate import correlate_panel, parse_specs
from metra.stats.correlation import Options
from metra.stats.panel import ScorePanel
from metra.text.columns import pack
from metra.text.preparation import make_preparation, prepare
from metra.text.salience import Salience, Tokens

METRICS = {
    "BLEU": "bleu",
    "P": "ltv:weight=none,side=precision",
    "R": "ltv:weight=none,side=recall",
    "P tf.idf": "ltv:weight=tfidf,side=precision",
    "R tf.idf": "ltv:weight=tfidf,side=recall",
    "P S": "ltv:weight=s,side=precision",
    "R S": "ltv:weight=s,side=recall",
    "P tf.idf, oov=1": "ltv:weight=tfidf,side=precision,oov=1",
}
TEXT = make_preparation(tok="13a", case="mixed", stem="no")
#: Articles, pronouns, auxiliaries, prepositions, conjunctions and particles of English.
_FUNCTION_WORDS = """
    a an the this that these those and or but if as than because while of in on at by for
    with from to into about after before between over under through during without i you he
    she it we they me him her us them my your his its our their who which what is are was were
    be been being am have has had do does did will would can could shall should may might must
    not no so there
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
#: Parts that documents are divided into, each left out once, for intervals.
GROUPS = 10
#: What the paper prints: common by either list, then only in one, by tf.idf and by S.
PRINTED = {"tf.idf": (2.61, 2.83), "S": (1.98, 2.22)}

Stream = list[tuple[Tokens, list[str]]]


class ReferencePair:
    """Two references of the same documents."""

    def __init__(
        self, path: Path, names: tuple[str, str], documents: str, label: str
    ) -> None:
        columns = read_columns(path)
        self.label, self.names = label, names
        self.texts = [columns[name] for name in names]
        self.documents = columns[documents]

    def make_stream(self, texts: Sequence[str], keep: Sequence[int]) -> Stream:
        """Cut some segments of a text into words."""
        chosen = [texts[at] for at in keep]
        words = prepare(pack(chosen, "segments"), TEXT)
        return [(words, [self.documents[at] for at in keep])]

    def compare(self, keep: Sequence[int]) -> StabilityResult:
        """Compare the references on some segments."""
        streams = [self.make_stream(texts, keep) for texts in self.texts]
        return compute_stability(*streams, names=self.names)

    @property
    def whole(self) -> list[int]:
        """Return the places of all segments."""
        return list(range(len(self.documents)))

    def leave_out(self) -> list[list[int]]:
        """Leave out each tenth of the documents in turn."""
        order = {name: at for at, name in enumerate(dict.fromkeys(self.documents))}
        groups = [order[name] % GROUPS for name in self.documents]
        return [
            [at for at, group in enumerate(groups) if group != gone]
            for gone in range(GROUPS)
        ]


@cache
def read_pairs(data: Path) -> list[ReferencePair]:
    """Read pairs of references: real documents first, then segments as documents."""
    wmt23 = data / "wmt23-mqm-esa" / "he-en.segments.tsv.gz"
    czech = data / "ort-encs-48refs" / "refs.tsv.gz"
    news = data / "tradopad-adequacy" / "items.tsv"
    return [
        ReferencePair(wmt23, ("refA", "refB"), "doc", "WMT23 he-en"),
        ReferencePair(czech, ("R1", "R4"), "seg", "WMT20 en-cs"),
        ReferencePair(news, ("ref1", "ref4"), "item", "news zh-en"),
    ]


@cache
def compare_pairs(data: Path) -> dict[str, StabilityResult]:
    """Compare all pairs of references."""
    return {pair.label: pair.compare(pair.whole) for pair in read_pairs(data)}


def make_overlaps(data: Path) -> Section:
    """What two translations have in common."""
    found = compare_pairs(data)
    first = found["WMT23 he-en"].overlaps
    rows = tuple(
        (
            name,
            str(study.documents),
            str(overlap.n),
            f"{100 * overlap.tokens:.1f} %",
            f"{100 * overlap.types:.1f} %",
        )
        for name, study in found.items()
        for overlap in study.overlaps
    )
    words, runs = _estimate_overlaps(
        read_pairs(data)[0], first[0].tokens, first[-1].tokens
    )
    claim = Claim(
        "two translations have 72 % of their words in common, and 46 % with n-grams of up to "
        "four words.",
        f"two references of 94 documents (WMT23 he-en) have {words.value:.1f} % "
        f"[{words.low:.1f}, {words.high:.1f}] of the words in common, and {runs.value:.1f} % "
        f"[{runs.low:.1f}, {runs.high:.1f}] with n-grams of up to four words (jackknife over "
        "documents).",
    )
    heads = ("set", "documents", "up to", "tokens", "types")
    return Section((claim,), (StudyTable(heads, rows),))


def _estimate_overlaps(
    pair: ReferencePair, words: float, runs: float
) -> tuple[Estimate, Estimate]:
    parts = [pair.compare(keep).overlaps for keep in pair.leave_out()]
    return (
        _jackknife(100 * words, [100 * part[0].tokens for part in parts]),
        _jackknife(100 * runs, [100 * part[-1].tokens for part in parts]),
    )


def _jackknife(value: float, without: Sequence[float]) -> Estimate:
    """Take the interval from values that each lack a part of the documents."""
    spread = np.asarray(without) - np.mean(without)
    error = np.sqrt((len(without) - 1) / len(without) * (spread**2).sum())
    return spread_evenly(value, error, len(without))


def make_means(data: Path) -> Section:
    """Table 1: the mean weight of words in common, and of the others."""
    rows = tuple(
        (
            name,
            entry.name,
            f"{entry.tokens:,}",
            f"{entry.means['tf.idf']:.4f}",
            f"{entry.means['S']:.4f}",
            f"{100 * entry.polygons['S'].without:.1f} %",
        )
        for name, study in compare_pairs(data).items()
        for entry in study.sets
    )
    claims = []
    for weight in WEIGHTS:
        gaps = {
            pair.label: _jackknife(
                _subtract_means(compare_pairs(data)[pair.label], weight),
                [
                    _subtract_means(pair.compare(keep), weight)
                    for keep in pair.leave_out()
                ],
            )
            for pair in read_pairs(data)
        }
        common, different = PRINTED[weight]
        claims.append(
            make_claim(
                f"words that only one translator uses have a higher mean {weight} than common "
                f"words ({different} and {common}).",
                f"mean {weight} of words in one reference only minus mean of common words, "
                "jackknife over documents",
                gaps,
            )
        )
    heads = ("set", "words", "tokens", "mean tf.idf", "mean S", "without S")
    return Section(tuple(claims), (StudyTable(heads, rows, text=2),))


def _subtract_means(study: StabilityResult, weight: str) -> float:
    """Return how much heavier words of one reference alone are than common ones."""
    means: dict[bool, list[float]] = defaultdict(list)
    for entry in study.sets:
        means[entry.common].append(entry.means[weight])
    return float(np.mean(means[False]) - np.mean(means[True]))


def make_polygons(data: Path) -> Section:
    """Figures 3 and 4: how words spread over classes of salience."""
    study = compare_pairs(data)["WMT23 he-en"]
    pair = read_pairs(data)[0]
    parts = [pair.compare(keep) for keep in pair.leave_out()]
    claims = []
    for weight, low in (("tf.idf", 0.0), ("S", 0.0)):
        light, heavy = (
            _jackknife(
                _subtract_shares(study, weight, *bounds),
                [_subtract_shares(part, weight, *bounds) for part in parts],
            )
            for bounds in ((low, 3.0), (3.0, np.inf))
        )
        claims.append(
            Claim(
                f"words with a low or average {weight} (0 to 3) are more frequent among common "
                "words, and highly salient words (above 3) among the others.",
                f"share of a class of {weight} among common words minus share among the "
                f"others, in points: 0 to 3 {_show_points(light)}, above 3 "
                f"{_show_points(heavy)} (jackknife over documents).",
                verdicts={"0 to 3": settle(light), "above 3": settle(_negate(heavy))},
            )
        )
    below = _jackknife(
        _subtract_shares(study, "S", -np.inf, 0.0),
        [_subtract_shares(part, "S", -np.inf, 0.0) for part in parts],
    )
    same = below.low <= 0 <= below.high
    claims.append(
        Claim(
            "words with an S below 0 are about as frequent in both sets.",
            "share of words with S below 0 among common words minus share among the others: "
            f"{_show_points(below)} points (jackknife over documents).",
            verdicts={"WMT23 he-en": "supports" if same else "against"},
        )
    )
    return Section(tuple(claims), pictures={"polygons": study})


def _subtract_shares(
    study: StabilityResult, weight: str, low: float, high: float
) -> float:
    """Return the share of common words in a range less that of the others, in points."""
    shares: dict[bool, list[float]] = defaultdict(list)
    for entry in study.sets:
        polygon = entry.polygons[weight]
        classes = zip(polygon.bounds, polygon.shares, strict=False)
        shares[entry.common].append(
            sum(share for start, share in classes if low <= start < high)
        )
    return 100 * float(np.mean(shares[True]) - np.mean(shares[False]))


def _negate(estimate: Estimate) -> Estimate:
    return Estimate(-estimate.value, -estimate.high, -estimate.low)


def _show_points(estimate: Estimate) -> str:
    text = f"{estimate.value:+.1f} [{estimate.low:+.1f}, {estimate.high:+.1f}]"
    return text.replace("-", "−")


def make_function_words(data: Path) -> Section:
    """Count the words on either side of S = 1."""
    pair = read_pairs(data)[0]
    counts = Salience(pair.make_stream(pair.texts[1], pair.whole))
    words = [counts.words[int(word)].lower() for word in counts.column("word")]
    is_function = np.array([word in FUNCTION_WORDS for word in words])
    is_word = np.array([word.isalpha() for word in words])
    tf, s = counts.column("tf"), counts.column("S")
    rows, shares = [], []
    for name, chosen in (
        ("function words", is_function),
        ("content words", is_word & ~is_function),
    ):
        above = tf[chosen & (s > 1)].sum() / tf[chosen].sum()
        without = tf[chosen & np.isnan(s)].sum() / tf[chosen].sum()
        kinds = len({word for word, one in zip(words, chosen, strict=True) if one})
        cells = (kinds, int(tf[chosen].sum()))
        rows.append(
            (
                name,
                *(f"{count:,}" for count in cells),
                *(f"{100 * share:.1f} %" for share in (above, 1 - above, without)),
            )
        )
        shares.append(above)
    claim = Claim(
        "S = 1 separates function words from content words.",
        f"of the tokens of {len(FUNCTION_WORDS)} function words, {100 * shares[0]:.1f} % have "
        f"an S above 1; of all other words, {100 * (1 - shares[1]):.1f} % have none above 1 "
        "(refB of WMT23 he-en; counts, without intervals): a good filter, but no sharp "
        "border.",
    )
    heads = ("words", "different", "tokens", "S above 1", "not above 1", "without S")
    return Section((claim,), (StudyTable(heads, tuple(rows)),))


@cache
def line_up_metrics(data: Path) -> dict[tuple[str, int, str], ScorePanel]:
    """Score adequacy and fluency by all metrics, by set and number of documents."""
    sets: list[JudgedSet] = [
        read_wmt23_errors(data, "zh-en"),
        read_wmt23_errors(data, "en-de"),
    ]
    for direction in ("cs-en", "en-cs"):
        elitr = read_elitr(data, direction)
        sets += [elitr, elitr.with_segments_as_documents()]
    found = {}
    for judged in sets:
        documents = len(set(judged.evalset.documents))
        for kind in ("adequacy", "fluency"):
            _, panel = judged.line_up(kind, list(METRICS.values()))
            found[judged.name, documents, kind] = panel
    return found


def make_weighted_scores(data: Path) -> Section:
    """Table 2: do weighted scores correlate with adequacy and fluency?"""
    panels = line_up_metrics(data)
    found = {key: correlate_systems(panel) for key, panel in panels.items()}
    in_order = parse_specs(["accuracy"], "sys", Options())[0]
    pairs = {
        key: {
            name: each.value for name, each in correlate_panel(panel, in_order).items()
        }
        for key, panel in panels.items()
    }
    heads = ("set", "documents", "gold", *METRICS)
    tables = (
        StudyTable(
            heads,
            tuple(
                _mark_rows({key: each.observed for key, each in found.items()}, ".3f")
            ),
            text=3,
        ),
        StudyTable(
            heads,
            tuple(_mark_rows(pairs, ".0%")),
            text=3,
            caption="Share of system pairs in the human order:",
        ),
    )
    precision, recall = METRICS["P tf.idf"], METRICS["R S"]
    claims = [
        make_claim(
            f"{label} correlates better with {kind} than {rival} does.",
            f"r of {label} minus r of {rival} with {kind}, with systems and segments resampled",
            _subtract_all(found, kind, spec, other),
        )
        for kind, label, spec, rival, other in (
            ("fluency", "precision with tf.idf", precision, "recall with S", recall),
            ("adequacy", "recall with S", recall, "precision with tf.idf", precision),
            ("fluency", "precision with tf.idf", precision, "BLEU", "bleu"),
            ("adequacy", "recall with S", recall, "BLEU", "bleu"),
        )
    ]
    return Section(tuple(claims), tables)


def _mark_rows(
    found: Mapping[tuple[str, int, str], Mapping[str, float]], form: str
) -> Iterator[tuple[str, ...]]:
    """Write a row for each set, the highest values in bold."""
    for (name, documents, kind), by_spec in found.items():
        cells = [f"{by_spec[spec]:{form}}" for spec in METRICS.values()]
        best = f"{max(by_spec.values()):{form}}"
        marked = [f"**{cell}**" if cell == best else cell for cell in cells]
        yield name, str(documents), kind, *marked


def _subtract_all(
    found: Mapping[tuple[str, int, str], Coefficients], kind: str, spec: str, other: str
) -> dict[str, Estimate]:
    return {
        f"{name} ({documents} documents)": each.subtract(spec, other)
        for (name, documents, what), each in found.items()
        if what == kind
    }


def make_match_sets(data: Path) -> Section:
    """Figure 5: on which of the four sets do systems' matches fall?"""
    pair = read_pairs(data)[0]
    judged = read_wmt23(data, "he-en", "refB")
    streams = [pair.make_stream(texts, pair.whole) for texts in pair.texts]
    systems = {
        name: pair.make_stream(texts, pair.whole)
        for name, texts in judged.outputs.items()
    }
    sets = compute_match_sets(streams, systems, names=pair.names)
    rows = tuple(
        (
            entry.reference,
            system.system,
            *(
                f"{100 * system.matches[name] / entry.sizes[name]:.1f} %"
                for name in SETS
            ),
            f"{100 * _share_high(entry, number):.1f} %",
        )
        for entry in sets
        for number, system in enumerate(entry.systems)
    )
    shares = [
        100 * _share_high(entry, number)
        for entry in sets
        for number in range(len(entry.systems))
    ]
    claim = Claim(
        "at the same number of matches, knowledge-based systems match more of the salient "
        "n-grams, statistical systems more of the others.",
        "none of our data sets has two references, documents and systems of both types. "
        f"Among {len(systems)} neural systems, the share of highly salient matches is "
        f"between {min(shares):.1f} and {max(shares):.1f} % (counts, without intervals).",
    )
    heads = ("reference", "system", *SETS, "salient matches")
    table = StudyTable(heads, rows, text=2)
    return Section((claim,), (table,), {"matches": MatchPlot(tuple(sets))})


def _share_high(sets: MatchSets, number: int) -> float:
    """Return the share of a system's matches that are highly salient."""
    system = sets.systems[number]
    return (system.matches["dh"] + system.matches["ch"]) / system.total


SECTIONS = {
    "overlaps": make_overlaps,
    "means": make_means,
    "polygons": make_polygons,
    "function-words": make_function_words,
    "weighted": make_weighted_scores,
    "matches": make_match_sets,
}
