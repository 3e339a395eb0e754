"""zstd's frames, block by block: each form of a header and of a block, and what is none."""

import pytest

from pybinlog.source.zstd import FRAME_MAGIC, ZstdDecoder

RAW, RLE = 0, 1
SINGLE_SEGMENT, CHECKSUM = 0x20, 0x04
SKIPPABLE = b"\x5a\x2a\x4d\x18"


def block(data: bytes, form: int = RAW, *, size: int | None = None, last: bool = True) -> bytes:
    header = (len(data) if size is None else size) << 3 | form << 1 | last
    return header.to_bytes(3, "little") + data


def frame(*blocks: bytes, content: int) -> bytes:
    """A frame that says how many bytes it holds, up to 255."""
    return FRAME_MAGIC + bytes([SINGLE_SEGMENT, content]) + b"".join(blocks)


def inflated(data: bytes, step: int) -> tuple[bytes, ZstdDecoder]:
    """Return the output for data in pieces of that size."""
    decoder = ZstdDecoder()
    found = b""
    while data and not decoder.eof:
        found += decoder.decompress(data[:step], 1 << 20)
        data = data[step:]
        while not decoder.needs_input and not decoder.eof:
            found += decoder.decompress(b"", 1 << 20)
    return found, decoder


FRAMES = {
    "one block": (frame(block(b"abc"), content=3), b"abc"),
    "two blocks": (frame(block(b"abc", last=False), block(b"de"), content=5), b"abcde"),
    "an empty block first": (frame(block(b"", last=False), block(b"abc"), content=3), b"abc"),
    "a repeated byte": (frame(block(b"x", RLE, size=200), content=200), b"x" * 200),
    "a window": (FRAME_MAGIC + b"\0\x58" + block(b"abc"), b"abc"),
    "a size of two bytes": (FRAME_MAGIC + b"\x60\x00\x00" + block(b"x", RLE, size=256), b"x" * 256),
    "a size of four bytes": (FRAME_MAGIC + b"\xa0\3\0\0\0" + block(b"abc"), b"abc"),
    "a size of eight bytes": (FRAME_MAGIC + b"\xe0\3\0\0\0\0\0\0\0" + block(b"abc"), b"abc"),
    "a size and a window": (FRAME_MAGIC + b"\x80\x58\3\0\0\0" + block(b"abc"), b"abc"),
    "a skippable frame": (SKIPPABLE + b"\5\0\0\0hello", b""),
    "an empty skippable frame": (SKIPPABLE + bytes(4), b""),
}


@pytest.mark.parametrize("step", [1, 2, 3, 1000])
@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_inflated_in_whatever_pieces_it_comes(name: str, step: int) -> None:
    data, wanted = FRAMES[name]
    found, decoder = inflated(data, step)
    assert (found, decoder.eof, decoder.unused_data) == (wanted, True, b"")


@pytest.mark.parametrize("name", FRAMES)
def test_what_comes_after_a_frame_is_left(name: str) -> None:
    data, wanted = FRAMES[name]
    found, decoder = inflated(data + b"rest", 1000)
    assert (found, decoder.unused_data, decoder.needs_input) == (wanted, b"rest", False)


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_that_is_cut_anywhere_has_not_ended(name: str) -> None:
    data, wanted = FRAMES[name]
    for end in range(len(data)):
        found, decoder = inflated(data[:end], 1000)
        assert (decoder.eof, decoder.needs_input, decoder.unused_data) == (False, True, b"")
        assert wanted.startswith(found)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"12345678", "no frame begins here"),
        (b"\x5a\x2a\x4d\x19" + bytes(8), "no frame begins here"),
        (b"\x6a\x2a\x4d\x18" + bytes(8), "no frame begins here"),
        (frame(block(b"x", RLE, size=(128 << 10) + 1), content=1), "a block is larger than 128 KiB"),
        (frame(block(b"", RAW, size=(128 << 10) + 1), content=1), "a block is larger than 128 KiB"),
    ],
)
def test_what_is_no_frame_is_an_error(data: bytes, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        inflated(data, 1000)


def test_the_largest_block_is_128_kib() -> None:
    size = 128 << 10
    data = FRAME_MAGIC + b"\xa0" + size.to_bytes(4, "little") + block(b"x", RLE, size=size)
    assert inflated(data, 1000)[0] == b"x" * size


def test_a_checksum_belongs_to_its_frame() -> None:
    import zstandard

    data = zstandard.ZstdCompressor(write_checksum=True).compress(b"abc")
    assert data[4] & CHECKSUM
    found, decoder = inflated(data + b"rest", 1000)
    assert (found, decoder.unused_data) == (b"abc", b"rest")
    with pytest.raises(zstandard.ZstdError):
        inflated(data[:-1] + bytes([data[-1] ^ 1]), 1000)
