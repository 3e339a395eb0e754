"""SET statements before a statement: each variable when it changes, and which of them a server of MariaDB knows."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pybinlog.event_types import EventFlag
from pybinlog.layout import StatusVar
from tests.dump.one_log import dumped
from tests.layout.log_builder import MARIADB_10_11, MYSQL_9_7, START, LogBuilder

ALWAYS = re.compile(r"^(?:#.*|SET TIMESTAMP=\d+/\*!\*/;|use .*|DO 1|/\*!\*/;)$")


def set_before(builder: LogBuilder, folder: Path, **options: Any) -> list[list[str]]:
    """The lines before each statement but those that all have."""
    dump = dumped(builder.data, folder, **options)
    assert dump.error is None
    return [[line for line in event.decode().splitlines() if not ALWAYS.match(line)] for event in dump.events[1:]]


def charset(client: int, connection: int, server: int) -> dict[str, int]:
    return {"character_set_client": client, "collation_connection": connection, "collation_server": server}


def charsets(client: int, connection: int, server: int) -> str:
    return (
        f"SET @@session.character_set_client={client},@@session.collation_connection={connection},"
        f"@@session.collation_server={server}"
    )


VARIABLES: dict[str, tuple[StatusVar, list[tuple[Any, list[str]]]]] = {
    "flags2": (
        StatusVar.FLAGS2,
        [
            (0, []),
            (1 << 14, ["SET @@session.sql_auto_is_null=1"]),
            (1 << 19, ["SET @@session.sql_auto_is_null=0, @@session.autocommit=0"]),
            (1 << 26, ["SET @@session.foreign_key_checks=0, @@session.autocommit=1"]),
            (1 << 27, ["SET @@session.foreign_key_checks=1, @@session.unique_checks=0"]),
            (1 << 27, []),
        ],
    ),
    "sql_mode": (
        StatusVar.SQL_MODE,
        [
            (0, []),
            (1, ["SET @@session.sql_mode=1"]),
            (0x80, ["SET @@session.sql_mode=128"]),
            (0x100, ["SET @@session.sql_mode=256/*!80005 &~0x1003ff00*/"]),
            (0x20000, ["SET @@session.sql_mode=131072/*!80005 &~0x1003ff00*/"]),
            (0x40000, ["SET @@session.sql_mode=262144"]),
            (0x10000000, ["SET @@session.sql_mode=268435456/*!80005 &~0x1003ff00*/"]),
            (0x10000000, []),
        ],
    ),
    "auto_increment": (
        StatusVar.AUTO_INCREMENT,
        [
            ({"increment": 1, "offset": 1}, []),
            (
                {"increment": 2, "offset": 1},
                ["SET @@session.auto_increment_increment=2, @@session.auto_increment_offset=1"],
            ),
            (
                {"increment": 2, "offset": 3},
                ["SET @@session.auto_increment_increment=2, @@session.auto_increment_offset=3"],
            ),
            ({"increment": 2, "offset": 3}, []),
        ],
    ),
    "charset": (
        StatusVar.CHARSET,
        [
            (charset(33, 33, 8), []),
            (charset(8, 33, 8), ["/*!\\C latin1 */", charsets(8, 33, 8)]),
            (charset(8, 8, 8), ["/*!\\C latin1 */", charsets(8, 8, 8)]),
            (charset(8, 8, 33), ["/*!\\C latin1 */", charsets(8, 8, 33)]),
            (charset(8, 8, 33), []),
            (charset(9999, 8, 33), [charsets(9999, 8, 33)]),
        ],
    ),
    "time_zone": (
        StatusVar.TIME_ZONE,
        [
            ("", []),
            ("UTC", ["SET @@session.time_zone='UTC'"]),
            ("UTX", ["SET @@session.time_zone='UTX'"]),
            ("", []),
            ("UTX", []),
        ],
    ),
    "lc_time_names": (
        StatusVar.LC_TIME_NAMES,
        [(0, []), (1, ["SET @@session.lc_time_names=1"]), (1, []), (0, ["SET @@session.lc_time_names=0"])],
    ),
    "collation_database": (
        StatusVar.CHARSET_DATABASE,
        [
            (0, []),
            (8, ["SET @@session.collation_database=8"]),
            (8, []),
            (0, ["SET @@session.collation_database=DEFAULT"]),
        ],
    ),
    "explicit_defaults_for_timestamp": (
        StatusVar.EXPLICIT_DEFAULTS_FOR_TIMESTAMP,
        [
            (1, ["SET @@session.explicit_defaults_for_timestamp=1"]),
            (2, ["SET @@session.explicit_defaults_for_timestamp=1"]),
            (0, ["SET @@session.explicit_defaults_for_timestamp=0"]),
        ],
    ),
    "default_collation_for_utf8mb4": (
        StatusVar.DEFAULT_COLLATION_FOR_UTF8MB4,
        [
            (1, ["/*!80011 SET @@session.default_collation_for_utf8mb4=1*/"]),
            (255, ["/*!80011 SET @@session.default_collation_for_utf8mb4=255*/"]),
            (255, []),
            (0, []),
        ],
    ),
    "sql_require_primary_key": (
        StatusVar.SQL_REQUIRE_PRIMARY_KEY,
        [
            (0, ["/*!80013 SET @@session.sql_require_primary_key=0*/"]),
            (1, ["/*!80013 SET @@session.sql_require_primary_key=1*/"]),
            (255, []),
        ],
    ),
    "default_table_encryption": (
        StatusVar.DEFAULT_TABLE_ENCRYPTION,
        [
            (0, ["/*!80016 SET @@session.default_table_encryption=0*/"]),
            (1, ["/*!80016 SET @@session.default_table_encryption=1*/"]),
            (255, []),
        ],
    ),
    "enable_cascade_triggers": (
        StatusVar.ENABLE_CASCADE_TRIGGERS,
        [(1, ["/*!90700 SET @@session.enable_cascade_triggers=1*/"]), (1, [])],
    ),
}
FIRST = [
    (StatusVar.FLAGS2, 0),
    (StatusVar.SQL_MODE, 0),
    (StatusVar.AUTO_INCREMENT, {"increment": 1, "offset": 1}),
    (StatusVar.CHARSET, charset(33, 33, 8)),
]


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_is_set_where_it_changes(name: str, tmp_path: Path) -> None:
    code, values = VARIABLES[name]
    builder = LogBuilder(MYSQL_9_7).query("DO 1", status_vars=[{"code": one, "value": value} for one, value in FIRST])
    for value, _ in values:
        builder.query("DO 1", status_vars=[{"code": code, "value": value}])
    first, *found = set_before(builder, tmp_path)
    assert first[:3] == [
        "SET @@session.pseudo_thread_id=3/*!*/;",
        "SET @@session.foreign_key_checks=1, @@session.sql_auto_is_null=0, @@session.unique_checks=1, "
        "@@session.autocommit=1/*!*/;",
        "SET @@session.sql_mode=0/*!*/;",
    ]
    assert found == [[f"{line}/*!*/;" for line in lines] for _, lines in values]


def test_all_variables_of_a_new_session_are_set(tmp_path: Path) -> None:
    status_vars = [{"code": one, "value": value} for one, value in FIRST]
    assert set_before(LogBuilder(MYSQL_9_7).query("DO 1", status_vars=status_vars), tmp_path)[0][3:] == [
        "SET @@session.auto_increment_increment=1, @@session.auto_increment_offset=1/*!*/;",
        "/*!\\C utf8mb3 *//*!*/;",
        f"{charsets(33, 33, 8)}/*!*/;",
        "SET @@session.lc_time_names=0/*!*/;",
        "SET @@session.collation_database=DEFAULT/*!*/;",
    ]


@pytest.mark.parametrize(("short_form", "thread"), [(False, "3"), (True, "999999999")])
def test_a_thread_is_told_at_first_and_where_it_matters(short_form: bool, thread: str, tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).query("DO 1", status_vars=[])
    for flags in (0, EventFlag.THREAD_SPECIFIC):
        builder.query("DO 1", status_vars=[], flags=flags)
    text = dumped(builder.data, tmp_path, short_form=short_form).text.decode()
    assert re.findall(r"pseudo_thread_id=(\d+)", text) == [thread]


@pytest.mark.parametrize("microseconds", [0, 1, 999_999])
def test_a_time_has_its_microseconds(microseconds: int, tmp_path: Path) -> None:
    variable = {"code": StatusVar.MICROSECONDS, "value": microseconds}
    text = dumped(LogBuilder(MYSQL_9_7).query("DO 1", status_vars=[variable]).data, tmp_path).text.decode()
    expected = f"{START + 1}.{microseconds:06}" if microseconds else str(START + 1)
    assert re.findall(r"^SET TIMESTAMP=(.*)/\*!\*/;$", text, re.MULTILINE) == [expected]


FIRST_VERSIONS = {
    "check_constraint_checks": ["10.2.1"],
    "sql_if_exists": ["10.5.2"],
    "explicit_defaults_for_timestamp": ["10.5.17", "10.6.9", "10.7.5", "10.8.4", "10.9.2"],
    "system_versioning_insert_history": ["10.11.0"],
}
LAST_VERSIONS = {"explicit_defaults_for_timestamp": ["10.5.99", "10.6.99", "10.7.99", "10.8.99"]}


def maria_variables(version: str, folder: Path) -> list[str]:
    format = replace(MARIADB_10_11, server_version=f"{version}-MariaDB-log")
    flags2 = {"code": StatusVar.FLAGS2, "value": 0}
    lines = set_before(LogBuilder(format).query("DO 1", status_vars=[flags2]), folder)[0]
    return [name for line in lines for name in re.findall(r"@@session\.(\w+)=", line) if name in FIRST_VERSIONS]


@pytest.mark.parametrize("name", FIRST_VERSIONS)
def test_mariadb_knows_a_variable_from_a_version_on(name: str, tmp_path: Path) -> None:
    for first in FIRST_VERSIONS[name]:
        major, minor, patch = map(int, first.split("."))
        before = f"{major}.{minor}.{patch - 1}" if patch else f"{major}.{minor - 1}.99"
        assert name in maria_variables(first, tmp_path)
        assert name not in maria_variables(before, tmp_path)
    for last in LAST_VERSIONS.get(name, []):
        major, minor, _ = map(int, last.split("."))
        assert name in maria_variables(last, tmp_path)
        assert name not in maria_variables(f"{major}.{minor + 1}.0", tmp_path)
