"""Exact matching on real output: proved nearly always, never below greedy."""

import csv
import gzip
from random import Random

import pytest

import metra

SEGMENTS = 1500


@pytest.fixture(scope="module", params=["he-en", "zh-en"])
def pairs(request, shared):
    """Outputs of all systems with their reference, a sample that is always the same."""
    path = shared / "data" / "wmt23-mqm-esa" / f"{request.param}.outputs.tsv.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    systems = [name for name in rows[0] if name != "seg" and not name.startswith("ref")]
    found = [(row[system], row["refA"]) for row in rows for system in systems]
    return Random(12345).sample(found, SEGMENTS)


@pytest.mark.parametrize("e", [1.5, 2, 3])
def test_at_least_99_of_100_are_proved_and_none_is_below_greedy(pairs, e):
    hyps, refs = map(list, zip(*pairs, strict=True))
    options = f"e={e},tok=13a,case=lower"
    greedy = metra.score(hyps, [refs], f"gtm:{options}").rows[:, 0]
    exact = metra.score(hyps, [refs], f"gtm:match=exact,{options}").rows
    assert exact[:, 3].sum() <= SEGMENTS / 100
    assert (exact[:, 0] >= greedy * (1 - 1e-12)).all()
    # The paper's claim, on our data: 99 of 100 are largest, none is under 80 %.
    assert (exact[:, 0] <= greedy * (1 + 1e-9)).mean() >= 0.99
    assert (greedy / exact[:, 0].clip(1e-9)).min(
        where=exact[:, 0] > 0, initial=1
    ) >= 0.8
