"""Test sets that are known by a name: where they lie on this machine, and their texts.

`lookup` is the way in. A set is found among those that the user has registered, in
sacreBLEU's cache, or in the folder of mt-metrics-eval; nothing is downloaded but by
`download`, which runs only when it is asked for.

record: the record of where a set lies, that of its texts, and subsets of its segments
lookup: sets by name, from all places; what is missing, and where it was looked for
sacrebleu_cache: the cache of sacreBLEU: its layout, its texts, its choice of references
folders: folders and files of test sets: mt-metrics-eval, WMT's XML and SGML, plain text
registry: the file of registered sets, with checksums
download: test sets that sacreBLEU defines, fetched into its cache when asked for
"""
