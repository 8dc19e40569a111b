"""Reading parses: which sentence belongs where, and what is said of faulty files."""

import pytest
from tests.tables import load_cases

from metra.errors import FormatError
from metra.formats.annotations.conllu import format_conllu, parse_conllu, read_conllu

PARSE = """\
# sent_id = a
# text = Vámonos al mar.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t_\t_
4.1\tx\tx\tX\t_\t_\t_\t_\t4:dep\t_
5\tmar\tmar\tNOUN\t_\tGender=Masc\t1\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_
"""


def one(word: str) -> list[str]:
    return [f"1\t{word}\t_\t_\t_\t_\t0\troot\t_\t_", ""]


def test_words_and_spelling():
    (parse,) = parse_conllu(PARSE.split("\n"), "f").segments[0]
    assert [word.form for word in parse.words] == [
        "Vamos",
        "nos",
        "a",
        "el",
        "mar",
        ".",
    ]
    assert [word.head for word in parse.words] == [0, 1, 5, 5, 1, 1]
    assert parse.words[4].features == "Gender=Masc"
    assert parse.spelling == "Vámonosalmar."
    assert list(parse.children(5)) == [3, 4]


def test_without_comments_a_sentence_is_a_segment():
    parses = parse_conllu([*one("a"), "", *one("b")], "f")
    assert [parses.of(at)[0].words[0].form for at in (0, 1)] == ["a", "b"]
    with pytest.raises(
        FormatError, match="f has 2 sentences, but the text has a segment 3"
    ):
        parses.of(2)


def test_comments_say_where_sentences_belong():
    lines = ["# segment = 2", *one("a"), *one("b"), "#segment=4", *one("c")]
    parses = parse_conllu(lines, "f")
    forms = [[parse.words[0].form for parse in parses.of(at)] for at in range(5)]
    assert forms == [[], ["a", "b"], [], ["c"], []]
    # What stands before all of them belongs to the first.
    parses = parse_conllu([*one("a"), "# segment = 2", *one("b")], "f")
    assert [len(parses.of(at)) for at in range(3)] == [1, 1, 0]


def test_parses_of_another_text_are_refused():
    parses = parse_conllu(one("cat"), "f")
    assert parses.of(0, " c at\u00a0")
    with pytest.raises(
        FormatError, match=r"segment 1 does not match the text .*: it begins with 'cat'"
    ):
        parses.of(0, "cut")


FAULTS = load_cases("conllu: refused")


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_faults_are_named_with_their_line(text, message):
    with pytest.raises(FormatError, match=message):
        parse_conllu(text.split("\n"), "f.conllu")


def test_files_are_read_again_when_they_change(tmp_path):
    path = tmp_path / "p.conllu"
    path.write_text("\n".join(one("a")))
    assert read_conllu(str(path)).of(0)[0].words[0].form == "a"
    path.write_text("\r\n".join(one("longer")))
    assert read_conllu(str(path)).of(0)[0].words[0].form == "longer"


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FormatError, match=r"gone.conllu cannot be read: No such file"):
        read_conllu(str(tmp_path / "gone.conllu"))
    path = tmp_path / "latin.conllu"
    path.write_bytes("1\té".encode("latin-1"))
    with pytest.raises(FormatError, match="line 1: byte 3 of the line is 0xe9"):
        read_conllu(str(path))


def test_what_is_written_is_read_again():
    parses = parse_conllu(
        ["# segment = 1", *one("a"), *one("b"), "# segment = 3", *one("c")], ""
    )
    segments = [parses.of(at) for at in range(3)]
    named, plain = (list(format_conllu(segments, made_by=who)) for who in ("hand", ""))
    assert named == ["# parser = hand", *plain]
    again = parse_conllu(named, "")
    assert [list(again.of(at)) for at in range(3)] == [list(each) for each in segments]
