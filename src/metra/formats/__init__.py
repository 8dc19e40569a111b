"""Files: one module a format, with its reader and its writer.

`texts` holds the formats of test sets, `annotations` those of annotations of texts. The
modules here are shared by formats: bytes, lines, tables and the recognition of a format by
a file's name and first bytes.

stream: opens files and standard input, unpacked; encodings by their marks; small TOML and JSON;
    names of systems from paths
remote: files in object stores and on clusters, by their addresses
compression: packers and unpackers that `stream` and `atomic` call; zip archives; xz's memory
lines: lines of text files, cut at line feeds only, checked to be UTF-8
table: delimited tables cut into cells; delimiters by name, quotes, n/a, cells like formulas
headed_table: tables with headings in files; guessed delimiters; cells that mean no value
workbook: sheets of workbooks, their size, the choice of one, and their cells
cell_formats: numbers and dates in cells of workbooks as Excel shows them
recognise: the format of a file, by its name and first bytes; the table of text formats
    (that of scores is in `metra.scores.registry`); kinds of files to refuse
markers: beginnings of files of translation tools, and of refused markup
atomic: files and folders, written as a whole or not at all
convert: files of a test set in any format, written in another
texts: formats of test sets
testsets: test sets by name from sacreBLEU's cache, or by path
resources: dictionaries, WordNet and the folders it may be in, paraphrase tables; spaCy models
annotations: formats of parses, entities, terms, templates, rules, weights and more
"""
