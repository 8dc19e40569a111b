"""Formats of annotations of texts: parses, entities, terms, templates, weights.

table: tables of annotations, of terms, names and queries among them
templates: instances filled from documents: slots, fillers and relations
judged_outputs: outputs with scores from earlier judgements, in a table or a database
weights: salience lists of words and what follows from counts, information weights of n-grams
conllu: dependency parses
transfer_rules: patterns of the source and what they must become
challenge_set: good and bad translations of the same sources
quality_model: metrics and their weights for a stated use
"""
