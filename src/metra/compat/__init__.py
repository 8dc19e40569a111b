"""Other programs' names and command lines over metra's metrics: thin adapters.

jiwer: jiwer 4's functions, records and texts
sacrebleu: sacreBLEU 2.6.0's classes, functions and command line
"""
