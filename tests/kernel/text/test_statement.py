"""The values that a statement needs: user variables, numbers for AUTO_INCREMENT and seeds for RAND()."""

import struct
from pathlib import Path
from typing import Any

import pytest

from pybinlog.event_types import EventType
from tests.dump.one_log import dumped
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

STRING, REAL, INT = 0, 1, 2
UNSIGNED = 1
MODE = "SET @@session.sql_mode=0/*!*/;\n"


def charsets(connection: int, server: int) -> str:
    return (
        f"/*!\\C utf8mb3 *//*!*/;\nSET @@session.character_set_client=33,@@session.collation_connection={connection},"
        f"@@session.collation_server={server}/*!*/;\n"
    )


def text_before(builder: LogBuilder, folder: Path) -> str:
    """The text of an event up to the statement that follows it."""
    dump = dumped(builder.query("DO 1").data, folder)
    assert dump.error is None
    return dump.events[-1].decode().partition("#\tQuery\t")[0]


def user_var(value: tuple[int, int, bytes, int] | None, name: str = "a") -> dict[str, Any]:
    if value is None:
        return {"name": name, "is_null": 1}
    kind, collation, data, flags = value
    return {"name": name, "is_null": 0, "type": kind, "charset": collation, "value": data, "flags": flags}


VALUES = [
    (None, 33, "NULL"),
    ((STRING, 45, b"x\xff", 0), 33, "_utf8mb4 0x78FF COLLATE `utf8mb4_general_ci`"),
    ((STRING, 45, b"", 0), 33, '_utf8mb4 "" COLLATE `utf8mb4_general_ci`'),
    ((STRING, 63, b"\x0f", 0), 33, "_binary 0x0F COLLATE `binary`"),
    ((STRING, 9999, b"x", 0), 33, "???"),
    ((REAL, 63, struct.pack("<d", 0.1), 0), 63, "0.1"),
    ((REAL, 8, struct.pack("<d", 12345678901234.5), 0), 8, "12345678901234"),
    ((INT, 63, struct.pack("<q", -5), 0), 63, "-5"),
    ((INT, 63, struct.pack("<q", -5), UNSIGNED), 63, "18446744073709551611"),
    ((INT, 63, struct.pack("<q", -5), UNSIGNED << 1), 63, "-5"),
]


@pytest.mark.parametrize(("value", "connection", "text"), VALUES)
def test_a_user_variable_is_set_in_the_collation_it_was_made_with(
    value: tuple[int, int, bytes, int] | None, connection: int, text: str, tmp_path: Path
) -> None:
    """The session gets its own collations back, if it has any yet."""
    before = f"#\tUser_var\n{charsets(connection, 33)}SET @`a`:={text}/*!*/;\n"
    fields = user_var(value)
    assert text_before(LogBuilder(MYSQL_9_7).add(EventType.USER_VAR, fields), tmp_path) == before
    assert text_before(LogBuilder(MYSQL_9_7).begin().add(EventType.USER_VAR, fields), tmp_path) == before + charsets(
        33, 8
    )


@pytest.mark.parametrize(("name", "mode", "shown"), [("a`b", "", "`a``b`"), ("a\0'b", MODE, "'a\\0\\'b'")])
def test_a_name_with_a_null_byte_stands_between_quotes(name: str, mode: str, shown: str, tmp_path: Path) -> None:
    """Their escapes need a sql_mode, before and after."""
    builder = LogBuilder(MYSQL_9_7).begin().add(EventType.USER_VAR, user_var(None, name))
    found = text_before(builder, tmp_path)
    assert found == f"#\tUser_var\n{charsets(33, 33)}{mode}SET @{shown}:=NULL/*!*/;\n{mode}{charsets(33, 8)}"


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        (EventType.INTVAR, {"type": 0, "value": 5}, "\tIntvar\nSET INVALID_INT=5/*!*/;\n"),
        (EventType.INTVAR, {"type": 1, "value": (1 << 64) - 1}, "\tIntvar\nSET LAST_INSERT_ID=-1/*!*/;\n"),
        (EventType.INTVAR, {"type": 2, "value": 1 << 62}, "\tIntvar\nSET INSERT_ID=4611686018427387904/*!*/;\n"),
        (EventType.INTVAR, {"type": 3, "value": 0}, "\tIntvar\nSET INVALID_INT=0/*!*/;\n"),
        (
            EventType.RAND,
            {"seed1": 1 << 63, "seed2": (1 << 63) - 1},
            "\tRand\nSET @@RAND_SEED1=-9223372036854775808, @@RAND_SEED2=9223372036854775807/*!*/;\n",
        ),
    ],
)
def test_numbers_for_a_statement_have_signs(kind: EventType, body: dict[str, int], text: str, tmp_path: Path) -> None:
    assert text_before(LogBuilder(MYSQL_9_7).add(kind, body), tmp_path) == f"#{text}"
