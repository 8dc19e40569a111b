"""Cases of converting, of tables and of Parquet, on this machine, on Dask and on Spark."""

from tests.golden_run import inside
from tests.golden_run.commands import NAMES
from tests.golden_run.record import Case, Run, as_json
from tests.templates import expand

INPUTS = {
    "tsv": "all.tsv",
    "jsonl": "all.jsonl",
    "sgml": "all.sgm",
    "wmt-xml": "all.xml",
    "parquet": "all.parquet",
}
(FEW,) = expand("<FEW>", NAMES)
QUICK = NAMES["QUICK"]
IDS = "--about setid=golden,srclang=fr,trglang=en"


def convert_all(run: Run) -> None:
    """Write the example in each format."""
    for form, name in INPUTS.items():
        more = IDS if form in ("sgml", "wmt-xml") else ""
        run.command(f"metra convert {FEW} {more} -o {name}", record=False)


def write_shards(run: Run) -> None:
    """Write the example as three Parquet files with columns to group by."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    home = run.folder / "examples"
    read = lambda name: (home / name).read_text(encoding="utf-8").splitlines()  # noqa: E731
    columns = {
        "mt_a": read("outputs/solid.txt"),
        "mt_b": read("outputs/literal.txt"),
        "ref": read("reference.1.txt"),
        "ref2": read("reference.2.txt"),
        "src": read("source.fr.txt"),
        "doc": read("docs.txt"),
        "half": ["odd" if at % 2 else "even" for at in range(28)],
        "year": [2000 + at % 3 for at in range(28)],
    }
    (run.folder / "data").mkdir()
    for at, (start, stop) in enumerate(((0, 10), (10, 11), (11, 28))):
        part = {name: values[start:stop] for name, values in columns.items()}
        pq.write_table(pa.table(part), run.folder / "data" / f"part{at}.parquet")


MATERIAL = {"converted": [convert_all], "shards": [write_shards]}


def score_by_dask(run: Run) -> None:
    """Score the shards on Dask, in this thread and on several."""
    plan = {
        "metrics": ("bleu", "nist", "ltv", "ter"),
        "outputs": (("A", "mt_a"), ("B", "mt_b")),
        "references": ("ref", "ref2"),
        "documents": "doc",
        "group_by": ("half",),
    }
    paths = sorted(map(str, (run.folder / "data").glob("*.parquet")))
    for scheduler in ("synchronous", "threads"):
        found = inside.score_on_dask(paths, plan, scheduler=scheduler)
        run.add(f"Dask, {scheduler}", as_json(found))


CASES = [
    *(
        Case(
            f"convert/to-{form}",
            [
                f"metra convert {FEW} {IDS if form in ('sgml', 'wmt-xml') else ''} -o {name}",
                f"metra convert {name} -o plain/",
                f"metra convert {name} -o back.jsonl",
                f"metra convert {name} --drop output:solid --drop ref:1 -o dropped.tsv",
            ],
            limit=2500,
        )
        for form, name in INPUTS.items()
    ),
    *(
        Case(
            f"tables/{form}",
            [
                f"metra score {name} {QUICK} --level system,document --format tsv",
                f"metra compare {name} {QUICK} --trials 100 --format json",
                f"metra score {name} -m bleu --read format={form} --digits 9",
            ],
            needs=("converted",),
        )
        for form, name in INPUTS.items()
    ),
    Case("engines/dask", [score_by_dask], needs=("shards",), limit=12000),
]  # fmt: skip
