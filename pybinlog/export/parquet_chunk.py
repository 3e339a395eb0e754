"""Column chunks of Parquet with values too large to be copied, put among those that pyarrow wrote.

pyarrow holds a page three times while it writes it. An export that gave it a value of 64 MiB would hold 4.3 times the
value, and the bound is 4 times the event. So pyarrow gets a large row with empty strings. The column chunk with the
true ones is written after it, piece by piece, and the file's footer is made to name that one (Apache Parquet, "File
Format", and Apache Thrift's compact protocol).
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any

from pybinlog.errors import BinlogError
from pybinlog.export.large_row import Value
from pybinlog.log.large_event import unwritable, write_all

BOOLEAN_TRUE, BOOLEAN_FALSE, BYTE, I16, I32, I64, BINARY, LIST, STRUCT = 1, 2, 3, 4, 5, 6, 8, 9, 12
MOST = (1 << 31) - (1 << 20)
"""Bytes of a page, whose header counts them with 31 bits."""
PIECE = 1 << 18
PLAIN, RLE = 0, 3
LEVELS = b"\2\0\0\0\2\1"
"""Definition levels of one value that is there: a run of one 1, after its length ("RLE / Bit-Packing Hybrid")."""
DATA_PAGE = 0

UNCOMPRESSED_CODEC, GZIP, ZSTD = 0, 2, 6

# fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData
ROW_GROUPS, KEY_VALUES = 4, 5
COLUMNS, TOTAL_BYTE_SIZE, GROUP_OFFSET, GROUP_COMPRESSED = 1, 2, 5, 6
CHUNK_OFFSET, META_DATA = 2, 3
ENCODINGS, CODEC, UNCOMPRESSED, COMPRESSED = 2, 4, 6, 7
DATA_PAGE_OFFSET, INDEX_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET = 9, 10, 11
STATISTICS, ENCODING_STATS, SIZE_STATISTICS = 12, 13, 16

Struct = dict[int, "tuple[int, Any]"]
"""The fields of a structure of Thrift's: number -> type and value."""


@dataclass(frozen=True)
class ColumnChunk:
    """A column chunk that stands at `position` of the file; of the row group and the column of these numbers."""

    row_group: int
    leaf: int
    codec: int
    position: int
    uncompressed: int
    compressed: int


def write_chunk(file: Any, position: int, row_group: int, leaf: int, value: Value, compression: str) -> ColumnChunk:
    """Write the string of one row as a column chunk of one page, compressed if the codec can take pieces.

    Raise BinlogError if it is too large for a page, or the temporary file that the page is in first cannot be written.
    """
    size = len(LEVELS) + 4 + len(value)
    if size > MOST:
        raise BinlogError(f"a row holds {size} bytes of text, and a page of Parquet can take {MOST}")
    codec, compressor = compressor_of(compression, size)
    try:
        with TemporaryFile(buffering=0) as page:
            write_all(page, compressor.compress(LEVELS + len(value).to_bytes(4, "little")))
            for piece in value.pieces():
                write_all(page, compressor.compress(piece))
            write_all(page, compressor.flush())
            compressed = page.tell()
            head = encoded(
                {
                    1: (I32, DATA_PAGE),
                    2: (I32, size),
                    3: (I32, compressed),
                    5: (STRUCT, {1: (I32, 1), 2: (I32, PLAIN), 3: (I32, RLE), 4: (I32, RLE)}),
                }
            )
            file.write(head)
            page.seek(0)
            while data := page.read(PIECE):
                file.write(data)
    except OSError as error:
        raise unwritable(error) from error
    return ColumnChunk(row_group, leaf, codec, position, len(head) + size, len(head) + compressed)


def compressor_of(compression: str, size: int) -> tuple[int, Any]:
    """Return the codec's number, and what compresses so many bytes piece by piece.

    snappy and lz4 take a page at once: with them a large value stands in its chunk uncompressed, which the chunk says.
    """
    if compression == "zstd":
        import zstandard

        return ZSTD, zstandard.ZstdCompressor().compressobj(size=size)
    if compression == "gzip":
        return GZIP, zlib.compressobj(wbits=31)
    return UNCOMPRESSED_CODEC, Uncompressed()


class Uncompressed:
    """A compressor that leaves everything as it is."""

    def compress(self, data: bytes | memoryview) -> bytes | memoryview:
        return data

    def flush(self) -> bytes:
        return b""


def rewritten(footer: bytes, chunks: Sequence[ColumnChunk], pairs: Mapping[str, str]) -> bytes:
    """Return the footer that pyarrow wrote, with these chunks in the place of its own, and with keys and values.

    pyarrow does not know of the chunks' bytes: what it wrote after them is that much later.
    """
    data, _ = decoded(footer, 0)
    own_pairs = data.get(KEY_VALUES, (LIST, []))[1]
    more = [(STRUCT, {1: (BINARY, key.encode()), 2: (BINARY, value.encode())}) for key, value in pairs.items()]
    data[KEY_VALUES] = LIST, [*own_pairs, *more]
    for number, (_, group) in enumerate(data[ROW_GROUPS][1]):
        shift = sum(chunk.compressed for chunk in chunks if chunk.row_group < number)
        own = {chunk.leaf: chunk for chunk in chunks if chunk.row_group == number}
        move(group, GROUP_OFFSET, shift)
        for leaf, (_, column) in enumerate(group[COLUMNS][1]):
            move(column, CHUNK_OFFSET, shift)
            told = column[META_DATA][1]
            for field in (DATA_PAGE_OFFSET, INDEX_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET):
                move(told, field, shift)
            if leaf in own:
                replace(group, told, own[leaf])
    return encoded(data)


def replace(group: Struct, told: Struct, chunk: ColumnChunk) -> None:
    move(group, TOTAL_BYTE_SIZE, chunk.uncompressed - told[UNCOMPRESSED][1])
    move(group, GROUP_COMPRESSED, chunk.compressed - told[COMPRESSED][1])
    told[ENCODINGS] = LIST, [(I32, PLAIN), (I32, RLE)]
    told[CODEC] = I32, chunk.codec
    told[UNCOMPRESSED] = I64, chunk.uncompressed
    told[COMPRESSED] = I64, chunk.compressed
    told[DATA_PAGE_OFFSET] = I64, chunk.position
    for field in (INDEX_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET, STATISTICS, ENCODING_STATS, SIZE_STATISTICS):
        told.pop(field, None)


def move(struct: Struct, field: int, by: int) -> None:
    """Add to a position or a size, if it is given and is not zero."""
    if field in struct and struct[field][1]:
        struct[field] = I64, struct[field][1] + by


# ---- Thrift's compact protocol


def varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes(parts) + bytes((number,))


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
    return number | data[at] << shift, at + 1


def decoded(data: bytes, at: int) -> tuple[Struct, int]:
    """Return the structure at an offset, and the offset after it."""
    struct: Struct = {}
    field = 0
    while data[at]:
        kind, step = data[at] & 15, data[at] >> 4
        at += 1
        if step:
            field += step
        else:
            zigzag, at = read_varint(data, at)
            field = zigzag >> 1 ^ -(zigzag & 1)
        struct[field], at = decoded_value(kind, data, at, False)
    return struct, at + 1


def decoded_value(kind: int, data: bytes, at: int, element: bool) -> tuple[tuple[int, Any], int]:
    if kind in (BOOLEAN_TRUE, BOOLEAN_FALSE):
        return (data[at] if element else kind, None), at + element
    if kind == BYTE:
        return (kind, data[at]), at + 1
    if kind in (I16, I32, I64):
        number, at = read_varint(data, at)
        return (kind, number >> 1 ^ -(number & 1)), at
    if kind == BINARY:
        length, at = read_varint(data, at)
        return (kind, data[at : at + length]), at + length
    if kind == STRUCT:
        struct, at = decoded(data, at)
        return (kind, struct), at
    if kind != LIST:
        raise ValueError(f"type {kind} of Thrift's compact protocol is not one of Parquet's")
    count, of = data[at] >> 4, data[at] & 15
    at += 1
    if count == 15:
        count, at = read_varint(data, at)
    elements = []
    for _ in range(count):
        value, at = decoded_value(of, data, at, True)
        elements.append(value)
    return (kind, elements), at


def encoded(struct: Struct) -> bytes:
    data = bytearray()
    before = 0
    for field in sorted(struct):
        kind, value = struct[field]
        step = field - before
        data += bytes((step << 4 | kind,)) if 0 < step < 16 else bytes((kind,)) + varint(field << 1)
        data += encoded_value(kind, value, False)
        before = field
    return bytes(data) + b"\0"


def encoded_value(kind: int, value: Any, element: bool) -> bytes:
    if kind in (BOOLEAN_TRUE, BOOLEAN_FALSE):
        return bytes((kind,)) if element else b""
    if kind == BYTE:
        return bytes((value,))
    if kind in (I16, I32, I64):
        return varint(value << 1 if value >= 0 else (-value << 1) - 1)
    if kind == BINARY:
        return varint(len(value)) + bytes(value)
    if kind == STRUCT:
        return encoded(value)
    of = value[0][0] if value else STRUCT
    head = bytes((len(value) << 4 | of,)) if len(value) < 15 else bytes((0xF0 | of,)) + varint(len(value))
    return head + b"".join(encoded_value(kind, element, True) for kind, element in value)
