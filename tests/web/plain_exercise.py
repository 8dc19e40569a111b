"""The figures of an exercise, computed plainly from what participants did.

`records` are judgements as `metra judge export --format jsonl` writes them; of these only what
participants entered and the seconds they took are used, and no score.
"""

from collections import defaultdict
from itertools import combinations
from statistics import StatisticsError, correlation, fmean, variance

import sacrebleu

RANGES = {"clarity": (0, 3), "intelligibility": (0, 3), "adequacy": (1, 5)}


def normalise(text):
    """An answer without case and punctuation."""
    kept = "".join(sign if sign.isalnum() or sign == " " else " " for sign in text)
    return " ".join(kept.casefold().split())


def compute_speed(entry):
    """Words per minute, if nobody could read faster than that."""
    wpm = entry["key"]["words"] / (entry["ms"] / 60_000)
    fastest = entry["key"]["limits"][1]
    return wpm if wpm <= fastest else None


def score_record(record, questions, templates, natural):
    """The metrics of an answer from 0 to 100; None if it has no score."""
    [(step, entry)] = record["value"].items()
    text = record["document"]
    if step in RANGES:
        low, high = RANGES[step]
        return {step: 100 * (entry - low) / (high - low)}
    if step in ("reading-speed", "oral-reading-speed"):
        speed = compute_speed(entry)
        if speed is None or natural is None:
            return {step: None}
        return {step: 100 * (1 - min(1, abs(speed / natural - 1)))}
    if step == "comprehension":
        right = [
            normalise(answer or "") in map(normalise, accepted)
            for answer, accepted in zip(entry["answers"], questions[text], strict=True)
        ]
        return {step: 100 * fmean(right)}
    if step == "cloze":
        words = record["outputs"][0].split()
        gaps = [word.strip(".,") for word in words[7::8]]
        pairs = [*zip(entry["answers"], gaps, strict=True)]
        exact = [answer.casefold() == gap.casefold() for answer, gap in pairs]
        rest = [
            answer for (answer, _), same in zip(pairs, exact, strict=True) if not same
        ]
        # Empty gaps are wrong; other words wait for a second judge.
        close = 0.0 if rest and not any(rest) else None
        return {"cloze-exact": 100 * fmean(exact), "cloze-close": close}
    if step == "template":
        filled = [pair for form in entry["filled"] for pair in form["slots"]]
        return score_template(dict(filled), templates[text])
    words = len(record["outputs"][0].split())
    minutes = entry["ms"] / 60_000 / words * 10
    keys = sum(entry["keys"].values()) / words
    before, after = (
        " ".join(each.split("\n")) for each in (record["outputs"][0], entry["text"])
    )
    ter = sacrebleu.TER().corpus_score([before], [[after]]).score
    return {
        "correction-time": 100 * max(0, 1 - minutes),
        "correction-keys": 100 * max(0, 1 - keys / 6),
        "hter": max(0, 100 - ter),
    }


def score_template(filled, expected):
    """MUC's rates of one template, whose fillers are right or wrong."""
    filled = {slot: value for slot, value in filled.items() if value}
    right = sum(normalise(filled.get(slot, "")) == normalise(v) for slot, v in expected)
    wrong, missing = len(filled) - right, len(expected) - len(filled)
    precision = 100 * right / len(filled) if filled else None
    recall = 100 * right / len(expected)
    both = (precision or 0.0) + recall
    return {
        "template": 2 * (precision or 0.0) * recall / both if both else 0.0,
        "template-precision": precision,
        "template-recall": recall,
        "template-error": 100 - 100 * (wrong + missing) / (right + wrong + missing),
        "template-undergeneration": 100 - 100 * missing / len(expected),
        "template-overgeneration": 100.0 if filled else None,
        "template-substitution": 100 - 100 * wrong / len(filled) if filled else None,
    }


def collect_results(records, questions, templates):
    """Scores from 0 to 100 by metric, (text, system) and participant."""
    natural = {
        (record["campaign"], record["judge"]): compute_speed(entry)
        for record in records
        if record["kind"] == "baseline"
        for entry in record["value"].values()
    }
    kept = [record for record in records if record["kind"] != "baseline"]
    sentences, flagged = defaultdict(list), set()
    for record in kept:
        campaign, judge = record["campaign"], record["judge"]
        place = record["document"], record["systems"][0]
        usual = natural.get((campaign, judge))
        scores = score_record(record, questions, templates, usual)
        for metric, score in scores.items():
            sentences[metric, place, judge].append(score)
            if record["flags"]:
                flagged.add((metric, judge))
    results = defaultdict(lambda: defaultdict(dict))
    for (metric, place, judge), scores in sentences.items():
        of_metric = results[metric]  # without a figure, it still has a row
        if None not in scores:
            of_metric[place][judge] = fmean(scores)
    for metric, of_metric in results.items():
        every = {judge for own in of_metric.values() for judge in own}
        out = {judge for judge in every if (metric, judge) in flagged}
        # Flagged judges count only where nobody else has a score.
        for place in [*of_metric] if out != every else []:
            own = {
                j: score for j, score in of_metric.pop(place).items() if j not in out
            }
            if own:
                of_metric[place] = own
    return results


def score_automatically(outputs, references, documents):
    """BLEU with n-grams of up to three words, by text and system."""
    results = defaultdict(dict)
    for name, lines in outputs.items():
        for text in dict.fromkeys(documents):
            at = [number for number, own in enumerate(documents) if own == text]
            refs = [[ref[number] for number in at] for ref in references]
            bleu = sacrebleu.BLEU(max_ngram_order=3)
            score = bleu.corpus_score([lines[number] for number in at], refs).score
            results[text, name]["automatic"] = score
    return results


def correlate(x, y):
    """Pearson's r; None of fewer than three values, or of equal ones."""
    try:
        return correlation(x, y) if len(x) > 2 else None
    except StatisticsError:
        return None


def rank(values):
    """Ranks, the mean of those that ties share."""
    ordered = sorted(values)
    return [ordered.index(v) + (ordered.count(v) - 1) / 2 for v in values]


def compute_alpha(units):
    """Krippendorff's alpha on the interval scale, from its definition by pairs."""
    units = [list(unit.values()) for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    inside = sum(
        2 * sum((a - b) ** 2 for a, b in combinations(unit, 2)) / (len(unit) - 1)
        for unit in units
    )
    every = 2 * sum((a - b) ** 2 for a, b in combinations(values, 2))
    return 1 - (len(values) - 1) * inside / every if every else None


def compute_figures(results):
    """Means, deviations, agreement and correlations, as organisers would by hand."""
    systems = {place[1] for of in results.values() for place in of}
    means, deviations, agreement, averages = {}, {}, {}, {}
    for metric, of in results.items():
        averages[metric] = {place: fmean(own.values()) for place, own in of.items()}
        for system in systems:
            own = {place: of[place] for place in of if place[1] == system}
            if own:
                means[metric, system] = fmean(averages[metric][place] for place in own)
            deviations[metric, system] = pool(own.values())
        pearson, spearman = [], []
        for one, other in combinations(
            sorted({j for own in of.values() for j in own}), 2
        ):
            both = [own for own in of.values() if {one, other} <= own.keys()]
            x, y = ([own[judge] for own in both] for judge in (one, other))
            for found, r in (
                (pearson, correlate(x, y)),
                (spearman, correlate_ranks(x, y)),
            ):
                found += [(r, len(both))] * (r is not None)
        agreement[metric] = (
            compute_alpha(of.values()),
            *(
                sum(r * n for r, n in found) / sum(n for _, n in found)
                if found
                else None
                for found in (pearson, spearman)
            ),
        )
    matrix = {}
    for one, other in combinations(results, 2):
        both = [place for place in averages[one] if place in averages[other]]
        x, y = ([averages[metric][place] for place in both] for metric in (one, other))
        matrix[one, other] = matrix[other, one] = correlate(x, y), correlate_ranks(x, y)
    return means, deviations, agreement, matrix


def pool(units):
    """The standard deviation over evaluators, pooled over texts."""
    several = [variance(own.values()) for own in units if len(own) > 1]
    return fmean(several) ** 0.5 if several else None


def correlate_ranks(x, y):
    """Spearman's rho."""
    return correlate(rank(x), rank(y))
