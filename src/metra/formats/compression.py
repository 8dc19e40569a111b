"""Files packed with gzip, xz or zstd: their unpacked bytes, read and written."""

from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import zstandard

# Packed bytes at a time: little, because they may become many.
_ZSTD_BLOCK = 1 << 16


def open_packed(file: IO[bytes], suffix: str, mode: str) -> Any:
    """Read ("rb") or write ("wb") unpacked bytes; the suffix tells the packing."""
    if suffix == ".gz":
        import gzip

        # Without a time and a name, the same text gives the same bytes.
        return gzip.GzipFile("", mode, fileobj=file, mtime=0)
    if suffix == ".xz":
        import lzma

        return lzma.LZMAFile(file, mode)
    if mode == "rb":
        return ZstdFile(file)
    import zstandard

    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


class ZstdFile:
    """The unpacked bytes of one or more frames of zstd.

    The library's own reader takes half a file for a whole one; this one does not.
    """

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._rest = b""
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._ready = b""

    def read(self, size: int) -> bytes:
        """Unpack up to `size` bytes; nothing at the end, an EOFError in a frame's middle."""
        import zstandard

        while not self._ready:
            block = self._rest or self._packed.read(_ZSTD_BLOCK)
            if not block and self._frame is None:
                return b""
            if not block:
                msg = "the last frame is not complete"
                raise EOFError(msg)
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._ready = self._frame.decompress(block)
            self._rest = b""
            if self._frame.eof:
                self._rest = self._frame.unused_data
                self._frame = None
        block, self._ready = self._ready[:size], self._ready[size:]
        return block

    def close(self) -> None:
        """Forget what was read ahead; the packed file is closed by whoever opened it."""
        self._rest = self._ready = b""
