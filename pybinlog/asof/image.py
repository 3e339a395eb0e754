"""Images of rows by their columns, and the keys of rows as their collations compare them."""

from collections.abc import Collection, Mapping, Sequence
from json import JSONDecoder, loads
from typing import TypeAlias

from pybinlog.errors import BinlogError
from pybinlog.kernel.base.charset import encoded
from pybinlog.kernel.condition.text_order import text_key
from pybinlog.undo.table_keys import KeyPart

Value: TypeAlias = str | bytes
"A value as JSON text, or as an SQL literal."
Image: TypeAlias = dict[str, Value]
"The values of a row by the names of its columns; a column that is unknown is absent."
RowKey: TypeAlias = tuple[str | int, ...]
Names: TypeAlias = tuple[str, ...]

_decode = JSONDecoder(parse_int=str, parse_float=str).raw_decode


def members(text: str) -> dict[str, str]:
    """Return the members of a JSON object, which has no space between them, each as the text of its value."""
    found: dict[str, str] = {}
    at = 1
    while text[at] != "}":
        name, end = _decode(text, at)
        at = end + 1
        _, end = _decode(text, at)
        found[name] = text[at:end]
        at = end + (text[end] == ",")
    return found


class KeyReader:
    """Reads the key of a row of a table. `parts` are those of the primary key, `names` the names of all columns.

    `with_empty` are ENUM columns that have '' as a member: its text is also that of the number 0.
    """

    def __init__(
        self, parts: Sequence[KeyPart], names: Sequence[str], with_empty: Collection[str] = (), *, mariadb: bool
    ):
        self._parts = [(names[place], collation) for place, collation, _ in parts]
        self._mariadb = mariadb
        self.names = tuple(name for name, _ in self._parts)
        self._with_empty = [name for name in with_empty if name in self.names]

    def key(self, image: Mapping[str, str]) -> RowKey | None:
        """Return the key of an image of JSON texts: equal for equal keys. None if the image lacks a column of it.

        Raise BinlogError if the text of a value does not say which one it is.
        """
        self._check(image)
        found = []
        for name, collation in self._parts:
            value = image.get(name)
            if value is None:
                return None
            if value[0] == "-" and not value.strip("-0."):
                value = value[1:]  # the server takes -0.0 for 0.0
            found.append(self._compared(value, collation) if collation and value[0] == '"' else value)
        return tuple(found)

    def _check(self, image: Mapping[str, str]) -> None:
        for name in self._with_empty:
            if image.get(name) == '""':
                raise BinlogError(
                    f"a row has '' in {name}, an ENUM of its key, and two of its values have that text: a member and "
                    "the number 0"
                )

    def _compared(self, value: str, collation: int) -> str | int:
        """Return what the collation compares of a text; the text itself if that is not known."""
        try:
            data = encoded(loads(value), collation, self._mariadb)
        except LookupError:
            return value
        number = None if data is None else text_key(data, collation, self._mariadb)
        return value if number is None else number


class WholeRowReader(KeyReader):
    """Reads all values of a row as its key, for a table without one."""

    def __init__(self, names: Sequence[str], with_empty: Collection[str] = (), *, mariadb: bool):
        super().__init__((), names, mariadb=mariadb)
        self._with_empty = list(with_empty)
        self._all = tuple(names)

    def key(self, image: Mapping[str, str]) -> RowKey | None:
        self._check(image)
        if any(name not in image for name in self._all):
            return None
        return tuple(image[name] for name in self._all)
