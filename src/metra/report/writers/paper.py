"""Scores as tables for a paper: names in print, marks of significance, notes, methods."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase

from metra import __version__
from metra.errors import OptionError, UnknownNameError, no_such
from metra.metrics.citations import (
    CITATIONS,
    PAPERS_OF_METHODS,
    format_bibliography,
    get_title,
    list_papers,
)
from metra.metrics.options import OUTSIDE
from metra.metrics.signatures import rewrite_signature
from metra.report.paper import (
    PaperTable,
    render_paper_html,
    render_paper_latex,
    render_paper_markdown,
    render_workbook,
)
from metra.report.table import (
    Style,
    escape_latex,
    format_count,
    format_latex_comments,
    render_latex_table,
)
from metra.report.writers.comparison import build_reasons, describe_comparisons
from metra.report.writers.headings import (
    TESTS,
    build_metric_column,
    describe_corpus,
    find_best_score,
    join_names,
    list_signatures,
    order_systems,
    shorten_specs,
)
from metra.scoring.results import Results, Score, SystemScores
from metra.scoring.table import Cell, Column, Table, make_table

#: Groups of segments are columns side by side if there are no more columns than this.
MOST_COLUMNS = 12
LABEL = "tab:scores"
BETTER, WORSE = "†", "‡"


def render_latex(results: Results, style: Style, tables: Sequence[Table]) -> str:
    """Write a float for a paper, then further tables; verdicts in words are comments."""
    blocks = [render_paper_latex(build_paper(results, style), style)]
    # These may be longer than a page, which no float can be.
    blocks += [render_latex_table(table, style) for table in tables]
    remarks = describe_comparisons(results) if results.terms else []
    comments = [format_latex_comments(remarks)] if remarks else []
    return "\n\n".join([*comments, *blocks])


def render_markdown(results: Results, style: Style, tables: Sequence[Table]) -> str:
    """Write tables that read well as text and as a page."""
    papers = build_papers(results, style, tables)
    return "\n\n".join(render_paper_markdown(paper, style) for paper in papers)


def render_html(results: Results, style: Style, tables: Sequence[Table]) -> str:
    """Write tables as a small page."""
    return render_paper_html(build_papers(results, style, tables), style)


def render_xlsx(
    results: Results,
    style: Style,
    tables: Sequence[Table],
    comparisons: Sequence[Sequence[object]],
) -> bytes:
    """Return a workbook; comparisons, a header and its rows, get a sheet of their own."""
    plain = [("Comparisons", comparisons)] if len(comparisons) > 1 else []
    return render_workbook(build_papers(results, style, tables), style, plain)


def build_papers(
    results: Results, style: Style, tables: Sequence[Table]
) -> list[PaperTable]:
    """Build the table of the systems' scores, and put others, as they are, behind it."""
    main = build_paper(results, style)
    further = [
        PaperTable(table, f"{main.label}-{number}", (), ())
        for number, table in enumerate(tables, 2)
    ]
    return [main, *further]


def build_paper(results: Results, style: Style) -> PaperTable:
    """Build the table of the systems' scores: the best in bold, marks where it was tested."""
    paper = style.paper
    titles = name_metrics(results.specs)
    systems = order_systems(results, style)
    names = {entry.name: entry.name for entry in systems}
    rename = _read_renames(paper.rename, [*names, *titles, *titles.values()])
    titles = {spec: rename.get(spec, rename.get(t, t)) for spec, t in titles.items()}
    names = {name: rename.get(name, name) for name in names}
    letters = _letter_systems(systems) if results.clusters else {}
    marks = _find_marks(results, letters)
    columns = [
        (build_metric_column(titles[spec], score), cells)
        for spec, score, cells in _list_columns(results, systems, marks)
    ]
    groups = _read_column_groups(paper.column_groups, titles)
    if groups:
        columns = _group_columns(columns, results.specs, groups)
    elif shows_groups(results):
        columns += _list_group_columns(results, systems, titles)
    rows = [
        (
            f"({letters[entry.name]}) {names[entry.name]}"
            if letters
            else names[entry.name],
            [cells[at] for _, cells in columns],
        )
        for at, entry in enumerate(systems)
    ]
    caption = paper.caption
    if caption is None:
        caption = f"Automatic evaluation scores ({describe_corpus(results)})."
    headings = [column for column, _ in columns]
    table = make_table("System", headings, rows, caption=caption)
    signatures = [
        (titles[spec], rewrite_signature(score.signature, style.signature))
        for spec, score in results.systems[0].scores.items()
    ]
    notes = [*_build_notes(results, table, names), *build_reasons(results)]
    return PaperTable(table, paper.label or LABEL, notes, signatures)


def shows_groups(results: Results) -> bool:
    """Whether groups of segments are columns side by side."""
    groups = results.groups or ()
    return 0 < (1 + len(groups)) * len(results.specs) <= MOST_COLUMNS


def name_metrics(specs: Sequence[str]) -> dict[str, str]:
    """Name metrics as in print, with their options where two have the same name.

    >>> name_metrics(["bleu", "ter"])
    {'bleu': 'BLEU', 'ter': 'TER'}
    >>> name_metrics(["bleu", "bleu:tok=intl"])
    {'bleu': 'BLEU', 'bleu:tok=intl': 'BLEU (tok=intl)'}
    """
    titles = {spec: get_title(spec) for spec in specs}
    counts = list(titles.values())
    short = shorten_specs(specs)
    for spec, title in titles.items():
        options = short[spec].partition(":")[2]
        if counts.count(title) > 1 and options:
            titles[spec] = f"{title} ({options})"
    return titles


def describe_methods(results: Results, form: str) -> str:
    """Say for the section on methods what was computed, then list the papers in BibTeX.

    Citations are commands of natbib where `form` is latex.
    """
    cited: list[str] = []

    def cite(keys: Iterable[str]) -> str:
        listed = list(keys)
        cited.extend(listed)
        if not listed:
            return ""
        if form == "latex":
            return rf" \citep{{{','.join(listed)}}}"
        entries = [CITATIONS[key] for key in listed]
        inner = "; ".join(f"{each.format_authors()}, {each.year}" for each in entries)
        return f" ({inner})"

    escape = escape_latex if form == "latex" else str
    metrics = [
        f"{escape(title)}{cite(list_papers(spec))}"
        for spec, title in name_metrics(results.specs).items()
    ]
    sentences = [
        f"We report {join_names(metrics)} on {_join_counts(results)}, computed with metra "
        f"{__version__}."
    ]
    outside = [
        escape(title)
        for spec, title in name_metrics(results.specs).items()
        if OUTSIDE.fullmatch(spec)
    ]
    if outside:
        sentences.append(
            f"Another program made the segment scores of {join_names(outside)}."
        )
    terms = results.terms
    if terms is not None:
        papers = cite(PAPERS_OF_METHODS[terms.test])
        sentence = (
            f"We test differences for significance by {TESTS[terms.test]}{papers} of "
            f"{format_count(terms.units, terms.unit)} with "
            f"{format_count(terms.trials, 'trial')} (seed {terms.seed}), "
        )
        sentence += escape(f"at p ≤ {terms.alpha:g}")
        if terms.correction == "holm":
            after = cite(PAPERS_OF_METHODS["holm"])
            sentence += f" after Holm's correction{after} for each metric"
        sentences.append(f"{sentence}.")
    elif any(score.interval for score in results.systems[0].scores.values()):
        intervals = escape("Intervals are 95% bootstrap confidence intervals")
        sentences.append(f"{intervals}{cite(PAPERS_OF_METHODS['interval'])}.")
    # Comments for LaTeX, and nothing to BibTeX.
    signatures = format_latex_comments(list_signatures(results))
    return "\n\n".join([" ".join(sentences), signatures, format_bibliography(cited)])


def _join_counts(results: Results) -> str:
    """Say what was scored, in a sentence."""
    counts = describe_corpus(replace(results, references=0))
    if not results.references:
        return counts
    return f"{counts} with {format_count(results.references, 'reference')}"


def _list_columns(
    results: Results,
    systems: Sequence[SystemScores],
    marks: Mapping[tuple[str, str], str],
) -> Iterator[tuple[str, Score, list[Cell]]]:
    for spec in results.specs:
        scores = [entry.scores[spec] for entry in systems]
        cells = [
            Cell(
                score.score,
                score.interval if results.terms is None else None,
                marks=marks.get((entry.name, spec), ""),
            )
            for entry, score in zip(systems, scores, strict=True)
        ]
        yield spec, scores[0], _mark_best_scores(cells, scores[0])


def _list_group_columns(
    results: Results, systems: Sequence[SystemScores], titles: Mapping[str, str]
) -> Iterator[tuple[Column, list[Cell]]]:
    """Lay out the scores of each group of segments as a group of columns."""
    for group in results.groups or ():
        by_name = {entry.name: entry.scores for entry in group.systems}
        heading = ", ".join("–" if v is None else str(v) for v in group.key.values())
        for spec in results.specs:
            scores = [by_name[entry.name][spec] for entry in systems]
            cells = [Cell(score.score) for score in scores]
            column = build_metric_column(titles[spec], scores[0], heading)
            yield column, _mark_best_scores(cells, scores[0])


def _mark_best_scores(cells: Sequence[Cell], score: Score) -> list[Cell]:
    """Mark the best score of a column of several, in full precision."""
    values = [cell.value for cell in cells if isinstance(cell.value, int | float)]
    best = find_best_score(values, score)
    several = len(cells) > 1
    return [replace(cell, best=several and cell.value == best) for cell in cells]


def _letter_systems(systems: Sequence[SystemScores]) -> dict[str, str]:
    """Give each system a letter; numbers if there are more systems than letters."""
    signs: Sequence[str] = ascii_lowercase
    if len(systems) > len(ascii_lowercase):
        signs = [str(number) for number in range(1, len(systems) + 1)]
    return {entry.name: sign for entry, sign in zip(systems, signs, strict=False)}


def _find_marks(
    results: Results, letters: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """Find what stands behind each system's score: daggers, or letters of worse systems."""
    marks: dict[tuple[str, str], str] = {}
    beaten: dict[tuple[str, str], list[str]] = {}
    for entry in results.comparisons:
        if not entry.significant:
            continue
        if not letters:
            mark = BETTER if entry.gain > 0 else WORSE
            marks[entry.system, entry.metric] = mark
            continue
        pair = (entry.system, entry.baseline)
        better, worse = pair if entry.gain > 0 else pair[::-1]
        beaten.setdefault((better, entry.metric), []).append(worse)
    places = {name: place for place, name in enumerate(letters)}
    joint = "" if set(letters.values()) <= set(ascii_lowercase) else ","
    for key, losers in beaten.items():
        ordered = sorted(losers, key=places.__getitem__)
        marks[key] = joint.join(letters[name] for name in ordered)
    return marks


def _build_notes(
    results: Results, table: Table, names: Mapping[str, str]
) -> Iterator[str]:
    """Say what bold, brackets and marks mean."""
    cells = [cell for row in table.rows for cell in row]
    if any(cell.best for cell in cells):
        yield "Bold: best score of the column."
    if any(cell.interval for cell in cells):
        yield "Brackets: 95% bootstrap confidence interval."
    terms = results.terms
    if terms is None:
        return
    corrected = " after Holm's correction" if terms.correction == "holm" else ""
    how = (
        f"p ≤ {terms.alpha:g}{corrected}; {TESTS[terms.test]} of "
        f"{format_count(terms.units, terms.unit)}, {format_count(terms.trials, 'trial')}, "
        f"seed {terms.seed}"
    )
    if results.clusters:
        yield f"Letters: significantly better than the systems of these letters ({how})."
    elif results.comparisons:
        baseline = names[results.comparisons[0].baseline]
        yield (
            f"{BETTER} significantly better, {WORSE} significantly worse than {baseline} "
            f"({how})."
        )


def _read_renames(pairs: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Read pairs OLD=NEW, where an old name may have an equals sign itself."""
    names = {}
    for pair in pairs:
        old = _find_start(pair, known, "=")
        if old is None:
            if "=" not in pair:
                msg = f"`rename` {pair!r} has no '='; expected OLD=NEW."
                raise OptionError(msg)
            what = "system or metric"
            raise UnknownNameError(no_such(what, pair.partition("=")[0], known))
        names[old] = pair[len(old) + 1 :]
    return names


def _read_column_groups(
    given: Sequence[str], titles: Mapping[str, str]
) -> dict[str, str]:
    """Read groups TITLE=METRIC,METRIC: each spec's group."""
    specs = dict(zip(titles.values(), titles, strict=True)) | {s: s for s in titles}
    groups = {}
    for entry in given:
        group, equals, rest = entry.partition("=")
        if not equals or not rest:
            msg = f"`column_groups` {entry!r} names no metrics; expected TITLE=METRIC,METRIC."
            raise OptionError(msg)
        while rest:
            name = _find_start(f"{rest},", list(specs), ",")
            if name is None:
                raise UnknownNameError(no_such("metric", rest, specs))
            groups[specs[name]] = group
            rest = rest[len(name) + 1 :]
    return groups


def _find_start(text: str, known: Iterable[str], end: str) -> str | None:
    """Find the longest known name that the text begins with, before `end`."""
    found = [name for name in known if text.startswith(f"{name}{end}")]
    return max(found, key=len, default=None)


def _group_columns(
    columns: Sequence[tuple[Column, list[Cell]]],
    specs: Sequence[str],
    groups: Mapping[str, str],
) -> list[tuple[Column, list[Cell]]]:
    """Put columns of a group beside each other, where the first of them stands."""
    by_group: dict[str, list[tuple[Column, list[Cell]]]] = {}
    for spec, (column, cells) in zip(specs, columns, strict=True):
        group = groups.get(spec, "")
        # A column without a group stays where it is.
        key = group or f"\0{spec}"
        by_group.setdefault(key, []).append((replace(column, group=group), cells))
    return [column for members in by_group.values() for column in members]
