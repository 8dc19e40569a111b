"""Other programs' names over metra's metrics: thin adapters, one module a program.

jiwer: jiwer 4's functions, records and texts.
"""
