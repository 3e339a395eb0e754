"""Compressed streams, recognized by their magic bytes and inflated piece by piece in bounded memory."""

from collections import deque
from collections.abc import Callable
from typing import Protocol

from pybinlog.errors import SourceError
from pybinlog.source.base import Source
from pybinlog.source.inflation import HELD, LARGEST_RATIO, too_much


class Decoder(Protocol):
    """One member of a compressed stream, in the manner of bz2.BZ2Decompressor."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


MAGICS = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\0": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    **{bytes((0x50 + kind, 0x2A, 0x4D, 0x18)): "zstd" for kind in range(16)},  # skippable frames may come first
}

FIRST_BYTES = frozenset(magic[0] for magic in MAGICS)

READ_SIZE = 1 << 16
READ_AHEAD = 1 << 19
"""Stored bytes that may have been read before an event's first byte came out and yet belong to it: bzip2 inflates
blocks as a whole."""
# `xz -9` needs 65 MiB; a header may ask for 4 GiB.
XZ_MEMORY = 256 << 20


def inflated(source: Source) -> Source:
    """Return the source itself, or the stream that it holds in compressed form.

    Reads no more than it must to tell: a binary log shows itself with its first byte, also on a pipe.
    """
    if source.status is not None:  # a file is read again from its first byte
        first = memoryview(bytearray(1))
        source.read_at(0, first)
        if first[0] not in FIRST_BYTES:
            return source
    head = source.read(8)
    form = None
    while head and head[0] in FIRST_BYTES:
        form = next((form for magic, form in MAGICS.items() if head.startswith(magic)), None)
        if form or not any(magic.startswith(head) for magic in MAGICS) or not (more := source.read(8)):
            break
        head += more
    if source.seekable:
        source.skip_to(0)
    else:
        source.unread(head)
    return CompressedSource(source, form) if form else source


class CompressedSource(Source):
    """The uncompressed bytes of another source; `form` is one of gzip, xz, bzip2, zstd.

    Members that follow each other are one stream. A broken or cut one raises SourceError; `position` then says up to
    where the bytes could be read.
    """

    def __init__(self, raw: Source, form: str):
        super().__init__(raw.name)
        self.form = form
        self._raw = raw
        self._make, self._broken = codec(form)
        self._decoder: Decoder | None = None
        self._input = b""
        self._stored = 0  # bytes of the compressed stream that were read
        self._reads: deque[tuple[int, int]] = deque(maxlen=READ_AHEAD // READ_SIZE)
        """Position, and what was stored, before the last reads; of those at the same position the first."""
        self._allowed = -1, 0  # the last requested `begin`, and the bytes stored then

    def _fill(self, view: memoryview) -> int:
        while True:
            if self._decoder is None and not self._begin_member():
                return 0
            decoder = self._decoder
            assert decoder is not None
            if decoder.needs_input and not self._input:
                self._read()
                if not self._input:
                    raise self._error(f"the {self.form} data end too early", None)
            data, self._input = self._input, b""
            try:
                output = decoder.decompress(data, len(view))
            except self._broken as error:
                raise self._error(f"the {self.form} data are broken", error) from error
            if decoder.eof:
                self._input = decoder.unused_data
                self._decoder = None
            if output:
                count = min(len(output), len(view))
                view[:count] = output[:count]
                self._pending = output[count:]
                return count

    def ready(self, seconds: float) -> bool:
        inside = self._decoder is not None and not self._decoder.needs_input
        return bool(self._pending or self._input) or inside or self._raw.ready(seconds)

    def _begin_member(self) -> bool:
        """Make a decoder for the next member; return False at the end of the stream."""
        while True:
            if self.position and self.form in ("gzip", "xz"):
                self._input = self._input.lstrip(b"\0")  # members may be padded with zeros
            if self._input:
                self._decoder = self._make()
                return True
            self._read()
            if not self._input:
                return False

    def again(self) -> Source | None:
        raw = self._raw.again()
        return None if raw is None else CompressedSource(raw, self.form)

    def _read(self) -> None:
        if not self._reads or self._reads[-1][0] != self.position:
            self._reads.append((self.position, self._stored))
        self._input = self._raw.read(READ_SIZE)
        self._stored += len(self._input)

    def allow(self, begin: int, there: int, size: int) -> None:
        if begin != self._allowed[0]:
            before = [stored for position, stored in self._reads if position <= begin]
            oldest = self._stored - READ_AHEAD
            self._allowed = begin, max(before[-1] if before else 0, oldest, 0)
        stored = self._stored - self._allowed[1]
        if too_much(size, stored, HELD, there):
            raise SourceError(
                f"{there} bytes without the end of an event come of {stored} bytes of {self.form} data, more than "
                f"{LARGEST_RATIO} times as many: pybinlog does not hold that in memory",
                file=self.name,
                position=begin,
                hint=f"If the log is to be trusted, decompress it first, with {self.form} -dc, and read that",
            )

    def _error(self, message: str, cause: BaseException | None) -> SourceError:
        detail = f" ({cause})" if cause is not None and str(cause) else ""
        return SourceError(message + detail, file=self.name, position=self.position)

    def close(self) -> None:
        self._decoder = None
        self._raw.close()


def codec(form: str) -> tuple[Callable[[], Decoder], tuple[type[BaseException], ...]]:
    """Return the factory of decoders for one member, and their errors; imported here because few runs need it."""
    if form == "gzip":
        import zlib

        return GzipDecoder, (zlib.error,)
    if form == "xz":
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY), (lzma.LZMAError, EOFError)
    if form == "bzip2":
        import bz2

        return bz2.BZ2Decompressor, (OSError, ValueError, EOFError)
    import zstandard

    from pybinlog.source.zstd import ZstdDecoder

    return ZstdDecoder, (zstandard.ZstdError, ValueError)


class GzipDecoder:
    """zlib's decoder with the attributes of those of bz2 and lzma."""

    def __init__(self) -> None:
        import zlib

        self._inflate = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        output = self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length)
        # A full output may have left more inside the decoder, even when all input is used up.
        self.needs_input = len(output) < max_length and not self._inflate.unconsumed_tail
        return output
