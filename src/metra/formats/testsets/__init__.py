"""Test sets by name: their files on this machine, and their texts.

`lookup` is the way in. A set is found in sacreBLEU's cache, or by its path; nothing is
downloaded.

record: the record of a set's files, that of its texts, and subsets of its segments
lookup: sets by name or path, sacreBLEU's cache; standard references; missing sets
"""
