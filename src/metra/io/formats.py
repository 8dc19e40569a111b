"""The names of the formats that corpora come in."""

FORMATS = ("plain", "tsv", "jsonl", "sgml", "wmt-xml", "parquet")

# What is read but not written: texts in two languages.
READ_ONLY = ("tmx", "xliff")

# In these, documents and segments have ids, by which files are matched.
WITH_IDS = ("sgml", "wmt-xml")

# In these, columns have names.
TABLES = ("tsv", "jsonl", "parquet")
