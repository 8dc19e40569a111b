"""A campaign from its files to its results: what joins people's judgements with the rest."""
