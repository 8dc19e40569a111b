"""Numbers in a text, written so that 2,300 and 2 300 and ２３００ are the same."""

import re

# A number with its digits in groups of three, or with one sign between digits. What has more
# signs is a date, a version or the like, and is read part by part. A blank joins groups of
# three only, so that "in 2012 30 people" stays two numbers.
_SIGN = "[.,'\u2019\u066b\u066c\u00b7\uff0c\uff0e]"
_BLANK = "[ \u00a0\u2009\u202f]"
_NUMBER = re.compile(
    rf"(?<!\d{_SIGN})\d{{1,3}}(?:(?:{_SIGN}|{_BLANK})\d{{3}})+(?!\d)(?:{_SIGN}\d+)?(?!{_SIGN}?\d)"
    rf"|(?<!\d{_SIGN})\d+{_SIGN}\d+(?!{_SIGN}?\d)"
    r"|\d+"
)


def numbers(text: str) -> list[str]:
    """List the numbers of two digits and more, digits only.

    What stands between the digits is left out, because languages differ in it, and so are
    zeros in front. Numbers of one digit do not count: they are often written as words.

    >>> numbers("Le 12 novembre, 2 300 personnes; 1,8 million à 08:30 (7 non)")
    ['12', '2300', '18', '30']
    """
    found: list[str] = []
    if not any(map(str.isdecimal, set(text))):
        return found
    for match in _NUMBER.findall(text):
        digits = "".join(str(int(c)) for c in match if c.isdecimal()).lstrip("0")
        if len(digits) > 1:
            found.append(digits)
    return found
