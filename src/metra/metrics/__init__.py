"""Automatic metrics: the metric record, the registry, and one module a metric."""
