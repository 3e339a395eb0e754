"""Files of definitions: full dumps without keeping their rows, and files that are not dumps."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.catalog import dump_files
from pybinlog.catalog.coordinate_texts import coordinates_of_dump, coordinates_of_mydumper
from pybinlog.catalog.coordinates import Coordinates
from pybinlog.catalog.dump_files import dump_text, read_catalog
from pybinlog.errors import BinlogError, SourceError
from tests.cli.conftest import real
from tests.corpus import PROJECT

TABLES = "USE `d`;\nCREATE TABLE `t` (\n  `a` int\n);\n"
MORE = "CREATE TABLE u (b INT);\n"


@pytest.mark.parametrize(
    "rows",
    [
        "INSERT INTO `t` VALUES (1,'a;'),(2,'it\\'s\\n');\n",
        "INSERT INTO `t` VALUES\n(1,'CREATE TABLE'),\n(2,'b');\n",
        "INSERT IGNORE INTO `t` VALUES (1);\nREPLACE INTO `t` VALUES (2);\n",
        f"INSERT INTO `t` VALUES ('{'x' * (3 << 20)}');\n",
    ],
)
def test_rows_are_left_out_and_lines_keep_their_numbers(rows: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(TABLES + rows + MORE)
    assert dump_text(str(dump)) == TABLES + "\n" * rows.count("\n") + MORE
    assert len(read_catalog([str(dump)])) == 2


@pytest.mark.parametrize(
    "rows", ["INSERT INTO `t` VALUES (1,'a", "INSERT INTO `t` VALUES\n(1,'a'),\n(2,'b", "REPLACE INTO `t` VALUES ('a\n"]
)
def test_a_dump_that_is_cut_short_in_rows_is_an_error_with_their_line(rows: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(f"{TABLES}{MORE}{rows}")
    last = (TABLES + MORE + rows.rstrip("\n")).count("\n") + 1
    with pytest.raises(BinlogError, match=f"line {last}: a quote is opened, and nothing closes it"):
        read_catalog([str(dump)])


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("INSERT INTO `t` VALUES (1,'a');\nINSERT INTO `t` VALUES (1,'a),(2,'b');\n", 6),
        ("INSERT INTO `t` VALUES (1,'it\\'s);\n", 5),
        ("INSERT INTO `t` VALUES\n(1,'a'),\n(2,'b\\');\n", 7),
        ('INSERT INTO `t` VALUES\n(1,"a\\"b"),\n(2,"b);\n', 7),
        (f"INSERT INTO `t` VALUES ('{'x' * (3 << 20)});\n", 5),
    ],
)
def test_a_quote_that_is_open_where_rows_end_is_an_error_with_its_line(rows: str, line: int, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(f"{TABLES}{rows}CREATE TABLE u (b INT COMMENT 'this closes nothing');\n")
    with pytest.raises(BinlogError, match=f"line {line}: a quote is opened, and nothing closes it"):
        read_catalog([str(dump)])


@pytest.mark.parametrize("before", [*range(8), 500])
@pytest.mark.parametrize(
    "row", [r"'it\'s'", r"'\\\''", r"'a\\'", '"it\'s"', "'it''s'", "'say \"'", r'"\""', "`o'brien`", "x'00'"]
)
def test_quotes_that_are_closed_may_lie_anywhere(
    monkeypatch: pytest.MonkeyPatch, row: str, before: int, tmp_path: Path
) -> None:
    """An escape may be the last byte of a piece that is read at once."""
    monkeypatch.setattr("pybinlog.catalog.dump_files.PIECE", 32)
    dump = tmp_path / "dump.sql"
    rows = f"INSERT INTO `t` VALUES ({'1' * before},{row});\n"
    dump.write_text(TABLES + rows + MORE)
    assert dump_text(str(dump)) == TABLES + "\n" + MORE


def test_rows_without_the_last_semicolon_are_whole(tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(f"{TABLES}{MORE}INSERT INTO `t` VALUES\n(1,'a')")
    assert len(read_catalog([str(dump)])) == 2


def test_a_full_dump_takes_little_memory(tmp_path: Path) -> None:
    dump, room = tmp_path / "dump.sql", 96 << 20
    line = "INSERT INTO `t` VALUES " + ",".join(f"({number},'some text\\n')" for number in range(40_000)) + ";\n"
    with dump.open("w") as file:
        file.write(TABLES)
        for _ in range(room // len(line)):
            file.write(line)
        file.write(MORE)
    read = "from pybinlog.catalog.dump_files import read_catalog"
    code = f"import sys; {read}; assert len(read_catalog(sys.argv[1:])) == 2"
    subprocess.run(
        [sys.executable, "-c", code, dump],
        check=True,
        cwd=PROJECT,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (room, room)),
    )


def test_a_quote_that_nothing_closes_is_an_error_with_its_line(tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(f"{TABLES}CREATE TABLE u (b INT COMMENT 'oh);\n{MORE}")
    with pytest.raises(BinlogError, match=r"line 5: a quote is opened, and nothing closes it"):
        read_catalog([str(dump)])


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "--view=rows", "-o", "-", "--schema={}", "LOG"],
        ["check", "--baseline={}", "LOG"],
        ["simulate", "{}", "-o", "OUT"],
        ["dump", "-R", "--defaults-file={}", "binlog.000001"],
    ],
)
def test_what_is_no_regular_file_is_refused(arguments: list[str], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    log = next((PROJECT / "testdata" / "regressions").iterdir())
    for path in ("/dev/zero", str(pipe)):
        words = [word.format(path).replace("LOG", str(log)).replace("OUT", str(tmp_path / "o")) for word in arguments]
        result = real(*words)
        assert result.status in (1, 2)
        assert "it is not a regular file" in result.err


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(200 << 20)
    log = next((PROJECT / "testdata" / "regressions").iterdir())
    for arguments in (["export", "--view=rows", "-o", "-", f"--schema={large}"], ["check", f"--baseline={large}"]):
        result = real(*arguments, str(log))
        assert result.status in (1, 2)
        assert "it is larger than 64 MiB" in result.err


HINT = "mysqldump --no-data --databases shop prints them"
NO_FILE = (
    "no file of this folder is named DATABASE.TABLE-schema.sql and has a CREATE TABLE statement. "
    "Name a folder that mydumper wrote, or a file"
)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, NO_FILE),
        (
            {"d.t-schema.sql": "SELECT 1", "d-schema.sql": "CREATE TABLE t (a INT)", "t.sql": "CREATE TABLE t (a INT)"},
            NO_FILE,
        ),
        ({"d.t-schema.sql.gz": ""}, "/d.t-schema.sql.gz: compressed definitions are not read. Unpack them"),
        ({"d.t-schema.sql.zst": ""}, "/d.t-schema.sql.zst: compressed definitions are not read. Unpack them"),
        (
            {"d.t-schema.sql": "CREATE TABLE t (a INT COMMENT 'x"},
            "/d.t-schema.sql: line 2: a quote is opened, and nothing closes it. "
            "The file is incomplete, or not a dump of SQL",
        ),
    ],
)
def test_a_folder_without_definitions_is_an_error(files: dict[str, str], sentence: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(BinlogError) as caught:
        read_catalog([str(tmp_path)])
    assert str(caught.value) == f"{tmp_path}{sentence if sentence[0] == '/' else f': {sentence}'}"


def test_a_file_without_definitions_is_an_error(tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text("USE d; DROP TABLE t;")
    with pytest.raises(BinlogError) as caught:
        read_catalog([str(dump)])
    assert str(caught.value) == f"{dump}: no CREATE TABLE statement is in it. {HINT}"
    with pytest.raises(SourceError) as missing:
        read_catalog([str(tmp_path / "x")])
    assert str(missing.value) == f"{tmp_path / 'x'}: cannot be read: No such file or directory"


def test_files_of_a_folder_define_tables_of_their_databases(tmp_path: Path) -> None:
    (tmp_path / "a`b.t-schema.sql").write_text("CREATE TABLE t (a INT);")
    (tmp_path / "c.t.u-schema.sql").write_text("CREATE TABLE `t.u` (a INT);")
    catalog = read_catalog([str(tmp_path)])
    assert catalog.definitions.sources == {("a`b", "t"): str(tmp_path), ("c", "t.u"): str(tmp_path)}
    assert catalog.coordinates == Coordinates()


def test_dumps_of_different_places_are_an_error(tmp_path: Path) -> None:
    heads = {
        "one": "CHANGE MASTER TO MASTER_LOG_FILE='binlog.000002', MASTER_LOG_POS=4;",
        "same": "CHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='/x/binlog.000002', SOURCE_LOG_POS=4;",
        "other": "SET @@GLOBAL.GTID_PURGED='3E11FA47-71CA-11E1-9E33-C80AA9429562:1-5';",
        "none": "",
    }
    for name, head in heads.items():
        (tmp_path / name).write_text(f"{head}\n{TABLES}")
    paths = {name: str(tmp_path / name) for name in heads}
    assert read_catalog([paths["one"], paths["same"]]).coordinates == Coordinates("binlog.000002", 4)
    said = {
        "one": "binlog.000002, position 4",
        "other": "the GTIDs 3E11FA47-71CA-11E1-9E33-C80AA9429562:1-5",
        "none": "a place that it does not say",
    }
    for first, second in (("one", "other"), ("other", "none"), ("none", "one")):
        with pytest.raises(BinlogError) as caught:
            read_catalog([paths[first], paths[second]])
        assert str(caught.value) == (
            f"{paths[second]}: {paths[first]} is of {said[first]}, and this of {said[second]}. "
            "Give dumps of one place, or say of which: --schema-of=start or --schema-of=end"
        )
        catalog = read_catalog([paths[first], paths[second]], "end")
        assert (catalog.coordinates, catalog.schema_of) == (Coordinates(), "end")


def test_a_dump_may_be_utf_16_or_have_a_mark_of_utf_8(tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    for encoding in ("utf-16", "utf-8-sig"):
        dump.write_text(TABLES, encoding=encoding)
        assert dump_text(str(dump)) == TABLES
    dump.write_bytes(b"\xfe\xff" + TABLES.encode("utf-16-be"))
    assert dump_text(str(dump)) == TABLES
    dump.write_bytes(b"\xff" + TABLES.encode())
    assert dump_text(str(dump)) == f"\udcff{TABLES}"


def test_definitions_of_64_mib_are_read_and_no_more(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert dump_files.MOST_BYTES == 64 << 20
    monkeypatch.setattr(dump_files, "MOST_BYTES", len(TABLES) + 1)
    dump = tmp_path / "dump.sql"
    dump.write_text(f"INSERT INTO t VALUES (1);\n{TABLES}")
    assert dump_text(str(dump)) == f"\n{TABLES}"
    dump.write_text(f"\n\n{TABLES}")
    with pytest.raises(SourceError) as caught:
        dump_text(str(dump))
    assert str(caught.value) == (
        f"{dump}: it is larger than 0 MiB without its rows. "
        "mysqldump --no-data --databases shop prints the definitions alone"
    )


@pytest.mark.parametrize(
    ("text", "coordinates"),
    [
        ("", Coordinates()),
        ("-- CHANGE MASTER TO MASTER_LOG_FILE='a.1', MASTER_LOG_POS=7;", Coordinates("a.1", 7)),
        (
            "x\nchange  replication source to source_log_file = '/b/a.1' , source_log_pos = 157;",
            Coordinates("a.1", 157),
        ),
        ("x CHANGE MASTER TO MASTER_LOG_FILE='a.1', MASTER_LOG_POS=7;", Coordinates()),
        (
            "-- Position to start replication or point-in-time recovery from (the master of this slave)\n"
            "CHANGE MASTER TO MASTER_LOG_FILE='a.1', MASTER_LOG_POS=7;\n" + " " * 200 + "\n"
            "CHANGE MASTER TO MASTER_LOG_FILE='a.2', MASTER_LOG_POS=8;\n"
            "CHANGE MASTER TO MASTER_LOG_FILE='a.3', MASTER_LOG_POS=9;",
            Coordinates("a.2", 8),
        ),
        ("of this replica" + " " * 184 + "\nCHANGE MASTER TO MASTER_LOG_FILE='a.1', MASTER_LOG_POS=7;", Coordinates()),
        (
            "of this replica" + " " * 185 + "\nCHANGE MASTER TO MASTER_LOG_FILE='a.1', MASTER_LOG_POS=7;",
            Coordinates("a.1", 7),
        ),
        ("SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ 'a:1-5,\nb:7';", Coordinates(gtids="a:1-5,b:7")),
        ("SET @@global.gtid_purged = 'a:1';", Coordinates(gtids="a:1")),
        ("-- SET GLOBAL gtid_slave_pos='0-1-5';", Coordinates(gtids="0-1-5")),
        (
            "CHANGE MASTER TO MASTER_LOG_FILE='a.1', MASTER_LOG_POS=7;\nSET @@GLOBAL.GTID_PURGED='a:1';",
            Coordinates("a.1", 7, "a:1"),
        ),
    ],
)
def test_the_coordinates_in_a_dump(text: str, coordinates: Coordinates) -> None:
    assert coordinates_of_dump(text) == coordinates


@pytest.mark.parametrize(
    ("text", "coordinates"),
    [
        ("", Coordinates()),
        ("SHOW MASTER STATUS:\n\tLog: a.1\n\tPos: 7\n\tGTID:a:1-5,\n b:7\n", Coordinates("a.1", 7, "a:1-5,b:7")),
        ("SHOW BINARY LOG STATUS:\n\tLog: a.1\n\tPos: 7\n", Coordinates("a.1", 7)),
        ('[source]\nFile = "a.1"\nPosition = 7\nExecuted_Gtid_Set = "a:1, b:2"\n', Coordinates("a.1", 7, "a:1,b:2")),
        (
            "[config]\nFile = x\n[master]\n# SOURCE_LOG_FILE = 'a.1'\n# SOURCE_LOG_POS = '7'\n[t]\nFile = y\n",
            Coordinates("a.1", 7),
        ),
        ("[source]\nFile = a.1\nPosition = x\n", Coordinates()),
        ("[source]\nFile = a.1\n", Coordinates("a.1", 0)),
        ("[source]\nExecuted_Gtid_Set = a:1\n", Coordinates(gtids="a:1")),
        ("[config]\nFile = a.1\nPosition = 7\n", Coordinates()),
    ],
)
def test_the_coordinates_in_a_folder_of_mydumper(text: str, coordinates: Coordinates) -> None:
    assert coordinates_of_mydumper(text) == coordinates


def test_coordinates_as_a_sentence_has_them() -> None:
    assert str(Coordinates("a.1", 7, "b:1")) == "a.1, position 7"
    assert str(Coordinates(gtids="b:1")) == "the GTIDs b:1"
    assert [bool(one) for one in (Coordinates(), Coordinates("", 4), Coordinates("a.1"), Coordinates(gtids="b:1"))] == [
        False,
        False,
        True,
        True,
    ]
