"""Binder: fits a condition to the columns of a table, as the instructions that the kernel runs on each row."""

import struct
from collections.abc import Mapping
from datetime import tzinfo
from typing import NamedTuple

from pybinlog.column_types import ColumnType
from pybinlog.errors import Hint
from pybinlog.kernel.condition import value_order as kernel
from pybinlog.where import tree
from pybinlog.where.column import BoundColumn, Kind, Side, column_name
from pybinlog.where.comparison import comparison, like
from pybinlog.where.tree import WhereError

_IMAGES = {"before": kernel.BEFORE_IMAGE, "after": kernel.AFTER_IMAGE, "": kernel.EACH}
_MOST_NAMES = 5


class Instruction(NamedTuple):
    """One step of a program: the fields of `Instruction` in kernel/condition/value_order.pxd."""

    operation: int
    form: int = kernel.AS_NOTHING
    image: int = kernel.EACH
    other_image: int = kernel.EACH
    relation: int = 0
    slot: int = 0
    other_slot: int = -1
    fraction: bool = False
    extreme: int = 0
    number: int = 0
    real: float = 0.0
    data: bytes = b""
    path: bytes = b""
    collation: int = 0


class Bound(NamedTuple):
    """A condition bound to a table: a postfix program, and the columns that its slots stand for."""

    instructions: list[Instruction]
    columns: list[BoundColumn]


class Binder:
    """Binds a condition to one table after the other, and remembers which tables had its columns."""

    def __init__(self, condition: tree.Node, zone: tzinfo):
        self.condition = condition
        self.zone = zone
        self.bound: set[str] = set()
        """Tables that have the columns."""
        self.lacking: dict[str, tuple[str, ...]] = {}
        """Tables without one of them: the names of their columns; none if the log does not name them."""

    def __call__(self, database: bytes, table: bytes, columns: list[tuple], mariadb: bool) -> Bound | None:
        """Return the condition bound to a table, whose columns are as the kernel describes them; None if it lacks one.

        Raise WhereError if a value does not fit its column.
        """
        name = ".".join(part.decode("utf-8", "surrogateescape") for part in (database, table))
        found = _Binding(self.zone, columns, mariadb, name).bound(self.condition)
        if found is None:
            if len(self.lacking) < 1000:
                self.lacking[name] = tuple(
                    column_name(place, column[0]) for place, column in enumerate(columns) if column[0] is not None
                )
            return None
        self.bound.add(name)
        return found


def missing_everywhere(condition: tree.Node, lacking: Mapping[str, tuple[str, ...]]) -> WhereError:
    """Return the error for a condition whose columns none of the tables has."""
    asked = list(dict.fromkeys(column.name for column in tree.columns_of(condition) if not column.number))
    tables = f"the {len(lacking)} tables" if len(lacking) > 1 else f"the table {next(iter(lacking))}"
    if asked and not any(lacking.values()):
        return WhereError(
            f"where: the logs do not name the columns of {tables}",
            hint=Hint(
                "Ask by number (@1 is the first column), or set binlog_row_metadata=FULL on the server; "
                "{--schema=}FILE of an export takes the names from a dump"
            ),
        )
    names = {name.lower(): name for columns in lacking.values() for name in columns}
    wrong = next((name for name in asked if name.lower() not in names), asked[0] if asked else "")
    if not wrong:
        return WhereError("where: no table has so many columns as the condition asks for")
    from difflib import get_close_matches  # most conditions name columns that are there

    near = get_close_matches(wrong.lower(), names, 3)
    shown = ", ".join(f"`{names[name]}`" for name in near or list(names)[:_MOST_NAMES])
    return WhereError(
        f"where: {'none of ' if len(lacking) > 1 else ''}{tables} has {'the' if len(lacking) > 1 else 'no'} column "
        f"`{wrong}`",
        hint=f"{'Near names' if near else 'Some of the names'}: {shown}",
    )


class _Lacks(Exception):
    """The table has no such column."""


class _Binding:
    """Binds to one table."""

    def __init__(self, zone: tzinfo, columns: list[tuple], mariadb: bool, table: str):
        self.zone = zone
        self.columns = columns
        self.mariadb = mariadb
        self.table = table
        self.places: dict[str, int] = {}
        """Lower-case names of columns -> their places."""
        for place, column in enumerate(columns):
            self.places.setdefault(column_name(place, column[0]).lower(), place)
        self.slots: list[BoundColumn] = []
        self.program: list[Instruction] = []

    def bound(self, condition: tree.Node) -> Bound | None:
        try:
            self._put(condition)
        except _Lacks:
            return None
        return Bound(self.program, self.slots)

    def _put(self, node: tree.Node) -> None:
        """Add the instructions of a node, which leave its truth on the stack."""
        if isinstance(node, tree.Logic):
            step = Instruction(node.operation, number=node.number)
            for place, operand in enumerate(node.operands):
                self._put(operand)
                if place:
                    self.program.append(step)
            if len(node.operands) < 2:
                self.program.append(step)
        elif isinstance(node, tree.Changed):
            slot, _ = self._slot(node.column)
            self.program.append(Instruction(kernel.OP_CHANGED, image=kernel.BEFORE_IMAGE, slot=slot))
        elif isinstance(node, tree.IsNull):
            column = node.operand.column if isinstance(node.operand, tree.Json) else node.operand
            slot, _ = self._slot(column)
            path = self._side(node.operand).path if isinstance(node.operand, tree.Json) else b""
            self.program.append(Instruction(kernel.OP_NULL, image=_IMAGES[column.image], slot=slot, path=path))
        elif isinstance(node, tree.Holds):
            side = self._side(node.column)
            if side.column is None or side.column.kind not in (Kind.INTEGER, Kind.REAL, Kind.DECIMAL):
                raise self._error(f"`{node.column}` alone is not a condition, because it is not a number")
            self._compare(kernel.LESS | kernel.GREATER, side, 0)
        elif isinstance(node, tree.Compare):
            relations = {"=": 2, "<>": 5, "<": 1, "<=": 3, ">": 4, ">=": 6, "<=>": 10}
            right = node.right
            if right is None:  # NULL, unless there is no such column
                self._side(node.left)
                self.program.append(Instruction(kernel.OP_TRUTH, number=kernel.NULL_TRUTH))
                return
            if isinstance(right, (tree.Column, tree.Json)) or (
                isinstance(right, tree.Bytes) and isinstance(right.operand, tree.Column)
            ):
                self._compare(relations[node.operator], self._side(node.left), self._side(right))
            else:
                self._compare(relations[node.operator], self._side(node.left), right)
        else:
            assert isinstance(node, tree.Like)
            side = self._side(node.operand)
            self._add(kernel.OP_LIKE, kernel.EQUAL, side, None, like(side, node.pattern, self._error))

    def _compare(self, relation: int, left: Side, right: Side | tree.Value | tree.Bytes) -> None:
        other = right if isinstance(right, Side) else None
        self._add(kernel.OP_COMPARE, relation, left, other, comparison(left, right, self.zone, self._error))

    def _add(self, operation: int, relation: int, left: Side, right: Side | None, found: dict[str, object]) -> None:
        self.program.append(
            Instruction(
                operation,
                image=_IMAGES[left.image],
                slot=left.slot,
                path=left.path,
                relation=relation,
                other_slot=-1 if right is None else right.slot,
                other_image=kernel.EACH if right is None else _IMAGES[right.image],
                **found,  # type: ignore[arg-type]
            )
        )

    def _side(self, operand: tree.Operand) -> Side:
        """Return one side of a comparison that is a column, perhaps a path in it, or its bytes."""
        if isinstance(operand, tree.Bytes):
            assert isinstance(operand.operand, tree.Column)
            slot, column = self._slot(operand.operand)
            if column.kind not in (Kind.TEXT, Kind.MEMBERS):
                raise self._error(f"BINARY is for texts, and `{operand.operand}` is {column.description}")
            return Side(column, slot, operand.operand.image, binary=True)
        if isinstance(operand, tree.Json):
            slot, column = self._slot(operand.column)
            if column.type != ColumnType.JSON:
                raise self._error(f"->> is for MySQL's JSON columns, and `{operand.column}` is {column.description}")
            return Side(column, slot, operand.column.image, path=_path(operand.legs))
        assert isinstance(operand, tree.Column)
        slot, column = self._slot(operand)
        return Side(column, slot, operand.image)

    def _slot(self, asked: tree.Column) -> tuple[int, BoundColumn]:
        place = self.places.get(asked.name.lower())
        if place is None and 0 < asked.number <= len(self.columns):
            place = asked.number - 1
        if place is None:
            raise _Lacks
        for slot, column in enumerate(self.slots):
            if column.place == place:
                return slot, column
        if len(self.slots) == 64:
            raise self._error("the condition asks for more than 64 columns")
        self.slots.append(BoundColumn.of(place, *self.columns[place], mariadb=self.mariadb))
        return len(self.slots) - 1, self.slots[-1]

    def _error(self, message: str, hint: str | None = None) -> WhereError:
        return WhereError(f"where: in the table {self.table}, {message}", hint=hint)


def _path(legs: tuple[str | int, ...]) -> bytes:
    """Return a path as the kernel reads it."""
    parts = []
    for leg in legs:
        if isinstance(leg, int):
            parts.append(struct.pack("<BI", 1, leg))
        else:
            key = leg.encode()
            parts.append(struct.pack("<BI", 0, len(key)) + key)
    return b"".join(parts)
