"""Translation edit rate: edits per reference word, where moving a block of words is one."""

from typing import Literal

import numpy as np

from metra import _core
from metra.errors import OptionError
from metra.metrics.options import Case
from metra.metrics.record import Array, Metric, Parts, metric_factory
from metra.stats.direction import LOWER
from metra.text.preparation import make_preparation

COLUMNS = ("insertions", "deletions", "substitutions", "shifts", "ref_len")


@metric_factory(title="TER", papers="snover2006 post2018")
def ter(
    *,
    normalized: bool = False,
    punct: bool = True,
    asian: bool = False,
    tok: str = "none",
    case: Case = "lower",
    stem: str = "no",
    style: Literal["sacrebleu", "tercom"] = "sacrebleu",
) -> Metric:
    """Edits, including block shifts, per hundred reference words. Lower is better.

    The edits are insertions, deletions and substitutions of words, and shifts of blocks
    of up to ten words by up to fifty words; each costs one edit. The search for shifts
    is greedy: it repeatedly takes the shift that reduces the edit distance most; of
    equal shifts the longest, then the one that starts first, then the one with the
    earliest target. A block is shifted only if its words occur elsewhere in the
    reference and are not all in the right place, and only to a place next to its
    neighbours in the reference. The edits for the reference with the fewest
    edits are divided by the mean length of all references; both are summed over
    segments first. If there are no reference words, the rate is 100 with edits and 0
    without.

    Snover et al. 2006, "A study of translation edit rate with targeted human
    annotation", AMTA.

    The default equals sacreBLEU 2.6 (`--metrics ter`) in the edits and lengths of every
    segment, with one exception: with `normalized`, sacreBLEU normalises references
    twice, which splits some tokens further, such as `he's,` or `..5`, and decodes
    `&amp;amp;` twice; metra normalises all text once, as TERCOM does. `style=tercom`
    equals TERCOM 0.7.25, including its insertions, deletions, substitutions and shifts.
    The two programs differ as follows:

    - The edit distance of sacreBLEU is limited to a band of 25 words around the
      diagonal. TERCOM drops cells more than 20 above the best. For much
      worse outputs, or outputs of a very different length, the number of edits may
      differ slightly.
    - sacreBLEU stops after 1000 tried shifts in a segment; TERCOM does not.
    - sacreBLEU measures the distance of a shift from the position of the words in the
      reference, TERCOM from the aligned word. A shift to within the shifted words goes
      one word further with sacreBLEU. TERCOM does not try some targets next to the
      aligned word.
    - sacreBLEU splits at all Unicode white space, such as a no-break space, TERCOM only
      at ASCII white space.
    - When it normalises, TERCOM drops `<skipped>` and a hyphen before the end of a
      line, sacreBLEU a hyphen after one. With `punct=no`, TERCOM counts an empty word
      if a segment starts with separate punctuation. With `asian`, TERCOM also separates
      runs of kana.

    Options:
        normalized: separate punctuation and 's from words first, as TERCOM's option N
            does.
        punct: no removes . , ? : ; ! " ( ) and, with asian, the East Asian equivalents.
        asian: with normalized, each East Asian character is a separate word.
        tok: another tokeniser, instead of normalized, punct and asian.
        style: search for shifts: that of sacrebleu, or that of tercom, which also
            splits text as TERCOM does; it tries all shifts and is slow for segments of
            thousands of words.
    """
    if tok != "none" and (normalized or asian or not punct):
        msg = (
            f"ter: tok={tok} is not possible together with normalized, punct or "
            "asian; use one of the two."
        )
        raise OptionError(msg)
    steps = {
        "+normalized": normalized,
        "+nopunct": not punct,
        "+asian": asian and (normalized or not punct),
        "+java": style == "tercom",
    }
    wanted = "".join(step for step, is_wanted in steps.items() if is_wanted)
    # Plain words share their tokeniser with other metrics.
    own = f"tercom{wanted}" if tok == "none" and wanted else tok
    text = make_preparation(tok=own, case=case, stem=stem)
    return Metric(
        name="ter",
        columns=COLUMNS,
        rows=lambda batch: _core.ter_rows(batch.hits(text), style),
        aggregate=aggregate,
        parts=parts,
        direction=LOWER,
        settled=text.versions() | ({"tok": tok} if tok == "none" else {}),
    )


def aggregate(totals: Array) -> Array:
    """Give the rate of each row of totals, in percent."""
    edits, length = totals[..., :4].sum(-1), totals[..., 4]
    without = np.where(edits > 0, 1.0, 0.0)
    return 100 * np.divide(edits, length, out=without, where=length > 0)


def parts(totals: Array) -> Parts:
    """The pieces of one corpus score."""
    named = dict(zip(COLUMNS, totals.tolist(), strict=True))
    return {"edits": float(totals[:4].sum()), **named}
