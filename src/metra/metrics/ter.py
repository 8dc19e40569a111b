"""Translation edit rate: edits per reference word, where moving a block of words is one."""

from typing import Literal

import numpy as np

from metra import _core
from metra.errors import OptionError
from metra.metrics.options import Case
from metra.metrics.record import Array, Metric, Parts, metric_factory
from metra.text.preparation import make_preparation

COLUMNS = ("insertions", "deletions", "substitutions", "shifts", "ref_len")


@metric_factory
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

    Words of the output are inserted, deleted and substituted, and blocks of up to ten
    words are shifted by up to fifty; each costs one edit. Shifts are looked for greedily:
    again and again the one that lowers the edit distance most, of equal ones the longest,
    then the one that starts first, then the one that goes to the earliest place. Only
    words that stand elsewhere in the reference are shifted, not all of them right where
    they are, to beside the words that are the reference's neighbours. The edits of the
    reference that takes the fewest are divided by the average length of all references;
    both are summed over segments first. Without any reference words the rate is 100 if
    there are edits, else 0.

    Snover et al. 2006, "A study of translation edit rate with targeted human
    annotation", AMTA.

    The default equals sacreBLEU 2.6 (`--metrics ter`), edits and lengths of every segment
    alike, with one exception: with `normalized` sacreBLEU normalises references twice,
    which takes apart what the first time left together, such as `he's,` or `..5`, and
    decodes `&amp;amp;` twice; here all text is normalised once, as in TERCOM.
    `style=tercom` equals TERCOM 0.7.25, its insertions, deletions, substitutions and
    shifts too. The two differ so:

    - sacreBLEU's edit distance keeps to a band of 25 words about the diagonal, TERCOM's
      drops cells that are more than 20 above the best: outputs much worse or of other
      length than the reference may get a few edits more or less.
    - sacreBLEU stops a segment once it has tried 1000 shifts, TERCOM never does.
    - sacreBLEU measures how far a shift goes from the words' place in the reference,
      TERCOM from the word aligned with it; a shift to within the shifted words goes one
      word further with sacreBLEU; TERCOM does not try some targets beside the aligned
      word.
    - sacreBLEU splits at all Unicode white space, such as a no-break space, TERCOM at
      ASCII's only.
    - TERCOM drops `<skipped>` and a hyphen before a line's end when it normalises,
      sacreBLEU a hyphen after one. With `punct=no`, TERCOM counts an empty word where a
      segment began with punctuation that stood alone. With `asian`, TERCOM also keeps
      runs of kana apart.

    Options:
        normalized: cut punctuation off words first, and 's, as TERCOM's option N does.
        punct: no removes . , ? : ; ! " ( ) and, with asian, their East Asian like.
        asian: with normalized, each East Asian character is a word of its own.
        tok: another way to cut text into words, instead of normalized, punct and asian.
        style: whose search for shifts: sacrebleu's, or tercom's, which also splits text as
            TERCOM does; it tries every shift, however many, and takes long for segments
            of thousands of words.
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
        higher_is_better=False,
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
