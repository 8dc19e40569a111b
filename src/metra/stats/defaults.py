"""Defaults of resampling and tests, for every command and function; needs no numpy."""

from typing import Literal, TypeAlias

Method: TypeAlias = Literal["percentile", "bca"]
Test: TypeAlias = Literal["ar", "bootstrap"]

SEED = 12345
#: Resamples behind intervals.
TRIALS = 1000
#: Units (segments, documents, texts) below which there is neither an interval nor a test: of
#: fewer, resamples are too alike for an interval to hold what it says it holds.
LEAST_UNITS = 10
#: Trials of paired tests.
TEST_TRIALS = 10_000
#: Documents drawn of each length, and the lengths in segments; 0 is all of them.
DOCUMENTS = 1000
LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200, 0)
