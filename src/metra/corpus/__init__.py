"""What is scored: evaluation sets, batches of segments, and the shipped example."""
