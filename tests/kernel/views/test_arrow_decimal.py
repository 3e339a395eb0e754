"""Decimal numbers in Arrow's layout keep each digit, whatever their scale."""

from decimal import Decimal
from pathlib import Path

from tests.cli.conftest import real
from tests.views.tables import json_lines, of_table

SCALES = range(31)
COLUMNS = [f"c{scale}" for scale in SCALES]
DIGITS = "1234567890123456789012345678901234"
INTEGERS = ["0", "7", "-1", "999999999", "-1000000000", "-9223372036854775808", "9223372036854775807"]


def altered(digits: int, scales: list[int]) -> str:
    changes = [f"MODIFY {name} DECIMAL({digits + scale},{scale})" for name, scale in zip(COLUMNS, scales, strict=True)]
    return f"ALTER TABLE t {', '.join(changes)}"


def test_a_number_stays_the_same_in_a_decimal_of_a_larger_scale(tmp_path: Path) -> None:
    """The columns are integers first, then decimals, then decimals with up to nine decimals more."""
    fewer = [scale - scale % 10 for scale in SCALES]
    rows = [[number] * len(SCALES) for number in INTEGERS]
    rows.append([f"-{DIGITS[: scale + 1]}.{DIGITS[:few]}" for scale, few in zip(SCALES, fewer, strict=True)])
    rows += [[f"{sign}{DIGITS}.{DIGITS[:scale]}" for scale in SCALES] for sign in ("", "-")]
    inserts = [f"INSERT INTO t VALUES ({', '.join(row)})" for row in rows]
    inserts.insert(-2, altered(34, list(SCALES)))
    inserts.insert(-4, altered(31, fewer))
    create = ["CREATE DATABASE d", "USE d", f"CREATE TABLE t ({' BIGINT, '.join(COLUMNS)} BIGINT)"]
    scenario = tmp_path / "decimals.sql"
    statements = "".join(f"con1: {statement};\n" for statement in create + inserts)
    scenario.write_text(f"-- server: version=9.7 format=ROW row_metadata=FULL\n{statements}")
    assert real("simulate", "-o", str(tmp_path), str(scenario)).status == 0
    log = tmp_path / "decimals.000001"
    found = json_lines([log], of_table([log], "d", "t", columns=tuple(COLUMNS)))
    assert [[f"{Decimal(row[name]):f}" for name in COLUMNS] for row in found] == [
        [f"{Decimal(number):.{scale}f}" for number, scale in zip(row, SCALES, strict=True)] for row in rows
    ]
