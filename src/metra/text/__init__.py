"""From strings to tokens: packing, tokenising, case, stems."""

from metra.text.preparation import (
    Preparation,
    mteval_preparation,
    preparation,
    prepare,
    whole_tokenizer,
)
from metra.text.segments import Segments, Text, pack, window

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
