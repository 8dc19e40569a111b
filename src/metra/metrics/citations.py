"""What metrics are called in print, and the papers that metrics and tests come from."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metra.metrics.options import OUTSIDE

#: Names of metrics in print, where these differ from the names in specs.
TITLES = {
    "bleu": "BLEU",
    "nist": "NIST",
    "chrf": "chrF",
    "gleu": "GLEU",
    "rougel": "ROUGE-L",
    "ter": "TER",
    "wer": "WER",
    "mer": "MER",
    "wil": "WIL",
    "wip": "WIP",
    "per": "PER",
    "ser": "SER",
    "cer": "CER",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "fmean": "Fmean",
    "gtm": "GTM",
    "meteor": "METEOR",
    "ltv": "LTV",
    "syntax": "Syntax",
    "xscore": "X-score",
    "transfer": "Transfer",
    "ie": "IE",
    "quality": "Quality",
    "entities": "Entities",
    "terminology": "Terminology",
    "untranslated": "Untranslated",
    "mwer": "mWER",
    "evaltrans": "EvalTrans",
    "comet": "COMET",
    "bertscore": "BERTScore",
    "metricx": "MetricX",
    "outside": "Scores from other programs",
    "spans": "MQM",
    "llm": "LLM",
}

#: The papers that define each metric, by their keys; sacreBLEU's, `post2018`, where its
#: defaults equal sacreBLEU's.
_PAPERS = {
    "bleu": ("papineni2002", "post2018"),
    "nist": ("doddington2002",),
    "chrf": ("popovic2015", "post2018"),
    "ter": ("snover2006", "post2018"),
    "gleu": ("wu2016",),
    "rougel": ("lin2004",),
    "wer": ("niessen2000",),
    **dict.fromkeys(("mer", "wil", "wip"), ("morris2004",)),
    "per": ("tillmann1997",),
    "cer": ("levenshtein1966",),
    **dict.fromkeys(("precision", "recall", "f1", "fmean"), ("lavie2004",)),
    "gtm": ("turian2003",),
    "meteor": ("denkowski2014",),
    "ltv": ("babych2004",),
    "syntax": ("dabbadie2002",),
    "xscore": ("rajman2002",),
    "transfer": ("dabbadie2002",),
    "ie": ("chinchor1993",),
    "quality": ("dabbadie2002",),
    "entities": ("reeder2001",),
    "terminology": ("dabbadie2002",),
    "untranslated": ("dabbadie2002",),
    "mwer": ("niessen2000",),
    "evaltrans": ("niessen2000",),
    "comet": ("rei2020",),
    "bertscore": ("zhang2020",),
    "metricx": ("juraska2024",),
    "spans": ("freitag2021",),
    "llm": ("kocmi2023",),
}

#: The papers of each paired test, of the correction and of the intervals.
PAPERS_OF_METHODS = {
    "ar": ("noreen1989", "riezler2005"),
    "bootstrap": ("koehn2004",),
    "holm": ("holm1979",),
    "bh": ("benjamini1995",),
    "interval": ("efron1993",),
}

_METEOR = {"2005": "banerjee2005", "2007": "lavie2007"}
_WORDS = re.compile(r"\bword_order[=:]([1-9]\d*)\b")
_ERRORS = re.compile(r"\b(prompt[=:]errors|answers[=:](errors|gemba-mqm))\b")
_VARIANT = re.compile(r"\bvariant[=:](\d+)\b")


#: What BibTeX calls the place where an entry of each kind appeared.
_VENUES = {"article": "journal", "book": "publisher", "misc": "howpublished"}


class Citation(NamedTuple):
    """A paper, as a bibliography lists it."""

    key: str
    #: BibTeX's kind of entry.
    kind: str
    #: Family names, then given names, as BibTeX has them.
    authors: tuple[str, ...]
    year: int
    title: str
    #: What it appeared in: proceedings, journal, archive, or for a book its publisher;
    #: empty where that is not known for certain.
    venue: str
    #: Further fields: pages, volume, number, doi.
    more: tuple[tuple[str, str], ...] = ()

    def format_authors(self) -> str:
        """Name the authors as in running text.

        >>> CITATIONS["papineni2002"].format_authors()
        'Papineni et al.'
        >>> CITATIONS["koehn2004"].format_authors()
        'Koehn'
        """
        families = [author.partition(",")[0] for author in self.authors]
        if len(families) > 2:
            return f"{families[0]} et al."
        return " and ".join(families)

    def format_bibtex(self) -> str:
        """Write the entry; letters outside ASCII stay as they are (UTF-8)."""
        venue = _VENUES.get(self.kind, "booktitle")
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            venue: self.venue,
            "year": str(self.year),
            **dict(self.more),
        }
        lines = (f"  {name} = {{{text}}}," for name, text in fields.items() if text)
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def get_title(spec: str) -> str:
    """Return what a metric is called in print, by its spec or signature.

    >>> get_title("bleu:tok=intl"), get_title("chrf:word_order=2"), get_title("mine")
    ('BLEU', 'chrF++', 'mine')
    """
    name = get_metric_name(spec)
    words = _WORDS.search(spec) if name == "chrf" else None
    plus = "" if words is None else "+" if words[1] == "1" else "++"
    return f"{TITLES.get(name, name)}{plus}"


def get_metric_name(spec: str) -> str:
    """Return the name of the metric at the start of a spec or signature."""
    return re.split(r"[:|@]", spec, maxsplit=1)[0]


def is_outside(spec: str) -> bool:
    """Whether a spec or signature is that of scores which another program made."""
    return OUTSIDE.fullmatch(spec) is not None or "|better:" in spec


def list_papers(spec: str) -> tuple[str, ...]:
    """Return the keys of the papers that define a metric, by its spec or signature.

    >>> list_papers("chrf:word_order=2")
    ('popovic2017', 'post2018')
    """
    name = get_metric_name(spec)
    if is_outside(spec):
        return ()
    if name == "chrf" and _WORDS.search(spec):
        return ("popovic2017", "post2018")
    if name == "meteor" and (variant := _VARIANT.search(spec)):
        return (_METEOR.get(variant[1], "denkowski2014"),)
    if name == "llm" and _ERRORS.search(spec):
        return ("kocmimqm2023", "fernandes2023", "lu2024")
    return _PAPERS.get(name, ())


def format_bibliography(keys: Iterable[str]) -> str:
    """Write the entries of a bibliography in BibTeX, each once."""
    return "\n\n".join(CITATIONS[key].format_bibtex() for key in dict.fromkeys(keys))


def _cite(
    key: str, kind: str, authors: str, title: str, venue: str, **more: str
) -> Citation:
    """Build a citation whose key ends in the year; semicolons part the authors."""
    names: Sequence[str] = [name.strip() for name in authors.split(";")]
    return Citation(
        key, kind, tuple(names), int(key[-4:]), title, venue, tuple(more.items())
    )


_LISTED = (
    _cite(
        "freitag2021",
        "article",
        "Freitag, Markus; Foster, George; Grangier, David; Ratnakar, Viresh; Tan, Qijun; "
        "Macherey, Wolfgang",
        "Experts, Errors, and Context: A Large-Scale Study of Human Evaluation for "
        "Machine Translation",
        "Transactions of the Association for Computational Linguistics",
        volume="9",
        pages="1460--1474",
        doi="10.1162/tacl_a_00437",
    ),
    _cite(
        "papineni2002",
        "inproceedings",
        "Papineni, Kishore; Roukos, Salim; Ward, Todd; Zhu, Wei-Jing",
        "BLEU: a Method for Automatic Evaluation of Machine Translation",
        "Proceedings of the 40th Annual Meeting of the Association for Computational "
        "Linguistics",
        pages="311--318",
        doi="10.3115/1073083.1073135",
    ),
    _cite(
        "post2018",
        "inproceedings",
        "Post, Matt",
        "A Call for Clarity in Reporting BLEU Scores",
        "Proceedings of the Third Conference on Machine Translation: Research Papers",
        pages="186--191",
        doi="10.18653/v1/W18-6319",
    ),
    _cite(
        "doddington2002",
        "inproceedings",
        "Doddington, George",
        "Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence "
        "Statistics",
        "Proceedings of the Second International Conference on Human Language Technology "
        "Research",
        pages="138--145",
    ),
    _cite(
        "popovic2015",
        "inproceedings",
        "Popović, Maja",
        "chrF: character n-gram F-score for automatic MT evaluation",
        "Proceedings of the Tenth Workshop on Statistical Machine Translation",
        pages="392--395",
        doi="10.18653/v1/W15-3049",
    ),
    _cite(
        "popovic2017",
        "inproceedings",
        "Popović, Maja",
        "chrF++: words helping character n-grams",
        "Proceedings of the Second Conference on Machine Translation",
        pages="612--618",
        doi="10.18653/v1/W17-4770",
    ),
    _cite(
        "snover2006",
        "inproceedings",
        "Snover, Matthew; Dorr, Bonnie; Schwartz, Richard; Micciulla, Linnea; Makhoul, John",
        "A Study of Translation Edit Rate with Targeted Human Annotation",
        "Proceedings of the 7th Conference of the Association for Machine Translation in "
        "the Americas",
        pages="223--231",
    ),
    _cite(
        "niessen2000",
        "inproceedings",
        "Nießen, Sonja; Och, Franz Josef; Leusch, Gregor; Ney, Hermann",
        "An Evaluation Tool for Machine Translation: Fast Evaluation for MT Research",
        "Proceedings of the Second International Conference on Language Resources and "
        "Evaluation",
        pages="39--45",
    ),
    _cite(
        "morris2004",
        "inproceedings",
        "Morris, Andrew Cameron; Maier, Viktoria; Green, Phil",
        "From WER and RIL to MER and WIL: improved evaluation measures for connected "
        "speech recognition",
        "Interspeech 2004",
        pages="2765--2768",
        doi="10.21437/Interspeech.2004-668",
    ),
    _cite(
        "wu2016",
        "misc",
        "Wu, Yonghui; Schuster, Mike; Chen, Zhifeng; Le, Quoc V.; Norouzi, Mohammad; "
        "Macherey, Wolfgang; Krikun, Maxim; Cao, Yuan; Gao, Qin; Macherey, Klaus; others",
        "Google's Neural Machine Translation System: Bridging the Gap between Human and "
        "Machine Translation",
        "arXiv:1609.08144",
    ),
    _cite(
        "lin2004",
        "inproceedings",
        "Lin, Chin-Yew",
        "ROUGE: A Package for Automatic Evaluation of Summaries",
        "Text Summarization Branches Out",
        pages="74--81",
    ),
    _cite(
        "tillmann1997",
        "inproceedings",
        "Tillmann, Christoph; Vogel, Stephan; Ney, Hermann; Zubiaga, A.; Sawaf, H.",
        "Accelerated DP based search for statistical translation",
        "Proceedings of the European Conference on Speech Communication and Technology",
        pages="2667--2670",
    ),
    _cite(
        "levenshtein1966",
        "article",
        "Levenshtein, Vladimir I.",
        "Binary codes capable of correcting deletions, insertions, and reversals",
        "Soviet Physics Doklady",
        volume="10",
        number="8",
        pages="707--710",
    ),
    _cite(
        "lavie2004",
        "inproceedings",
        "Lavie, Alon; Sagae, Kenji; Jayaraman, Shyamsundar",
        "The Significance of Recall in Automatic Metrics for MT Evaluation",
        "Proceedings of the 6th Conference of the Association for Machine Translation in "
        "the Americas",
        pages="134--143",
    ),
    _cite(
        "turian2003",
        "inproceedings",
        "Turian, Joseph P.; Shen, Luke; Melamed, I. Dan",
        "Evaluation of Machine Translation and its Evaluation",
        "Proceedings of Machine Translation Summit IX",
        pages="386--393",
    ),
    _cite(
        "banerjee2005",
        "inproceedings",
        "Banerjee, Satanjeev; Lavie, Alon",
        "METEOR: An Automatic Metric for MT Evaluation with Improved Correlation with "
        "Human Judgments",
        "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures for "
        "Machine Translation and/or Summarization",
        pages="65--72",
    ),
    _cite(
        "lavie2007",
        "inproceedings",
        "Lavie, Alon; Agarwal, Abhaya",
        "METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation "
        "with Human Judgments",
        "Proceedings of the Second Workshop on Statistical Machine Translation",
        pages="228--231",
    ),
    _cite(
        "denkowski2014",
        "inproceedings",
        "Denkowski, Michael; Lavie, Alon",
        "Meteor Universal: Language Specific Translation Evaluation for Any Target Language",
        "Proceedings of the Ninth Workshop on Statistical Machine Translation",
        pages="376--380",
        doi="10.3115/v1/W14-3348",
    ),
    _cite(
        "babych2004",
        "misc",
        "Babych, Bogdan; Hartley, Anthony",
        "Modelling Legitimate Translation Variation for Automatic Evaluation of MT Quality",
        "",
    ),
    _cite(
        "dabbadie2002",
        "inproceedings",
        "Dabbadie, Marianne; Hartley, Anthony; King, Margaret; Miller, Keith J.; "
        "Mustafa El Hadi, Widad; Popescu-Belis, Andrei; Reeder, Florence; Vanni, Michelle",
        "A Hands-On Study of the Reliability and Coherence of Evaluation Metrics",
        "Workbook of the LREC 2002 Workshop on Machine Translation Evaluation: Human "
        "Evaluators Meet Automated Metrics",
        pages="8--16",
    ),
    _cite(
        "rajman2002",
        "inproceedings",
        "Rajman, Martin; Hartley, Anthony",
        "Automatic Ranking of MT Systems",
        "Proceedings of the Third International Conference on Language Resources and "
        "Evaluation",
    ),
    _cite(
        "chinchor1993",
        "inproceedings",
        "Chinchor, Nancy; Sundheim, Beth",
        "MUC-5 Evaluation Metrics",
        "Proceedings of the Fifth Message Understanding Conference",
        pages="69--78",
    ),
    _cite(
        "reeder2001",
        "inproceedings",
        "Reeder, Florence; Miller, Keith J.; Doyon, J.; White, J. S.",
        "The Naming of Things and the Confusion of Tongues: an MT Metric",
        "Proceedings of the Workshop on MT Evaluation “Who did what to whom?” at "
        "Machine Translation Summit VIII",
        pages="55--59",
    ),
    _cite(
        "rei2020",
        "inproceedings",
        "Rei, Ricardo; Stewart, Craig; Farinha, Ana C.; Lavie, Alon",
        "COMET: A Neural Framework for MT Evaluation",
        "Proceedings of the 2020 Conference on Empirical Methods in Natural Language "
        "Processing",
        pages="2685--2702",
        doi="10.18653/v1/2020.emnlp-main.213",
    ),
    _cite(
        "zhang2020",
        "inproceedings",
        "Zhang, Tianyi; Kishore, Varsha; Wu, Felix; Weinberger, Kilian Q.; Artzi, Yoav",
        "BERTScore: Evaluating Text Generation with BERT",
        "International Conference on Learning Representations",
    ),
    _cite(
        "juraska2024",
        "inproceedings",
        "Juraska, Juraj; Deutsch, Daniel; Finkelstein, Mara; Freitag, Markus",
        "MetricX-24: The Google Submission to the WMT 2024 Metrics Shared Task",
        "Proceedings of the Ninth Conference on Machine Translation",
        pages="492--504",
    ),
    _cite(
        "kocmi2023",
        "inproceedings",
        "Kocmi, Tom; Federmann, Christian",
        "Large Language Models Are State-of-the-Art Evaluators of Translation Quality",
        "Proceedings of the 24th Annual Conference of the European Association for Machine "
        "Translation",
        pages="193--203",
    ),
    _cite(
        "kocmimqm2023",
        "inproceedings",
        "Kocmi, Tom; Federmann, Christian",
        "GEMBA-MQM: Detecting Translation Quality Error Spans with GPT-4",
        "Proceedings of the Eighth Conference on Machine Translation",
        pages="768--775",
        doi="10.18653/v1/2023.wmt-1.64",
    ),
    _cite(
        "fernandes2023",
        "inproceedings",
        "Fernandes, Patrick; Deutsch, Daniel; Finkelstein, Mara; Riley, Parker; Martins, "
        "André F. T.; Neubig, Graham; Garg, Ankush; Clark, Jonathan H.; Freitag, Markus; "
        "Firat, Orhan",
        "The Devil Is in the Errors: Leveraging Large Language Models for Fine-grained "
        "Machine Translation Evaluation",
        "Proceedings of the Eighth Conference on Machine Translation",
        pages="1066--1083",
        doi="10.18653/v1/2023.wmt-1.100",
    ),
    _cite(
        "lu2024",
        "inproceedings",
        "Lu, Qingyu; Qiu, Baopu; Ding, Liang; Zhang, Kanjian; Kocmi, Tom; Tao, Dacheng",
        "Error Analysis Prompting Enables Human-Like Translation Evaluation in Large "
        "Language Models",
        "Findings of the Association for Computational Linguistics: ACL 2024",
        pages="8801--8816",
        doi="10.18653/v1/2024.findings-acl.520",
    ),
    _cite(
        "noreen1989",
        "book",
        "Noreen, Eric W.",
        "Computer-Intensive Methods for Testing Hypotheses: An Introduction",
        "Wiley",
    ),
    _cite(
        "riezler2005",
        "inproceedings",
        "Riezler, Stefan; Maxwell, John T.",
        "On Some Pitfalls in Automatic Evaluation and Significance Testing for MT",
        "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures for "
        "Machine Translation and/or Summarization",
        pages="57--64",
    ),
    _cite(
        "koehn2004",
        "inproceedings",
        "Koehn, Philipp",
        "Statistical Significance Tests for Machine Translation Evaluation",
        "Proceedings of the 2004 Conference on Empirical Methods in Natural Language "
        "Processing",
        pages="388--395",
    ),
    _cite(
        "benjamini1995",
        "article",
        "Benjamini, Yoav; Hochberg, Yosef",
        "Controlling the False Discovery Rate: A Practical and Powerful Approach to "
        "Multiple Testing",
        "Journal of the Royal Statistical Society, Series B",
        volume="57",
        number="1",
        pages="289--300",
    ),
    _cite(
        "holm1979",
        "article",
        "Holm, Sture",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics",
        volume="6",
        number="2",
        pages="65--70",
    ),
    _cite(
        "efron1993",
        "book",
        "Efron, Bradley; Tibshirani, Robert J.",
        "An Introduction to the Bootstrap",
        "Chapman and Hall",
    ),
)

#: Every citation by its key.
CITATIONS = {entry.key: entry for entry in _LISTED}
