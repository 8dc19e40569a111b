"""Cells of tables that know no quoting: a text stays on its line and in its column."""


def one_line(text: str) -> str:
    r"""Turn tabs and ends of lines into spaces.

    >>> one_line("a\tb\r\nc")
    'a b  c'
    """
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")
