"""Spark's types of the views' columns, and the columns of a table that a schema of Spark's asks for."""

from __future__ import annotations

from pyspark.sql import types

from pybinlog.errors import BinlogError
from pybinlog.views.schema import TABLE
from pybinlog.views.table_shape import TableShape
from pybinlog.views.view import MOST_DIGITS, Column, Form, Kind

SIMPLE = "Binary Boolean Byte Date DayTimeInterval Double Float Integer Long Short String TimestampNTZ Timestamp"
SPARK_TYPES: dict[str, types.DataType] = {
    type.simpleString(): type
    for type in (
        types.ArrayType(types.FloatType()),
        types.ArrayType(types.StringType()),
        types.DecimalType(20, 0),
        *(getattr(types, f"{name}Type")() for name in SIMPLE.split()),
    )
}
"""Those that `Kind.spark` names."""
FROM_LOG = "binlog"
"""The key, in the metadata of a field, of the type that the log has; a user's schema has none."""


def spark_type(column: Column) -> types.DataType:
    if column.kind.form is Form.DECIMAL:
        if column.precision > MOST_DIGITS:
            return types.StringType()
        return types.DecimalType(column.precision, column.scale or 0)
    return SPARK_TYPES[column.kind.spark]


def spark_field(column: Column, *, from_log: bool = False) -> types.StructField:
    metadata = {FROM_LOG: column.kind.title} if from_log else None
    return types.StructField(column.name, spark_type(column), True, metadata)


def shape_of_schema(schema: types.StructType, database: str | None, table: str, corrupt_name: str) -> TableShape:
    """Return the table's columns that a schema asks for.

    Raise BinlogError if one of Spark's types cannot represent a column of a log.
    """
    beside = {*TABLE.column_names, corrupt_name}
    fields = [field for field in schema.fields if field.name not in beside]
    whole = bool(fields) and all(FROM_LOG in (field.metadata or {}) for field in fields)
    return TableShape(database or "", table, tuple(map(column_of_field, fields)), whole=whole)


def column_of_field(field: types.StructField) -> Column:
    type = field.dataType
    if isinstance(type, types.DecimalType):
        return Column(field.name, Kind.DECIMAL, precision=type.precision, scale=type.scale)
    for kind in Kind:
        if kind.spark == type.simpleString() and kind is not Kind.BOOLEAN:
            return Column(field.name, kind, scale=6 if kind in (Kind.DATETIME, Kind.TIMESTAMP, Kind.TIME) else None)
    raise BinlogError(
        f"the column {field.name} cannot be {type.simpleString()}: no type of a column in a log is that",
        hint="Leave the schema out to have the log's own, and cast() it afterwards",
    )
