"""LoggedTable: a table as a Table_map defines it, with what its rows need to be followed."""

from typing import Any

from pybinlog.asof.image import KeyReader, Names, WholeRowReader
from pybinlog.catalog.tables import Known
from pybinlog.column_types import ColumnType
from pybinlog.statement.effect import Reference
from pybinlog.undo.table import UndoTable
from pybinlog.undo.table_keys import TableKeys


class LoggedTable:
    """`names` are its columns, `reader` reads its keys; None if it has none that is known, or no names.

    `generated` are its generated columns in lower case, None if they are not known. `references` are the foreign keys
    by which changes of its rows may change the table of the question.
    """

    def __init__(self, table: UndoTable, described: list[Any], references: list[Reference], *, mariadb: bool):
        self.undo = table
        self.mariadb = mariadb
        self.label = table.label
        self.forms = table.forms
        self.names: Names = tuple((column[0] or b"").decode("utf-8", "replace") for column in described)
        self.is_named = all(column[0] is not None for column in described)
        self.documents = {
            name for name, column in zip(self.names, described, strict=True) if column[1] == ColumnType.JSON
        }
        keys = TableKeys(table, described, ())
        with_empty = [
            name
            for name, column in zip(self.names, described, strict=True)
            if column[1] == ColumnType.ENUM and b"" in (column[6] or ())
        ]
        self.reader: KeyReader | None = None
        if keys.primary and self.is_named:
            self.reader = KeyReader(keys.primary, self.names, with_empty, mariadb=mariadb)
        self.is_keyless = self.reader is None and self.is_named and isinstance(table.known, Known)
        if self.is_keyless:
            self.reader = WholeRowReader(self.names, with_empty, mariadb=mariadb)
        self.generated: Names | None = None
        if isinstance(table.known, Known):
            self.generated = tuple(column.name.lower() for column in table.known.columns if column.generated)
        self.generated_names = frozenset(
            self.names[place] for place, column in enumerate(table.columns) if column.generated
        )
        self.has_definition = isinstance(table.known, Known)
        self.has_row_versions = table.has_row_versions
        self.references = references
        self.key_names: Names = () if self.reader is None else self.reader.names
        self.digest = hash(repr(described))
