"""Spark's types of the views' columns, and the columns of a view that a schema of Spark's asks for."""

from pyspark.sql import types

from pybinlog.errors import BinlogError
from pybinlog.spark.data_source.source_options import SourceOptions
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import TABLE
from pybinlog.views.table_shape import TableShape
from pybinlog.views.view import CORRUPT_RECORD, MOST_DIGITS, Column, Form, Kind

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


def projected(options: SourceOptions, schema: types.StructType) -> ViewOptions:
    """Return the options of a view for the columns of a schema.

    Raise BinlogError if a field is not a column of the view, or if its type cannot represent a column of a log.
    """
    view_options, corrupt_name = options.view, options["columnNameOfCorruptRecord"]
    if view_options.definition.of_one_table:
        ((database, table),) = options["table"]
        beside = {*TABLE.column_names, corrupt_name}
        fields = [field for field in schema.fields if field.name not in beside]
        whole = bool(fields) and all(FROM_LOG in (field.metadata or {}) for field in fields)
        shape = TableShape(database or "", table, tuple(map(column_of_field, fields)), whole=whole)
        view_options = view_options.replace(table=shape)
    view = view_options.definition
    columns = []
    for field in schema.fields:
        try:
            column = view.column(CORRUPT_RECORD if field.name == corrupt_name else field.name)
        except KeyError:
            raise BinlogError(
                f"the view {view.name} has no column {field.name!r}; it has {', '.join(view.column_names)}"
            ) from None
        found, wanted = field.dataType.simpleString(), spark_type(column).simpleString()
        if found != wanted:
            raise BinlogError(
                f"the column {column.name} of the view {view.name} is {wanted}, not {found}",
                hint="Give it that type in the schema, and cast() it afterwards",
            )
        columns.append(column.name)
    return view_options.replace(columns=tuple(columns))


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
