"""Cases of the Python API: the names in `metra.__all__`, floats in full."""

from tests.golden_run.record import Case, Run, as_json

import metra

METRICS = ["bleu", "nist", "chrf", "rougel", "ter", "wer", "per", "ser", "cer",
           "precision", "recall", "f1", "fmean", "gtm:e=2", "meteor",
           "ltv"]  # fmt: skip


def read(run: Run, name: str) -> list[str]:
    return (run.folder / "examples" / name).read_text(encoding="utf-8").splitlines()


def corpus(run: Run) -> tuple[metra.EvalSet, dict[str, list[str]]]:
    """Read the example: two references, four outputs."""
    refs = [read(run, f"reference.{at}.txt") for at in (1, 2)]
    evalset = metra.EvalSet(refs, read(run, "source.fr.txt"), read(run, "docs.txt"))
    names = ("solid", "literal", "dropped", "terse")
    return evalset, {name: read(run, f"outputs/{name}.txt") for name in names}


def score(run: Run) -> None:
    evalset, outputs = corpus(run)
    documents = read(run, "docs.txt")
    for spec in METRICS:
        for name in ("solid", "dropped"):
            found = metra.score(outputs[name], evalset.refs, spec, documents=documents)
            told = {
                "score": found.score,
                "float": float(found),
                "parts": found.parts,
                "signature": found.signature,
                "total": found.total,
                "segments": found.segments,
                "interval": found.interval(trials=50),
                "bca": found.interval(trials=50, method="bca", level=0.9, seed=3),
                "error": found.standard_error(),
                "repr": repr(found),
            }
            run.add(f"score {name} by {spec}", as_json(told))
    one = metra.score(["the cat sat"], refs_per_segment=[["a cat sat", "the cat"]])
    run.add(
        "score one segment", as_json([one.score, one.interval(), one.standard_error()])
    )


def evaluate(run: Run) -> None:
    evalset, outputs = corpus(run)
    levels = ("system", "document", "segment")
    found = metra.evaluate(evalset, outputs, METRICS, levels=levels, ci=True, trials=50)
    for system in found.systems:
        for spec, score in system.scores.items():
            run.add(f"evaluate {system.name} by {spec}", as_json(score))
    run.add("specs", as_json(found.specs))
    ranked = {spec: [one.name for one in found.rank_systems(spec)] for spec in METRICS}
    run.add("ranked", as_json(ranked))
    run.add("shape", as_json([found.segments, found.references, found.documents]))


def compare(run: Run) -> None:
    evalset, outputs = corpus(run)
    settings = [
        {},
        {
            "baseline": "literal",
            "test": "bootstrap",
            "trials": 200,
            "correction": "none",
        },
        {"all_pairs": True, "trials": 200, "seed": 1, "alpha": 0.1},
        {"unit": "document", "trials": 100},
    ]
    for more in settings:
        found = metra.compare(evalset, outputs, ["bleu", "ter"], **more)
        told = [found.comparisons, found.terms, found.clusters]
        run.add(f"compare {more}", as_json(told))
        run.add("terms", found.terms.signature())


def pairwise(run: Run) -> None:
    _, outputs = corpus(run)
    few = [outputs[name][0] for name in outputs]
    for spec in ("chrf", "bleu", "ter", "gtm"):
        run.add(f"pairwise {spec}", as_json(metra.pairwise(few, few, spec)))
    lists = [[outputs[name][at] for name in outputs] for at in range(3)]
    run.add("pairwise of lists", as_json(metra.pairwise(lists, lists)))


def align(run: Run) -> None:
    evalset, outputs = corpus(run)
    refs = [stream[3] for stream in evalset.refs]
    for spec in ("wer", "cer", "gtm", "gtm:e=2", "meteor"):
        found = metra.align(outputs["literal"][3], refs, spec)
        words = [[(link.kind, *one.words(link)) for link in one.links] for one in found]
        run.add(f"align {spec}", as_json([found, words]), 2000)


def grid(run: Run) -> None:
    evalset, outputs = corpus(run)
    refs = [stream[3] for stream in evalset.refs]
    found = metra.grid(outputs["literal"][3], refs)
    run.add("grid", str(found))
    run.add("svg", found.svg(), 2000)


def errors(run: Run) -> None:
    evalset, outputs = corpus(run)
    calls = {
        "no outputs": lambda: metra.evaluate(evalset, {}, ["bleu"]),
        "no metric": lambda: metra.evaluate(evalset, outputs, []),
        "a string": lambda: metra.evaluate(evalset, outputs, "bleu"),
        "unknown": lambda: metra.metric("blue"),
        "option": lambda: metra.metric("bleu:n=x"),
        "lengths": lambda: metra.score(["a", "b"], [["a"]]),
        "level": lambda: metra.evaluate(evalset, outputs, ["bleu"], levels=["word"]),
        "baseline": lambda: metra.compare(evalset, outputs, ["bleu"], baseline="x"),
        "alpha": lambda: metra.compare(evalset, outputs, ["bleu"], alpha=2),
        "refs": lambda: metra.grid("a", "a"),
        "no references": lambda: metra.score(["a"]),
        "align": lambda: metra.align("a", ["a"], "nist"),
        "pairwise": lambda: metra.pairwise(["a"], [["a"]]),
    }
    for name, call in calls.items():
        try:
            call()
            said = "nothing is refused"
        except Exception as error:
            kind = "refused" if isinstance(error, metra.MetraError) else "crashed"
            said = f"{kind}: {type(error).__name__}: {error}"
        run.add(name, said)


CASES = [
    Case(f"api/{step.__name__}", [step], limit=1000)
    for step in (score, evaluate, compare, pairwise, align, grid)
] + [Case("messages/api", [errors])]
