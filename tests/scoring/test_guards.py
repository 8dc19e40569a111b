"""Guards: each warns of its mistake, and says nothing about sound texts."""

import re
import warnings
from random import Random

import pytest
from tests.scoring.guard_samples import find_problems

import metra
from metra.corpus.evalset import EvalSet
from metra.corpus.examples import find_example
from metra.corpus.outputs import Outputs
from metra.scoring.guards import TextGuard
from metra.scoring.memory import LineAllowance

EXAMPLE = find_example()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


REFS = [read(path) for path in EXAMPLE.references]
SOURCE = read(EXAMPLE.source)
OUTPUTS = {path.split("/")[-1][:-4]: read(path) for path in EXAMPLE.outputs}
SOLID, REF = OUTPUTS["solid"], REFS[0]


def list_problems(outputs, refs=(REF,), source=None, metrics=("bleu",)):
    return [text for _, text in find_problems(outputs, refs, source, metrics)]


@pytest.fixture(autouse=True)
def _fresh_allowance(monkeypatch):
    """Let calls of other tests spend nothing of what calls here may look at."""
    monkeypatch.setattr("metra.scoring.memory._ALLOWANCE", LineAllowance())


def tokenise(lines):
    return [re.sub(r"([.,;])", r" \1", line) for line in lines]


# We wrote the words, too: texts of menus, which are short.
MENU = {
    "de": "Öffnen Schließen Speichern Drucken Suchen Ersetzen Kopieren Einfügen Löschen Hilfe",
    "es": "Abrir Cerrar Guardar Imprimir Buscar Reemplazar Copiar Pegar Borrar Ayuda",
    "el": "Άνοιγμα Κλείσιμο Αποθήκευση Εκτύπωση Εύρεση Αντικατάσταση Αντιγραφή Επικόλληση "
    "Διαγραφή Βοήθεια",
}
CHINESE = [f"市场早上开门，第{at}个人买了面包和一条鱼。" for at in range(28)]


def make_menu(lang, lines=60):
    words = MENU[lang].split()
    return [f"{words[at % 10]} {words[at % 7]} {at}" for at in range(lines)]


def escape(mark, lines):
    return [*(f"{line} {mark}" for line in SOLID[:lines]), *SOLID[lines:]]


#: Texts, and the beginning or another part of their only warning.
PARTS = [
    *(
        pytest.param(
            {
                "outputs": {"a": make_menu(lang, lines)},
                "refs": [make_menu("de", lines)],
            },
            "The language of the output 'a'",
            id=f"{lines} short lines in {lang}",
        )
        for lang, lines in (("es", 60), ("el", 60), ("el", 12))
    ),
    *(
        pytest.param(
            {"outputs": {"a": escape(mark, 3)}},
            "The output 'a' is tokenised text",
            id=mark,
        )
        for mark in ("&quot;", "&apos;", "&#39;", "@-@")
    ),
    pytest.param(
        {"outputs": {"a": [*CHINESE[:8], *SOLID[8:]]}, "source": CHINESE},
        "equals the source in 29%",
        id="copies of a source without blanks",
    ),
    pytest.param(
        {"outputs": {"a": SOURCE}, "source": SOURCE},
        "The output 'a' equals the source in 100%",
        id="a copy is in no other language",
    ),
    pytest.param(
        {"outputs": {"a": SOLID, "refA": REF}},
        "Reference 1 and the output 'refA' are equal in all 28",
        id="an equal reference has no odd name",
    ),
    pytest.param(
        {"outputs": {"a": SOLID[:2], "newstest-ref2": REFS[2][:2]}, "refs": [REF[:2]]},
        "The output 'newstest-ref2' has the name of a reference",
        id="names are checked in small corpora",
    ),
]


@pytest.mark.parametrize(("given", "part"), PARTS)
def test_the_only_warning(given, part):
    (problem,) = list_problems(**given)
    assert part in problem


CASES = [
    pytest.param(
        {"outputs": {"a": SOLID, "refC": REFS[2]}},
        "The output 'refC' has the name of a reference but is scored as a system; if "
        "it is a reference, give it with `refs`.",
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
        "The outputs 'a', 'b' are equal in all 28 segments; check the files.",
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
        "The output 'a' is tokenised text (spaces before punctuation or between "
        "Chinese characters, @-@ or &quot;), which changes scores; detokenise it, or "
        "if all texts are tokenised in the same way choose tok=none.",
        id="tokenised output",
    ),
    pytest.param(
        {"outputs": {"a": tokenise(SOLID)}, "refs": [tokenise(REF)]},
        "Reference 1 and the output 'a' are tokenised text (spaces before "
        "punctuation or between Chinese characters, @-@ or &quot;), which changes "
        "scores; detokenise them, or if all texts are tokenised in the same way "
        "choose tok=none.",
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
        "The lines of the output 'a' seem shifted: from segment 1 on they match the "
        "reference one line earlier; look for lines that are missing, added or "
        "broken in two before it.",
        id="shifted down",
    ),
    pytest.param(
        {"outputs": {"a": [*SOLID[:12], *SOLID[14:], "One.", "Two."]}},
        "The lines of the output 'a' seem shifted: from segment 15 on they match the "
        "reference 2 lines later; look for lines that are missing, added or broken "
        "in two before it.",
        id="shifted up from the middle on",
    ),
    pytest.param(
        {"outputs": {"a": SOLID}, "refs": [REF, [*REFS[1][1:], ""]]},
        "The lines of reference 2 seem shifted: from segment 1 on they match the "
        "reference one line later; look for lines that are missing, added or broken "
        "in two before it.",
        id="shifted reference",
    ),
]


def make_lines(*parts):
    """Make lines of words: so many of each kind, numbered by the line that has them."""
    return [
        " ".join(
            f"{kind}{at + offset}{letter}"
            for kind, offset, count in parts
            for letter in "abcdefghij"[:count]
        )
        for at in range(40)
    ]


def test_lines_that_are_like_others_are_not_shifted():
    refs = make_lines(("r", 0, 10))
    # Three words of the next line and two of their own.
    assert (
        list_problems({"a": make_lines(("r", 0, 2), ("r", 1, 3), ("o", 0, 5))}, [refs])
        == []
    )
    (problem,) = list_problems({"a": make_lines(("r", 1, 5), ("o", 0, 5))}, [refs])
    assert (
        "seem shifted: from segment 1 on they match the reference one line later"
        in problem
    )
    # Lines with other words than the reference's, of which some repeat the line before.
    others = make_lines(("o", 0, 10))
    for at in range(3, 40, 4):
        others[at] = refs[at - 1]
    assert not any(
        "shifted" in problem for problem in list_problems({"a": others}, [refs])
    )


def test_tokenised_lines_count_among_lines_with_marks():
    plain = [line.replace(",", "").rstrip(".") for line in SOLID]
    tokenised = tokenise(SOLID)
    (problem,) = list_problems({"a": [*tokenised[:4], *plain[4:]]})
    assert problem.startswith("The output 'a' is tokenised text")
    assert list_problems({"a": [*tokenised[:4], *SOLID[4:]]}) == []


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
    "Tibetan": ("ཁྲོམ་ཞོགས་པར་སྒོ་ཕྱེ་ནས་མི་{}པས་བག་ལེབ་ཉོས་སོང་།", "char or tok=spm@MODEL"),
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
            f"The texts are {language}, which has no spaces between words, but "
            f"{specs} words with tok={toks}; choose tok={cut}."
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
    pytest.param(
        {"outputs": {"a": make_menu("de")}, "refs": [[*make_menu("de")[:59], "Hilfe"]]},
        id="menus",
    ),
    pytest.param(
        {
            "outputs": {
                "a": [
                    f"{line} {greek}"
                    for line, greek in zip(SOLID, MENU["el"][::-1] * 9, strict=False)
                ]
            },
            "refs": [
                [
                    f"{line} {greek}"
                    for line, greek in zip(SOLID, MENU["el"] * 9, strict=False)
                ]
            ],
        },
        id="two scripts in one language",
    ),
    pytest.param(
        {
            "outputs": {"a": [*["Berlin"] * 14, *SOLID[14:]]},
            "refs": [[*["Berlin."] * 14, *REF[14:]]],
            "source": [*["Berlin"] * 14, *SOURCE[14:]],
        },
        id="single words are no copies",
    ),
    pytest.param({"outputs": {"a": escape("&quot;", 2)}}, id="few escapes"),
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
    # Chunks 0, 1, 2, 4, … 64 of 80, of which the first gives most.
    sample = guard.build_sample()
    assert len(sample) == 96 + 7 * 32
    assert sample.segments == len(lines)
    assert guard.find_problems() == []


def test_chunks_come_in_any_order_after_the_first():
    refs = [f"{line} {number}" for number, line in enumerate(REF * 40)]
    outputs = {"a": [f" {line}" for line in refs], "b": tokenise(SOLID * 40)}
    chunks = [*Outputs(EvalSet(refs=[refs]), outputs).chunks(30)]
    first, *others = chunks
    problems, lines = [], []
    for seed in range(4):
        Random(seed).shuffle(others)
        guard = TextGuard({"bleu": "13a"})
        for chunk in [first, *others] if seed else chunks:
            guard.visit(chunk)
        problems.append(guard.find_problems())
        sample = guard.build_sample()
        lines.append((sample.blocks, sample.columns))
    assert all(other == lines[0] for other in lines)
    assert {name for name, _ in problems[0]} >= {"equal texts", "tokenised text"}
    assert all(other == problems[0] for other in problems)


def test_many_small_calls_share_an_allowance():
    allowance = LineAllowance(100, scored_per_line=10)
    corpus = Outputs(EvalSet(SOLID), {"a": SOLID})
    guarded = [allowance.spend(corpus) for _ in range(40)]
    # 56 lines cost 56, and earn 5.6: one guard at once, and then one in ten calls.
    assert guarded[0]
    assert 4 <= sum(guarded) <= 6


@pytest.mark.parametrize(
    "call",
    [
        lambda: metra.score(REF, REF),
        lambda: metra.evaluate(EvalSet(REF), {"a": REF}, ["bleu"]),
    ],
    ids=["score", "evaluate"],
)
def test_calls_stop_looking(call, monkeypatch):
    monkeypatch.setattr("metra.scoring.memory._ALLOWANCE", LineAllowance(60))
    with pytest.warns(metra.TextWarning):
        call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()


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
        f"system; if it is a reference, write -r {files['refC']}.",
        "metra: warning: The output 'refC' has the name of a reference but is scored "
        "as a system; if it is a reference, give it with -r FILE.",
        "",
    ]


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


# Files by name, arguments, and what is said of them.
MISTAKES = {
    "order of arguments": (
        {},
        "good.txt -r ref.txt bad.txt",
        "comes after a reference",
    ),
    "output is a reference": ({"bad": REF}, "", "reference was not given as a system"),
    "copied source": (
        {"bad": [*SOLID[:14], *SOURCE[14:]]},
        "good.txt bad.txt -r ref.txt -s source.txt",
        "equals the source",
    ),
}
COMMANDS = {
    "score": "--save saved.json",
    "compare": "--trials 99",
    "profile": "",
    "report": "",
    "gate": "--baseline base.json --trials 99",
}


STRICT = ("score", "compare", "gate")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_command_warns(cli, write, tmp_path, monkeypatch, mistake):
    monkeypatch.chdir(tmp_path)
    changed, arguments, message = MISTAKES[mistake]
    sound = {"good": OUTPUTS["terse"], "bad": SOLID, "ref": REF, "source": SOURCE}
    for name, lines in (sound | changed | {"docs": ["one", "two"] * 14}).items():
        write(f"{name}.txt", lines)
    arguments = (arguments or "good.txt bad.txt -r ref.txt").split()
    cli("score", *arguments, "--save", "base.json", "-o", "scores.txt")
    before = {path.name for path in tmp_path.iterdir()}
    for command, options in COMMANDS.items():
        given = [command, *arguments, *options.split(), "-o", "out.html"]
        ran = cli(*given)
        assert ran.code == 0, command
        said = [
            line for line in ran.err.split("\n") if not line.startswith("metra: wrote")
        ]
        assert any(message in line for line in said), command
        for path in {path.name for path in tmp_path.iterdir()} - before:
            (tmp_path / path).unlink()
        if command not in STRICT:
            continue
        ran = cli(*given, "--strict")
        assert (ran.code, ran.out) == (2, ""), command
        *warnings_, error = ran.err.removesuffix("\n").split("\n")
        assert said == [*warnings_, ""], command
        assert re.fullmatch(
            "metra: [0-9]+ warnings? and --strict: nothing was written.", error
        )
        assert {path.name for path in tmp_path.iterdir()} == before, command


@pytest.mark.parametrize("options", [["--scores-out", "out"], ["--group-by", "part"]])
def test_first_rows_of_tables_in_parts(cli, tmp_path, monkeypatch, options):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    columns = {"one": SOLID * 100, "two": SOLID * 100, "ref": REF * 100}
    pq.write_table(pa.table(columns | {"part": ["a", "b"] * 1400}), "table.parquet")
    names = ["--read", "hyp=one", "--read", "hyp=two", "--read", "ref=ref"]
    ran = cli("score", "table.parquet", *names, *options)
    warning = (
        "metra: warning: table.parquet has each segment 100 times, and each time counts; "
        "if the rows are of several systems, add a column system with their names.\n"
        "metra: warning: The outputs 'one', 'two' are equal in the first 2048 "
        "segments; check the files.\n"
    )
    assert (ran.code, ran.err) == (0, warning)
    before = set(tmp_path.rglob("*"))
    ran = cli("score", "table.parquet", *names, *options, "--strict")
    assert (ran.code, ran.out) == (2, "")
    assert set(tmp_path.rglob("*")) == before
