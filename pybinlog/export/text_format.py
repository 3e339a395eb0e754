"""TextFormat: the formats of rows as text, each declared once; `kernel/views/row_text` knows its values by `form`."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TypeAlias

from pybinlog.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pybinlog.views.batch import LineForm

Value: TypeAlias = "str | int | float | bool | list[str] | JsonValue | Absent | None"
"""A value that Python makes text of, as commands show it."""


class Absent:
    """A column that a row lacks: JSON has no member for it, the other formats a null."""

    def __str__(self) -> str:
        return "NULL"


ABSENT = Absent()


class JsonValue:
    """A value that is JSON text: JSON has it as it is, the other formats the characters of a string. None is null.

    Numbers are sorted as numbers.
    """

    __slots__ = ("json", "text")

    def __init__(self, json: str):
        self.json = json
        self.text: str | None = None if json == "null" else string_of(json) if json.startswith('"') else json

    def __str__(self) -> str:
        return "NULL" if self.text is None else self.text

    @property
    def is_number(self) -> bool:
        return self.json[0] in "-0123456789"

    def __lt__(self, other: JsonValue) -> bool:
        return self._ranked() < other._ranked()

    def _ranked(self) -> tuple[int, float, str]:
        if self.text is None:
            return 0, 0.0, ""
        if self.is_number:
            return 1, float(self.json), self.json
        return 2, 0.0, self.text


class TextFormat(Record):
    """A format whose values have the `form` of a constant of the kernel, `form_name`.

    `begin` stands before the first cell of a row, `between` before the others; `end` ends the row. With `has_keys`,
    each cell has its name; else a line of names comes first. `opening` takes the place of the first byte, `closing`
    comes after all rows.
    """

    name: str
    form_name: str
    begin: bytes
    between: bytes
    end: bytes
    has_keys: bool = False
    opening: bytes = b""
    closing: bytes = b""
    is_of_files: bool = True
    """True if export writes it."""
    comes_live: bool = False
    """True if rows come so as they happen."""

    @cached_property
    def form(self) -> int:
        from pybinlog.kernel.views import row_text

        number: int = getattr(row_text, self.form_name)
        return number

    def before(self, number: int, name: str) -> bytes:
        """Return the text before each cell of a column."""
        return (self.between if number else self.begin) + (self.cell(name) + b":" if self.has_keys else b"")

    def line_form(self, names: Sequence[str], keys: Sequence[str] = ()) -> LineForm:
        """Return the form of the lines, for a reader that makes them itself."""
        from pybinlog.views.batch import LineForm

        return LineForm(self.form, tuple(map(self.before, range(len(names)), names)), self.end, tuple(keys))

    def header(self, names: Sequence[str]) -> bytes:
        """Return the line of names, if the format has one."""
        return b"" if self.has_keys else self.between.join(map(self.cell, names)) + self.end

    def cells(self, names: Sequence[str], values: Iterable[Value]) -> bytes:
        """Return a row without its end."""
        return joined(map(self.before, range(len(names)), names), map(self.cell, values))

    def lines(self, names: Sequence[str], rows: Iterable[Sequence[Value]]) -> Iterator[bytes]:
        """Yield the text of all rows."""
        befores = [self.before(number, name) for number, name in enumerate(names)]
        opening = self.opening
        texts = (self._line(befores, names, row) + self.end for row in rows)
        for text in filter(None, chain([self.header(names)], texts, [self.closing])):
            yield opening + text[1:] if opening else text
            opening = b""

    def _line(self, befores: Sequence[bytes], names: Sequence[str], row: Sequence[Value]) -> bytes:
        """Return a row without its end."""
        if not self.has_keys or ABSENT not in row:
            return joined(befores, map(self.cell, row))
        there = [(name, value) for name, value in zip(names, row, strict=True) if value is not ABSENT]
        return self.cells([name for name, _ in there], [value for _, value in there]) if there else self.begin

    def cell(self, value: Value) -> bytes:
        """Return a value as text. Bytes that are not valid UTF-8 come as they are, in JSON as escapes."""
        from pybinlog.kernel.views.row_text import cell_text

        if self.has_keys:
            text = value.json if isinstance(value, JsonValue) else json_text(value)
            return text.encode("utf-8", "backslashreplace")
        if isinstance(value, JsonValue):
            if value.is_number:
                return value.json.encode()
            value = value.text
        if value is None or isinstance(value, Absent):
            return cell_text(self.form, None)
        if isinstance(value, list):
            value = json_text(value)
        if isinstance(value, str):
            return cell_text(self.form, value.encode("utf-8", "surrogateescape"))
        return (str(value).lower() if isinstance(value, bool) else str(value)).encode()


def joined(befores: Iterable[bytes], cells: Iterable[bytes]) -> bytes:
    return b"".join(chain.from_iterable(zip(befores, cells, strict=True)))


def string_of(json: str) -> str:
    from json import loads

    found: str = loads(json)
    return found


def json_text(value: object) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False, separators=(",", ":"))


CSV = TextFormat("csv", "CSV_TEXT", b"", b",", b"\n")
"""Comma-separated values (RFC 4180), in UTF-8: a null is an empty field, an empty string `""`. Times are in UTC as ISO
8601 has them, lists as JSON."""
SAFE_CSV = TextFormat("csv", "SAFE_CSV_TEXT", b"", b",", b"\n")
"""CSV for a spreadsheet: an apostrophe stands before a text that it would run as a formula. Numbers stay numbers."""
JSON_LINES = TextFormat("jsonl", "JSON_TEXT", b"{", b",", b"}\n", has_keys=True, comes_live=True)
"""A JSON object on each line (jsonlines.org), with every column as a member; times as ISO 8601 has them."""
JSON = TextFormat(
    "json", "JSON_TEXT", b",\n{", b",", b"}", has_keys=True, opening=b"[", closing=b"\n]\n", is_of_files=False
)
"""One JSON array of the objects, each on a line of its own."""
TSV = TextFormat("tsv", "TSV_TEXT", b"", b"\t", b"\n", is_of_files=False, comes_live=True)
"""Cells with tabs between; escapes and nulls are those of `mysql --batch`."""

TEXT_FORMATS = {format.name: format for format in (TSV, CSV, JSON, JSON_LINES)}
"""By name, in the order in which help texts name them."""
FILE_FORMATS = ("parquet", *(format.name for format in TEXT_FORMATS.values() if format.is_of_files))
"""The names of what export writes."""
