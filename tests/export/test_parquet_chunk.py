"""Thrift's compact protocol, and column chunks that are put into a file of pyarrow's."""

import io
from typing import Any

import pytest

from pybinlog.errors import BinlogError
from pybinlog.export import parquet_chunk
from pybinlog.export.large_row import Value
from pybinlog.export.parquet_chunk import (
    BINARY,
    BOOLEAN_FALSE,
    BOOLEAN_TRUE,
    BYTE,
    I16,
    I32,
    I64,
    LIST,
    STRUCT,
    ColumnChunk,
    compressor_of,
    decoded,
    encoded,
    move,
    read_varint,
    rewritten,
    varint,
    write_chunk,
)


@pytest.mark.parametrize(
    ("number", "data"),
    [
        (0, b"\0"),
        (1, b"\1"),
        (127, b"\x7f"),
        (128, b"\x80\x01"),
        (255, b"\xff\x01"),
        (16383, b"\xff\x7f"),
        (16384, b"\x80\x80\x01"),
        ((1 << 63) - 1, b"\xff" * 8 + b"\x7f"),
    ],
)
def test_numbers_have_seven_bits_a_byte(number: int, data: bytes) -> None:
    assert varint(number) == data
    assert read_varint(b"x" + data + b"y", 1) == (number, len(data) + 1)


STRUCTURES: list[tuple[dict[int, Any], bytes]] = [
    ({}, b"\0"),
    ({1: (I32, 0)}, b"\x15\0\0"),
    ({1: (I32, -1), 2: (I32, 1), 3: (I64, -64), 4: (I16, 64)}, b"\x15\1\x15\2\x16\x7f\x14\x80\x01\0"),
    ({15: (BYTE, 200)}, b"\xf3\xc8\0"),
    ({16: (BYTE, 7)}, b"\3\x20\7\0"),
    ({1: (BYTE, 7), 16: (BYTE, 8), 32: (BYTE, 9)}, b"\x13\7\xf3\x08\3\x40\x09\0"),
    ({1: (BOOLEAN_TRUE, None), 3: (BOOLEAN_FALSE, None)}, b"\x11\x22\0"),
    ({1: (BINARY, b"words")}, b"\x18\5words\0"),
    ({1: (STRUCT, {2: (BINARY, b"")}), 2: (STRUCT, {})}, b"\x1c\x28\0\0\x1c\0\0"),
    ({1: (LIST, [(I32, 1), (I32, -1)])}, b"\x19\x25\2\1\0"),
    ({1: (LIST, [])}, b"\x19\x0c\0"),
    ({1: (LIST, [(BOOLEAN_TRUE, None), (BOOLEAN_FALSE, None)])}, b"\x19\x21\1\2\0"),
    ({1: (LIST, [(BYTE, 1)] * 14)}, b"\x19\xe3" + b"\1" * 14 + b"\0"),
    ({1: (LIST, [(BYTE, 1)] * 15)}, b"\x19\xf3\x0f" + b"\1" * 15 + b"\0"),
    ({1: (LIST, [(STRUCT, {1: (LIST, [(BINARY, b"a")])})])}, b"\x19\x1c\x19\x18\1a\0\0"),
]


@pytest.mark.parametrize(("struct", "data"), STRUCTURES, ids=lambda value: repr(value)[:40])
def test_a_structure_is_the_same_when_it_was_read(struct: dict[int, Any], data: bytes) -> None:
    assert encoded(struct) == data
    found, end = decoded(b"x" + data + b"y", 1)
    assert end == len(data) + 1
    assert encoded(found) == data
    if BOOLEAN_TRUE not in {kind for kind, _ in struct.values()} and b"\x21" not in data:
        assert found == struct


def test_a_field_after_a_gap_has_its_number_with_a_sign() -> None:
    assert decoded(b"\x03\x01\x07\x03\x20\x08\0", 0) == ({-1: (BYTE, 7), 16: (BYTE, 8)}, 7)


def test_a_type_that_parquet_does_not_have_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^type 7 of Thrift's compact protocol is not one of Parquet's$"):
        decoded(b"\x17" + bytes(9), 0)


@pytest.mark.parametrize("value", [0, 1])
def test_a_place_is_moved_if_it_is_given(value: int) -> None:
    struct: dict[int, Any] = {1: (I64, value)}
    move(struct, 1, 10)
    move(struct, 2, 10)
    assert struct == {1: (I64, value and value + 10)}


def test_a_value_that_no_page_can_take_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    value = Value(b"x" * 100, 0, 100)
    monkeypatch.setattr(parquet_chunk, "MOST", 110)
    assert write_chunk(io.BytesIO(), 0, 0, 0, value, "none").uncompressed > 110
    monkeypatch.setattr(parquet_chunk, "MOST", 109)
    with pytest.raises(BinlogError) as caught:
        write_chunk(io.BytesIO(), 0, 0, 0, value, "none")
    assert str(caught.value) == "a row holds 110 bytes of text, and a page of Parquet can take 109"


def test_a_page_that_cannot_be_written_first_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/no/such")
    with pytest.raises(BinlogError, match=r"^the temporary file for a large event cannot be written: No such file"):
        write_chunk(io.BytesIO(), 0, 0, 0, Value(b"x", 0, 1), "none")


@pytest.mark.parametrize(("compression", "codec"), [("zstd", 6), ("gzip", 2), ("snappy", 0), ("lz4", 0), ("none", 0)])
def test_a_chunk_is_one_page(compression: str, codec: int) -> None:
    file = io.BytesIO()
    chunk = write_chunk(file, 40, 3, 5, Value(b"-words-", 1, 6), compression)
    _, compressor = compressor_of(compression, 15)
    page = bytes(compressor.compress(b"\2\0\0\0\2\1" + b"\5\0\0\0" + b"words")) + compressor.flush()
    head = encoded(
        {
            1: (I32, 0),
            2: (I32, 15),
            3: (I32, len(page)),
            5: (STRUCT, {1: (I32, 1), 2: (I32, 0), 3: (I32, 3), 4: (I32, 3)}),
        }
    )
    assert file.getvalue() == head + page
    assert chunk == ColumnChunk(3, 5, codec, 40, len(head) + 15, len(head) + len(page))


def test_a_footer_names_the_new_chunks_and_moves_the_old_ones() -> None:
    def column(position: int) -> tuple[int, Any]:
        told = {2: (LIST, [(I32, 8)]), 4: (I32, 1), 6: (I64, 100), 7: (I64, 50), 9: (I64, position), 11: (I64, 0)}
        told |= {10: (I64, position + 1), 12: (STRUCT, {}), 13: (LIST, []), 16: (STRUCT, {})}
        return STRUCT, {2: (I64, position), 3: (STRUCT, told)}

    def group(position: int) -> tuple[int, Any]:
        columns = [column(position), column(position + 50)]
        return STRUCT, {1: (LIST, columns), 2: (I64, 200), 5: (I64, position), 6: (I64, 100)}

    footer = encoded({4: (LIST, [group(4), group(104), group(204)]), 5: (LIST, [(STRUCT, {1: (BINARY, b"a")})])})
    chunks = [ColumnChunk(0, 1, 6, 900, 1000, 300), ColumnChunk(1, 0, 2, 1200, 70, 20)]
    found, _ = decoded(rewritten(footer, chunks, {"k": "v", "l": "w"}), 0)
    assert found[5][1] == [
        (STRUCT, {1: (BINARY, b"a")}),
        (STRUCT, {1: (BINARY, b"k"), 2: (BINARY, b"v")}),
        (STRUCT, {1: (BINARY, b"l"), 2: (BINARY, b"w")}),
    ]
    groups = [fields for _, fields in found[4][1]]
    assert [(one[2][1], one[5][1], one[6][1]) for one in groups] == [(1100, 4, 350), (170, 404, 70), (200, 524, 100)]
    new = {2: (LIST, [(I32, 0), (I32, 3)]), 4: (I32, 6), 6: (I64, 1000), 7: (I64, 300), 9: (I64, 900)}
    other = {2: (LIST, [(I32, 0), (I32, 3)]), 4: (I32, 2), 6: (I64, 70), 7: (I64, 20), 9: (I64, 1200)}
    assert [one[1][1][number] for one, number in ((groups[0], 1), (groups[1], 0))] == [
        (STRUCT, {2: (I64, 54), 3: (STRUCT, new)}),
        (STRUCT, {2: (I64, 404), 3: (STRUCT, other)}),
    ]
    assert [one[1][1][number] for one, number in ((groups[0], 0), (groups[1], 1), (groups[2], 0), (groups[2], 1))] == [
        column(4),
        column(454),
        column(524),
        column(574),
    ]


def test_a_footer_without_keys_gets_them() -> None:
    found, _ = decoded(rewritten(encoded({4: (LIST, [])}), [], {"k": "v"}), 0)
    assert found == {4: (LIST, []), 5: (LIST, [(STRUCT, {1: (BINARY, b"k"), 2: (BINARY, b"v")})])}
