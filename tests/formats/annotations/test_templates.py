"""Tables of templates: flat ones, records, relations, and faults."""

import pytest
from tests.tables import load_cases

from metra.errors import FormatError
from metra.formats.annotations.templates import (
    Instance,
    build_entries,
    parse_entries,
    read_templates,
    split_alternatives,
)

RECORDS = """\
document\ttemplate\tinstance\tslot\tvalue
d\tperson\tp1\tname\tBob Stone | Robert Stone
d\tperson\tp2\tname\t@@ann
d\tperson\tp1\tworks for\t@o1
d\tcompany\to1\tname\tThe Bank
d\tcompany\to1\towner\t@p1
d\tcompany\to1\towner\t@p2
e\tperson\tp1\tname\tZoe
"""


def write(tmp_path, text):
    path = tmp_path / "t.tsv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_records_have_instances_slots_and_relations(tmp_path):
    templates = read_templates(write(tmp_path, RECORDS))
    assert not templates.is_flat
    assert templates.documents == {
        "d": [
            Instance(
                "person",
                (("name", "Bob Stone | Robert Stone"), ("works for", "The Bank")),
                ("works for",),
            ),
            Instance("person", (("name", "@ann"),)),
            Instance(
                "company",
                (
                    ("name", "The Bank"),
                    ("owner", "Bob Stone | Robert Stone"),
                    ("owner", "@ann"),
                ),
                ("owner",),
            ),
        ],
        "e": [Instance("person", (("name", "Zoe"),))],
    }


def test_a_flat_table_is_one_instance_a_document(tmp_path):
    text = "document\tslot\tvalue\nd\twho\t@ann\nd\twho\tBob\ne\twho\tCleo\n"
    templates = read_templates(write(tmp_path, text))
    assert templates.is_flat
    assert templates.documents == {
        "d": [Instance("", (("who", "@ann"), ("who", "Bob")))],
        "e": [Instance("", (("who", "Cleo"),))],
    }


def test_without_instances_a_template_has_one(tmp_path):
    text = "document\ttemplate\tslot\tvalue\nd\tperson\twho\tAnn\nd\tevent\twhat\t@x\n"
    templates = read_templates(write(tmp_path, text))
    assert templates.documents["d"] == [
        Instance("person", (("who", "Ann"),)),
        Instance("event", (("what", "@x"),)),
    ]


FAULTS = load_cases("templates: refused")


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_faults_are_refused_in_a_sentence(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_templates(write(tmp_path, text))


def test_json_and_back(tmp_path):
    for text in (RECORDS, "document\tslot\tvalue\nd\twho\tAnn\nd\twho\tBob\n"):
        for instances in read_templates(write(tmp_path, text)).documents.values():
            plain = [one._replace(relations=()) for one in instances]
            assert list(parse_entries(build_entries(instances))) == plain
    assert build_entries(parse_entries([["who", "Ann"]])) == [["who", "Ann"]]


def test_a_bar_alone_is_a_text():
    assert split_alternatives("|") == ("|",)
    assert split_alternatives(" a | | b ") == ("a", "b")
