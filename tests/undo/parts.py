"""Tables, changes and requests as parts of an undo get them, without a log."""

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from pybinlog.catalog import Catalog
from pybinlog.catalog.tables import Known, Unknown
from pybinlog.statement.effect import Reference
from pybinlog.undo.change import Change
from pybinlog.undo.problem import UndoRequest
from pybinlog.undo.table import UndoTable
from pybinlog.views.options import ViewOptions

CELLS: dict[str, Any] = {
    "file": "b.000001",
    "position": 300,
    "transaction_position": 100,
    "gtid": "0-1-5",
    "timestamp": datetime(2026, 11, 24, 17, 30, tzinfo=timezone.utc),
    "thread_id": 7,
    "operation": "UPDATE",
    "database": "u",
    "xa_xid": None,
}
ROW = "id INT PRIMARY KEY, up INT, v VARCHAR(9) CHARSET utf8mb4"


def known(columns: str, options: str = "") -> Known:
    """Return the definition of u.t."""
    catalog = Catalog()
    catalog.read("dump.sql", f"USE u;\nCREATE TABLE t ({columns}) {options};\n")
    found = catalog.definitions.tables.get(("u", "t"))
    assert isinstance(found, Known)
    return found


def described(definition: Known) -> list[tuple[Any, ...]]:
    """Return the columns as the kernel describes them."""
    return [
        (
            column.name.encode(),
            column.type,
            0,
            0,
            0,
            column.collation or 0,
            [member.encode() for member in column.members] or None,
            column.length,
        )
        for column in definition.columns
    ]


def table_of(
    columns: str = ROW,
    options: str = "",
    *,
    is_known: Known | Unknown | bool | None = True,
    names: bool = True,
    **more: Any,
) -> UndoTable:
    """Return the table u.t; `is_known` may be what the catalog says instead. Without `names` the log has none."""
    definition = known(columns, options)
    found = is_known if isinstance(is_known, (Known, Unknown)) else definition if is_known else None
    logged = [(column[0] if names else None, *column[1:]) for column in described(definition)]
    return UndoTable(b"u", b"t", logged, found, **{"mariadb": False, **more})


def reference(
    child: str = "c", column: str = "t_id", to: Sequence[str] = ("id",), on_delete: str = "", on_update: str = ""
) -> Reference:
    """Return a foreign key of a table of u that refers to u.t."""
    return Reference(("u", child), (column,), tuple(to), on_delete, on_update)


def request_of(**more: Any) -> UndoRequest:
    options = more.pop("options", {})
    return UndoRequest(ViewOptions(view="rows", **options), **more)


def change_of(table: UndoTable | None = None, operation: str = "UPDATE", **more: Any) -> Change:
    """Return a change of a row, whose images have all columns."""
    asked = {"number": 0, "flags": 0, "before": 7, "after": 7, "redo": False, **more}
    return Change({**CELLS, "operation": operation}, table or table_of(), **asked)
