"""The matrix of files as people have them: cases by class of files."""

from tests.cli.matrix import (
    furniture,
    good,
    ids,
    judgements,
    long_tables,
    others,
    spreadsheets,
    translators,
)

CASES = {
    **ids.CASES,
    **long_tables.CASES,
    **translators.CASES,
    **spreadsheets.CASES,
    **furniture.CASES,
    **judgements.CASES,
    **others.CASES,
    **good.CASES,
}
