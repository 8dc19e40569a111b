"""Other programs' names, interfaces and command lines over metra's metrics: thin adapters.

sacrebleu: sacreBLEU 2.6.0's classes, functions and command line
jiwer: jiwer 4 with error rates and alignments computed by metra
torchmetrics: metrics as a metric of torchmetrics, exact across processes
huggingface: metrics as an evaluation module of Hugging Face evaluate
"""
