"""Cases of converting, of tables and of Parquet, on this machine, on Dask and on Spark."""

from tests.golden_run.commands import NAMES
from tests.golden_run.record import Case, Run, as_json
from tests.markup import write_sgml, write_wmt_xml
from tests.templates import expand

WRITTEN = {"tsv": "all.tsv", "jsonl": "all.jsonl", "parquet": "all.parquet"}
MARKED_UP = {"sgml": ("all.sgm", write_sgml), "wmt-xml": ("all.xml", write_wmt_xml)}
INPUTS = WRITTEN | {form: name for form, (name, _) in MARKED_UP.items()}
(FEW,) = expand("<FEW>", NAMES)
QUICK = NAMES["QUICK"]


def convert_all(run: Run) -> None:
    """Write the example in each format."""
    for name in WRITTEN.values():
        run.command(f"metra convert {FEW} -o {name}", record=False)
    texts = {"source": _read_example(run, "source.fr.txt")}
    for number in range(1, 5):
        texts[f"ref:{number}"] = _read_example(run, f"reference.{number}.txt")
    for name in ("solid", "literal", "dropped"):
        texts[f"output:{name}"] = _read_example(run, f"outputs/{name}.txt")
    documents = _read_example(run, "docs.txt")
    for name, write in MARKED_UP.values():
        (run.folder / name).write_text(write(texts, documents), encoding="utf-8")


def _read_example(run: Run, name: str) -> list[str]:
    path = run.folder / "examples" / name
    return path.read_text(encoding="utf-8").splitlines()


def write_shards(run: Run) -> None:
    """Write the example as three Parquet files with columns to group by."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "mt_a": _read_example(run, "outputs/solid.txt"),
        "mt_b": _read_example(run, "outputs/literal.txt"),
        "ref": _read_example(run, "reference.1.txt"),
        "ref2": _read_example(run, "reference.2.txt"),
        "src": _read_example(run, "source.fr.txt"),
        "doc": _read_example(run, "docs.txt"),
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
    import dask.dataframe

    import metra

    table = dask.dataframe.read_parquet(run.folder / "data")
    for scheduler in ("synchronous", "threads"):
        results = metra.score_table(
            table,
            ["bleu", "nist", "ltv", "ter"],
            hypothesis={"A": "mt_a", "B": "mt_b"},
            reference=["ref", "ref2"],
            document="doc",
            group_by="half",
            scheduler=scheduler,
        )
        run.add(f"Dask, {scheduler}", as_json(results))


CASES = [
    *(
        Case(
            f"convert/to-{form}",
            [
                *([f"metra convert {FEW} -o {name}"] if form in WRITTEN else []),
                f"metra convert {name} -o plain/",
                f"metra convert {name} -o back.jsonl",
                f"metra convert {name} --drop output:solid --drop ref:1 -o dropped.tsv",
            ],
            limit=2500,
            needs=() if form in WRITTEN else ("converted",),
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
