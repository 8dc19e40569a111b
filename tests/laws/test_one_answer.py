"""One campaign, one answer: every surface gives the same figures and names the same rows.

The 22 campaigns of `metra judge demo` are read as their users read them, under the default
selection of rows. These equalities must hold for every scorer:

- The results page = systems.tsv of the export = `metra meta rank` and `metra meta judges` on
  the export = the report's part on people: mean of a system, its interval, order, cluster
  and rank range, p-value against the next system, z, items and answers; each coefficient of
  agreement with its interval. `metra meta spans` and `metra meta correlate` give the page's
  agreement on spans and correlation with metrics. Where judges saw whole documents, metrics
  score a document as one text.
- The kind of export makes no difference: jsonl, tsv and csv hold the same judgements.
- The measures page = texts.tsv and exercise/*.tsv of the export = the page of exercises =
  `metra exercise` on the export and on the store. These figures are about texts: an
  evaluator's score of a text is the mean over its items, and alpha, means and deviations
  are taken over these scores. So alpha here and alpha of the results page differ, as they
  answer different questions, unless each text is one item.
- Both levels meet in the mean over items. A text's score is the mean over its items of the
  judges' mean, so the mean of a system's texts, weighted by their items, is its mean in
  systems.tsv, on both scales. Where each text is one item (protocols about whole
  documents), the mean over texts of the mean over evaluators, which `metra exercise` gives,
  is that mean too.
- Every surface states the rows that it counts in the words of the results page.

Digits are compared in full (to 1e-9) where both surfaces have them, else as printed.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape

import pytest
from tests.golden_run.campaigns import Opened, fill_store
from tests.golden_run.record import Case, Run, fill_folder, settled
from tests.laws.figures import Figures, Key, Number, are_equal
from tests.laws.surfaces import (
    ABOUT_SYSTEMS,
    ABOUT_TEXTS,
    AMONG_OTHERS,
    METRICS,
    REQUIRED,
    SYSTEMS,
    Surfaces,
)

#: Protocols that score nothing: judges tag texts.
UNSCORED = ("Missed names", "Key terms", "Names")
#: Protocols that mark or tag spans, where two judges saw the same text.
MARKED = ("Error span annotation", "Multidimensional quality metrics", *UNSCORED[1:])
#: Protocols that score whole documents.
ABOUT_DOCUMENTS = (
    *("Correction", "Cloze test", "Reading time", "Reading aloud", "Comprehension"),
    "Template filling",
)
#: Protocols that score outputs; references have no scores of texts and no metrics.
JUDGING_OUTPUTS = (
    *("Fluency, then adequacy (LDC)", "Adequacy", "Direct assessment", "Ranking"),
    *("Direct assessment with a scalar quality metric", *MARKED[:2], *ABOUT_DOCUMENTS),
    *("Which is better?", "Intelligibility", "Clarity", "Minimal correction"),
    "EvalTrans",
)
CAMPAIGNS = (*JUDGING_OUTPUTS, *UNSCORED, "Choice of the gold standard")
PREFIX = "Market and brake: "
CAMPAIGN_LINK = r'href="/admin/campaigns/([^"/]+)"[^>]*>\s*([^<]+?)\s*<'
RESULTS, MEASURES = next(iter(ABOUT_SYSTEMS)), next(iter(ABOUT_TEXTS))
_MOST_LINES = 12


@pytest.fixture(scope="module")
def campaigns(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Surfaces]]:
    """Fill a store with the demonstration and show all systems' names."""
    folder = fill_folder(tmp_path_factory.mktemp("law") / "store")
    run = Run(Case("one-answer", []), folder)
    with settled(folder):
        fill_store(run)
        opened = Opened(run)
    with opened:
        with settled(folder):
            admin = opened.admin()
            links = re.findall(CAMPAIGN_LINK, admin.ask("GET", "/admin").text)
            keys = {unescape(name): key for key, name in links if PREFIX in name}
            for key in keys.values():
                reply = admin.form(f"/admin/campaigns/{key}/unblind")
                assert reply.status_code == 303
        yield {
            name.removeprefix(PREFIX): Surfaces(run, admin, name, key)
            for name, key in keys.items()
        }


@pytest.fixture
def of(campaigns: dict[str, Surfaces], campaign: str) -> Surfaces:
    """Return the surfaces of a campaign."""
    return campaigns[campaign]


def test_the_demonstration_has_these_campaigns(campaigns):
    assert sorted(campaigns) == sorted(CAMPAIGNS)


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_the_page_shows_figures(of, campaign):
    """Without figures on the page nothing below would be compared."""
    figures = of.read(RESULTS).figures
    kinds = {figure for (figure, _, _), numbers in figures.items() if numbers}
    wanted = {"mean", "hundred", "order", "items", "answers"}
    agreement = {"Krippendorff's alpha, interval", "Cohen's kappa, quadratic"}
    assert (campaign in UNSCORED) == wanted.isdisjoint(kinds)
    if campaign not in UNSCORED:
        assert wanted <= kinds
        texts = {figure for figure, _, _ in of.read(MEASURES).figures}
        assert {"text score", "mean", "alpha"} <= texts
    if campaign not in (*UNSCORED, *ABOUT_DOCUMENTS):
        assert {"mean low", "mean high", "z", "cluster", "best rank", "p next"} <= kinds
        assert {"pairs of answers", *agreement} <= kinds
    marks = {"F of characters", "F of matched spans", "alpha of characters"}
    assert (campaign in MARKED) == (marks <= kinds)
    assert (campaign in JUDGING_OUTPUTS) == ("r of outputs" in kinds)
    assert of.is_about_documents == (campaign in ABOUT_DOCUMENTS)


@pytest.mark.parametrize("surface", [*ABOUT_SYSTEMS][1:])
@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_figures_of_systems(of, surface):
    check_surface(of, surface, [*ABOUT_SYSTEMS])


@pytest.mark.parametrize("surface", [*ABOUT_TEXTS][1:])
@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_figures_of_texts(of, surface):
    check_surface(of, surface, [*ABOUT_TEXTS])


@pytest.mark.parametrize(("text", "system"), [("score", "hundred"), ("native", "mean")])
@pytest.mark.parametrize("campaign", JUDGING_OUTPUTS)
def test_texts_add_up_to_systems(of, text, system):
    """The mean of texts, weighted by their items, is the mean over items."""
    texts = get_numbers(of.read("texts.tsv").figures)
    sums: dict[tuple[str, str], list[float]] = {}
    for (figure, scorer, place), number in texts.items():
        if figure == f"text {text}":
            items = texts["text items", scorer, place].value
            both = sums.setdefault((scorer, place.rpartition("/")[2]), [0.0, 0.0])
            both[0] += items * number.value
            both[1] += items
    systems = get_numbers(of.read("systems.tsv").figures)
    expected = {key[1:]: number for key, number in systems.items() if key[0] == system}
    means = {key: Number(total / items) for key, (total, items) in sums.items()}
    assert means.keys() == expected.keys()
    fail_on(
        [
            f"{', '.join(key)}: {number} by texts, {expected[key]} in systems.tsv"
            for key, number in means.items()
            if not are_equal(number, expected[key])
        ]
    )


@pytest.mark.parametrize("form", ["tables", "jsonl", "tsv", "csv", "store"])
@pytest.mark.parametrize("campaign", ABOUT_DOCUMENTS)
def test_exercise_on_documents_is_the_mean_of_systems(of, form):
    """Where a text is one item, the exercise's mean is the mean from 0 to 100."""
    reading = of.read(f"exercise {form}")
    means = get_numbers(reading.figures)
    systems = get_numbers(of.read("systems.tsv").figures)
    differences = []
    for (figure, scorer, system), number in systems.items():
        if figure == "hundred":
            mean = means.get(("system mean", scorer, system))
            if mean is None or not are_equal(mean, number):
                there = f"systems.tsv has {number}"
                differences.append(f"{scorer} of {system}: {mean}, {there}")
    fail_on(differences, reading.refusals)


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_the_page_states_its_selection(of):
    texts = of.results.selections
    assert len(texts) == 1, f"expected one text of class 'selection', got {texts}"


@pytest.mark.parametrize(
    "surface",
    [
        name
        for name in (*ABOUT_SYSTEMS, *ABOUT_TEXTS)
        # Tables of the export have their codebook, which is read with systems.tsv.
        if name not in (RESULTS, "texts.tsv", "exercise tables")
    ],
)
@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_surfaces_state_the_selection_of_the_page(of, surface):
    reading = of.read(surface)
    if not reading.selections:
        # A refusal counts no rows; whether it is right to refuse is tested above.
        assert reading.refusals or not of.scorers
        return
    texts = of.results.selections
    assert texts, "The results page has no text of class 'selection'."
    for stated in reading.selections:
        if surface.startswith("report") and of.has_controls:
            assert re.search(r"Counted: \d+ answers? of \d+ judges?", stated)
        elif reading.in_json:
            assert stated == texts[0]
        else:
            assert texts[0] in " ".join(stated.split())


def check_surface(of: Surfaces, surface: str, family: list[str]) -> None:
    """Compare a surface with the page of its family, and with surfaces before it."""
    reading = of.read(surface)
    kind = surface if surface in REQUIRED else surface.rpartition(" ")[0]
    page = choose_expected(of, of.read(family[0]).figures, kind)
    figures = reading.figures
    kinds = {figure for figure, _, _ in page}
    kinds &= {figure for figure, _, _ in figures} | REQUIRED[kind]
    if kind == "texts.tsv" and not figures:
        kinds = set()  # the campaign's export has no such file
    differences = []
    for key in sorted({*page, *figures}):
        if key[0] in kinds:
            ours, theirs = page.get(key, []), figures.get(key, [])
            differences += describe_differences(key, family[0], ours, surface, theirs)
    for key, theirs in sorted(figures.items()):
        # The first other surface that has the figure; it may have more digits than a page.
        for other in family[1 : family.index(surface)]:
            if theirs and (ours := of.read(other).figures.get(key)):
                differences += describe_differences(key, other, ours, surface, theirs)
                break
    fail_on(differences, reading.refusals)


def fail_on(differences: list[str], refusals: Iterable[str] = ()) -> None:
    """Fail with the differences, if there are any, and the refusals that explain them."""
    if differences:
        shown = differences[:_MOST_LINES]
        if rest := len(differences) - len(shown):
            shown.append(f"and {rest} more")
        reasons = [f"refused: {text}" for text in dict.fromkeys(refusals)]
        pytest.fail("\n".join([*reasons, *shown]), pytrace=False)


def choose_expected(of: Surfaces, figures: Figures, kind: str) -> Figures:
    """Choose the page's figures that a kind of surface can have.

    A report has no output of a control, so it ranks the systems without it.
    """
    if kind != "report":
        return figures
    if not any(system in SYSTEMS for _, _, system in figures):
        return {}  # nobody judged the outputs that the report is about
    given = (*SYSTEMS, *METRICS[:2], "")
    others = AMONG_OTHERS if of.has_controls else ()
    keys = [key for key in figures if key[2] in given and key[0] not in others]
    return {key: figures[key] for key in keys}


def describe_differences(
    key: Key, one: str, ours: list[Number], other: str, theirs: list[Number]
) -> list[str]:
    """Say where two surfaces differ on a figure; a figure that only one has is one."""
    pairs = [(x, y) for x in ours for y in theirs if not are_equal(x, y)]
    if bool(ours) == bool(theirs) and not pairs:
        return []
    name = ", ".join(filter(None, key))
    left, right = (
        " and ".join(dict.fromkeys(map(str, numbers))) or "none"
        for numbers in (ours, theirs)
    )
    return [f"{name}: {one} {left}, {other} {right}"]


def get_numbers(figures: Figures) -> dict[Key, Number]:
    """Return the first number of each key that has one."""
    return {key: numbers[0] for key, numbers in figures.items() if numbers}
