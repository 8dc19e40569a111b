"""From strings to tokens: packing, tokenising, case, stems."""

from metra.text.columns import Segments, Text, pack, window
from metra.text.preparation import (
    Preparation,
    mteval_preparation,
    preparation,
    prepare,
    whole_tokenizer,
)

__all__ = [
    "Preparation",
    "Segments",
    "Text",
    "mteval_preparation",
    "pack",
    "preparation",
    "prepare",
    "whole_tokenizer",
    "window",
]
