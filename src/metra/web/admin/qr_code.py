"""A QR code (ISO/IEC 18004) of a short text: mode bytes, level L, versions 1 to 6."""

from itertools import chain

#: Bytes of data and of error correction in each block, and the number of blocks, by version.
_BLOCKS = ((19, 7, 1), (34, 10, 1), (55, 15, 1), (80, 20, 1), (108, 26, 1), (68, 18, 2))
#: Level L and mask 0, with their own error correction.
_FORMAT = 0b111011111000100

Modules = list[list[bool | None]]


def draw_qr_code(text: str) -> tuple[int, str] | None:
    """Return the width of a text's QR code in modules and the dark ones as an SVG path.

    None if the text is longer than 134 bytes.
    """
    sent = text.encode()
    # Four bits name the mode and eight give the length.
    fitting = (
        version
        for version, (data, _, blocks) in enumerate(_BLOCKS, 1)
        if len(sent) + 2 <= data * blocks
    )
    version = next(fitting, None)
    if version is None:
        return None
    modules = _draw_patterns(version)
    _fill_modules(modules, _encode_bytes(sent, *_BLOCKS[version - 1]))
    dark = (
        f"M{column} {row}h1v1h-1z"
        for row, line in enumerate(modules)
        for column, is_dark in enumerate(line)
        if is_dark
    )
    return len(modules), "".join(dark)


def _encode_bytes(sent: bytes, size: int, correction: int, blocks: int) -> bytes:
    """Return the bytes of a code: mode, length, data and padding, then error correction."""
    capacity = size * blocks
    bits = int.from_bytes(bytes([4, len(sent)]) + sent, "big")
    # The mode takes half a byte, so all that follows begins in the middle of one.
    packed = (bits << 4).to_bytes(len(sent) + 3, "big")[1:]
    padding = bytes(0x11 if at % 2 else 0xEC for at in range(capacity - len(packed)))
    filled = packed + padding
    parts = [filled[at : at + size] for at in range(0, capacity, size)]
    checks = [_compute_correction(part, correction) for part in parts]
    mixed = chain(
        zip(*parts, strict=True),
        zip(*checks, strict=True),
    )
    return bytes(chain.from_iterable(mixed))


def _compute_correction(data: bytes, count: int) -> bytes:
    """Return the remainder of a division of polynomials over GF(256) (Reed and Solomon)."""
    divisor, root = [1], 1
    for _ in range(count):
        longer = [*divisor, 0]
        for at, factor in enumerate(divisor):
            longer[at + 1] ^= _multiply(factor, root)
        divisor, root = longer, _multiply(root, 2)
    remainder = [0] * count
    for byte in data:
        lead = byte ^ remainder[0]
        shifted = [*remainder[1:], 0]
        remainder = [
            old ^ _multiply(lead, factor)
            for old, factor in zip(shifted, divisor[1:], strict=True)
        ]
    return bytes(remainder)


def _multiply(left: int, right: int) -> int:
    """Multiply in GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1."""
    product = 0
    for bit in range(7, -1, -1):
        product = (product << 1) ^ (0x11D if product & 0x80 else 0)
        product ^= left if right >> bit & 1 else 0
    return product


def _draw_patterns(version: int) -> Modules:
    """Draw what readers find the code by; modules of data stay None."""
    width = 4 * version + 17
    modules: Modules = [[None] * width for _ in range(width)]
    for at in range(8, width - 8):
        modules[6][at] = modules[at][6] = at % 2 == 0
    if version > 1:
        _draw_rings(modules, width - 7, width - 7, 2, dark=(0, 2))
    for row, column in ((3, 3), (3, width - 4), (width - 4, 3)):
        _draw_rings(modules, row, column, 4, dark=(0, 1, 3))
    for at in range(15):
        bit = bool(_FORMAT >> at & 1)
        # Both copies leave the lines of dots between the corners alone.
        near = at if at < 6 else at + 1
        above, left = (near, 8) if at < 8 else (8, 14 - at if at > 8 else 7)
        modules[above][left] = bit
        below, right = (8, width - 1 - at) if at < 8 else (width - 15 + at, 8)
        modules[below][right] = bit
    modules[width - 8][8] = True
    return modules


def _draw_rings(
    modules: Modules, row: int, column: int, radius: int, *, dark: tuple[int, ...]
) -> None:
    """Draw squares around a centre, each dark or light, as far as they are on the code."""
    width = len(modules)
    around = range(-radius, radius + 1)
    for down in around:
        for across in around:
            at, to = row + down, column + across
            if 0 <= at < width and 0 <= to < width:
                modules[at][to] = max(abs(down), abs(across)) in dark


def _fill_modules(modules: Modules, content: bytes) -> None:
    """Put bits into free modules, two columns at a time, up and down from the right."""
    width = len(modules)
    bits = (byte >> bit & 1 for byte in content for bit in range(7, -1, -1))
    # The column of dots is left out.
    for number, right in enumerate([*range(width - 1, 7, -2), 5, 3, 1]):
        rows = range(width) if number % 2 else range(width - 1, -1, -1)
        for row in rows:
            for column in (right, right - 1):
                if modules[row][column] is None:
                    masked = next(bits, 0) ^ ((row + column) % 2 == 0)
                    modules[row][column] = bool(masked)
