"""What was found beyond the scores, for the terminal, as JSON and as Markdown."""

import pytest

from metra.analysis.changes import find_changes, prepare_changes
from metra.analysis.profiles import build_profiles
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import OptionError, UnknownNameError
from metra.report.study import build_study
from metra.report.table import Style
from metra.report.terminal import MarkedText, measure_width, wrap_marked_text
from metra.report.writers.analysis import (
    build_bucket_table,
    build_ngram_tables,
    build_profile_report,
    check_format,
    map_metric_columns,
    render_with_changes,
)
from metra.report.writers.results import render
from metra.scoring.compare import ComparisonSettings, compare_statistics
from metra.scoring.evaluate import make_metrics
from metra.scoring.json import convert_record
from metra.scoring.statistics import count_corpus

CAT, DOG = "the {} sat on the mat .", "a <b>{}</b> | ran"
REFS = [CAT.format("cat"), DOG.format("dog"), "我爱北京天安门", "שלום עולם טוב"]
OLD = [CAT.format("dog"), DOG.format("dog"), "我恨北京", "שלום עולם"]
NEW = [CAT.format("cat"), DOG.format("cat"), "我爱北京天安门", "שלום עולם טוב"]


def looked(old=OLD, new=NEW, refs=REFS, source=None, more=None, **options):
    outputs = {"old": old, "new": new} | (more or {})
    corpus = Outputs(EvalSet(refs, source), outputs)
    metrics = make_metrics(["bleu:tok=none", "ter"])
    collected = prepare_changes(corpus, metrics, None)
    sheets = count_corpus(corpus, metrics, keep=True, visitors=[collected.visit])
    results = compare_statistics(sheets, ComparisonSettings(trials=200))
    return results, find_changes(collected, sheets, baseline="old", **options)


def table(style=None, **options):
    return render_with_changes(*looked(**options), "table", style or Style(width=100))


def test_nothing_asked_for_leaves_the_results_as_they_are():
    results, _ = looked()
    for form in ("table", "json", "markdown", "latex", "tsv"):
        plain = render(results, form, Style())
        assert render_with_changes(results, [], form, Style()) == plain


def test_the_terminal_shows_what_changed_in_words():
    shown = table()
    for text in (
        "What changed from old to new, segments by bleu:tok=none",
        "3 better, 1 worse, 0 equal",
        "  before  the [-dog-] sat on the mat .",
        "  after   the {+cat+} sat on the mat .",
        "  ref     the cat sat on the mat .",
        "[-恨-]",
    ):
        assert text in shown
    assert "\x1b" not in shown


def test_colours_only_where_they_are_wanted_and_never_alone():
    shown = table(Style(color=True, width=100))
    assert "\x1b[32m{+cat+}\x1b[0m" in shown
    assert "\x1b[33m[-dog-]\x1b[0m" in shown


def test_no_line_is_wider_than_the_screen():
    words = "word " * 60 + "漢字" * 60
    shown = table(
        Style(width=60), old=[words], new=["漢字" * 90 + " ok " * 30], refs=[words]
    )
    section = shown[shown.index("What changed") : shown.index("[-only before-]")]
    texts = [line for line in section.split("\n") if line.startswith("  ")]
    assert len(texts) > 8
    assert max(map(measure_width, texts)) <= 60


def test_endless_texts_are_cut_and_it_is_said():
    long = " ".join(f"w{at}" for at in range(20_000))
    other = " ".join(f"v{at}" for at in range(20_000))
    shown = table(old=[other], new=[long], refs=[long])
    assert shown.count("more words") == 3
    assert len(shown) < 30_000


def test_right_to_left_texts_stay_beside_their_labels():
    shown = table()
    line = next(line for line in shown.split("\n") if "{+טוב+}" in line)
    assert line.startswith("  after   \u2068")
    assert line.endswith("\u2069")


def test_what_a_terminal_would_obey_is_replaced():
    shown = table(old=["\x1b[31mred a"], new=["\x1b]0;x\x07 a"], refs=["a"])
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_nothing_changed():
    shown = table(new=OLD)
    assert "0 better, 0 worse, 4 equal\n\nNo segment to show." in shown


def test_several_references_are_numbered_and_missing_ones_left_out():
    shown = table(old=["b"], new=["a"], refs=[["a"], [None], ["c"]])
    assert "  ref 1   a\n  ref 3   c\n" in shown
    assert "ref 2" not in shown


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"most": 1, "min_words": 3}, "1 segment of fewer than 3 words excluded"),
        ({"source": [f"quelle {at}" for at in range(4)]}, "  source  quelle 0\n"),
        ({"more": {"copy": OLD}}, "What changed from old to copy"),
    ],
    ids=["short segments are counted", "sources", "copy"],
)
def test_what_is_given_is_shown(options, expected):
    assert expected in table(**options)


def test_buckets_and_ngrams_are_tables():
    """Two systems leave room for their difference; more get a column each."""
    for more, heads in (
        ({}, ["old", "new", "difference", "95% interval"]),
        ({"copy": OLD}, ["old", "new", "copy"]),
    ):
        twice = {
            name: 2 * column
            for name, column in ({"old": OLD, "new": NEW} | more).items()
        }
        corpus = Outputs(EvalSet(2 * REFS), twice)
        study = build_study(corpus, make_metrics(["bleu:tok=none", "ter"]))
        columns = map_metric_columns(study.results)
        bucket = build_bucket_table(study.buckets[0], "ter", columns)
        assert bucket.caption == "ter ↓ by reference length in words"
        shown = [column.heading for column in bucket.columns]
        assert shown == ["words", "segments", *heads]
        captions = [each.caption for each in build_ngram_tables(study.ngrams)]
        assert "Reference n-grams that new has more often (better)" in captions


@pytest.mark.parametrize("form", ["latex", "markdown", "tsv"])
def test_formats_without_room_refuse(form):
    message = f"The format {form} does not support changes"
    with pytest.raises(OptionError, match=message):
        check_format(form)


def test_numbers_that_json_lacks_become_null():
    data = convert_record({"a": float("nan"), "b": (1.0, 2.5, float("inf"))})
    assert data == {"a": None, "b": [1, 2.5, None]}


def found_profiles():
    corpus = Outputs(EvalSet(["a 12", "b c"]), {"x": ["", "b c"], "y": ["a 12", "b c"]})
    return build_profiles(corpus)


def test_a_trait_that_does_not_exist():
    with pytest.raises(UnknownNameError, match=r"No trait named 'loop'. Did you mean"):
        build_profile_report(found_profiles(), "loop")


def test_neighbours_with_the_same_marks_share_them():
    one = MarkedText("a", True, "{+", "+}", "red")
    other = MarkedText("b", False, "{+", "+}", "green")
    plain = MarkedText("c", False)
    stretches = [one, other, plain, one]
    assert wrap_marked_text(stretches, "", 40, 1, Style()) == ["{+a b+}c{+a+}"]


def test_words_that_touch_stay_together():
    stretches = [MarkedText("a", False), MarkedText(",", True), MarkedText("b", False)]
    assert wrap_marked_text(stretches, "x ", 40, 3, Style()) == ["x a, b"]
    assert wrap_marked_text([], "x ", 40, 3, Style()) == ["x"]
