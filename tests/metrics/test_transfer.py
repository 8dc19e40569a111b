"""Transfer rules and counts of phrases, and patterns over words."""

import math

import pytest

import metra
from metra.corpus.batch import Batch, BatchPosition
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError, OptionError
from metra.formats.annotations.conllu import ParsedWord
from metra.formats.annotations.transfer_rules import (
    compile_pattern,
    find_matches,
    find_phrases,
    read_rules,
)
from metra.metrics import registry
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus

RULES = """\
[[rule]]
name = "adjective first"
source = "NOUN ADJ"
target = "ADJ NOUN"

[[rule]]
name = "negation"
source = "ne|n' _ pas"
target = ["not", "never"]
"""
SOURCE = ["chat noir dort", "il ne vient pas , chien blanc , eau froide", "il dort"]
GOOD = ["black cat sleeps", "he does not come , white dog , cold water", "he sleeps"]
BAD = ["cat black sleeps", "he comes , white dog , water cold", "he sleeps"]
TAGS = {
    "NOUN": "chat chien eau cat dog water",
    "ADJ": "noir blanc froide black white cold",
    "PRON": "il he",
    "VERB": "dort vient sleeps come comes",
    "AUX": "does",
    "PART": "not ne pas",
    "PUNCT": ",",
    "ADP": "sur sous on under",
    "DET": "le the",
}
POS = {word: tag for tag, listed in TAGS.items() for word in listed.split()}


def parses(texts: list[str]) -> str:
    lines = []
    for text in texts:
        for at, word in enumerate(text.split(), 1):
            head = 0 if at == 1 else 1
            lines.append(f"{at}\t{word}\t{word}\t{POS[word]}\t_\t_\t{head}\tdep\t_\t_")
        lines.append("")
    return "\n".join(lines)


@pytest.fixture
def options(tmp_path):
    (tmp_path / "rules.toml").write_text(RULES)
    (tmp_path / "source.conllu").write_text(parses(SOURCE))
    for name, texts in {"good": GOOD, "bad": BAD}.items():
        (tmp_path / f"{name}.conllu").write_text(parses(texts))
    return (
        f"rules={tmp_path}/rules.toml,source_parses={tmp_path}/source.conllu,"
        f"parses={tmp_path}/{{system}}.conllu"
    )


def corpus() -> Outputs:
    return Outputs(EvalSet(source=SOURCE), {"good": GOOD, "bad": BAD})


@pytest.mark.seed("5.51")
def test_rules_that_hold_where_the_source_asks_for_them(options):
    metric = registry.metric(f"transfer:{options}")
    results = evaluate_corpus(corpus(), {"t": metric}, EvaluationOptions(segments=True))
    good, bad = results["good"]["t"], results["bad"]["t"]
    # The source asks four times: an adjective, two adjectives and a negation, nothing.
    assert (good.score, bad.score) == (100, 25)
    assert good.parts["adjective first"] == [3, 3]
    assert bad.parts["adjective first"] == [1, 3]
    assert bad.parts["negation"] == [0, 1]
    assert (bad.parts["satisfied"], bad.parts["occurrences"]) == (1, 4)
    assert bad.segments.tolist()[:2] == pytest.approx([0, 100 / 3])
    assert math.isnan(bad.segments[2]), "no rule occurs"


@pytest.mark.seed("5.52")
def test_failures_are_listed(options):
    metric = {"t": registry.metric(f"transfer:{options}")}
    found = evaluate_corpus(corpus(), metric, EvaluationOptions(details=True))
    assert not found["good"]["t"].details
    listed = [(entry.text, dict(entry.about), entry.segments)
              for entry in found["bad"]["t"].details]  # fmt: skip
    assert listed == [
        ("chat noir", {"rule": "adjective first", "failed": "1 of 1"}, (1,)),
        (
            "chien blanc / eau froide",
            {"rule": "adjective first", "failed": "1 of 2"},
            (2,),
        ),
        ("ne vient pas", {"rule": "negation", "failed": "1 of 1"}, (2,)),
    ]


def test_a_pattern_that_fits_too_often_earns_nothing(tmp_path):
    path = tmp_path / "words.toml"
    path.write_text('[[rule]]\nname = "no"\nsource = "pas"\ntarget = "not"\n')
    result = metra.score(
        ["not not not", "yes"], metric=f"transfer:rules={path}", source=["pas", "pas"]
    )
    assert result.rows.tolist() == [[1, 1], [1, 0]]
    assert result.score == 50


@pytest.mark.seed("5.49")
def test_phrases_are_counted_on_both_sides(options):
    spec = "transfer:mode=counts," + options.partition(",")[2]
    results = evaluate_corpus(
        corpus(), {"t": registry.metric(spec)}, EvaluationOptions()
    )
    bad = results["bad"]["t"]
    # NP: 1+3+1 in both. VP: dort; ne vient (pas follows the verb); dort: 3 in both.
    assert bad.score == 0
    assert bad.parts == {
        "source_NP": 5, "output_NP": 5, "difference_NP": 0, "above_NP": 0,
        "source_VP": 3, "output_VP": 3, "difference_VP": 0, "above_VP": 0,
    }  # fmt: skip
    assert not bad.higher_is_better


def test_differences_do_not_cancel_out_between_segments(tmp_path):
    for name, texts in {
        "s": ["chat", "chat , chien"],
        "o": ["cat , dog", "cat"],
    }.items():
        (tmp_path / f"{name}.conllu").write_text(parses(texts))
    spec = f"transfer:mode=counts,source_parses={tmp_path}/s.conllu,parses={tmp_path}/o.conllu"
    result = metra.score(
        ["cat , dog", "cat"], metric=spec, source=["chat", "chat , chien"]
    )
    # NP: 1 against 2, then 2 against 1: apart by 2 of 3 phrases, though the sums are equal.
    assert result.score == pytest.approx(200 / 3)
    assert result.parts["difference_NP"] == 0


FINER = {
    "source": ["chat noir sur le chien", "il dort sous eau froide", "chat sur chien"],
    "output": ["cat on the black dog", "he sleeps", "cat on under the white dog"],
}


def count_finer(folder, options=""):
    for name, texts in FINER.items():
        (folder / f"{name}.conllu").write_text(parses(texts))
    spec = (
        f"transfer:mode=counts,source_parses={folder}/source.conllu,"
        f"parses={folder}/output.conllu{options}"
    )
    return metra.score(FINER["output"], metric=spec, source=FINER["source"])


def test_prepositional_phrases_and_adjectives_are_counted(tmp_path):
    result = count_finer(tmp_path, ",phrases=PP+ADJ")
    # Two prepositions in a row begin one phrase: PP 1, 1, 1 and 1, 0, 1; ADJ 1, 1, 0 and
    # 1, 0, 1.
    assert result.parts == {
        "source_PP": 3, "output_PP": 2, "difference_PP": -1, "above_PP": 1,
        "source_ADJ": 2, "output_ADJ": 2, "difference_ADJ": 0, "above_ADJ": 2,
    }  # fmt: skip
    assert result.score == pytest.approx(100 * 3 / 5)
    assert "|phrases:PP+ADJ|threshold:0|" in result.signature


@pytest.mark.seed("5.50")
def test_a_threshold_says_which_segments_are_listed(tmp_path):
    result = count_finer(tmp_path, ",phrases=NP+ADJ")
    assert (result.parts["above_NP"], result.parts["above_ADJ"]) == (1, 2)
    result = count_finer(tmp_path, ",phrases=NP+ADJ,threshold=1")
    assert (result.parts["above_NP"], result.parts["above_ADJ"]) == (0, 0)
    metric = registry.metric(
        f"transfer:mode=counts,phrases=PP+ADJ,source_parses={tmp_path}/source.conllu,"
        f"parses={tmp_path}/output.conllu"
    )
    batch = Batch(FINER["output"], source=FINER["source"])
    listed = [(entry.at, entry.note, entry.text, dict(entry.about))
              for entry in metric.notes.details(batch)]  # fmt: skip
    assert listed == [
        (1, "differs", "PP", {"source": "1", "output": "0"}),
        (1, "differs", "ADJ", {"source": "1", "output": "0"}),
        (2, "differs", "ADJ", {"source": "0", "output": "1"}),
    ]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param("transfer:{rules}", "the rule 'adjective first' needs parses; give "
                     "source_parses=FILE", id="parts of speech without parses"),
        pytest.param("transfer:{rules},{source}", "needs parses; give parses=FILE",
                     id="no parses of the outputs"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(spec, message, options):
    rules, source, _ = options.split(",")
    with pytest.raises(OptionError, match=message):
        registry.metric(spec.replace("{rules}", rules).replace("{source}", source))


def test_the_source_is_needed(options):
    with pytest.raises(CorpusError, match="the batch has none"):
        registry.metric(f"transfer:{options}").rows(
            Batch(GOOD, place=BatchPosition("good", 0))
        )


FAULTS = [
    pytest.param("x = [", "is not TOML: ", id="no TOML"),
    pytest.param('[[rule]]\nname = "a"\n', "rule 1: it has name; expected name, source",
                 id="no patterns"),
    pytest.param('[[rule]]\nname = ""\nsource = "a"\ntarget = "b"\n', "the name is ''",
                 id="no name"),
    pytest.param('[[rule]]\nname = "a"\nsource = 3\ntarget = "b"\n',
                 "rule 1, source: 3; expected a pattern", id="a number"),
    pytest.param('[[rule]]\nname = "a"\nsource = ["a", 3]\ntarget = "b"\n',
                 "rule 1, source: 3; expected a pattern, such as", id="a number in a list"),
    pytest.param('[[rule]]\nname = "a"\nsource = "a"\ntarget = "NOUNS"\n',
                 "rule 1, target: 'NOUNS' is not a part of speech", id="a faulty pattern"),
    pytest.param('[[rule]]\nname = "a"\nsource = "a"\ntarget = "b"\n' * 2,
                 "two rules named 'a'", id="the same name twice"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_faulty_rule_files_are_refused(tmp_path, text, message):
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_rules(str(path))


def words(text: str) -> list[ParsedWord]:
    """Words from `form/POS`, with `/lemma` and `/xpos` where they matter."""
    found = []
    for entry in text.split():
        form, upos, *more = entry.split("/")
        lemma, xpos = [*more, form, "_"][:2] if more else (form, "_")
        found.append(ParsedWord(form, lemma, upos, xpos, "_", 0, "dep"))
    return found


SENTENCE = words(
    "The/DET very/ADV old/ADJ stone/NOUN house/NOUN was/AUX/be/VBD slowly/ADV "
    "falling/VERB/fall ,/PUNCT the/DET owner/NOUN said/VERB"
)

FITS = [
    pytest.param("ADJ NOUN", ["old stone"], id="parts of speech"),
    pytest.param("ADJ NOUN+", ["old stone house"], id="as many as there are"),
    pytest.param("DET ADV* ADJ* NOUN", ["The very old stone", "the owner"], id="any number"),
    pytest.param("NOUN* NOUN", ["stone house", "owner"], id="gives back what the rest needs"),
    pytest.param("the", ["The", "the"], id="a word, whatever its case"),
    pytest.param("the|owner", ["The", "the", "owner"], id="one of several"),
    pytest.param("lemma=be", ["was"], id="a lemma"),
    pytest.param("xpos=VBD", ["was"], id="a tag of the language"),
    pytest.param("NOUN&!owner", ["stone", "house"], id="both, and not"),
    pytest.param("NP VP", ["The very old stone house was slowly falling", "the owner said"],
                 id="phrases"),
    pytest.param("falling ,? the", ["falling , the"], id="punctuation is a word"),
    pytest.param("dep=dep&ADJ", ["old"], id="a dependency"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "expected"), FITS)
def test_where_patterns_fit(pattern, expected):
    spans = find_matches([compile_pattern(pattern)], SENTENCE)
    assert [
        " ".join(word.form for word in SENTENCE[start:stop]) for start, stop in spans
    ] == expected


def test_the_first_of_several_patterns_that_fits_counts():
    patterns = [
        compile_pattern("NOUN NOUN"),
        compile_pattern("NOUN"),
        compile_pattern("ADJ NOUN"),
    ]
    assert list(find_matches(patterns, SENTENCE)) == [(2, 4), (4, 5), (10, 11)]


def test_patterns_know_whether_they_need_a_parse():
    needs = {
        "de|d' la?": False,
        "_ of": False,
        "word=I": False,
        "NOUN": True,
        "NP": True,
    }
    needs |= {"the|lemma=be": True, "!NOUN": True, "xpos=NN": True}
    for text, needed in needs.items():
        assert compile_pattern(text).needs_parse == needed, text


FAULTY_PATTERNS = [
    pytest.param("", "matches the empty sequence", id="empty"),
    pytest.param(
        "NOUNS", "'NOUNS' is not a part of speech", id="no such part of speech"
    ),
    pytest.param("tag=NN", "'tag=NN' is not a pattern item", id="no such field"),
    pytest.param("a||b", "'' is not a pattern item", id="nothing between bars"),
]


@pytest.mark.parametrize(("pattern", "message"), FAULTY_PATTERNS)
def test_faulty_patterns_are_refused(pattern, message):
    with pytest.raises(FormatError, match=message):
        compile_pattern(pattern)


PHRASES = [
    pytest.param("she/PRON sleeps/VERB", [(0, 1)], [(1, 2)], id="a pronoun"),
    pytest.param(
        "the/DET two/NUM big/ADJ cats/NOUN", [(0, 4)], [], id="before the noun"
    ),
    pytest.param("eau/NOUN très/ADV froide/ADJ", [(0, 3)], [], id="after the noun"),
    pytest.param(
        "has/AUX not/PART yet/ADV come/VERB", [], [(0, 4)], id="a verb's company"
    ),
    pytest.param("it/PRON is/AUX red/ADJ", [(0, 1)], [(1, 2)], id="a copula"),
    pytest.param(
        "cats/NOUN and/CCONJ dogs/NOUN run/VERB or/CCONJ sleep/VERB",
        [(0, 1), (2, 3)],
        [(3, 4), (5, 6)],
        id="coordination parts phrases",
    ),
]


@pytest.mark.parametrize(("sentence", "nouns", "verbs"), PHRASES)
def test_phrases(sentence, nouns, verbs):
    assert list(find_phrases(words(sentence), "NP")) == nouns
    assert list(find_phrases(words(sentence), "VP")) == verbs
