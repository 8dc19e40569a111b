"""Make data/wmt17_en_de.npz: statistics of WMT17 systems that have published p-values.

python tests/stats/make_wmt17.py SDIST/test/wmt17_en_de_systems.pkl.bz2

The texts are in sacreBLEU's source distribution; what is kept of them are counts.
"""

import bz2
import pickle
import sys
from pathlib import Path

import numpy as np

import metra

TARGET = Path(__file__).parent / "data" / "wmt17_en_de.npz"
KEPT = "LIUM-NMT FBK KIT LMU-nmt-reranked LMU-nmt-single online-B RWTH-nmt-ensemble xmu"


def main(path: str) -> None:
    """Keep words, matching n-grams and edits of some systems' segments."""
    with bz2.open(path) as file:
        *systems, (_, references) = pickle.load(file)
    outputs = {name.split(".")[1]: hyps for name, hyps in systems}
    kept = {}
    for name in KEPT.split():
        bleu = metra.score(outputs[name], references, "bleu:tok=none").rows
        ter = metra.score(outputs[name], references, "ter").rows
        assert (bleu[:, 9] == ter[:, 4]).all()
        matches, words, edits = bleu[:, :4], bleu[:, 8:9], ter[:, :4].sum(1)[:, None]
        kept[name] = np.concatenate([words, matches, edits], axis=1).astype(np.uint8)
        kept["reference"] = bleu[:, 9].astype(np.uint8)
    np.savez_compressed(TARGET, **kept)


if __name__ == "__main__":
    main(sys.argv[1])
