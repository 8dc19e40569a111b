"""Files packed with gzip, xz or zstd, read and written; members of zip archives, read."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from metra.errors import FormatError
from metra.limits import check_unpacked, get_limits, refuse_excess

if TYPE_CHECKING:
    from zipfile import ZipFile

# Packed bytes at a time: few, because each may become 32,000 with zstd.
_PIECE = 1 << 11
#: What xz may take to unpack; its strongest setting needs 65 MB.
_XZ_MEMORY = 256 << 20


def open_packed(file: IO[bytes], suffix: str, mode: str) -> Any:
    """Read ("rb") or write ("wb") unpacked bytes; the suffix tells the packing."""
    if suffix == ".gz":
        import gzip

        # Without a time and a name, the same text gives the same bytes.
        return gzip.GzipFile("", mode, fileobj=file, mtime=0)
    if suffix == ".xz":
        import lzma

        if mode == "wb":
            return lzma.LZMAFile(file, mode)

        def unpack_xz() -> Any:
            return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)

        # Between streams there may be zeros.
        return PackedFile(file, unpack_xz, padding=b"\0")
    import zstandard

    if mode == "rb":
        return PackedFile(file, lambda: zstandard.ZstdDecompressor().decompressobj())
    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


class PackedFile:
    """The unpacked bytes of one or more streams of xz or frames of zstd.

    The libraries' own readers take half a file, or garbage after its end, for a whole one.
    """

    def __init__(
        self, packed: IO[bytes], unpack: Callable[[], Any], padding: bytes = b""
    ) -> None:
        self._packed = packed
        self._unpack = unpack
        self._padding = padding
        self._rest = b""
        self._stream: Any = None
        self._ready = b""

    def read(self, size: int) -> bytes:
        """Unpack up to `size` bytes; nothing at the end, an EOFError in a stream's middle."""
        pieces = [self._ready]
        length = len(self._ready)
        while length < size and (piece := self._unpack_piece()) is not None:
            pieces.append(piece)
            length += len(piece)
        whole = b"".join(pieces)
        self._ready = whole[size:]
        return whole[:size]

    def _unpack_piece(self) -> bytes | None:
        """Unpack what a few packed bytes hold; None at the end."""
        block = b""
        while not block:
            block = self._rest or self._packed.read(_PIECE)
            self._rest = b""
            if not block and self._stream is None:
                return None
            if not block:
                msg = "the last stream is incomplete"
                raise EOFError(msg)
            if self._stream is None:
                block = block.lstrip(self._padding)
        if self._stream is None:
            self._stream = self._unpack()
        piece = self._stream.decompress(block)
        if self._stream.eof:
            self._rest = self._stream.unused_data
            self._stream = None
        return piece

    def close(self) -> None:
        """Forget what was read ahead; the packed file is closed by whoever opened it."""
        self._rest = self._ready = b""


def list_zip(file: str | IO[bytes], place: str) -> list[str]:
    """List the members of a zip archive; `place` names it in messages."""
    with _open_zip(file, place) as packed:
        return packed.namelist()


def read_zip(
    file: str | IO[bytes], place: str, wanted: Callable[[str], bool]
) -> dict[str, bytes]:
    """Read the members of a zip archive whose names are wanted, within the limits.

    What an archive says about its sizes is not believed. Names that lead out of a folder
    are refused.
    """
    members: dict[str, bytes] = {}
    total = 0
    with _open_zip(file, place) as packed:
        for entry in packed.infolist():
            if not wanted(entry.filename) or entry.is_dir():
                continue
            check_member_name(entry.filename, place)
            with packed.open(entry) as member:
                most = get_limits().whole - total
                content = member.read(most + 1)
            if len(content) > most:
                refuse_excess("whole", place)
            total += len(content)
            check_unpacked(len(content), entry.compress_size, place)
            members[entry.filename] = content
    return members


def check_member_name(name: str, place: str) -> None:
    """Refuse a name that would be a path outside of the folder in which it is put.

    >>> check_member_name("en-de/a.score", "a.zip")
    """
    path = PurePosixPath(name.replace("\\", "/"))
    has_drive = ":" in name.partition("/")[0]
    if path.is_absolute() or has_drive or ".." in path.parts or "\0" in name:
        msg = (
            f"{place} contains {name!r}, which points outside its folder; expected "
            "paths inside it."
        )
        raise FormatError(msg)


@contextmanager
def _open_zip(file: str | IO[bytes], place: str) -> "Iterator[ZipFile]":
    """Open a zip archive, or raise an error that describes the fault."""
    import lzma
    import zlib
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(file) as packed:
            yield packed
    except (
        *(BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError),
        *(RuntimeError, NotImplementedError),
    ) as error:
        if isinstance(error, FormatError):
            raise
        # A password is asked for by a RuntimeError.
        problem = f"{place} cannot be unpacked: {str(error).rstrip('.')}"
        msg = f"{problem}; expected a complete zip file without a password."
        raise FormatError(msg) from None
