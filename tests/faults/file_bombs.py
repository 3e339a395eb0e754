"""Compressed files that are small and inflate to much."""

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import zstandard

from tests.corpus import TESTDATA

MIB = 1 << 20
BOMB = TESTDATA / "bombs" / "header.bz2"
FORMS = ("bz2", "xz", "gz", "zst")


def compressors() -> dict[str, Callable[[Iterator[bytes]], bytes]]:
    """Return a function that compresses pieces for each suffix, quickly, because there are hundreds of MiB of zeros."""

    def by(make: Callable[[], object]) -> Callable[[Iterator[bytes]], bytes]:
        def compressed(pieces: Iterator[bytes]) -> bytes:
            compressor = make()
            return b"".join(map(compressor.compress, pieces)) + compressor.flush()  # type: ignore[attr-defined]

        return compressed

    return {
        "bz2": by(bz2.BZ2Compressor),
        "xz": by(lambda: lzma.LZMACompressor(preset=0)),
        "gz": by(lambda: zlib.compressobj(1, wbits=31)),
        "zst": by(zstandard.ZstdCompressor(level=1).compressobj),
    }


def bomb(mebibytes: int) -> Iterator[bytes]:
    """A log: its Format_description, the header of an event of 2^30 - 1 bytes, and so many MiB of zeros."""
    with bz2.open(BOMB) as file:
        yield file.read(127 + 19)
    for _ in range(mebibytes):
        yield bytes(MIB)


def zeros(mebibytes: int) -> Iterator[bytes]:
    """The magic bytes and so many MiB of zeros."""
    yield b"\xfebin"
    for _ in range(mebibytes):
        yield bytes(MIB)


def large_event(random: int, mebibytes: int) -> Iterator[bytes]:
    """A log of one Ignorable event of so many MiB of zeros, `random` random bytes before each."""
    from random import Random

    with bz2.open(BOMB) as file:
        opening = file.read(127)
    yield opening
    yield struct.pack("<IBIIIH", 1795224000, 28, 1, 19 + mebibytes * (random + MIB) + 4, 0, 0x80)
    for number in range(mebibytes):
        yield Random(number).randbytes(random)
        yield bytes(MIB)
    yield bytes(4)


def write_bombs(folder: Path, mebibytes: int = 300, of_zeros: int = 2000) -> dict[str, Path]:
    """The bombs of every form as files, and one that is nothing but zeros; how many MiB they inflate to."""
    made = {}
    for form, compressed in compressors().items():
        made[form] = folder / f"header.{form}"
        made[form].write_bytes(BOMB.read_bytes() if form == "bz2" else compressed(bomb(mebibytes)))
    made["zeros"] = folder / "zeros.zst"
    made["zeros"].write_bytes(compressors()["zst"](zeros(of_zeros)))
    return made
