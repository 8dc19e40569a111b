"""Formats of annotations of texts: parses, entities, terms, templates, weights.

table: tables of annotations, of terms, names and queries among them: columns, several values
templates: instances filled from documents: slots, fillers and relations
judged_outputs: outputs with scores (0 to 10) from earlier judgements, in a table or a database
weights: salience lists, columns that follow from others, information weights of n-grams
conllu: dependency parses
transfer_rules: patterns of the source and of the output; phrases by parts of speech
challenge_set: good and bad translations of the same sources; headings in ACES and DEMETR
quality_model: metrics and their weights for a stated use
"""
