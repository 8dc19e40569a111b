"""Files of NIST's information weights: an n-gram, a tab and its weight on each line.

The words of an n-gram have single blanks between them and are as the tokeniser leaves
them; the weight is in bits. There is no header, n-grams of all orders stand in one file,
and one that is not in it weighs nothing.
"""

from hashlib import sha256
from pathlib import Path

from metra._core import BadLine, Information
from metra.errors import FormatError, MissingResourceError, OptionError


def read_information(path: str | Path, order: int) -> Information:
    """Read the weights of the n-grams of up to `order` words."""
    try:
        lines = _content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 at byte {error.start}; expected a text file."
        raise FormatError(msg) from None
    try:
        return Information.given(lines, order)
    except BadLine as error:
        line, text = error.args
        msg = f"Line {line} of {path} is {text!r}; expected an n-gram, a tab and its weight."
        raise FormatError(msg) from None


def write_information(information: Information, path: str | Path) -> None:
    """Write the weights so that `read_information`, and `nist:info=FILE`, reads them."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        for n in range(1, information.order + 1):
            lines = information.lines(n)
            if lines is None:
                msg = (
                    "The weights cannot be written: a word has a blank, a tab or a "
                    "newline in it; choose a tokeniser that cuts at white space."
                )
                raise OptionError(msg)
            file.write(lines)


def information_version(path: str | Path) -> str:
    """Name the file with a digest of what is in it, for signatures."""
    return f"{path}[sha256:{sha256(_content(path)).hexdigest()[:12]}]"


def _content(path: str | Path) -> bytes:
    if not Path(path).is_file():
        msg = f"There is no file of information weights at {path}."
        raise MissingResourceError(msg)
    return Path(path).read_bytes()
