"""The values of a table in columns that hold all its definitions."""

from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.views.tables import json_lines, of_table


@pytest.mark.parametrize(
    ("first", "second", "before", "after", "values"),
    [
        ("TINYINT", "BIGINT", ["-128", "127"], ["-9223372036854775808"], ["-128", "127", "-9223372036854775808"]),
        ("TINYINT UNSIGNED", "INT", ["255"], ["-1"], ["255", "-1"]),
        ("BIGINT UNSIGNED", "BIGINT", ["5"], ["-9223372036854775808"], ["5", "-9223372036854775808"]),
        ("BIGINT", "BIGINT UNSIGNED", ["5"], ["18446744073709551615"], ["5", "18446744073709551615"]),
        ("INT", "DOUBLE", ["-7", "2147483647"], ["1.5"], ["-7.0", "2147483647.0", "1.5"]),
        ("INT UNSIGNED", "DOUBLE", ["4294967295"], ["-1.5"], ["4294967295.0", "-1.5"]),
        ("INT", "FLOAT", ["-7"], ["1.5"], ["-7.0", "1.5"]),
        ("YEAR", "INT", ["2024"], ["-1"], ["2024", "-1"]),
        ("FLOAT", "DOUBLE", ["1.5"], ["0.1"], ["1.5", "0.1"]),
        ("DECIMAL(5,2)", "DECIMAL(10,4)", ["-1.25"], ["1.2345"], ["-1.2500", "1.2345"]),
        ("INT", "DECIMAL(12,2)", ["-1", "1"], ["1.25"], ["-1.00", "1.00", "1.25"]),
        ("BIT(12)", "BIT(40)", ["b'100000000001'"], ["b'1'"], ["2049", "1"]),
        (
            "DATE",
            "DATETIME(3)",
            ["'2024-02-29'"],
            ["'1969-12-31 23:59:59.999'"],
            ["2024-02-29 00:00:00.000", "1969-12-31 23:59:59.999"],
        ),
        ("TIME", "TIME(6)", ["'-838:59:59'"], ["'01:02:03.000004'"], ["-838:59:59.000000", "01:02:03.000004"]),
        ("ENUM('x','y')", "ENUM('x','y','z')", ["'x'", "'y'"], ["'z'"], ["x", "y", "z"]),
        ("ENUM('x','y')", "VARCHAR(9) CHARACTER SET utf8mb4", ["'x'", "'y'"], ["'z'"], ["x", "y", "z"]),
        ("SET('x','y')", "SET('z','x','y')", ["'x,y'", "''"], ["'z,y'"], ["['x', 'y']", "[]", "['z', 'y']"]),
        (
            "VARCHAR(9) CHARACTER SET latin1",
            "VARCHAR(9) CHARACTER SET utf8mb4",
            ["'äb'", "''"],
            ["'日'"],
            ["äb", "", "日"],
        ),
        ("BINARY(3)", "BINARY(4)", ["'abc'", "'a'"], ["'a'"], ["YWJj", "YQAA", "YQAAAA=="]),
    ],
)
def test_a_value_stays_the_same_in_a_wider_type(
    first: str, second: str, before: list[str], after: list[str], values: list[str], tmp_path: Path
) -> None:
    scenario = tmp_path / "widened.sql"
    inserts = [[f"INSERT INTO d.t VALUES ({value});\n" for value in listed] for listed in (before, after)]
    scenario.write_text(
        "-- server: version=9.7 format=ROW row_metadata=FULL\nCREATE DATABASE d;\n"
        f"CREATE TABLE d.t (c {first});\n{''.join(inserts[0])}"
        f"ALTER TABLE d.t MODIFY c {second};\n{''.join(inserts[1])}",
        encoding="utf-8",
    )
    assert real("simulate", "-o", str(tmp_path), str(scenario)).status == 0
    log = tmp_path / "widened.000001"
    rows = json_lines([log], of_table([log], "d", "t", columns=("c",)))
    assert [str(row["c"]) for row in rows] == values
