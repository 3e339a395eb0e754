"""Rows that are written piece by piece have the text, and the columns, of others."""

import binascii
import io
from typing import Any

import pytest

from pybinlog.export import large_row, writers
from pybinlog.export.large_row import Value
from pybinlog.export.large_row import large_row as large_row_of
from pybinlog.export.text_format import CSV, SAFE_CSV, TEXT_FORMATS, TextFormat
from pybinlog.export.writers import ParquetWriter, TextWriter, base64_pieces, portions
from pybinlog.views.batch import ViewBatch
from pybinlog.views.view import Kind
from tests.views.batches import batch_of

LONG_TEXT = 'a "quoted"\t\\ line\nand \x01 한 글자 \U0001f600, ' * 7
TEXTS = ["small", None, "", LONG_TEXT, "=1+1" + LONG_TEXT]
FORMS = [*TEXT_FORMATS.values(), SAFE_CSV]


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of 200 bytes is large, and its pieces have seven."""
    monkeypatch.setattr(large_row, "LARGE", 200)
    monkeypatch.setattr(large_row, "PIECE", 7)


def batch(texts: list[str | None]) -> ViewBatch:
    return batch_of(
        {
            "number": (Kind.LONG, list(range(len(texts)))),
            "text": (Kind.STRING, texts),
            "data": (Kind.BINARY, [None if text is None else text.encode()[:-1] for text in texts]),
            "object": (Kind.JSON, [None if text is None else '{"a":"' + "한" * len(text) + '"}' for text in texts]),
            "short": (Kind.STRING, ["x"] * len(texts)),
        }
    )


def written(form: TextFormat, rows: ViewBatch, ranges: list[tuple[int, int]] | None = None) -> bytes:
    file = io.BytesIO()
    writer = TextWriter(file, rows.view, rows.names, form)  # type: ignore[arg-type]
    writer.write(rows, ranges)
    writer.close()
    return file.getvalue()


@pytest.mark.parametrize("count", range(1, 6))
@pytest.mark.parametrize("form", FORMS)
def test_a_large_row_has_the_text_of_others(form: TextFormat, count: int, request: pytest.FixtureRequest) -> None:
    rows = batch(TEXTS[:count])
    ranges = [None, [(0, count)], [(count - 1, count)], [(0, 1), (max(1, count - 2), count)], []]
    whole = [written(form, rows, one) for one in ranges]
    request.getfixturevalue("small_pieces")
    assert (large_row_of(rows) is not None) is (count > 3)
    assert [written(form, rows, one) for one in ranges] == whole


def test_text_in_portions_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = batch(TEXTS * 20)
    whole = written(CSV, rows)
    monkeypatch.setattr(writers, "PORTION", 1000)
    assert written(CSV, rows) == whole
    assert written(CSV, rows, [(0, 30), (30, 100)]) == whole


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (3, 7), (0, 100)])
def test_portions_hold_a_bounded_number_of_bytes(first: int, last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight bytes count for each value besides its string."""
    rows = batch_of({"a": (Kind.LONG, list(range(100))), "b": (Kind.STRING, ["12"] * 100)})
    monkeypatch.setattr(writers, "PORTION", 54)
    found = list(portions(rows, first, last))
    assert found == [(begin, min(begin + 3, last)) for begin in range(first, last, 3)]
    monkeypatch.setattr(writers, "PORTION", 53)
    assert list(portions(rows, first, last)) == [(begin, min(begin + 2, last)) for begin in range(first, last, 2)]


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_the_pieces_of_a_value_are_whole_characters(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_row, "PIECE", 4)
    data = "xa한글\U0001f600b".encode()
    value = Value(kind(data), 1, len(data))
    assert len(value) == len(data) - 1
    assert [str(piece, "utf-8") for piece in value.pieces()] == ["a한", "글", "\U0001f600", "b"]
    for length in range(12):
        encoded = b"".join(base64_pieces(Value(bytes(range(65, 77)), 0, length)))
        assert encoded == binascii.b2a_base64(bytes(range(65, 65 + length)), newline=False)


@pytest.mark.parametrize(("length", "large"), [(99, None), (100, {0, 1}), (150, {0, 1}), (101, {0, 1})])
def test_a_row_is_large_by_its_strings_together(length: int, large: set[int] | None, small_pieces: None) -> None:
    rows = batch_of({"a": (Kind.STRING, ["x" * length]), "b": (Kind.JSON, ["y" * 100]), "c": (Kind.LONG, [1])})
    found = large_row_of(rows)
    assert (None if found is None else set(found.large)) == large
    assert large_row_of(batch_of({"a": (Kind.STRING, [])})) is None


def test_the_large_columns_have_their_share_of_the_bytes(small_pieces: None) -> None:
    rows = batch_of({"a": (Kind.STRING, ["x" * 66]), "b": (Kind.STRING, ["y" * 65]), "c": (Kind.STRING, ["z" * 70])})
    found = large_row_of(rows)
    assert found is not None
    assert set(found.large) == {0, 2}
    assert b"".join(map(bytes, found.value(2).pieces())) == b"z" * 70


@pytest.mark.parametrize("compression", ["zstd", "gzip", "snappy", "none"])
def test_a_large_row_of_parquet_is_among_the_others(compression: str, small_pieces: None) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    parts = [batch(TEXTS[:4]), batch(TEXTS), batch(TEXTS[:2]), batch(TEXTS[3:4])]
    writer = ParquetWriter(file, parts[0].view, parts[0].names, compression=compression)  # type: ignore[arg-type]
    for part in parts:
        writer.write(part)
    writer.close()
    table = parquet.read_table(io.BytesIO(file.getvalue()))
    assert table.column("text").to_pylist() == [*TEXTS[:4], *TEXTS, *TEXTS[:2], TEXTS[3]]
    assert table.column("number").to_pylist() == [*range(4), *range(5), 0, 1, 0]
    groups = parquet.ParquetFile(io.BytesIO(file.getvalue())).metadata
    assert [groups.row_group(number).num_rows for number in range(groups.num_row_groups)] == [3, 1, 4, 1, 2, 1]
