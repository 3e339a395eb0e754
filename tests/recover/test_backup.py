"""The ends of backups, as the programs that make them write them down."""

import json
from pathlib import Path

import pytest

from pybinlog.catalog.coordinates import Coordinates
from pybinlog.errors import BinlogError
from pybinlog.recover.backup import backup_end
from tests.recover.logs import MARIADB, MYSQL, UUID


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (str(MYSQL / "backup.sql"), Coordinates("binlog.000001", 1478, f"{UUID}:1-5")),
        (str(MARIADB / "backup.sql"), Coordinates("binlog.000001", 911, "0-7-3")),
        ("binlog.000007:4711", Coordinates("binlog.000007", 4711)),
        (f"{UUID}:1-5:9", Coordinates("", 0, f"{UUID}:1-5:9")),
        ("0-7-3,1-7-9", Coordinates("", 0, "0-7-3,1-7-9")),
    ],
)
def test_a_dump_a_position_and_gtids_name_a_place(text: str, end: Coordinates) -> None:
    assert backup_end(text) == end


FILES = {
    "xtrabackup_binlog_info": (
        f"binlog.000003\t197\t{UUID}:1-5,\n{UUID[:-1]}2:1-7\n",
        ("binlog.000003", 197, f"{UUID}:1-5,{UUID[:-1]}2:1-7"),
    ),
    "mariadb_backup_binlog_info": ("binlog.000003\t197\t0-1-5\n", ("binlog.000003", 197, "0-1-5")),
    "metadata": (
        f'[source]\nFile = "binlog.000003"\nPosition = 197\nExecuted_Gtid_Set = "{UUID}:1-5"\n',
        ("binlog.000003", 197, f"{UUID}:1-5"),
    ),
    "@.json": (
        json.dumps({"binlogFile": "binlog.000003", "binlogPosition": 197, "gtidExecuted": f"{UUID}:1-5"}),
        ("binlog.000003", 197, f"{UUID}:1-5"),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_folder_has_the_file_of_its_program(name: str, tmp_path: Path) -> None:
    text, end = FILES[name]
    (tmp_path / name).write_text(text)
    assert backup_end(str(tmp_path)) == backup_end(str(tmp_path / name)) == Coordinates(*end)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("dump.sql", "CREATE TABLE t (a INT);", "does not say at which place"),
        ("@.json", "{", "not JSON"),
        ("@.json", '{"gtidExecuted": "", "consistent": false}', "not consistent"),
        ("xtrabackup_binlog_info", "", "does not say at which place"),
        ("metadata", "[config]\n", "does not say at which place"),
    ],
)
def test_a_file_without_a_place_is_refused(name: str, text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BinlogError, match=reason):
        backup_end(str(tmp_path / name))


@pytest.mark.parametrize("text", ["nothing.sql", "binlog.000001", "folder/binlog.000001:4", "2-3", ""])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(BinlogError, match="neither a file, a position nor a GTID set"):
        backup_end(text)


def test_a_folder_with_two_places_is_refused(tmp_path: Path) -> None:
    for name in ("metadata", "@.json"):
        (tmp_path / name).write_text("")
    with pytest.raises(BinlogError, match=r"metadata and @\.json"):
        backup_end(str(tmp_path))
