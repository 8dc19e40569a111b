"""METEOR's tuned parameters and word lists, by variant, language and task."""

from typing import NamedTuple


class Parameters(NamedTuple):
    """The four of the formula, and the weight of a match by each stage."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    exact: float = 1.0
    stem: float = 1.0
    synonym: float = 1.0
    paraphrase: float = 1.0


TASKS = {
    "rank": Parameters(0.85, 0.2, 0.6, 0.75, 1.0, 0.6, 0.8, 0.6),
    "adq": Parameters(0.75, 1.4, 0.45, 0.7, 1.0, 1.0, 0.6, 0.8),
    "hter": Parameters(0.4, 1.5, 0.35, 0.55, 1.0, 0.2, 0.6, 0.8),
    "util": Parameters(0.65, 0.1, 0.55, 0.65, 1.0, 0.0, 0.0, 0.8),
    "li": Parameters(0.75, 1.4, 0.7, 0.5, 1.0, 0.5, 0.5, 0.5),
    "tune": Parameters(0.5, 1.0, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5),
    "universal": Parameters(0.7, 1.4, 0.3, 0.7, 1.0, paraphrase=0.6),
}

# METEOR 1.5, task rank; other languages have the language-independent ones of `li`.
LANGUAGES = {
    "en": TASKS["rank"],
    "cz": Parameters(0.95, 0.2, 0.6, 0.8, 1.0, paraphrase=0.4),
    "de": Parameters(0.95, 1.0, 0.55, 0.55, 1.0, 0.8, paraphrase=0.2),
    "es": Parameters(0.65, 1.3, 0.5, 0.8, 1.0, 0.8, paraphrase=0.6),
    "fr": Parameters(0.9, 1.4, 0.6, 0.65, 1.0, 0.2, paraphrase=0.4),
    "ru": Parameters(0.75, 1.4, 0.7, 0.5, 1.0, 0.5, paraphrase=0.5),
}

PARAMETERS_2007 = {
    "en": Parameters(0.81, 0.83, 0.28, 0.5),
    "cz": Parameters(0.8, 0.83, 0.28, 0.5),
    "de": Parameters(0.95, 1.0, 0.98, 0.5),
    "es": Parameters(0.95, 0.5, 0.75, 0.5),
    "fr": Parameters(0.76, 0.5, 1.0, 0.5),
}

PARAMETERS_2005 = Parameters(0.9, 3.0, 0.5, 0.5)

STEMMERS = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}

FUNCTION_WORDS = {
    "en": """the , . to of and a in that for " is on 's it with was as said at he by be
        from have has are his but an this not i will ’ they ) -rrb- ( -lrb- who their had
        we which were been more or s its would about new one after you : also up when
        there than $ all out her people she year two - can if last first “ over other ”
        into some what so -- no time years could ? 't — '""",
    "cz": """, . a v na se je že " to s o z do i ale - si za ve by k pro ) -rrb- ( -lrb-
        tak po : ... ? jsem jako už od jsou bude které který co podle jen jak “ jeho když
        „ nebo aby má u byl až také ze jsme před než která sa však ani ještě při není
        bylo být""",
    "de": """, . die der und in den das " zu von mit für ist auf im nicht sich es ein eine
        dem des : sie auch als dass an er nach hat bei wie werden aus ich um am ) -rrb- (
        -lrb- wir vor sind - “ wird noch „ einer aber einen haben so einem über nur zum
        war mehr ? oder man wenn sein zur hatte prozent gegen bis sagte diese kann euro
        durch was wurde sei ihre doch schon habe – unter dann seine ! können wieder
        dieser""",
    "es": """de , la . que el en y a los del las se un por con una no para es al su ha "
        lo como más » « este ( -lrb- ) -rrb- sobre sus pero esta también o han : si entre
        ya sin comisión presidente % está años dos le son todo desde muy ser europea
        parte cuando ' hay hasta todos año""",
    "fr": """, de . la le à et les l' des en d' du un a une pour est que dans qui ’ au "
        il par sur ) -rrb- ( -lrb- pas « » ce : plus avec ont se son ne nous s' qu' l aux
        été sont mais cette n' h je d - on % sa ses ou deux ans leur c' comme elle fait y
        être tout ces après aussi avait ils président même ; si ? faire était depuis
        entre""",
    "ru": """, . в " и на - -- не что с по из : а как ) за ( к это для но о от у он то его
        все до я года ? мы россии будет уже так было % же только после они при их также
        был время если еще этом во году или чтобы которые том более когда может""",
}


def choose_parameters(variant: str, lang: str, task: str) -> Parameters:
    """Choose the parameters of a variant for a language and a task."""
    if variant == "2005":
        return PARAMETERS_2005
    if variant == "2007":
        return PARAMETERS_2007.get(lang, PARAMETERS_2007["en"])
    if task != "rank":
        return TASKS[task]
    return LANGUAGES.get(lang, TASKS["li"])
