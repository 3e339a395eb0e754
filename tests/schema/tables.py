"""Definitions for tests."""

from pybinlog import schema
from pybinlog.schema.statement import AlterTable, CreateTable


def defined(text: str, settings: schema.Settings | None = None, collation: int = 255) -> schema.TableDefinition:
    """The table of a CREATE TABLE statement, in a database `d`."""
    settings = settings or schema.Settings()
    statement = schema.parse(text, settings.sql_mode)
    assert isinstance(statement, CreateTable)
    return schema.define(statement, "d", collation, settings)


def altered(table: schema.TableDefinition, changes: str) -> tuple[schema.TableDefinition, list[int | None]]:
    """The table after ALTER TABLE, and where its columns come from."""
    statement = schema.parse(f"ALTER TABLE t {changes}")
    assert isinstance(statement, AlterTable)
    return schema.alter(table, statement, schema.Settings())
