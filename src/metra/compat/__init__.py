"""Other programs' names, interfaces and command lines over metra's metrics: thin adapters.

sacrebleu: sacreBLEU with segments counted by metra, and its command line
jiwer: jiwer 4 with error rates and alignments computed by metra
torchmetrics: metrics as a metric of torchmetrics, exact across processes
huggingface: metrics as an evaluation module of Hugging Face evaluate
"""
