"""Formats of test sets: sources, references and outputs, segment by segment.

`sources` lists the files of a call and `parallel` joins their columns into one table, rows
matched by the ids that files carry (`join`). Each format is a module that
`metra.formats.recognise` lists.

columns: our own headings and keys by meaning (source, reference, output)
headings: headings of others (headings.tsv), and kinds of content without texts
roles: the role of each column, by names of the user, headings and content; heading lines
sources: the files of a call: use, format, name; test sets found by name
parallel: files side by side as one table
join: rows of several files, matched by ids, documents or sources
documents: files with ids of documents and segments (SGML, WMT's XML) as tables; segments that
    go over several lines
furniture: marks of tools around and inside lines: how they are found and removed
rows: rows to be written: limits of each format, and documents that rows form
plain: plain text, one segment a line; lists of documents
delimited: tables separated by tabs, commas or semicolons (TSV, CSV)
long_tables: tables whose rows belong to systems or language pairs; headings of such columns
pooled: rows of several systems, or repeated ones, that would be scored as one system
shards: Parquet files as parts of one table, or as one system each; names of parts
language_pairs: language pairs as tables and WMT's ids of documents write them; FLORES codes
jsonl: JSON lines and arrays; keys that hold several references or outputs
xlsx: sheets of workbooks; the most rows and the longest text of a cell
sgml: NIST's SGML; entities, and elements without text
wmt_xml: the XML of WMT's test sets
localisation: files of translation tools, which are only read
parquet: tables in Parquet: sizes of batches and row groups, folders that name columns
arrow_columns: columns of Arrow tables: types, nulls, and lists of references
"""
