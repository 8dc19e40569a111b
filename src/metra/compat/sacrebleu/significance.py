"""sacreBLEU's paired tests, which take metrics of either program."""

from sacrebleu.significance import PairedTest, Result

__all__ = ["PairedTest", "Result"]
