"""Files packed with gzip, xz or zstd: their unpacked bytes, read and written."""

from collections.abc import Callable
from typing import IO, Any, Protocol

# Packed bytes at a time: few, because each may become 32,000 with zstd.
_PIECE = 1 << 11
#: What xz may take to unpack; its strongest setting needs 65 MB.
_XZ_MEMORY = 256 << 20


class _Unpacker(Protocol):
    """What unpacks one stream of xz or frame of zstd."""

    eof: bool
    unused_data: bytes

    def decompress(self, packed: bytes, /) -> bytes:
        """Unpack some more."""


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

        def unpack_xz() -> _Unpacker:
            return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)

        # Between streams there may be zeros.
        return PackedFile(file, unpack_xz, padding=b"\0")
    import zstandard

    if mode == "rb":
        return PackedFile(file, zstandard.ZstdDecompressor().decompressobj)
    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


class PackedFile:
    """The unpacked bytes of one or more streams of xz or frames of zstd.

    The libraries' own readers take half a file, or garbage after its end, for a whole one.
    """

    def __init__(
        self, packed: IO[bytes], unpack: Callable[[], _Unpacker], padding: bytes = b""
    ) -> None:
        self._packed = packed
        self._unpack = unpack
        self._padding = padding
        self._rest = b""
        self._stream: _Unpacker | None = None
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
                msg = "the last stream is not complete"
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
