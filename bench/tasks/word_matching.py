"""NIST, GTM and METEOR: strings in, score out, one thread."""

from functools import partial

from agree import same_score
from inputs import Corpus
from nltk.translate.meteor_score import single_meteor_score
from nltk.translate.nist_score import corpus_nist
from peers import NLTK, OWN_BLEU
from record import Race

import metra


def ours(corpus: Corpus, spec: str) -> float:
    return metra.score(corpus.hyps, corpus.refs, spec).score


def nltk_nist(corpus: Corpus) -> float:
    hyps = [hyp.split() for hyp in corpus.hyps]
    refs = [[ref.split() for ref in refs] for refs in corpus.refs_per_segment]
    return corpus_nist(refs, hyps, 5)


def agree_on_nist(corpus: Corpus) -> None:
    same_score(corpus, nltk_nist(corpus), ours(corpus, "nist:tok=none"))


class NoWordNet:
    """Stands for WordNet where synonyms are left out."""

    def synsets(self, *_: object) -> list[object]:
        return []


def nltk_meteor(corpus: Corpus) -> list[float]:
    none = NoWordNet()
    pairs = zip(corpus.hyps, corpus.refs[0], strict=True)
    return [
        single_meteor_score(ref.split(), hyp.split(), wordnet=none)
        for hyp, ref in pairs
    ]


def own_definition(_: Corpus) -> None:
    """Not comparable: NLTK aligns otherwise. Ours equals METEOR 1.5, which tests show."""


TASKS = [
    Race(
        task="NIST",
        text=("english", 3_000),
        peer=NLTK,
        theirs=nltk_nist,
        ours=partial(ours, spec="nist:tok=none"),
        agree=agree_on_nist,
        goal=15,
        rounds=3,
    ),
    *(
        Race(
            task=f"GTM, e={exponent}",
            text=("english", 3_000),
            peer=OWN_BLEU,
            theirs=partial(ours, spec="bleu"),
            ours=partial(ours, spec=f"gtm:e={exponent}"),
            agree=own_definition,
            goal=0.5,
        )
        for exponent in (1, 2)
    ),
    Race(
        task="METEOR, exact and stem (other definition)",
        text=("english", 1_000),
        peer=NLTK,
        theirs=nltk_meteor,
        ours=partial(ours, spec="meteor:modules=exact+stem,tok=none"),
        agree=own_definition,
        goal=20,
        rounds=3,
    ),
]
