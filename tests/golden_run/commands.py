"""Cases of the commands that score, compare, describe and show."""

import numpy as np
from tests.golden_run.record import Case, Run

FORMATS = ("table", "json", "tsv", "markdown", "latex")
REFS = " ".join(f"-r examples/reference.{at}.txt" for at in (1, 2, 3, 4))
SOURCE = "-s examples/source.fr.txt"
TEXTS = f"{SOURCE} --docs examples/docs.txt"
ALL = f"examples/outputs/*.txt {REFS} {TEXTS}"
THREE = " ".join(
    f"examples/outputs/{name}.txt" for name in ("solid", "literal", "dropped")
)
FEW = f"{THREE} {REFS} {TEXTS}"

#: Every measure, with the files that it needs.
METRICS = {
    "bleu": ["bleu", "bleu:tok=intl,case=lower", "bleu:stem=english", "bleu:smooth=add-k",
             "bleu:style=mteval", "bleu:average=arithmetic,ref_len=shortest"],
    "nist": ["nist", "nist:case=lower"],
    "chrf": ["chrf", "chrf:word_order=2", "chrf:eps=yes"],
    "ter": ["ter", "ter:case=lower"],
    "gleu": ["gleu", "gleu:n=2,tok=none"],
    "rougel": ["rougel", "rougel:beta=2,stem=english"],
    "wer": ["wer"],
    "mer": ["mer"],
    "wil": ["wil"],
    "wip": ["wip"],
    "per": ["per"],
    "ser": ["ser"],
    "cer": ["cer"],
    "precision": ["precision"],
    "recall": ["recall"],
    "f1": ["f1"],
    "fmean": ["fmean"],
    "gtm": ["gtm", "gtm:e=2"],
    "meteor": ["meteor"],
    "ltv": ["ltv"],
    "syntax": ["syntax"],
    "xscore": ["xscore:parses=examples/parses/{system}.conllu"],
    "transfer": ["transfer:rules=examples/transfer.toml,"
                 "source_parses=examples/parses/source.fr.conllu,"
                 "parses=examples/parses/{system}.conllu"],
    "ie": ["ie:templates=examples/templates/{system}.tsv,"
           "reference=examples/templates/reference.tsv"],
    "quality": [f"quality:model=examples/models/{name}.toml"
                for name in ("gisting", "publication", "technical")],
    "entities": ["entities:file=examples/entities.tsv"],
    "terminology": ["terminology:file=examples/terms.tsv"],
    "untranslated": ["untranslated:dictionary=examples/words.en.txt"],
    "mwer": ["mwer", "mwer:db=examples/judged.tsv"],
    "evaltrans": ["evaltrans:db=examples/judged.tsv", "evaltrans:db=examples/judged.tsv,k=3"],
}  # fmt: skip
QUICK = "-m bleu -m chrf -m ter -m gtm:e=2"
DETAILED = (
    *("transfer", "xscore", "ie", "entities", "terminology"),
    *("untranslated", "evaltrans"),
)


def score_case(name: str) -> Case:
    """Score by one measure: all systems in full digits, and each level for three systems."""
    specs = " ".join(f"-m '{spec}'" for spec in METRICS[name])
    first = f"-m '{METRICS[name][0]}'"
    levels = "--level system,document,segment"
    details = " --details" if name in DETAILED else ""
    return Case(
        f"score/metric-{name}",
        [
            f"metra score {ALL} {specs} --format tsv",
            f"metra score {FEW} {specs} {levels} --format json{details}",
            f"metra score {FEW} {first} --level document,segment",
            f"metra score {FEW} {first} --ci --trials 50 --sort{details}",
            f"metra score {THREE} -r examples/reference.1.txt {TEXTS} {first} --digits 9",
        ],
    )


def every_format(line: str, formats: tuple[str, ...] = FORMATS) -> list[str]:
    """Repeat a command in each format."""
    return [f"{line} --format {form}" for form in formats]


def write_scores(run: Run) -> None:
    """Write six systems with a gold and three metrics, and a gold for the example."""
    rng = np.random.default_rng(0)
    lines = ["system\tseg\tdoc\tmqm\tgood\tpoor\terror"]
    for system in range(6):
        for segment in range(30):
            gold = round(rng.normal() + system / 3)
            good, poor = gold + rng.normal(), gold + 4 * rng.normal()
            lines.append(
                f"s{system}\t{segment}\td{segment // 6}\t{gold}\t{good}\t{poor}\t{-good}"
            )
    (run.folder / "scores.tsv").write_text("\n".join(lines) + "\n")
    classes = [f"s{at}\t{'rule' if at < 3 else 'neural'}" for at in range(6)]
    (run.folder / "classes.tsv").write_text("\n".join(classes) + "\n")
    (run.folder / "far.txt").write_text("s0\n")
    rows = ["system\tsegment\tscorer\tvalue\tjudge"]
    for at, path in enumerate(sorted((run.folder / "examples/outputs").glob("*.txt"))):
        for segment in range(1, 29):
            for judge in range(2):
                value = int(rng.integers(0, 8)) + at
                rows.append(f"{path.stem}\t{segment}\tda\t{value}\tj{judge}")
    (run.folder / "gold.tsv").write_text("\n".join(rows) + "\n")


MATERIAL = {"scores": [write_scores]}

GOLD = "scores.tsv --gold mqm --read lower=error"
OUTPUTS = " ".join(
    f"--output examples/outputs/{name}.txt"
    for name in ("dropped", "literal", "polished", "solid", "terse", "verbose")
)
TUNED = f"gold.tsv --gold da {OUTPUTS} {REFS}"
OWN = f"{TUNED} -m bleu -m chrf"
META = {
    "correlate": [
        f"{GOLD} --trials 50",
        f"{GOLD} --level seg --trials 50",
        f"{GOLD} --level doc --trials 0",
        f"{GOLD} --wmt --trials 20",
        f"{GOLD} --coef kendall --coef spearman --coef spa --trials 20",
        f"{OWN} --trials 20",
    ],
    "diff": [f"{GOLD} --trials 50 --plot plot.svg", f"{OWN} --trials 20"],
    "compare": [
        f"{GOLD} --trials 50 --plot plot.svg",
        f"{GOLD} --level seg --trials 50 --wmt",
        *(f"{GOLD} --trials 50 --test {test}" for test in ("williams", "perm-sys")),
    ],
    "cross": ["scores.tsv --plot plot.svg", "scores.tsv --level seg --coef spearman"],
    "scatter": [
        f"{GOLD} --plot plot.svg",
        f"{GOLD} --set classes=classes.tsv,outliers=far.txt",
    ],
    "robust": [
        f"{GOLD} --plot plot.svg",
        *(f"{GOLD} --choice {name}" for name in ("window", "leave-one-out", "subsets")),
    ],
    "agree": [
        "gold.tsv --trials 50 --plot plot.svg",
        "gold.tsv --normalise z --trials 0 --set pairs=3,worst=2",
    ],
    "normalise": [
        "gold.tsv --scores z.tsv",
        "gold.tsv --method rank --scores ranks.tsv",
        "gold.tsv --method min-max --select judge!=j1",
    ],
    "pseudo": [
        f"{GOLD} --documents 50 --lengths 1,5,all --plot plot.svg",
        f"{OWN} --documents 50 --lengths 1,5,all --set test=yes",
        f"{OWN} --documents 50 --lengths 1,5 --set judges-by=document",
    ],
    "refs": [
        f"{OWN} --set subsets=3 --plot plot.svg",
        f"{OWN} --level seg --count 1 --count 2",
    ],
    "tune": [
        f"{TUNED} -m fmean --values 0:1:0.25 --trials 20 --plot plot.svg",
        f"{TUNED} -m chrf --parameter beta --values 1,2,3 --set folds=0 --trials 0",
    ],
    "rank": [
        *(f"gold.tsv --by {by} --plot plot.svg" for by in ("mean", "z")),
        "gold.tsv --set clusters=greedy --test rank-sum",
        "gold.tsv --set clusters=range",
        *(f"gold.tsv --by {by} --set runs=5" for by in ("arr", "wins", "trueskill")),
        "scores.tsv --scorer mqm --against good,poor --set macro=document",
    ],
    "select": [f"{GOLD} --trials 20", f"{GOLD} --good 0 --set folds=0 --trials 0"],
    "deltas": [f"{GOLD} --trials 20 --plot plot.svg", f"{GOLD} --trials 0 --at 1,2"],
    "sentinel": [f"{GOLD} --trials 20", f"{OWN} -s examples/source.fr.txt --trials 0"],
    "card": [f"{GOLD} --metric good --set trials=20 --html card.html"],
    "variance": ["gold.tsv --trials 20", "gold.tsv --trials 0 --normalise z"],
    "power": [
        "gold.tsv --segments 100,400 --plot plot.svg",
        "--like esa --raters 1,3 --segments 100 --set systems=5,pool=6",
    ],
}


def meta_case(name: str) -> Case:
    """Ask a question of `metra meta`: the first in every format, the others as table, JSON."""
    first, *others = META[name]
    lines = every_format(f"metra meta {name} {first}")
    for line in others:
        lines += every_format(f"metra meta {name} {line}", ("table", "json"))
    return Case(f"meta/{name}", lines, needs=("scores",))


EXERCISE_FOLDER = "examples/exercise"
EXERCISE = " ".join(
    [
        *(f"ann={EXERCISE_FOLDER}/ann.json", f"dan={EXERCISE_FOLDER}/dan.tsv"),
        *(
            f"{EXERCISE_FOLDER}/{name}.tsv"
            for name in ("clarity", "adequacy", "correction-time")
        ),
    ]
)
LEAFLET = f"{EXERCISE_FOLDER}/leaflet.toml"
PASSAGES = (
    "--docs examples/retrieval/passages.txt --queries examples/retrieval/queries.tsv"
)
PAIRS = "en-de=scores.tsv zh-en=scores.tsv"

CASES = [
    # The pages of docs/commands and docs/metrics have the help of all others.
    Case(
        "help/commands",
        [
            f"metra {name} --help"
            for name in ("", "score", "meta", "meta rank", "judge")
        ],
        limit=20000,
    ),
    Case("help/metrics", ["metra metrics", "metra metrics bleu", "metra metrics ltv"]),
    Case("help/version", ["metra --version"]),
    *map(score_case, METRICS),
    Case(
        "score/formats",
        [
            *every_format(f"metra score {ALL} {QUICK} --ci --trials 100 --sort"),
            *every_format(f"metra score {FEW} {QUICK} --level system,document,segment"),
            f"metra score {FEW} {QUICK} --format json -o out.json",
            f"metra score {FEW} {QUICK} -o out.txt",
            f"metra score {FEW}",
        ],
    ),
    Case(
        "score/intervals",
        [
            f"metra score {FEW} {QUICK} --ci --ci-method bca --trials 100 --digits 6",
            f"metra score {FEW} {QUICK} --ci --unit document --trials 100 --seed 7",
        ],
    ),
    Case(
        "score/alignments",
        [
            f"metra score {FEW} -m {name} --show-alignment{more}"
            for name in ("wer", "cer", "gtm:e=2", "meteor")
            for more in ("", " --format json")
        ],
    ),
    Case(
        "score/models",
        [
            f"metra score {ALL} --model examples/models/{name}.toml --ci --trials 50"
            for name in ("gisting", "publication", "technical")
        ],
    ),
    Case(
        "compare/formats",
        [
            *every_format(f"metra compare {FEW} {QUICK} --trials 500"),
            *every_format(
                f"metra compare {FEW} -m bleu -m ter --trials 200 --changes 2 --ngrams 3 "
                "--bucket length --bucket document --bucket frequency --profiles "
                "--labels docs=examples/docs.txt",
                ("table", "json"),
            ),
        ],
    ),
    Case(
        "compare/tests",
        [
            f"metra compare {ALL} -m bleu --all-pairs --trials 1400",
            f"metra compare {ALL} -m bleu --all-pairs --trials 1400 --format json",
            f"metra compare {FEW} {QUICK} --test bootstrap --trials 200 --baseline literal",
            f"metra compare {FEW} {QUICK} --unit document --correction none --alpha 0.1",
            f"metra compare {FEW} -m bleu -m chrf --changes 3:chrf",
            f"metra compare {FEW} -m bleu --bucket length:5,10,20 --bucket source-length "
            "--trials 100",
        ],
    ),
    Case(
        "papers/formats",
        [
            *every_format(
                f"metra compare {FEW} {QUICK} --trials 500 --all-pairs --signature short "
                "--table caption=50%",
                ("markdown", "latex"),
            ),
            f"metra score {FEW} -m bleu -m ter --ci --trials 50 --format latex --digits 2",
            f"metra compare {FEW} -m bleu -m meteor --trials 500 --methods",
            f"metra score {FEW} -m bleu -m chrf:word_order=2 --ci --trials 50 --methods "
            "--format latex",
            f"metra score {FEW} -m bleu -m ter -m wer --verbose --signature sacrebleu",
            f"metra score {FEW} -m bleu -m ter -b",
        ],
    ),
    Case(
        "gate/formats",
        [
            f"metra score examples/outputs/solid.txt {REFS} -m bleu -m ter --save base.json",
            f"metra gate examples/outputs/solid.txt {REFS} --baseline base.json",
            *every_format(
                f"metra gate examples/outputs/dropped.txt {REFS} --baseline base.json "
                "--junit gate.xml --fail-if worse --fail-if below=bleu:90",
                ("table", "json", "markdown"),
            ),
        ],
    ),
    Case(
        "profile/formats",
        [
            *every_format(
                f"metra profile examples/outputs/*.txt {REFS} {SOURCE}",
                ("table", "json", "markdown"),
            ),
            f"metra profile {THREE} {REFS} {SOURCE} --text case=lower",
            *(
                f"metra profile {THREE} {REFS} {SOURCE} --show {trait}"
                for trait in ("numbers", "empty", "loops")
            ),
        ],
    ),
    Case(
        "exercise/formats",
        [
            *every_format(f"metra exercise {EXERCISE} --model {LEAFLET}"),
            f"metra exercise {EXERCISE} --scale clarity=0..3 --scale correction-time=2..0 "
            "--level system --html exercise.html",
            f"metra exercise ann={EXERCISE_FOLDER}/ann.json --tables tables --format tsv",
        ],
    ),
    Case(
        "rank/formats",
        [
            *every_format(f"metra rank {ALL} {QUICK}", ("table", "json")),
            "metra rank examples/outputs/*.txt --docs examples/docs.txt "
            "-m 'xscore:parses=examples/parses/{system}.conllu'",
        ],
    ),
    Case(
        "grid/formats",
        [
            f"metra grid examples/outputs/{system}.txt {refs} -n {number} -m {metric}{out}"
            for out in ("", " -o grid.svg")
            for system, number, metric, refs in (
                ("solid", 1, "gtm:e=2", REFS),
                ("literal", 16, "wer", "-r examples/reference.1.txt"),
                ("dropped", 5, "meteor", "-r examples/reference.1.txt"),
            )
        ]
        + [f"metra grid examples/outputs/solid.txt {REFS} -n 2 -o grid.svg"],
    ),
    Case(
        "report/page",
        [
            f"metra report {FEW} {QUICK} -o report.html --baseline literal",
            f"metra report {THREE} -r examples/reference.1.txt -m bleu -o small.html "
            "--title 'A & B' --labels kind=examples/docs.txt",
        ],
        limit=30000,
    ),
    Case(
        "report/judgements",
        [
            f"metra report {ALL} -m bleu -m chrf --judgements gold.tsv:question=da "
            "-o judged.html"
        ],
        needs=("scores",),
    ),
    Case(
        "segment/modes",
        [
            "metra segment split examples/outputs/dropped.txt --lang en -o text.txt",
            *every_format(
                "metra segment split examples/source.fr.txt --lang fr",
                ("text", "tsv", "json"),
            ),
            *every_format(
                f"metra segment align text.txt {REFS} --lang en -o aligned.txt",
                ("table", "tsv", "json"),
            ),
            *every_format(
                f"metra segment resegment text.txt {REFS} --lang en -o cut.tsv",
                ("table", "tsv", "json"),
            ),
            "metra score aligned.txt -r examples/reference.1.txt",
            "metra score cut.tsv",
        ],
    ),
    Case(
        "weights/build-show-stability",
        [
            f"metra weights build {REFS.replace('-r ', '')} --docs examples/docs.txt "
            "--text case=lower -o salience.tsv",
            "metra weights build examples/reference.1.txt --docs examples/docs.txt",
            "metra weights build examples/reference.1.txt --docs examples/docs.txt "
            "--text stem=english,tok=intl -o stems.tsv",
            "metra weights show salience.tsv",
            "metra weights show salience.tsv --document brake --by s --top 4",
            "metra weights stability examples/reference.1.txt examples/reference.2.txt "
            "--docs examples/docs.txt -o figures.tsv --plot polygons.svg",
            f"metra score {FEW} -m ltv:weights=salience.tsv -m bleu",
            "metra weights fill salience.tsv -o filled.tsv",
            f"metra weights matches {THREE} -r examples/reference.1.txt "
            "-r examples/reference.2.txt --docs examples/docs.txt --threshold 0.6 "
            "-o sets.tsv --plot sets.svg",
        ],
    ),
    Case(
        "clir/formats",
        [
            *every_format(
                f"metra clir examples/outputs/*.txt {REFS} {PASSAGES} "
                "--qrels examples/retrieval/qrels.txt",
                ("table", "json"),
            ),
            f"metra clir {THREE} {REFS} {PASSAGES} --text stem=no",
        ],
    ),
    Case(
        "evaltrans/collection",
        [
            "metra evaltrans import judged.db examples/judged.tsv",
            "metra evaltrans import judged.db examples/judged.tsv",
            "metra evaltrans show judged.db",
            "metra evaltrans show judged.db --source 1",
            "metra evaltrans export judged.db",
            "metra evaltrans export judged.db -o out.tsv",
            f"metra score {FEW} -m evaltrans:db=judged.db -m mwer:db=judged.db",
            *(
                f"metra evaltrans index judged.db {THREE} {REFS} --format {form}"
                for form in ("table", "tsv", "json")
            ),
        ],
    ),
    Case(
        "testsets/path",
        [
            f"metra convert {REFS} {TEXTS} -o mill",
            "metra testsets list ./mill",
            f"metra score {THREE} -t ./mill -l fr-en {QUICK} --read ref=1,ref=2",
            f"metra score {THREE} -t ./mill --read subset=doc=brake --level system,segment",
            f"metra compare {THREE} -t ./mill --read 'subset=doc!=brake' --trials 100",
            f"metra profile {THREE} -t mill/",
            "metra testsets add mill",
        ],
    ),
    Case(
        "sacrebleu/formats",
        [
            *(
                f"metra sacrebleu examples/reference.1.txt examples/reference.2.txt -i "
                f"examples/outputs/{systems} -m bleu chrf ter {flags}"
                for systems, flags in (
                    ("solid.txt", "-f json --confidence"),
                    ("solid.txt", "-f text -w 4"),
                    ("solid.txt examples/outputs/terse.txt", "-f text --paired-bs"),
                    ("solid.txt examples/outputs/terse.txt", "-f latex --paired-ar"),
                )
            ),
        ],
    ),
    Case("demo/short", ["metra demo shown"]),
    *map(meta_case, META),
    Case(
        "meta/task",
        [
            *every_format(f"metra meta task wmt23 {PAIRS} --gold mqm"),
            f"metra meta task wmt24 {PAIRS} --gold mqm --test --trials 40 --format json",
            f"metra meta task wmt25 {PAIRS} --gold mqm --test --trials 40 --wmt",
        ],
        needs=("scores",),
    ),
]
