"""What lies behind the scores: changes, buckets, n-grams, profiles."""
