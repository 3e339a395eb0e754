"""Compressed logs: told by their magic bytes, passed on piece by piece, in bounded memory."""

import bz2
import gzip
import io
import lzma
import os
import random
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from pybinlog.errors import SourceError
from pybinlog.source import open_source
from tests.corpus import scenarios

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}
LOG = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0].read_bytes()

each_form = pytest.mark.parametrize("form", COMPRESS)


def read_all(data: bytes, size: int = 5000) -> bytes:
    parts = []
    with open_source("-", io.BytesIO(data)) as source:
        while part := source.read(size):
            parts.append(part)
        assert source.position == sum(map(len, parts))
    return b"".join(parts)


@each_form
@pytest.mark.parametrize("size", [1, 19, 100_000])
def test_a_compressed_log_reads_as_the_log(form: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / "no-suffix-needed"
    path.write_bytes(COMPRESS[form](LOG))
    parts = []
    with open_source(str(path)) as source:
        assert not source.seekable
        while part := source.read(size):
            assert len(part) <= size
            parts.append(part)
    assert b"".join(parts) == LOG


@each_form
def test_concatenated_members_are_one_stream(form: str) -> None:
    pieces = [LOG[:100], LOG[100:101], b"", LOG[101:]]
    assert read_all(b"".join(map(COMPRESS[form], pieces))) == LOG


@each_form
def test_large_incompressible_data_pass_unharmed(form: str) -> None:
    data = random.Random(form).randbytes(700_000) + bytes(3_000_000)
    assert read_all(COMPRESS[form](data), 1 << 16) == data


@each_form
def test_a_start_position_is_one_of_the_uncompressed_stream(form: str) -> None:
    with open_source("-", io.BytesIO(COMPRESS[form](LOG))) as source:
        assert source.skip_to(157) == 157
        assert source.read(50) == LOG[157:207]
        with pytest.raises(ValueError, match="cannot go back"):
            source.skip_to(4)
        assert source.skip_to(1 << 40) == len(LOG)


@each_form
def test_what_was_flushed_is_delivered_while_the_pipe_pauses(form: str) -> None:
    flushed: bytes
    if form == "gzip":
        deflate = zlib.compressobj(wbits=31)
        flushed = deflate.compress(LOG) + deflate.flush(zlib.Z_SYNC_FLUSH)
    elif form == "zstd":
        squeeze = zstandard.ZstdCompressor().compressobj()
        flushed = squeeze.compress(LOG) + squeeze.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    else:  # nothing can be flushed inside a member of these, but a member can end
        flushed = COMPRESS[form](LOG)
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as stdin:
        os.write(write_end, flushed)
        source = open_source("-", stdin)
        got = b""
        while len(got) < len(LOG):  # would hang here if a byte were held back
            got += source.read(1 << 16)
        assert got == LOG
        os.close(write_end)


@each_form
def test_a_magic_number_that_arrives_byte_by_byte_is_recognized(form: str) -> None:
    class Slow(io.RawIOBase):
        def __init__(self, data: bytes):
            self.data = io.BytesIO(data)

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            return self.data.read(1)

    with open_source("-", Slow(COMPRESS[form](LOG[:200]))) as source:  # type: ignore[arg-type]
        assert source.read(200) == LOG[:200][: source.position]


@each_form
def test_a_cut_stream_is_an_error_after_all_that_could_be_had(form: str) -> None:
    data = b"\xfebin" + random.Random(form).randbytes(2_000_000)
    packed = COMPRESS[form](data)
    with open_source("-", io.BytesIO(packed[: len(packed) // 2])) as source:
        got = b""
        with pytest.raises(SourceError, match=f"the {form} data end too early") as caught:
            while True:
                part = source.read(1 << 16)
                assert part, "a cut stream must not look like a whole one"
                got += part
    assert caught.value.file == "-"
    assert caught.value.position == len(got)
    assert data.startswith(got)
    if form != "bzip2":  # whose blocks are 900 kB long
        assert len(got) > 700_000


@each_form
@pytest.mark.parametrize("keep", [6, 9, 12, -1, -3])
def test_a_stream_cut_anywhere_is_an_error(form: str, keep: int) -> None:
    with pytest.raises(SourceError, match="end too early"):
        read_all(COMPRESS[form](LOG)[:keep])


@each_form
def test_a_garbled_stream_is_an_error(form: str) -> None:
    packed = bytearray(COMPRESS[form](LOG))
    middle = len(packed) // 2
    packed[middle : middle + 8] = bytes(byte ^ 0xFF for byte in packed[middle : middle + 8])
    # Inside a garbled block bzip2 may ask for more than there is.
    verdict = "(are broken|end too early)" if form == "bzip2" else "are broken"
    with pytest.raises(SourceError, match=f"^-, at [0-9]+: the {form} data {verdict}"):
        read_all(bytes(packed))


@each_form
def test_garbage_after_the_last_member_is_an_error(form: str) -> None:
    with pytest.raises(SourceError, match=f"the {form} data (are broken|end too early)"):
        read_all(COMPRESS[form](LOG) + b"garbage")


@pytest.mark.parametrize("form", ["gzip", "xz"])
def test_zeros_between_members_are_padding(form: str) -> None:
    packed = COMPRESS[form](LOG)
    assert read_all(packed + bytes(8) + packed + bytes(4)) == LOG + LOG


def test_skippable_zstd_frames_are_passed_over() -> None:
    skippable = b"\x53\x2a\x4d\x18" + (300_000).to_bytes(4, "little") + bytes(300_000)
    packed = COMPRESS["zstd"](LOG)
    assert read_all(skippable + packed + skippable + packed) == LOG + LOG
    with pytest.raises(SourceError, match="end too early"):
        read_all(packed + skippable[:-1])


@pytest.mark.parametrize("level", [-5, 1, 19])
@pytest.mark.parametrize("options", [{}, {"write_content_size": False}, {"write_checksum": True}])
def test_every_form_of_zstd_frame_header_is_understood(level: int, options: dict[str, bool]) -> None:
    for size in (0, 1, 200, 300, 70_000, 1_000_000):
        data = (LOG * (size // len(LOG) + 1))[:size]
        packed = zstandard.ZstdCompressor(level=level, **options).compress(data)  # type: ignore[arg-type]
        assert read_all(packed) == data


@pytest.mark.parametrize("form", ["gzip", "zstd", "xz"])
def test_a_bomb_is_inflated_in_bounded_memory(form: str) -> None:
    if form == "zstd":  # 12,000 blocks of four bytes, each of which says: 128 KiB of zeros
        block = (131072 << 3 | 1 << 1).to_bytes(3, "little") + b"\0"
        bomb = b"\x28\xb5\x2f\xfd\x00\x38" + block * 12_000
    else:
        bomb = COMPRESS[form](bytes(24_000_000))
    tracemalloc.start()
    try:
        with open_source("-", io.BytesIO(bomb)) as source:
            for _ in range(360):
                assert source.read(1 << 16) == bytes(1 << 16)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < (10 << 20 if form == "xz" else 2 << 20)  # the window of `xz -6` alone has 8 MiB


def test_an_xz_stream_that_asks_for_too_much_memory_is_refused() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    with pytest.raises(SourceError, match=r"the xz data are broken \(Memory usage limit"):
        read_all(lzma.compress(LOG, filters=filters))
