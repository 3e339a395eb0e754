"""Columns for the rows of a SELECT, which CREATE TABLE ... SELECT makes."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout import ColumnType

from .charset import BINARY
from .column import Column
from .execution import Execution
from .select import Result
from .value import Json, Temporal, Text, Unsigned, Value

__all__ = ["result_column"]


def result_column(execution: Execution, result: Result, index: int, name: str) -> Column:
    """A column for a column of a SELECT: like the one that it comes from, or as its values need it."""
    node = result.nodes[index] if index < len(result.nodes) else None
    if isinstance(node, exp.Column) and result.frame is not None:
        place = result.frame.find(node.name, node.table, node.db)
        table = result.frame.sources[place[0]].table if place is not None else None
        if place is not None and table is not None:
            origin = table.columns[place[1]]
            column = replace(origin, name=name, auto_increment=False, generated=None, visible=True)
            if origin.auto_increment:
                return replace(column, default=exp.Literal.string("0"), has_default=True)
            if origin.type == ColumnType.BIT:
                return replace(column, default=None, has_default=origin.nullable)
            return column
    return _of_values(name, [row[index] for row in result.rows], execution.session.collation_connection)


def _of_values(name: str, values: list[Value], collation: int) -> Column:
    kept = [value for value in values if value is not None]
    nullable = len(kept) < len(values) or not values
    sample = kept[0] if kept else None
    if isinstance(sample, Unsigned):
        return Column(name, ColumnType.LONGLONG, "bigint unsigned", nullable=nullable, unsigned=True)
    if isinstance(sample, int):
        return Column(name, ColumnType.LONGLONG, "bigint", nullable=nullable)
    if isinstance(sample, Decimal):
        decimals = max(max(0, -int(value.as_tuple().exponent)) for value in kept)
        whole = max(len(value.as_tuple().digits) + int(value.as_tuple().exponent) for value in kept)
        precision = max(whole, 1) + decimals
        declared = f"decimal({precision},{decimals})"
        return Column(name, ColumnType.NEWDECIMAL, declared, nullable=nullable, precision=precision, decimals=decimals)
    if isinstance(sample, float):
        return Column(name, ColumnType.DOUBLE, "double", nullable=nullable)
    if isinstance(sample, Json):
        return Column(name, ColumnType.JSON, "json", nullable=True, length_bytes=4)
    if isinstance(sample, Temporal):
        types = {"DATE": ColumnType.DATE, "TIME": ColumnType.TIME2, "DATETIME": ColumnType.DATETIME2}
        declared = sample.kind.lower() + (f"({sample.decimals})" if sample.decimals else "")
        return Column(name, types[sample.kind], declared, nullable=nullable, decimals=sample.decimals)
    if isinstance(sample, bytes):
        length = max(map(len, kept))
        return Column(
            name, ColumnType.VARCHAR, f"varbinary({length})", nullable=nullable, length=length, collation=BINARY
        )
    if isinstance(sample, str):
        length = max(map(len, kept))
        own = sample.collation if isinstance(sample, Text) else collation
        return Column(name, ColumnType.VARCHAR, f"varchar({length})", nullable=nullable, length=length, collation=own)
    raise UnsupportedStatement(f"the type of the column {name} cannot be told without a value", missing="type")
