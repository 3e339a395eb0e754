"""SqlError: what a server answers to a statement that it cannot run, with the server's numbers and words."""

import re

SURROGATE = "[\ud800-\udfff]"
"""The pattern of the characters that stand in text for invalid bytes. Few texts have one: it is compiled late."""


class SqlError(Exception):
    """An error that the server would give: its `number` and the `message` that the client sees."""

    def __init__(self, number: int, message: str):
        message = re.sub(SURROGATE, lambda match: f"\\x{ord(match[0]) & 0xFF:02X}", message)
        super().__init__(message)
        self.number = number
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
    "TOO_BIG_FIELDLENGTH": (1074, "Column length too big for column '{}' (max = {}); use BLOB or TEXT instead"),
    "WRONG_AUTO_KEY": (
        1075,
        "Incorrect table definition; there can be only one auto column and it must be defined as a key",
    ),
    "CANT_DROP_FIELD_OR_KEY": (1091, "Can't DROP '{}'; check that column/key exists"),
    "UNKNOWN_TABLE": (1109, "Unknown table '{}' in {}"),
    "INVALID_GROUP_FUNC_USE": (1111, "Invalid use of group function"),
    "UNKNOWN_CHARACTER_SET": (1115, "Unknown character set: '{}'"),
    "WRONG_VALUE_COUNT_ON_ROW": (1136, "Column count doesn't match value count at row {}"),
    "NO_SUCH_TABLE": (1146, "Table '{}' doesn't exist"),
    "LOCK_WAIT_TIMEOUT": (1205, "Lock wait timeout exceeded; try restarting transaction"),
    "SUBQUERY_NO_1_ROW": (1242, "Subquery returns more than 1 row"),
    "COLLATION_CHARSET_MISMATCH": (1253, "COLLATION '{}' is not valid for CHARACTER SET '{}'"),
    "WARN_DATA_OUT_OF_RANGE": (1264, "Out of range value for column '{}' at row {}"),
    "WARN_DATA_TRUNCATED": (1265, "Data truncated for column '{}' at row {}"),
    "UNKNOWN_COLLATION": (1273, "Unknown collation: '{}'"),
    "UNKNOWN_STORAGE_ENGINE": (1286, "Unknown storage engine '{}'"),
    "TRUNCATED_WRONG_VALUE": (1292, "Truncated incorrect {} value: '{}'"),
    "WRONG_VALUE_FOR_COLUMN": (1292, "Incorrect {} value: '{}' for column '{}' at row {}"),
    "INVALID_CHARACTER_STRING": (1300, "Invalid {} character string: '{}'"),
    "NO_DEFAULT_FOR_FIELD": (1364, "Field '{}' doesn't have a default value"),
    "DIVISION_BY_ZERO": (1365, "Division by 0"),
    "TRUNCATED_WRONG_VALUE_FOR_FIELD": (1366, "Incorrect {} value: '{}' for column '{}' at row {}"),
    "SP_DOES_NOT_EXIST": (1305, "{} {} does not exist"),
    "SP_WRONG_NO_OF_ARGS": (1318, "Incorrect number of arguments for {} {}; expected {}, got {}"),
    "DATA_TOO_LONG": (1406, "Data too long for column '{}' at row {}"),
    "WRONG_VALUE": (1525, "Incorrect {} value: '{}'"),
    "AUTOINC_READ_FAILED": (1467, "Failed to read auto-increment value from storage engine"),
    "WRONG_PARAMCOUNT_TO_NATIVE_FCT": (1582, "Incorrect parameter count in the call to native function '{}'"),
    "DATA_OUT_OF_RANGE": (1690, "{} value is out of range in '{}'"),
}
"""By the server's symbol less its "ER_" (WRONG_VALUE_FOR_COLUMN is another wording of TRUNCATED_WRONG_VALUE)."""


def error(symbol: str, *values: object) -> SqlError:
    """Return the server's error of that symbol, its message filled in. Source: the manual's server error reference."""
    number, message = _ERRORS[symbol]
    return SqlError(number, message.format(*values))
