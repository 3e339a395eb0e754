"""Rows of rare types at a moment: with the server's rows of now, as SQL, and as CSV for LOAD DATA."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT
from tests.server import Server, listening, running
from tests.shell import output_of
from tests.undo.histories import ARGUMENTS

PAGE = (PROJECT / "docs" / "asof.md").read_text()
COLUMNS = {
    "de": "DECIMAL(65,30)",
    "bi": "BIT(64)",
    "b1": "BIT(1)",
    "en": "ENUM('a','','ä,\\'')",
    "se": "SET('x','ä','z')",
    "ye": "YEAR",
    "ti": "TIME(6)",
    "dt": "DATETIME(6)",
    "da": "DATE",
    "ts": "TIMESTAMP(6) NULL",
    "js": "JSON",
    "ge": "GEOMETRY",
    "lb": "LONGBLOB",
    "vb": "VARBINARY(300)",
    "bn": "BINARY(5)",
    "tx": "TEXT CHARACTER SET utf8mb4",
    "la": "VARCHAR(20) CHARACTER SET latin1",
    "ut": "VARCHAR(20) CHARACTER SET utf16",
    "fl": "FLOAT",
    "do": "DOUBLE",
    "me": "MEDIUMINT UNSIGNED",
    "bu": "BIGINT UNSIGNED",
    "ve": "VECTOR(3)",
}
ADDRESSES = {"uu": "UUID", "i4": "INET4", "i6": "INET6"}
"""Types that only MariaDB has."""
UTF8 = "--default-character-set=utf8mb4"
ALL_BYTES = f"x'{bytes(range(256)).hex()}'"
TEXTS = ['\'a,""b"\\n\\\\\'', "'NULL'", "''", "'ä€\\t\\0\\r\\n\",\"'"]
NINES = "9" * 35 + "." + "9" * 30


def rows(kind: str) -> list[list[str]]:
    """Return the values of rows, as SQL."""
    vector = "STRING_TO_VECTOR('[1.5,-2e30,0]')" if kind == "mysql" else "VEC_FromText('[1.5,-2.25,0]')"
    other = vector.replace("1.5", "3")
    line = (
        "ST_GeomFromText('LINESTRING(0 0,1e300 -1)', 4326)"
        if kind == "mariadb"
        else "ST_GeomFromText('POINT(1 2)', 4326)"
    )
    found = [
        [f"-{NINES}", "x'ffffffffffffffff'", "1", "'ä,\\''", "'x,ä,z'", "2155", "'-838:59:58.999999'",
         "'9999-12-31 23:59:59.999999'", "'9999-12-31'", "'2038-01-19 03:14:07.999999'",
         """'{"k": [1, 2.5, "x\\\\"", null], "": {}}'""", line, ALL_BYTES, ALL_BYTES, "x'0a00275c22'", TEXTS[0], "'ß'",
         "'𝄞ä'", "-3.4e38", "-1.7976931348623157e308", "16777215", "18446744073709551615", vector],
        ["NULL"] * 23,
        ["0", "0", "0", "''", "''", "0", "'00:00:00'", "'0000-00-00'", "'0000-00-00'", "0", "'[]'",
         "ST_GeomFromText('GEOMETRYCOLLECTION EMPTY')", "''", "''", "''", "''", "''", "''", "0", "0", "0", "0", other],
        ["1e-30", "x'0a'", "1", "'a'", "'z'", "1901", "'838:59:59'", "'2024-02-00 01:02:03'", "'2024-00-00'",
         "'1970-01-01 00:00:01.000001'", "'\"NULL\"'", "ST_GeomFromText('POLYGON((0 0,1 0,1 1,0 0))')", "'NULL'",
         "'\"'", "'a '", TEXTS[1], "'NULL'", "'a'", "1.1754944e-38", "5e-324", "1", "9223372036854775808", vector],
        [NINES, "x'8000000000000000'", "NULL", "NULL", "'ä'", "1970", "'-00:00:00.000001'", "'1000-01-01 00:00:00'",
         "'0001-01-01'", "NULL", "'null'", "ST_GeomFromText('MULTIPOINT(1 1,2 2)')", "'a\\\\Z\\n'", "x'00'", "'a'",
         TEXTS[3], "'\\\\'", "'\"\"'", "0.1", "0.1", "2", "1", other],
    ]  # fmt: skip
    if kind == "mariadb":
        uuids = ["123e4567-e89b-12d3-a456-426655440000", None, "00000000-0000-0000-0000-000000000000"]
        uuids += ["ffffffff-ffff-1fff-bfff-ffffffffffff", "01890a5d-ac96-774b-bcce-b302099a8057"]
        fours, sixes = (
            ["255.255.255.255", None, "0.0.0.0", "10.0.0.1", "1.2.3.4"],
            ["::", None, "2001:db8::ff", "::1.2.3.4", "ff::"],
        )
        for row, *addresses in zip(found, uuids, fours, sixes, strict=True):
            row += ["NULL" if one is None else f"'{one}'" for one in addresses]
    return found


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server, str]]:
    port, arguments = listening()
    more = ["--local-infile=1", "--sql-mode=NO_ENGINE_SUBSTITUTION"]
    with running(request.param, "asof-rare", *ARGUMENTS[request.param], *arguments, *more) as one:
        yield request.param, one, f"mysql://root@127.0.0.1:{port}"


@pytest.mark.parametrize("image", ["FULL", "MINIMAL"])
def test_rows_of_rare_types_come_back_as_sql(server: tuple[str, Server, str], image: str, tmp_path: Path) -> None:
    kind, one, url = server
    moment, select = made(kind, one, rows(kind), image, tmp_path / "logs")
    before = one.sql(select.replace("d.t", "d.before"), UTF8)
    later = tmp_path / "logs"
    if image == "FULL":  # others do not tell what was deleted
        later /= moment.partition(":")[0]
    asked = ["rows", f"--as-of={moment}", "--table=d.t", "--format=sql"]
    answers = {
        "all": real(*asked, str(tmp_path / "logs")),
        "current": real(*asked, f"--current={url}", str(later)),
    }
    saved = tmp_path / "saved.sql"
    saved.write_bytes(answers["current"].out)
    answers["base"] = real(*asked, f"--base={saved}", str(later))
    for of, result in answers.items():
        assert (of, result.status) == (of, 0), result.err
        one.sql("SET sql_log_bin = 0; DELETE FROM d.t")
        done = subprocess.run(one.client(), input=result.out, capture_output=True, check=False, timeout=60)
        assert (of, done.stderr) == (of, b"")
        assert one.sql(select, UTF8) == before != ""


def test_the_lines_of_the_page_load_csv(server: tuple[str, Server, str], tmp_path: Path) -> None:
    """With a column of each type, texts that look like NULL, and bytes of all kinds."""
    kind, one, url = server
    without_zero_dates = [
        [re.sub(r"^'(0000|2024-0[02]-00).*", "'2024-02-01'", value) for value in row] for row in rows(kind)
    ]
    without_zero_dates[2][list(COLUMNS).index("ts")] = "NULL"
    moment, select = made(kind, one, without_zero_dates, "FULL", tmp_path / "logs")
    before = one.sql(select.replace("d.t", "d.before"), UTF8)
    export, load = re.findall(
        r"^(pybinlog export [^`]*? files.csv)\n```.*?(^SET time_zone.*?)\n  \(id,", PAGE, re.S | re.M
    )[0]
    export = export.replace("10:00", f"{moment} --current={url}").replace("shop.files", "d.t")
    output_of(export.replace("binlog.0*", str(tmp_path / "logs")), tmp_path)
    shutil.copy(tmp_path / "files.csv", one.folder().parents[2] / "tmp" / f"{one.name}.csv")
    load = load.replace("files.csv", f"/tmp/{one.name}.csv").replace("TABLE files", "TABLE d.t")
    names, values = ["id"], []
    for name, declared in columns_of(kind).items():
        expression = expression_on_page(kind, declared)
        names.append(name if expression is None else f"@{name}")
        if expression is not None:
            values.append(f"{name} = {expression.replace('@x', f'@{name}')}")
    one.sql(
        f"SET sql_log_bin = 0; DELETE FROM d.t; {load} ({', '.join(names)}) SET {', '.join(values)}", "--local-infile=1"
    )
    assert one.sql(select, UTF8) == before != ""


def expression_on_page(kind: str, declared: str) -> str | None:
    """Return what the page says of a type."""
    name = declared.partition("(")[0].partition(" ")[0].replace("LONGBLOB", "BLOB")
    own = {"mysql": "MySQL's ", "mariadb": "MariaDB's "}[kind] + name
    for types, text in re.findall(r"^\| ([A-Z][^|]*?) \| `(.*?)` \|$", PAGE, re.MULTILINE):
        if {name, own} & set(types.split(", ")):
            found: str = text
            return found
    return None


def columns_of(kind: str) -> dict[str, str]:
    return COLUMNS | (ADDRESSES if kind == "mariadb" else {})


def made(kind: str, one: Server, values: list[list[str]], image: str, logs: Path) -> tuple[str, str]:
    """Make and change d.t. Return the moment between, in `logs`, and a query; d.before has the rows then."""
    columns = columns_of(kind)
    names = ", ".join(["id", *columns])
    inserts = "".join(
        f"INSERT INTO d.t ({names}) VALUES ({number}, {', '.join(row)}); " for number, row in enumerate(values, 1)
    )
    first = one.next_log()
    one.sql(
        "SET NAMES utf8mb4, time_zone = '+00:00'; DROP DATABASE IF EXISTS d; CREATE DATABASE d; CREATE TABLE d.t "
        f"(id INT PRIMARY KEY, {', '.join(map(' '.join, columns.items()))}); {inserts}"
        "CREATE TABLE d.before LIKE d.t; INSERT INTO d.before SELECT * FROM d.t"
    )
    second = one.next_log()
    empty = ", ".join(f"{name} = NULL" for name in columns)
    one.sql(
        f"SET time_zone = '+00:00', binlog_row_image = {image}; UPDATE d.t SET {empty} WHERE id IN (1, 5); "
        "UPDATE d.t SET id = 30 WHERE id = 3; DELETE FROM d.t WHERE id = 4; "
        "UPDATE d.t SET de = 1, tx = 'x' WHERE id = 2"
    )
    logs.mkdir()
    for log in (first, second):
        shutil.copy(one.folder() / log, logs)
    shown = ", ".join(["id", *(expression(name, declared) for name, declared in columns.items())])
    return f"{second}:4", f"SELECT {shown} FROM d.t ORDER BY id"


def expression(name: str, declared: str) -> str:
    """Return an expression that shows all of a value."""
    if declared in ("FLOAT", "DOUBLE"):
        return f"{name} * 1e0"
    if declared.startswith("BIT"):
        return f"{name} + 0"
    return (
        f"HEX({name})"
        if declared.startswith(("GEOM", "LONGB", "VARB", "BINARY", "VECTOR", "TEXT", "VARCHAR"))
        else name
    )
