"""A zstd frame, inflated block by block."""

from collections.abc import Callable

import zstandard

FRAME_MAGIC = b"\x28\xb5\x2f\xfd"
RLE_BLOCK = 1
CONTENT_SIZE_BYTES = (0, 2, 4, 8)
DICTIONARY_ID_BYTES = (0, 1, 2, 4)


class ZstdDecoder:
    """One frame (RFC 8878), with the attributes of bz2.BZ2Decompressor.

    The library's own decoder returns all that its input holds, and four bytes of input can hold 128 KiB of output: it
    gets one block at a time, which bounds the memory and distinguishes a cut frame from a whole one.
    `max_length` does not bound the output, but a block does, at 128 KiB.
    """

    def __init__(self) -> None:
        self._inflate = zstandard.ZstdDecompressor().decompressobj()
        self._input = b""
        self._at = 0  # how much of the input is used up
        self._skip = 0  # bytes of a skippable frame still to come
        self._checksum = False
        self._next: Callable[[], bytes | None] = self._header
        self.eof = False
        self.needs_input = True

    @property
    def unused_data(self) -> bytes:
        return self._input[self._at :] if self.eof else b""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return the output of the next block that has some. Raise ZstdError or ValueError if the frame is broken."""
        if data:
            self._input = self._input[self._at :] + data
            self._at = 0
        while not self.eof:
            piece = self._next()
            if piece is None:
                self.needs_input = True
                return b""
            output = self._inflate.decompress(piece) if piece else b""
            if output:
                self.needs_input = False
                return output
        self.needs_input = False
        return b""

    def _take(self, size: int) -> bytes | None:
        """Return the next bytes of the input, or None as long as they are not all there."""
        if len(self._input) - self._at < size:
            return None
        self._at += size
        return self._input[self._at - size : self._at]

    def _header(self) -> bytes | None:
        at = self._at
        if len(self._input) - at < 8:  # no frame is shorter: magic, descriptor, one more byte, and a block
            return None
        if self._input[at] & 0xF0 == 0x50 and self._input[at + 1 : at + 4] == b"\x2a\x4d\x18":
            self._skip = 8 + int.from_bytes(self._input[at + 4 : at + 8], "little")
            self._next = self._skippable
            return b""
        if self._input[at : at + 4] != FRAME_MAGIC:
            raise ValueError("no frame begins here")
        descriptor = self._input[at + 4]
        single_segment = descriptor >> 5 & 1
        content_size = CONTENT_SIZE_BYTES[descriptor >> 6] or single_segment
        header = self._take(5 + (1 - single_segment) + DICTIONARY_ID_BYTES[descriptor & 3] + content_size)
        if header is not None:
            self._checksum = bool(descriptor & 4)
            self._next = self._block
        return header

    def _skippable(self) -> bytes | None:
        count = min(self._skip, len(self._input) - self._at)
        self._at += count
        self._skip -= count
        if self._skip:
            return None
        self.eof = True
        return b""

    def _block(self) -> bytes | None:
        at = self._at
        if len(self._input) - at < 3:
            return None
        header = int.from_bytes(self._input[at : at + 3], "little")
        size = header >> 3
        form = header >> 1 & 3
        last = header & 1
        if size > zstandard.BLOCKSIZE_MAX:
            raise ValueError("a block is larger than 128 KiB")
        block = self._take(3 + (1 if form == RLE_BLOCK else size) + (4 if last and self._checksum else 0))
        if block is not None and last:
            self.eof = True
        return block
