"""Options that metrics refuse, and what to write instead; those of `llm` have tests there."""

import pytest

import metra

CASES = [
    ("bleu:style=mteval,tok=char",
     "bleu: tok=char is not possible with style=mteval; expected 13a or intl."),
    ("nist:style=mteval,tok=char",
     "nist: tok=char is not possible with style=mteval; expected 13a or intl."),
    ("chrf:n=0", "chrf: n=0 with word_order=0 is not possible; expected whole numbers of "
     "at least 0, one of them at least 1."),
    ("wer:norm=output,refs=average-length",
     "wer: refs=average-length is not possible with norm=output, which has no use for "
     "reference lengths; expected refs=best or refs=best-rate."),
    ("ter:tok=13a,normalized=yes", "ter: tok=13a is not possible together with"),
    ("ter:tok=13a,punct=no", "ter: tok=13a is not possible together with"),
    ("ter:tok=13a,asian=yes", "ter: tok=13a is not possible together with"),
    ("ltv:gram=salient", "ltv: gram=salient is not possible"),
    ("ltv:weight=none,weights=x", "ltv: weights=x is not possible with weight=none"),
    ("meteor:modules=exact+paraphrase", "meteor: the module paraphrase and a table, "
     "paraphrase=FILE, go together"),
    ("meteor:paraphrase=nowhere", "nowhere cannot be read: No such file"),
    ("meteor:modules=stem", "meteor: modules=stem is not possible; expected exact, then"),
    ("meteor:modules=exact+stem,lang=xx", "meteor has no stemmer for lang=xx; expected"),
    ("meteor:modules=exact+synonym,lang=fr", "meteor has no synonyms for lang=fr;"),
    ("meteor:lang=de,task=adq", "meteor: task=adq has parameters for lang=en only;"),
    ("meteor:modules=exact,weights=1+2", "meteor: weights=1+2 is not possible; expected 1"),
    ("meteor:modules=exact,weights=x", "meteor: weights=x is not possible; expected 1"),
    ("meteor:norm=yes,lang=it", "meteor has no normaliser for lang=it; expected one of en, "
     "cz, de, es, fr, ru, or norm=no."),
    ("xscore", "xscore needs parses of the outputs; give parses=FILE"),
    ("transfer", "transfer: mode=rules needs rules=FILE.toml"),
    ("transfer:mode=counts", "transfer: counting phrases needs parses; give source_parses="),
    *((f"transfer:mode=counts,phrases={phrases}",
       f"transfer: phrases={phrases} is not possible; expected some of NP, VP, PP, ADJ, "
       "each once, separated by +") for phrases in ("QP", "NP+", "NP+NP", "")),
    ("ie:reference=x.tsv", "ie needs filled templates; give templates="),
    ("quality", "quality needs a quality model; give model=FILE.toml."),
    ("quality:model=none.toml", "none.toml cannot be read: No such file"),
    ("entities", "entities needs named entities; give"),
    ("entities:file=a.tsv,model=b", "entities needs named entities; give"),
    ("terminology", "terminology needs a table of terms; give file=FILE."),
    ("untranslated", "untranslated needs a dictionary of the target language; give"),
    ("untranslated:rule=script,script=no", "untranslated: rule=script uses the script only;"),
    ("evaltrans", "evaltrans needs judged outputs; give db=FILE"),
    ("evaltrans:db=x", "No database of judged outputs at x"),
    ("spans", "spans needs a file of errors; give file=FILE."),
    ("spans:file=none.tsv", "none.tsv cannot be read: No such file"),
    ("outside", "outside needs a file of scores; give NAME@FILE"),
    ("comets", "No metric named 'comets'."),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "message"), CASES)
def test_options_that_are_refused(spec, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(metra.MetraError) as caught:
        metra.metric(spec)
    assert str(caught.value).startswith(message)
