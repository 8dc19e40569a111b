"""Cases of what is wrong with the input, and what is said about it."""

from tests.golden_run.commands import FEW, GOLD, REFS
from tests.golden_run.record import Case, Run

ONE = "examples/outputs/solid.txt -r examples/reference.1.txt"


def write_bad_files(run: Run) -> None:
    """Write files with a mistake each."""
    bad = {
        "short.txt": b"one line\n",
        "empty.txt": b"",
        "latin.txt": b"caf\xe9\n" * 28,
        "broken.gz": b"\x1f\x8b\x08\x00broken",
        "broken.jsonl": b'{"output": "a"\n',
        "broken.xml": b"<dataset><doc>",
        "broken.sgm": b"<tstset><doc><seg>a",
        "broken.parquet": b"PAR1nothing",
        "broken.toml": b"name = \n",
        "ragged.tsv": b"output:a\tref:1\nx\ty\nz\n",
        "unknown.toml": b'name = "x"\nprotocol = "ldcc"\n',
        "one.tsv": b"system\tseg\tmqm\tm\nA\t1\t1\t2\nA\t2\t3\t1\n",
    }
    for name, content in bad.items():
        (run.folder / name).write_bytes(content)


CASES = [
    Case(
        "messages/usage",
        [
            "metra",
            "metra scor",
            "metra score",
            f"metra score {ONE} --level word",
            f"metra score {ONE} --trials 0",
            f"metra score {ONE} --format xml",
            f"metra score {ONE} --nonsense",
            "metra compare examples/outputs/solid.txt -r examples/reference.1.txt",
            "metra grid examples/outputs/solid.txt -r examples/reference.1.txt",
            f"metra grid {ONE} -n 99",
            f"metra grid {ONE} -n 1 -m nist",
            f"metra report {ONE}",
            "metra metrics blue",
            "metra judge",
            "metra meta",
            "metra weights",
            "metra evaltrans",
            "metra parse examples/outputs/solid.txt --model no_such_model",
        ],
    ),
    Case(
        "messages/metrics",
        [
            f"metra score {ONE} -m '{spec}'"
            for spec in (
                "blue", "bleu:n=0", "bleu:m=4", "bleu:tok=13b", "bleu:n", "chrf:beta=x",
                "entities", "xscore", "quality", "quality:model=broken.toml",
                "evaltrans", "ltv:weights=none.tsv", "bleu:stem=klingon", "transfer",
                "terminology:file=none.tsv", "bleu:smooth=x", "gtm:e=0", ":", "",
            )
        ]
        + [
            f"metra score {ONE} -m bleu --show-alignment",
            f"metra score {ONE} --level document",
        ],
    ),
    Case(
        "messages/files",
        [
            write_bad_files,
            *(
                f"metra score {name} -r examples/reference.1.txt"
                for name in ("none.txt", "short.txt", "empty.txt", "latin.txt", "broken.gz",
                             "examples", "NAME=", "broken.jsonl", "broken.xml", "broken.sgm",
                             "broken.parquet", "ragged.tsv")
            ),
            "metra score examples/outputs/solid.txt",
            "metra score examples/outputs/solid.txt -r short.txt",
            f"metra score {ONE} --docs short.txt",
            f"metra score {ONE} -s none.txt",
            f"metra score {ONE} {ONE}",
            f"metra score {ONE} --model broken.toml",
            f"metra score {ONE} --read hyp=x",
            f"metra score {ONE} --group-by x",
            f"metra score {ONE} --resume x",
            f"metra score {ONE} --engine spark",
            f"metra score {ONE} -o no/such/folder/x.txt",
            f"metra compare {FEW} --baseline none",
            f"metra compare {FEW} --bucket colour",
            f"metra profile {ONE} --show colour",
            f"metra convert {FEW} -o x.doc",
            f"metra convert {FEW} -o x.tsv --only a",
            f"metra convert {FEW} -o x.tsv --drop none",
            "metra convert -o x.tsv",
            "metra weights show none.tsv",
            "metra weights show examples/docs.txt",
            "metra evaltrans show none.db",
            f"metra clir {ONE} --queries none.tsv",
        ],
    ),
    Case(
        "messages/meta",
        [
            write_bad_files,
            "metra meta correlate none.tsv --gold mqm",
            "metra meta correlate scores.tsv --gold mqn",
            "metra meta correlate scores.tsv",
            "metra meta correlate one.tsv --gold mqm",
            "metra meta correlate scores.tsv --gold mqm --coef pearsn",
            f"metra meta correlate {GOLD} --metric none",
            f"metra meta correlate {GOLD} --lang en-de",
            f"metra meta compare {GOLD} --test williams --level seg",
            "metra meta cross en-de=scores.tsv zh-en=scores.tsv",
            "metra meta agree scores.tsv",
            "metra meta rank scores.tsv",
            "metra meta rank scores.tsv --scorer mqm --by trueskill",
            "metra meta task wmt22 scores.tsv --gold mqm",
            f"metra meta refs gold.tsv --gold da {REFS}",
            f"metra meta robust {GOLD} --choice windows",
            "metra meta correlate short.txt --gold mqm",
        ],
        needs=("scores",),
    ),
    Case(
        "messages/exercise",
        [
            write_bad_files,
            "metra exercise",
            "metra exercise none.tsv",
            "metra exercise empty.txt",
            "metra exercise short.txt",
            "metra exercise scores.tsv",
            "metra exercise scores.tsv --scale mqm=0..1 --scale x=0..1",
            "metra exercise scores.tsv --scale mqm",
            "metra exercise examples/exercise/clarity.tsv gold.tsv --scale da=0..20",
            "metra exercise examples/exercise/clarity.tsv --model examples/models/gisting.toml",
            "metra exercise ann=examples/exercise/clarity.tsv",
            "metra exercise --campaign none",
        ],
        needs=("scores",),
    ),
    Case(
        "messages/judge",
        [
            write_bad_files,
            "metra judge status",
            "metra judge serve",
            "metra judge init none.toml",
            "metra judge init broken.toml",
            "metra judge init unknown.toml",
            "metra judge init examples/campaign.toml",
            "metra judge init examples/campaign.toml",
            "metra judge links none",
            "metra judge links --judge anne",
            "metra judge links --revoke",
            "metra judge export",
            "metra judge export --format xml",
            "metra judge settle -j zoe",
            "metra judge import short.txt",
            "metra judge import broken.jsonl",
            "metra judge import examples/judged.tsv --name x",
            "metra judge forget none ann --yes",
            "metra judge forget 'market and brake' ann",
            "metra judge serve --host 0.0.0.0",
            "metra judge demo -p none --no-serve",
            "metra judge status --store mysql://x/y",
        ],
    ),
]  # fmt: skip
