"""Defaults of resampling and tests, for every command and function; needs no numpy."""

from typing import Literal, TypeAlias

Method: TypeAlias = Literal["percentile", "bca"]
Test: TypeAlias = Literal["ar", "bootstrap"]

SEED = 12345
#: Resamples behind intervals.
TRIALS = 1000
#: Trials of paired tests.
TEST_TRIALS = 10_000
#: Resamples behind the agreement of judges, which takes long in a large campaign.
AGREEMENT_TRIALS = 200
