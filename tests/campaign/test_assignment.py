"""Who judges what: laws that hold for every campaign, and small cases worked by hand."""

import hmac
import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.campaign.campaigns import answered, opened
from tests.campaigns import SYSTEMS
from tests.campaigns import made as made_campaign

from metra.campaign.assignment import (
    assign,
    count_overlaps,
    degrade_text,
    describe_cost,
    draw_orders,
    estimate_screen_seconds,
    make_opaque_id,
)
from metra.campaign.codebook import describe_readers, write_codebook
from metra.campaign.protocols.questions import Gaps
from metra.campaign.screen import build_screen, collect_texts
from metra.errors import OptionError
from metra.scores.judgement import COUNTED

SECRET = b"sixteen bytes ok"


def made(**wishes):
    """A campaign whose every text is different, of five words each."""
    plain = {"protocol": "da", "basis": "source", "calibration": 0, "unit": "segment"}
    words = "words {1} of version {0}".format
    return made_campaign(**plain | {"words": words} | wishes)


@st.composite
def blind(draw):
    systems, each = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    per_text = draw(st.integers(1, 3))
    return made(
        systems=systems,
        each=each,
        judges=systems * each + draw(st.integers(0, 5)),
        texts=draw(st.integers(3, 20)),
        per_text=per_text,
        unit="segment" if per_text == 1 else "document",
        calibration=draw(st.integers(0, 2)),
        seed=draw(st.integers(0, 99)),
        repeats=draw(st.sampled_from([0.0, 0.05, 0.5])),
        degraded=draw(st.sampled_from([0.0, 0.05, 0.5])),
    )


@st.composite
def blocks(draw):
    protocol = draw(st.sampled_from(["da", "pairwise", "ranking"]))
    each = draw(st.integers(1, 3))
    return made(
        protocol=protocol,
        complete=protocol == "da",
        systems=draw(st.integers(2, 4)),
        each=each,
        judges=each + draw(st.integers(0, 3)),
        texts=draw(st.integers(3, 9)),
        calibration=draw(st.integers(0, 2)),
        seed=draw(st.integers(0, 99)),
    )


def unit(task):
    return tuple(sorted((item.system, item.segment) for item in task.items))


@pytest.mark.seed("1.19")
@given(st.one_of(blind(), blocks()))
@settings(max_examples=60)
def test_every_unit_is_judged_by_as_many_judges_as_wished(frozen):
    tasks = assign(frozen, secret=SECRET)
    judges = {}
    for task in tasks:
        if task.kind in COUNTED:
            judges.setdefault(unit(task), []).append(task.judge)
    each = frozen.settings.each
    assert {(len(found), len(set(found))) for found in judges.values()} == {
        (each, each)
    }
    rest = len(frozen.texts) - frozen.calibration
    versions = {1: len(frozen.systems), 0: 1}
    pairs = len(frozen.systems) * (len(frozen.systems) - 1) // 2
    assert len(judges) == rest * versions.get(frozen.protocol.outputs, pairs)


@given(st.one_of(blind(), blocks()))
@settings(max_examples=60)
def test_all_judges_share_the_calibration_block_and_begin_with_it(frozen):
    blocks_of = {}
    for task in assign(frozen, secret=SECRET):
        if task.kind == "calibration":
            blocks_of.setdefault(task.judge, []).append((unit(task), task.position))
    if not frozen.calibration:
        assert not blocks_of
        return
    assert set(blocks_of) == set(frozen.settings.judges)
    assert (
        len({frozenset(what for what, _ in found) for found in blocks_of.values()}) == 1
    )
    for found in blocks_of.values():
        assert [at for _, at in found] == list(range(1, len(found) + 1))


@given(blind())
@settings(max_examples=60)
def test_nobody_sees_two_versions_of_a_text(frozen):
    seen = {}
    for task in assign(frozen, secret=SECRET):
        for item in task.items:
            seen.setdefault((task.judge, item.segment), set()).add(item.system)
    assert all(len(systems) == 1 for systems in seen.values())


@given(blind())
@settings(max_examples=60)
def test_work_and_systems_are_shared_evenly(frozen):
    work = Counter(dict.fromkeys(frozen.settings.judges, 0))
    systems = {judge: Counter() for judge in frozen.settings.judges}
    for task in assign(frozen, secret=SECRET):
        if task.kind in COUNTED:
            work[task.judge] += 1
            systems[task.judge][task.items[0].system] += 1
    assert max(work.values()) - min(work.values()) <= 1
    for found in systems.values():
        counts = [found[system.name] for system in frozen.systems]
        assert max(counts) - min(counts) <= 2


@given(st.one_of(blind(), blocks()))
@settings(max_examples=40)
def test_the_same_campaign_and_secret_give_the_same_tasks(frozen):
    tasks = assign(frozen, secret=SECRET)
    assert tasks == assign(replace(frozen), secret=SECRET)
    other = assign(frozen, secret=SECRET[::-1])
    assert [unit(task) for task in other] == [unit(task) for task in tasks]
    ids = {item.id for task in tasks for item in task.items} | {
        task.id for task in tasks
    }
    assert not ids & {task.id for task in other}
    count = sum(1 + len(task.items) for task in tasks)
    assert len(ids) == count  # nobody shares an id with anybody


@given(st.one_of(blind(), blocks()), st.data())
@settings(max_examples=60)
def test_what_a_judge_receives_names_no_system_and_no_reason(frozen, data):
    task = data.draw(st.sampled_from(assign(frozen, secret=SECRET)))
    number = 0
    if not frozen.protocol.contrastive:
        number = data.draw(st.integers(0, len(task.items) - 1))
    sent = json.dumps(build_screen(frozen, task, number=number, step=0))
    words = [*SYSTEMS, "degraded", "repeat", "calibration", "test", "judge"]
    assert not [word for word in words if word.lower() in sent.lower()]
    known = {"task", "step", "outputs", "source", "context", "before"}
    assert set(json.loads(sent)) <= known


@given(blind())
@settings(max_examples=60)
def test_checks_point_at_what_they_check(frozen):
    tasks = {task.id: task for task in assign(frozen, secret=SECRET)}
    for task in tasks.values():
        assert (task.original is not None) == (task.kind in ("repeat", "degraded"))
        if task.original is None:
            continue
        original = tasks[task.original]
        assert original.judge == task.judge
        assert original.kind in COUNTED
        assert unit(original) == unit(task)
        same = [
            a.text == b.text for a, b in zip(original.items, task.items, strict=True)
        ]
        assert set(same) == {task.kind == "repeat"}
        if task.kind == "repeat":
            assert task.position > original.position


def test_ids_stay_the_same_in_all_versions():
    digest = hmac.digest(SECRET, b"ann\x000\x00unit", "sha256")
    assert make_opaque_id(SECRET, "ann", 0, "unit") == digest.hex()[:20]


def test_a_repeat_comes_half_a_sitting_later():
    frozen = made(judges=2, systems=1, texts=40, repeats=0.2, degraded=0)
    tasks = assign(frozen, secret=SECRET)
    at = {task.id: task.position for task in tasks}
    gaps = [task.position - at[task.original] for task in tasks if task.original]
    assert len(gaps) == 2 * 8
    assert min(gaps) >= 20


def test_repeated_and_degraded_units_are_between_others():
    frozen = made(judges=2, systems=1, texts=8, repeats=0.3, degraded=0.3)
    for seed in range(20):
        tasks = assign(frozen, secret=bytes([seed]) * 32)
        last = {
            task.judge: task for task in sorted(tasks, key=lambda one: one.position)
        }
        assert {task.kind for task in tasks} > {task.kind for task in last.values()}
        assert not any(task.original for task in last.values())


@pytest.mark.parametrize(
    "size",
    [
        pytest.param({"each": 1, "texts": 16}, id="a version of each text"),
        pytest.param({"each": 4, "texts": 4, "complete": True}, id="complete blocks"),
    ],
)
def test_rounds_of_a_sitting_are_rows_of_a_latin_square(size):
    frozen = made(judges=4, systems=4, repeats=0, degraded=0, **size)
    tasks = assign(frozen, secret=SECRET)
    for judge in frozen.settings.judges:
        systems = [task.items[0].system for task in tasks if task.judge == judge]
        rounds = [systems[at : at + 4] for at in range(0, 16, 4)]
        assert all(sorted(one) == sorted(SYSTEMS) for one in rounds)
        for place in range(4):
            assert len({one[place] for one in rounds}) == 4


def shown_orders(protocol, systems, *, complete=False, seed=0):
    """The systems of each round of each judge, a round being what is shown together."""
    frozen = made(
        protocol=protocol,
        complete=complete,
        systems=systems,
        judges=systems,
        each=systems if complete or protocol != "da" else 1,
        texts=systems * 40,
        repeats=0,
        degraded=0,
        seed=seed,
    )
    tasks = assign(frozen, secret=SECRET)
    for judge in frozen.settings.judges:
        mine = [task for task in tasks if task.judge == judge]
        shown = [SYSTEMS.index(item.system) for task in mine for item in task.items]
        yield [shown[at : at + systems] for at in range(0, len(shown), systems)]


def mutual_information(pairs):
    """In bits, of two things that were counted together, less what chance alone gives."""
    joint = Counter(pairs)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    total = len(pairs)
    found = sum(
        n / total * np.log2(n * total / (left[a] * right[b]))
        for (a, b), n in joint.items()
    )
    chance = (len(left) - 1) * (len(right) - 1) / (2 * total * np.log(2))
    return found - chance


@pytest.mark.parametrize(
    ("protocol", "complete", "systems"),
    [
        *product(["da"], [False, True], [2, 3, 4]),
        *product(["ranking"], [False], [2, 3, 4]),
        ("pairwise", False, 2),
    ],
)
def test_the_order_of_outputs_tells_no_system(protocol, complete, systems):
    judges = [
        rounds
        for seed in range(3)
        for rounds in shown_orders(protocol, systems, complete=complete, seed=seed)
    ]
    places = [pair for rounds in judges for one in rounds for pair in enumerate(one)]
    assert mutual_information(places) < 0.02
    for apart in range(systems):
        # What stands in a round, from what stood at any place of the round before it.
        pairs = [
            (before[place], after[(place + apart) % systems])
            for rounds in judges
            for before, after in pairwise(rounds)
            for place in range(systems)
        ]
        assert mutual_information(pairs) < 0.02


@pytest.mark.parametrize("rounds", [0, 1, 5, 12])
def test_drawn_orders_balance_the_places_of_systems(rounds):
    orders = draw_orders(4, rounds, np.random.default_rng(1))
    assert [sorted(order) for order in orders] == [[0, 1, 2, 3]] * rounds
    for place in range(4):
        counts = Counter(dict.fromkeys(range(4), 0))
        counts.update(order[place] for order in orders)
        assert max(counts.values()) - min(counts.values()) <= 1


def test_judges_get_orders_of_their_own():
    frozen = made(judges=3, systems=2, texts=12, complete=True, each=3)
    tasks = assign(frozen, secret=SECRET)
    orders = {
        tuple(unit(task) for task in tasks if task.judge == judge)
        for judge in frozen.settings.judges
    }
    assert len(orders) == 3


def test_complete_blocks_keep_a_text_together():
    frozen = made(
        judges=1, systems=3, texts=5, complete=True, each=1, repeats=0, degraded=0
    )
    segments = [task.items[0].segment for task in assign(frozen, secret=SECRET)]
    assert [segments[at : at + 3] for at in range(0, 15, 3)] == [
        [at] * 3 for at in dict.fromkeys(segments)
    ]


def count_gaps(task):
    return len(Gaps().places(task.items[0].text))


def replace_setting(frozen, **changes):
    return replace(frozen, settings=replace(frozen.settings, **changes))


def test_readers_see_one_version_of_a_text_unless_the_campaign_says_several():
    readers = {"judges": ["ann", "bob"], "each": 2, "repeats": 0, "degraded": 0}
    with pytest.raises(
        OptionError, match="complete = true and several_versions = true"
    ):
        opened("cloze", **readers)
    with pytest.raises(OptionError, match="set complete = false, or several_versions"):
        opened("cloze", **readers, complete=True)
    frozen = opened("cloze", **readers, complete=True, several_versions=True)
    for judge in readers["judges"]:
        tasks = [t for t in assign(frozen, secret=SECRET) if t.judge == judge]
        texts = [task.items[0].segment for task in tasks]
        assert len({unit(task) for task in tasks}) == len(tasks) == 4
        # Both texts come once before either comes again.
        assert sorted(texts[:2]) == sorted(texts[2:]) == sorted({*texts})
    answers = answered(
        frozen,
        lambda task, _: {"cloze": {"answers": [""] * count_gaps(task)}},
    )
    assert "Readers saw several versions of a text" in write_codebook(answers, frozen)
    assert frozen.version != replace_setting(frozen, several_versions=False).version
    one = opened("cloze", judges=["ann", "bob", "cleo", "dan"], each=2)
    assert describe_readers(one) == ""


def test_a_reference_takes_part_as_a_system_of_its_own_kind():
    frozen = made(systems=1, texts=6, basis="reference", reference_as_system=True)
    tasks = [t for t in assign(frozen, secret=SECRET) if t.kind == "reference"]
    assert {item.system for task in tasks for item in task.items} == {"reference"}
    assert len(tasks) == 12
    shown = build_screen(frozen, tasks[0], number=0, step=0)
    at = tasks[0].items[0].segment
    assert shown["outputs"][0]["text"] == f"reference b {at}"
    assert shown["reference"] == f"reference a {at}"


def test_context_is_the_rest_of_the_document():
    for name, own in (("esa", 7), ("intelligibility", 6)):
        frozen = made(protocol=name, texts=3, per_text=4)
        tasks = assign(frozen, secret=SECRET)
        task, number = next(
            (task, number)
            for task in tasks
            for number, item in enumerate(task.items)
            if item.segment == own and task.kind == "judged"
        )
        shown = build_screen(frozen, task, number=number, step=0)
        if name == "esa":
            assert shown["context"] == ["source 4", "source 5", "source 6"]
            assert shown["before"] == 3
        else:
            assert shown["sentence"] == 3


def test_an_answer_may_point_into_a_source_that_was_shown():
    for name, basis, more in (
        ("esa", "source", {"source"}),
        ("esa", "reference", set()),
        ("ranking", "source", {"source"}),
    ):
        frozen = made(protocol=name, basis=basis)
        task = assign(frozen, secret=SECRET)[0]
        texts = collect_texts(frozen, task, 0)
        outputs = {"output"} if name == "esa" else {"1", "2"}
        assert set(texts) == outputs | more
        if more:
            assert texts["source"] == f"source {task.items[0].segment}"


def test_a_short_secret_is_refused():
    with pytest.raises(OptionError, match="has 5 bytes; expected at least 16"):
        assign(made(), secret=b"short")


def test_the_cost_in_words():
    # Texts of five words take six tenths of the time of those of 25.
    frozen = made(judges=4, systems=2, texts=20, repeats=0, degraded=0)
    tasks = assign(frozen, secret=SECRET)
    fewest = min(count_overlaps(tasks, frozen.settings.judges).values())
    assert fewest > 1
    assert describe_cost(frozen, tasks) == (
        "4 judges × 20 screens ≈ 5 min each; each output judged by 2 judges; "
        f"any two judges share at least {fewest} outputs."
    )
    alone = made(judges=1, systems=1, texts=6, each=1, repeats=0, degraded=0)
    assert describe_cost(alone, assign(alone, secret=SECRET)) == (
        "1 judge × 6 screens ≈ 2 min each; each output judged by 1 judge."
    )


def test_a_screen_with_two_outputs_is_one_screen_and_takes_twice_as_long():
    frozen = made(protocol="pairwise", judges=2, texts=60, repeats=0)
    assert describe_cost(frozen, assign(frozen, secret=SECRET)) == (
        "2 judges × 60 screens ≈ 24 min each; each output judged by 2 judges; "
        "the two judges share at least 120 outputs."
    )


def test_the_time_of_a_screen_grows_with_its_words():
    frozen = made()
    for words, seconds in {0: 12.5, 25: 25, 75: 50}.items():
        outputs = (" ".join(["word"] * words),) * len(frozen.segments)
        systems = tuple(replace(one, outputs=outputs) for one in frozen.systems)
        longer = replace(frozen, systems=systems)
        assert estimate_screen_seconds(longer) == pytest.approx(seconds)


SPOILT = [
    pytest.param("a b c d e", ["v w x y z"], 3, id="two of five words go"),
    pytest.param(
        "一二三四五六", ["七八九十百千"], 0, id="characters where none has spaces"
    ),
    pytest.param("", ["x y"], 0, id="an empty output gets a word"),
]


@pytest.mark.parametrize(("text", "donors", "kept"), SPOILT)
def test_spoilt(text, donors, kept):
    found = degrade_text(text, donors, rng=np.random.default_rng(1))
    assert found != text
    assert len(set(found.split()) & set(text.split())) == kept
    assert found == degrade_text(text, donors, rng=np.random.default_rng(1))


@given(st.text("ab ", max_size=9), st.lists(st.text("ab ", max_size=9), max_size=4))
def test_a_spoilt_copy_differs_or_is_none(text, donors):
    found = degrade_text(text, donors, rng=np.random.default_rng(0))
    assert found is None or found.split() != text.split()


def test_nothing_to_take_words_from():
    assert degrade_text("a b", [], rng=np.random.default_rng(0)) is None
