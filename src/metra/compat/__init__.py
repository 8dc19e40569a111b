"""Other programs' names and command lines over metra's metrics: thin adapters.

sacrebleu: sacreBLEU 2.6.0's classes, functions and command line
"""
