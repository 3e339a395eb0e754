"""What a statement fails with on the server."""

from __future__ import annotations

import re

__all__ = ["SURROGATE", "SqlError", "error"]

SURROGATE = re.compile("[\ud800-\udfff]")
"""What stands in text for a byte that is none."""


class SqlError(Exception):
    """An error that the server would give: its `number`, its `symbol` and the `message` that the client sees."""

    def __init__(self, number: int, symbol: str, message: str):
        message = SURROGATE.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02X}", message)
        super().__init__(message)
        self.number = number
        self.symbol = symbol
        self.message = message

    def __str__(self) -> str:
        return f"ERROR {self.number}: {self.message}"


_ERRORS: dict[str, tuple[int, str]] = {
    "DB_CREATE_EXISTS": (1007, "Can't create database '{}'; database exists"),
    "DB_DROP_EXISTS": (1008, "Can't drop database '{}'; database doesn't exist"),
    "NO_DB": (1046, "No database selected"),
    "BAD_NULL": (1048, "Column '{}' cannot be null"),
    "BAD_DB": (1049, "Unknown database '{}'"),
    "TABLE_EXISTS": (1050, "Table '{}' already exists"),
    "BAD_TABLE": (1051, "Unknown table '{}'"),
    "NON_UNIQ": (1052, "Column '{}' in {} is ambiguous"),
    "BAD_FIELD": (1054, "Unknown column '{}' in '{}'"),
    "DUP_FIELDNAME": (1060, "Duplicate column name '{}'"),
    "DUP_KEYNAME": (1061, "Duplicate key name '{}'"),
    "DUP_ENTRY": (1062, "Duplicate entry '{}' for key '{}'"),
    "PARSE": (1064, "You have an error in your SQL syntax; {}"),
    "EMPTY_QUERY": (1065, "Query was empty"),
    "NONUNIQ_TABLE": (1066, "Not unique table/alias: '{}'"),
    "MULTIPLE_PRI_KEY": (1068, "Multiple primary key defined"),
    "KEY_COLUMN_DOES_NOT_EXITS": (1072, "Key column '{}' doesn't exist in table"),
    "WRONG_AUTO_KEY": (
        1075,
        "Incorrect table definition; there can be only one auto column and it must be defined as a key",
    ),
    "CANT_DROP_FIELD_OR_KEY": (1091, "Can't DROP '{}'; check that column/key exists"),
    "UPDATE_TABLE_USED": (1093, "You can't specify target table '{}' for update in FROM clause"),
    "UNKNOWN_TABLE": (1109, "Unknown table '{}' in {}"),
    "WRONG_VALUE_COUNT_ON_ROW": (1136, "Column count doesn't match value count at row {}"),
    "NO_SUCH_TABLE": (1146, "Table '{}' doesn't exist"),
    "LOCK_WAIT_TIMEOUT": (1205, "Lock wait timeout exceeded; try restarting transaction"),
    "NON_UPDATABLE_TABLE": (1288, "The target table {} of the {} is not updatable"),
    "SUBQUERY_NO_1_ROW": (1242, "Subquery returns more than 1 row"),
    "WARN_DATA_OUT_OF_RANGE": (1264, "Out of range value for column '{}' at row {}"),
    "WARN_DATA_TRUNCATED": (1265, "Data truncated for column '{}' at row {}"),
    "UNKNOWN_STORAGE_ENGINE": (1286, "Unknown storage engine '{}'"),
    "TRUNCATED_WRONG_VALUE": (1292, "Incorrect {} value: '{}' for column '{}' at row {}"),
    "SP_DOES_NOT_EXIST": (1305, "{} {} does not exist"),
    "SP_ALREADY_EXISTS": (1304, "{} {} already exists"),
    "NO_DEFAULT_FOR_FIELD": (1364, "Field '{}' doesn't have a default value"),
    "DIVISION_BY_ZERO": (1365, "Division by 0"),
    "TRUNCATED_WRONG_VALUE_FOR_FIELD": (1366, "Incorrect {} value: '{}' for column '{}' at row {}"),
    "ILLEGAL_VALUE_FOR_TYPE": (1367, "Illegal {} '{}' value found during parsing"),
    "DATA_TOO_LONG": (1406, "Data too long for column '{}' at row {}"),
    "AUTOINC_READ_FAILED": (1467, "Failed to read auto-increment value from storage engine"),
    "DATA_OUT_OF_RANGE": (1690, "{} value is out of range in '{}'"),
    "INVALID_CHARACTER_STRING": (1300, "Invalid {} character string: '{}'"),
    "INVALID_JSON_TEXT": (3140, "Invalid JSON text: \"{}\" at position {} in value for column '{}'."),
    "INVALID_JSON_TEXT_IN_PARAM": (3141, 'Invalid JSON text in an argument of a function: "{}" at position {}.'),
    "JSON_DOCUMENT_TOO_DEEP": (3157, "The JSON document exceeds the maximum depth."),
    "TO_VECTOR_CONVERSION": (6138, "Data cannot be converted to a valid vector: '{}'"),
    "WRONG_PARAMCOUNT_TO_NATIVE_FCT": (1582, "Incorrect parameter count in the call to native function '{}'"),
    "TRG_ALREADY_EXISTS": (1359, "Trigger already exists"),
    "TRG_DOES_NOT_EXIST": (1360, "Trigger does not exist"),
    "UNKNOWN_CHARACTER_SET": (1115, "Unknown character set: '{}'"),
    "UNKNOWN_COLLATION": (1273, "Unknown collation: '{}'"),
}
"""By the server's symbol less its "ER_"."""


def error(symbol: str, *values: object) -> SqlError:
    """The server's error of that symbol, its message filled in."""
    number, message = _ERRORS[symbol]
    return SqlError(number, f"ER_{symbol}", message.format(*values))
