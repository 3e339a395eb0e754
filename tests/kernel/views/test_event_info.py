"""The column `info` of MariaDB's statements."""

import json
from pathlib import Path

import pytest

from pybinlog.event_types import EventFlag
from pybinlog.layout import StatusVar
from tests.cli.conftest import real
from tests.layout.log_builder import MARIADB_10_11, MYSQL_9_7, LogBuilder

SETTINGS = {
    26: "foreign_key_checks=0",
    14: "sql_auto_is_null=1",
    27: "unique_checks=0",
    15: "check_constraint_checks=0",
    28: "@@sql_if_exists=1",
    30: "@@system_versioning_insert_history=1",
}
"""By their bits, in the order in which they are printed."""
ALL = sum(1 << bit for bit in SETTINGS)


def info(builder: LogBuilder, folder: Path) -> str:
    """The text of the log's last event."""
    log = folder / "binlog.000001"
    log.write_bytes(builder.data)
    result = real("events", "--format=jsonl", "--columns=info", str(log))
    return str(json.loads(result.out.splitlines()[-1])["info"])


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (0, ""),
        (~ALL & 0xFFFFFFFF, ""),
        (ALL, f"set {', '.join(SETTINGS.values())}; "),
        *((1 << bit, f"set {setting}; ") for bit, setting in SETTINGS.items()),
        (1 << 14 | 1 << 30, f"set {SETTINGS[14]}, {SETTINGS[30]}; "),
    ],
)
def test_the_settings_of_a_statement_come_before_it(flags: int, text: str, tmp_path: Path) -> None:
    variables = [{"code": StatusVar.FLAGS2, "value": flags}]
    query = ("FLUSH TABLES", "d`b")
    assert info(LogBuilder(MARIADB_10_11).query(*query, status_vars=variables), tmp_path) == (
        f"use `d``b`; {text}FLUSH TABLES"
    )
    assert info(LogBuilder(MYSQL_9_7).query(*query, status_vars=variables), tmp_path) == "use `d``b`; FLUSH TABLES"


@pytest.mark.parametrize(("database", "flags"), [("", 0), ("d", EventFlag.SUPPRESS_USE)])
def test_a_statement_without_a_database_has_no_use(database: str, flags: int, tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).query("FLUSH TABLES", database, flags, status_vars=[])
    assert info(builder, tmp_path) == "FLUSH TABLES"
