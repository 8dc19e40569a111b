"""What an answer is worth: its native value, and the same between 0 and 100."""

from typing import NamedTuple


class Scored(NamedTuple):
    """One figure about one output."""

    scorer: str
    native: float
    #: Higher is better here, whatever the native scale says.
    hundred: float
    higher_is_better: bool = True
