"""TablePlan: what becomes of a table's columns, as the log defines them at some place, in the view of the table."""

from collections.abc import Sequence

from pybinlog.errors import BinlogError, Hint
from pybinlog.views import table_shape
from pybinlog.views.schema import TABLE
from pybinlog.views.view import CORRUPT_RECORD, Column, Kind
from pybinlog.visible import visible

Step = tuple[int, bool, bool, int, "list[tuple[int, bytes]] | None", int]


class TablePlan:
    """The columns for TableValues (kernel/views/table_values.py); `names` are those of the view's columns that come
    out.
    """

    def __init__(self, shape: table_shape.TableShape, names: Sequence[str]):
        self._shape = shape
        view = shape.view
        beside = {*TABLE.column_names, CORRUPT_RECORD}
        self._columns = [view.column(name) for name in names if name not in beside]
        self._description: table_shape.Description | None = None
        self._place = ("", 0)

    @property
    def targets(self) -> list[tuple[int, int, str, str]]:
        """The columns, as the kernel's TableValues takes them."""
        return [(column.kind.form, column.scale or 0, column.name, column.source_name) for column in self._columns]

    def steps(self, description: table_shape.Description, file: str, position: int) -> tuple[Step | None, ...]:
        """Raise BinlogError if a column does not fit, or was missing in the survey of the logs."""
        self._description = description
        self._place = (file, position)
        columns, key, mariadb = description
        return tuple(
            self._step(column, number, number in (key or ()), mariadb) for number, column in enumerate(columns)
        )

    def _step(self, described: table_shape.Described, number: int, in_key: bool, mariadb: bool) -> Step | None:
        column = table_shape.column_of(described, number, mariadb)
        negative = not described[4]
        if column is None:
            return (-1, in_key, negative, 0, None, 0) if in_key else None
        place = self._shape.number_of(column.name)
        target = next((i for i, one in enumerate(self._columns) if one.name.lower() == column.name.lower()), -1)
        if place is None and self._shape.whole:
            raise BinlogError(
                f"the table {visible(self._shape.name)} has a column {visible(column.name)} here, which it had not "
                "when the logs were looked through",
                file=self._place[0],
                position=self._place[1],
                hint="Begin again: then the column is among the view's",
            )
        if target >= 0:
            assert place is not None
            if not table_shape.accepts(self._columns[target], column) and not as_text(self._columns[target], column):
                before = self._shape.places[place] if self._shape.places else None
                raise table_shape.contradiction(
                    self._shape.name, self._shape.columns[place], before, column, *self._place
                )
        collation = described[5]
        is_binary = described[1] == "bytes" and collation == table_shape.BINARY_COLLATION
        return (
            target,
            in_key,
            negative,
            collation if table_shape.has_characters(collation, mariadb) else 0,
            None if target < 0 else self._members(described, self._columns[target], mariadb),
            described[2] if is_binary else 0,
        )

    def _members(
        self, described: table_shape.Described, target: Column, mariadb: bool
    ) -> list[tuple[int, bytes]] | None:
        """Return the members of an ENUM, by number from 0, or of a SET, with their places in the dictionary."""
        members = table_shape.members_of(described, mariadb)
        if members is None:
            return None
        if described[1] == "enum":
            members = ("", *members)
        places = {member: place for place, member in enumerate(target.members)}
        return [(places.get(member, 0), member.encode()) for member in members]

    def refusal(self, number: int, date: bool) -> BinlogError:
        """Return the error for a value of column `number` that Arrow has nothing for."""
        assert self._description is not None
        name = visible(f"{self._shape.name}.{table_shape.column_name(self._description[0][number], number)}")
        if date:
            return BinlogError(
                f"a row has a date in {name} that is in no calendar, such as 0000-00-00",
                hint=Hint("{--zero-dates=}null writes NULL for it"),
            )
        return BinlogError(
            f"a row has bytes in {name} that are invalid in the column's character set",
            hint=Hint("{--invalid-text=}null writes NULL for them"),
        )


def as_text(target: Column, column: Column) -> bool:
    """Return True if a column of text receives the digits of a DECIMAL: Spark has none for more than 38 of them."""
    return target.kind is Kind.STRING and column.kind is Kind.DECIMAL
