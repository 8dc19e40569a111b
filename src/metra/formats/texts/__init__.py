"""Formats of test sets: sources, references and outputs, segment by segment.

`sources` lists the files of a call and `parallel` joins their columns into one table. Files
with ids (SGML, WMT's XML) are matched by document and segment in `documents`. Each format
is a module that `metra.formats.recognise` lists.

columns: what the columns of a table stand for, and the reader's interface
sources: the files of a call: use, format, name; test sets found by name
parallel: files side by side as one table
documents: files with ids, matched by document and segment
rows: rows to be written: what a format can carry, and documents that rows form
plain: plain text, one segment a line; lists of documents
delimited: tables separated by tabs, commas or semicolons (TSV, CSV)
jsonl: JSON lines and arrays
xlsx: sheets of workbooks
sgml: NIST's SGML
wmt_xml: the XML of WMT's test sets
bilingual: TMX and XLIFF, which are only read
parquet: tables in Parquet
arrow_columns: columns of Arrow tables: types, nulls, and lists of references
"""
