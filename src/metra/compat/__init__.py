"""Other programs' names and interfaces over metra's metrics: thin adapters.

torchmetrics: metrics as a metric of torchmetrics, exact across processes
huggingface: metrics as an evaluation module of Hugging Face evaluate
"""
