"""Meta-evaluation: how far a metric, or a judge, can be trusted."""
