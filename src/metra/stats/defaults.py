"""What is drawn and how often unless one says otherwise, known without loading numpy."""

from typing import Literal, TypeAlias

Method: TypeAlias = Literal["percentile", "bca"]
Test: TypeAlias = Literal["ar", "bootstrap"]

SEED = 12345
TRIALS = 1000
TEST_TRIALS = 10_000
