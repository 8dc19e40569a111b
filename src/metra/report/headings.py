"""Short names of measures for tables: without the files they read, where that is enough."""

import re
from collections.abc import Sequence

FILE = re.compile(r".*[/\\].*|.*\.[A-Za-z]\w{1,6}")


def short_names(specs: Sequence[str]) -> dict[str, str]:
    """Leave files out of specs; where two would look the same, give the files' last names.

    >>> short_names(["ie:reference=a/b.tsv,x=1", "bleu"])["ie:reference=a/b.tsv,x=1"]
    'ie:x=1'
    >>> list(short_names(["q:model=a/b.toml", "q:model=a/c.toml"]).values())
    ['q:model=b.toml', 'q:model=c.toml']
    """
    found: dict[str, str] = {}
    ways = [[_rewritten(spec, keep=keep) for spec in specs] for keep in (False, True)]
    for at, spec in enumerate(specs):
        found[spec] = next(
            (names[at] for names in ways if names.count(names[at]) == 1), spec
        )
    return found


def _rewritten(spec: str, *, keep: bool) -> str:
    name, _, rest = spec.partition(":")
    options = []
    for option in filter(None, rest.split(",")):
        key, _, value = option.partition("=")
        if not FILE.fullmatch(value):
            options.append(option)
        elif keep:
            last = re.split(r"[/\\]", value)[-1]
            options.append(f"{key}={last}")
    return f"{name}:{','.join(options)}" if options else name
