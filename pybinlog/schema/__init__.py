"""Tables: statements that define them are read, and definitions made and changed as servers do.

    from pybinlog import schema

    settings = schema.Settings(version=(9, 7))
    created = schema.parse("CREATE TABLE t (a INT PRIMARY KEY, b ENUM('x', 'y'))")
    table = schema.define(created, "shop", 255, settings)
    table.columns[1].members                                     # ("x", "y")
    altered = schema.parse("ALTER TABLE t ADD COLUMN c TEXT FIRST")
    table, origins = schema.alter(table, altered, settings)      # origins: [None, 0, 1]

Nothing here knows of rows, and of the statements that change them.
"""

from __future__ import annotations

from pybinlog.schema.error import SqlError, error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.schema.alteration import alter
    from pybinlog.schema.column import Column, Generated, Key, KeyPart, Settings
    from pybinlog.schema.parser import parse
    from pybinlog.schema.table import ENGINES, TableDefinition, define
    from pybinlog.schema.text import character_set, collation_id, collation_name, default_collation
    from pybinlog.schema.wording import create_text, quoted

__all__ = [
    "ENGINES",
    "Column",
    "Generated",
    "Key",
    "KeyPart",
    "Settings",
    "SqlError",
    "TableDefinition",
    "alter",
    "character_set",
    "collation_id",
    "collation_name",
    "create_text",
    "default_collation",
    "define",
    "error",
    "parse",
    "quoted",
]

_HOMES = {
    "alteration": "alter",
    "text": "character_set collation_id collation_name default_collation",
    "column": "Column Generated Key KeyPart Settings",
    "parser": "parse",
    "table": "ENGINES TableDefinition define",
    "wording": "create_text quoted",
}


def __getattr__(name: str) -> Any:
    # Each module is imported when one of its names is first used: a condition on rows needs few of them.
    for home, names in _HOMES.items():
        if name in names.split():
            from importlib import import_module

            return getattr(import_module(f"pybinlog.schema.{home}"), name)
    raise AttributeError(f"module 'pybinlog.schema' has no attribute {name!r}")
