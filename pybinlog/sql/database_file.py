"""The views of logs as tables in a file of DuckDB."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from pybinlog.output.replacement import Replacement
from pybinlog.visible import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.sql.database import Database

PORTION = 1 << 20


def write_database(database: Database, path: str) -> str:
    """Write all views into a new file, which takes its name when it is whole; return what it has, in words.

    Raise BinlogError if a log cannot be read to its end, or the file cannot be written.
    """
    folder = os.path.dirname(os.path.realpath(path))
    with Replacement(path) as replacement, TemporaryDirectory(prefix=".pybinlog-sql-", dir=folder) as temporary:
        made = os.path.join(temporary, "logs")
        tables, rows = database.copy_to(made)
        with open(made, "rb") as file:
            while data := file.read(PORTION):
                replacement.write(data)
        replacement.commit()
    return f"{counted(rows, 'row')} in {counted(tables, 'table')}"
