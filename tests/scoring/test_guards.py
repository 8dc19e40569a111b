"""Guards: each warns of its mistake, and says nothing about sound texts."""

import re
import warnings

import pytest

import metra
from metra.corpus.evalset import EvalSet
from metra.corpus.examples import find_example
from metra.corpus.outputs import Outputs
from metra.scoring.evaluate import make_metrics
from metra.scoring.guards import LineAllowance, TextGuard, list_toks

EXAMPLE = find_example()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


REFS = [read(path) for path in EXAMPLE.references]
SOURCE = read(EXAMPLE.source)
OUTPUTS = {path.split("/")[-1][:-4]: read(path) for path in EXAMPLE.outputs}
SOLID, REF = OUTPUTS["solid"], REFS[0]


def list_problems(outputs, refs=(REF,), source=None, metrics=("bleu",), chunk=2048):
    by_segment = list(zip(*refs, strict=True)) or None
    corpus = Outputs(EvalSet(source=source, refs_per_segment=by_segment), outputs)
    guard = TextGuard(list_toks(make_metrics(metrics)))
    for part in corpus.chunks(chunk):
        guard.visit(part)
    return guard.list_problems()


@pytest.fixture(autouse=True)
def _fresh_allowance(monkeypatch):
    """Let calls of other tests spend nothing of what calls here may look at."""
    monkeypatch.setattr("metra.scoring.memory._LINES_OF_CALLS", LineAllowance())


def tokenise(lines):
    return [re.sub(r"([.,;])", r" \1", line) for line in lines]


CASES = [
    pytest.param(
        {"outputs": {"a": SOLID, "refC": REFS[2]}},
        "The output 'refC' has the name of a reference, but is scored as a system; if it "
        "is a reference, give it with `refs`.",
        id="a reference by its name",
    ),
    pytest.param(
        {"outputs": {"a": SOLID, "b": REFS[1]}, "refs": REFS[:2]},
        "Reference 2 and the output 'b' are equal in all 28 segments; check that the "
        "reference was not given as a system.",
        id="a reference by its text",
    ),
    pytest.param(
        {"outputs": {"a": SOLID, "b": [f"{line} " for line in SOLID], "c": REFS[2]}},
        "The outputs 'a', 'b' are equal in all 28 segments; check that the files are the "
        "right ones.",
        id="equal outputs",
    ),
    pytest.param(
        {"outputs": {"a": SOLID}, "refs": [REF, REFS[1], REF]},
        "References 1, 3 are equal in all 28 segments; leave out all but one, because "
        "copies add nothing.",
        id="equal references",
    ),
    pytest.param(
        {"outputs": {"a": tokenise(SOLID)}},
        "The output 'a' is tokenised text (blanks before punctuation, @-@ or &apos;), "
        "which changes scores; detokenise it, or if all texts are tokenised in the same "
        "way choose tok=none.",
        id="tokenised output",
    ),
    pytest.param(
        {"outputs": {"a": tokenise(SOLID)}, "refs": [tokenise(REF)]},
        "Reference 1 and the output 'a' are tokenised text (blanks before punctuation, "
        "@-@ or &apos;), which changes scores; detokenise it, or if all texts are "
        "tokenised in the same way choose tok=none.",
        id="tokenised texts",
    ),
    pytest.param(
        {"outputs": {"a": [*SOURCE[:8], *SOLID[8:]]}, "source": SOURCE},
        "The output 'a' equals the source in 29% of the lines compared; check that the "
        "system has translated them.",
        id="copied source",
    ),
    pytest.param(
        {"outputs": {"a": SOURCE, "b": SOLID}},
        "The language of the output 'a' does not look like that of the reference; check "
        "that the files belong together.",
        id="another language",
    ),
    pytest.param(
        {"outputs": {"a": [*SOLID[:20], *["", " "] * 4]}},
        "The output 'a' has no text in 8 of the 28 lines compared; check that the file is "
        "complete.",
        id="empty lines",
    ),
    pytest.param(
        {"outputs": {"a": ["", *SOLID[:-1]]}},
        "The lines of the output 'a' seem shifted: from segment 1 on they fit the "
        "reference one line earlier; look for lines that are missing, added or broken in "
        "two before it.",
        id="shifted down",
    ),
    pytest.param(
        {"outputs": {"a": [*SOLID[:12], *SOLID[14:], "One.", "Two."]}},
        "The lines of the output 'a' seem shifted: from segment 15 on they fit the "
        "reference 2 lines later; look for lines that are missing, added or broken in "
        "two before it.",
        id="shifted up from the middle on",
    ),
    pytest.param(
        {"outputs": {"a": SOLID}, "refs": [REF, [*REFS[1][1:], ""]]},
        "The lines of reference 2 seem shifted: from segment 1 on they fit the reference "
        "one line later; look for lines that are missing, added or broken in two before "
        "it.",
        id="shifted reference",
    ),
]


@pytest.mark.parametrize(("given", "message"), CASES)
def test_each_warns_of_its_case(given, message):
    assert list_problems(**given) == [message]


# We wrote the sentences: the market opens in the morning, and people buy bread.
UNSPACED = {
    "Chinese": ("市场早上开门，第{}个人买了面包和一条鱼。", "zh"),
    "Japanese": (
        "市場は朝に開き、{}人目の客がパンを買いました。",
        "ja-mecab (install metra[ja]) or tok=char",
    ),
    "Thai": ("ตลาดเปิดตอนเช้าและคนที่{}ซื้อขนมปังกับปลา", "char or tok=spm@MODEL"),
    "Khmer": ("ផ្សារបើកនៅពេលព្រឹកហើយអ្នកទី{}ទិញនំប៉័ងនិងត្រី", "char or tok=spm@MODEL"),
    "Lao": ("ຕະຫຼາດເປີດໃນຕອນເຊົ້າແລະຄົນທີ{}ຊື້ເຂົ້າຈີ່ກັບປາ", "char or tok=spm@MODEL"),
    "Burmese": ("ဈေးကိုမနက်ဖွင့်ပြီးလူ{}ယောက်ပေါင်မုန့်ဝယ်သည်", "char or tok=spm@MODEL"),
}


@pytest.mark.parametrize("language", UNSPACED)
def test_scripts_without_blanks_need_another_tokeniser(language):
    sentence, cut = UNSPACED[language]
    refs = [[sentence.format(at) for at in range(12)]]
    outputs = {"a": [sentence.format(at + 1) for at in range(12)]}
    for metrics, specs, toks in (
        (["bleu"], "bleu cuts", "13a"),
        (["bleu:tok=intl", "chrf"], "bleu:tok=intl cuts", "intl"),
        (["bleu", "ter", "chrf"], "bleu, ter cut", "13a, none"),
    ):
        assert list_problems(outputs, refs, metrics=metrics) == [
            f"The texts are {language}, which has no blanks between words, but {specs} "
            f"words with tok={toks}; choose tok={cut}."
        ]
    fitting = ["bleu:tok=char", "chrf", "cer", "ser", "ter:normalized=yes,asian=yes"]
    assert list_problems(outputs, refs, metrics=fitting) == []


def test_chinese_that_a_tokeniser_has_cut_is_tokenised_text():
    lines = [f"市场 早上 开门 ， 第 {at} 个 人 买 了 面包 和 鱼 。" for at in range(12)]
    (problem,) = list_problems({"a": [*lines[1:], "市场 关门 了 。"]}, [lines])
    assert problem.startswith("Reference 1 and the output 'a' are tokenised text")


@pytest.mark.parametrize("metrics", [["bleu", "ter", "meteor:modules=exact"], ["chrf"]])
@pytest.mark.parametrize("count", [1, 4])
def test_nothing_is_said_about_the_example(count, metrics):
    for first in range(5 - count):
        refs = REFS[first : first + count]
        assert list_problems(OUTPUTS, refs, SOURCE, metrics) == []


SILENT = [
    pytest.param({"outputs": {"a": SOLID[:9]}, "refs": [SOLID[:9]]}, id="few segments"),
    pytest.param(
        {"outputs": {"a": [f"{line} !" for line in SOLID]}},
        id="blanks before marks as in French",
    ),
    pytest.param(
        {
            "outputs": {"a": tokenise(SOLID)},
            "refs": [tokenise(REF)],
            "metrics": ["bleu:tok=none"],
        },
        id="tokenised on purpose",
    ),
    pytest.param(
        {"outputs": {"a": SOLID}, "refs": [REF, [None, *REFS[1][1:20], *[None] * 8]]},
        id="references that are missing",
    ),
    pytest.param(
        {
            "outputs": {"a": [*SOLID[:20], *[""] * 8]},
            "refs": [[*REF[:20], *[""] * 8]],
        },
        id="nothing expected",
    ),
    pytest.param({"outputs": {"a": SOLID}, "refs": ()}, id="no references"),
    pytest.param(
        {"outputs": {"preferred": SOLID, "ref-free": OUTPUTS["terse"]}}, id="names"
    ),
]


@pytest.mark.parametrize("given", SILENT)
def test_nothing_is_said(given):
    assert list_problems(**given) == []


def test_names_are_checked_in_small_corpora():
    (problem,) = list_problems(
        {"a": SOLID[:2], "newstest-ref2": REFS[2][:2]}, [REF[:2]]
    )
    assert problem.startswith("The output 'newstest-ref2' has the name of a reference")


def test_texts_that_differ_anywhere_are_not_equal():
    lines = [f"{line} {number}" for number in range(200) for line in SOLID]
    reference = [f"{line} {number}" for number in range(200) for line in REF]
    other = [*lines[:-3], "Something else.", *lines[-2:]]
    problems = list_problems({"a": lines, "b": other}, [reference])
    assert problems == []
    (problem,) = list_problems({"a": lines, "b": list(lines)}, [reference])
    assert "'a', 'b' are equal in all 5600 segments" in problem


def test_a_large_corpus_is_sampled():
    lines = SOLID * 400
    guard = TextGuard({})
    for part in Outputs(EvalSet(REF * 400), {"a": lines}).chunks(140):
        guard.visit(part)
    # Chunks 0, 1, 2, 4, … 64 of 80.
    assert len(guard.sample) == 8 * 96
    assert guard.sample.segments == len(lines)
    assert guard.list_problems() == []


def test_many_small_calls_share_an_allowance():
    allowance = LineAllowance(100, scored_per_line=10)
    corpus = Outputs(EvalSet(SOLID), {"a": SOLID})
    warned = []
    for _ in range(40):
        guard = TextGuard({}, allowance)
        for part in corpus.chunks(2048):
            guard.visit(part)
        warned.append(bool(guard.list_problems()))
    # 56 lines cost 56, and earn 5.6: one look at once, and then one in ten.
    assert warned[0]
    assert 4 <= sum(warned) <= 6


# Python


def test_warnings_name_the_line_of_the_caller():
    evalset = EvalSet(REF)
    calls = [
        lambda: metra.score(REF, REF),
        lambda: metra.evaluate(evalset, {"a": REF}, ["bleu"]),
        lambda: metra.compare(evalset, {"a": REF, "b": SOLID}, ["bleu"], trials=99),
    ]
    for call in calls:
        with pytest.warns(metra.TextWarning, match="are equal in all 28") as caught:
            call()
        assert [entry.filename for entry in caught] == [__file__]


def test_warnings_can_be_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", metra.TextWarning)
        assert metra.score(SOLID, REF).score > 0
        with pytest.raises(metra.TextWarning, match="check that the reference was not"):
            metra.score(REF, REF)


# The command line


@pytest.fixture
def files(write):
    return {
        name: write(f"{name}.txt", lines)
        for name, lines in {
            "one": SOLID,
            "two": OUTPUTS["terse"],
            "refA": REF,
            "refC": REFS[2],
        }.items()
    }


def test_a_reference_without_its_flag(cli, files):
    ran = cli("score", files["one"], files["two"], "-r", files["refA"], files["refC"])
    assert ran.code == 0
    assert "refC" in ran.out
    assert ran.err.split("\n") == [
        f"metra: warning: {files['refC']} comes after a reference, but is scored as a "
        "system; if it is a reference, give it with a -r of its own.",
        "metra: warning: The output 'refC' has the name of a reference, but is scored as "
        "a system; if it is a reference, give it with -r FILE.",
        "",
    ]


def test_a_lone_name_is_enough_of_a_hint(cli, write, files):
    odd = write("gold.txt", REFS[2])
    ran = cli("score", files["one"], "--reference", files["refA"], odd)
    assert f"{odd} comes after a reference" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("-r", "refA", "one", "two"),
        ("one", "two", "-r", "refA", "-r", "refC"),
        ("one", "-r", "refA", "-m", "bleu", "two"),
        ("-m", "bleu", "-r", "refA", "one", "two"),
        ("-rrefA", "one", "two"),
    ],
)
def test_orders_that_mean_what_they_say(cli, files, arguments, monkeypatch):
    monkeypatch.chdir(files["one"].parent)
    names = {name: f"{name}.txt" for name in files} | {"-rrefA": "-rrefA.txt"}
    ran = cli("score", *(names.get(word, word) for word in arguments))
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    "command",
    [
        ("score", "{one}", "{refA}", "-r", "{refA}", "-o", "{out}"),
        ("compare", "{one}", "{refA}", "-r", "{refA}", "--trials", "99", "-o", "{out}"),
        ("profile", "{one}", "{refA}", "-r", "{refA}", "-o", "{out}"),
        ("report", "{one}", "{refA}", "-r", "{refA}", "--grids", "0", "-o", "{out}"),
    ],
    ids=lambda command: command[0],
)
def test_strict_fails_before_anything_is_written(cli, files, tmp_path, command):
    out = tmp_path / "out.html"
    arguments = [word.format(**files, out=out) for word in command]
    warning = (
        "metra: warning: Reference 1 and the output 'refA' are equal in all 28 segments; "
        "check that the reference was not given as a system.\n"
    )
    ran = cli(*arguments, "--strict")
    error = "metra: 1 warning and --strict: nothing was written.\n"
    assert (ran.code, ran.out, ran.err) == (2, "", warning + error)
    assert not out.exists()
    ran = cli(*arguments)
    assert (ran.code, ran.err) == (0, warning)
    assert out.exists()


def test_strict_says_nothing_about_sound_texts(cli, files):
    ran = cli("score", files["one"], files["two"], "-r", files["refA"], "--strict")
    assert (ran.code, ran.err) == (0, "")


def test_ranks_come_with_warnings(cli, files):
    docs = EXAMPLE.docs
    ran = cli("rank", files["one"], files["refA"], "-r", files["refA"], "--docs", docs)
    assert ran.code == 0
    assert ran.err.startswith("metra: warning: Reference 1 and the output 'refA'")


# Real texts: what is said about them is true. In each of these, a system's output or the
# post-edits are tokenised, while the rest is not.
WMT19 = ("de", "fi", "gu", "kk", "lt", "ru", "zh")
TOKENISED = {
    "wmt12 de": ["dfki-berlin"],
    "wmt19 kk": ["Frank_s_MT.6127"],
    "wmt19 lt": ["JUMT.6616"],
    "wmt19 ru": ["rerank-re.6540"],
    "wmt19 zh": ["Apprentice-c.6706"],
}


def find_tokenised(problems):
    assert all("tokenised text" in problem for problem in problems), problems
    return [name for text in problems for name in re.findall("'([^']+)'", text)]


@pytest.mark.parametrize("lang", WMT19)
def test_wmt19(shared, read_table, lang):
    rows = read_table(shared / f"data/wmt19-da/{lang}-en.segments.tsv.gz")
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    source, reference = columns.pop("source"), columns.pop("ref")
    columns.pop("seg")
    problems = list_problems(columns, [reference], source)
    assert find_tokenised(problems) == TOKENISED.get(f"wmt19 {lang}", [])


@pytest.mark.parametrize("lang", ["cs", "de", "es", "fr"])
def test_wmt12(shared, read_table, lang):
    texts = read_table(shared / "data/wmt12-ranking/segments.tsv.gz")
    rows = read_table(shared / f"data/wmt12-ranking/{lang}-en.outputs.tsv.gz")
    outputs = {name: [row[name] for row in rows] for name in rows[0] if name != "seg"}
    reference = [row["ref_en"] for row in texts]
    problems = list_problems(
        outputs, [reference], [row[f"src_{lang}"] for row in texts]
    )
    assert find_tokenised(problems) == TOKENISED.get(f"wmt12 {lang}", [])


@pytest.mark.parametrize("pair", ["en-de", "he-en", "zh-en"])
def test_wmt23(shared, read_table, pair):
    texts = read_table(shared / f"data/wmt23-mqm-esa/{pair}.segments.tsv.gz")
    rows = read_table(shared / f"data/wmt23-mqm-esa/{pair}.outputs.tsv.gz")
    names = [name for name in rows[0] if name != "seg"]
    outputs = {name: [row[name] for row in rows] for name in names}
    systems = {name: outputs[name] for name in names if not name.startswith("ref")}
    source = [row["source"] for row in texts]
    for name in set(names) - set(systems):
        assert list_problems(systems, [outputs[name]], source) == []
    # The references are among the outputs, which does not go unnoticed.
    (problem, *_) = list_problems(outputs, [outputs["refA"]], source)
    assert "refA" in problem or "refB" in problem


def test_shifted_real_lines(shared, read_table):
    rows = read_table(shared / "data/wmt19-da/lt-en.segments.tsv.gz")
    names = [name for name in rows[0] if name not in ("seg", "source", "ref")]
    reference = [row["ref"] for row in rows]
    for name in names:
        lines = [row[name] for row in rows]
        problems = list_problems({"a": [lines[0], *lines[:-1]]}, [reference])
        assert any("seem shifted" in problem for problem in problems), name


def test_real_sources_are_of_another_language(shared, read_table):
    for lang in WMT19:
        rows = read_table(shared / f"data/wmt19-da/{lang}-en.segments.tsv.gz")
        outputs = {"a": [row["source"] for row in rows]}
        problems = list_problems(outputs, [[row["ref"] for row in rows]])
        assert any("The language of" in problem for problem in problems), lang
