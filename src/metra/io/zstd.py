"""Files packed with zstd, read to their ends: the library takes half a file for a whole."""

from typing import IO

import zstandard

# Packed bytes at a time: little, because they may become many.
BLOCK = 1 << 16


class ZstdFile:
    """The unpacked bytes of one or more frames."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._rest = b""
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._ready = b""

    def read(self, size: int) -> bytes:
        """Unpack up to `size` bytes; nothing at the end, an EOFError in a frame's middle."""
        while not self._ready:
            block = self._rest or self._packed.read(BLOCK)
            if not block:
                if self._frame is not None:
                    msg = "the last frame is not complete"
                    raise EOFError(msg)
                return b""
            self._unpack(block)
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def _unpack(self, block: bytes) -> None:
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = self._frame.decompress(block)
        self._rest = b""
        if self._frame.eof:
            self._rest = self._frame.unused_data
            self._frame = None

    def close(self) -> None:
        """Forget what was read ahead; the packed file is closed by whoever opened it."""
        self._rest = self._ready = b""
