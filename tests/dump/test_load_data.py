"""The files of LOAD DATA: what is said of them at the end."""

from pathlib import Path

import pytest

from pybinlog.dump.load_data import LoadFiles
from pybinlog.errors import BinlogError


@pytest.mark.parametrize("count", [1, 3, 4, 6])
def test_three_files_are_named_and_the_others_counted(count: int, tmp_path: Path) -> None:
    files, said = LoadFiles(str(tmp_path)), list[object]()
    for number in range(count):
        files.begin(number, b"1")
        files.pop(number, shown=True)
    files.begin(99, b"2")
    files.end(said.append)
    names = ", ".join(f"SQL_LOAD_MB-{number}-0" for number in range(min(count, 3)))
    more = {4: " and 1 more", 6: " and 3 more"}.get(count, "")
    what, them = ("1 file", "it") if count == 1 else (f"{count} files", "them")
    assert said == [
        f"The text's LOAD DATA statements read {what} that this run has made in {tmp_path}/: {names}{more}. "
        f"Remove {them} when the statements have been run."
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"SQL_LOAD_MB-{number}-0" for number in range(count)]


@pytest.mark.parametrize(("file_id", "name"), [(0, "0"), (9, "9"), (255, "ff"), (1 << 31, "80000000")])
def test_a_file_is_named_for_its_number_and_never_written_over(file_id: int, name: str, tmp_path: Path) -> None:
    files = LoadFiles(str(tmp_path))
    for number in range(18):
        files.begin(file_id, b"%d" % number)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        f"SQL_LOAD_MB-{name}-{number:x}": b"%d" % number for number in range(18)
    }
    assert {path.stat().st_mode & 0o007 for path in tmp_path.iterdir()} == {0}


def test_blocks_are_added_to_the_file_that_was_begun_last(tmp_path: Path) -> None:
    files = LoadFiles(f"{tmp_path}/")
    assert files.append(1, b"lost") is False
    files.begin(1, b"one")
    files.begin(2, b"two")
    files.begin(1, b"three")
    assert files.append(1, b" more") is True
    assert files.waiting == [1, 2]
    assert files.pop(1, shown=False) == f"{tmp_path}/SQL_LOAD_MB-1-1"
    assert files.pop(1, shown=True) is None
    assert files.append(1, b"lost") is False
    assert files.waiting == [2]
    assert (tmp_path / "SQL_LOAD_MB-1-1").read_bytes() == b"three more"
    said: list[object] = []
    files.end(said.append)
    assert (said, list(tmp_path.iterdir()), files.waiting) == ([], [], [])


def test_what_was_told_once_is_not_told_again(tmp_path: Path) -> None:
    files, said = LoadFiles(str(tmp_path)), list[object]()
    files.begin(1, b"one")
    files.pop(1, shown=True)
    files.end(said.append)
    files.end(said.append)
    assert len(said) == 1


def test_the_folder_is_that_of_temporary_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert LoadFiles(None).folder == f"{tmp_path}/"
    assert LoadFiles("").folder == ""
    assert LoadFiles("a/").folder == "a/"
    monkeypatch.delenv("TMPDIR")
    assert LoadFiles(None).folder == "/tmp/"


def test_a_folder_with_a_thousand_files_of_one_number_is_full(tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / f"SQL_LOAD_MB-a-{number:x}").touch()
    files = LoadFiles(str(tmp_path))
    with pytest.raises(BinlogError) as caught:
        files.begin(10, b"x")
    assert str(caught.value) == (
        f"{tmp_path}/ holds 1000 files named SQL_LOAD_MB-a-* already. "
        "Remove the files of earlier dumps, or name another folder with --local-load"
    )
    (tmp_path / "SQL_LOAD_MB-a-3e7").unlink()
    files.begin(10, b"x")
    assert (tmp_path / "SQL_LOAD_MB-a-3e7").read_bytes() == b"x"


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BinlogError) as caught:
        LoadFiles(f"{tmp_path}/none").begin(1, b"x")
    assert str(caught.value) == (
        f"the data of a LOAD DATA statement cannot be written to {tmp_path}/none/SQL_LOAD_MB-1-0: "
        "No such file or directory. Name another folder with --local-load"
    )


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    files = LoadFiles(str(tmp_path))
    files.begin(1, b"x")
    (path := tmp_path / "SQL_LOAD_MB-1-0").unlink()
    (tmp_path / "other").write_bytes(b"mine")
    path.symlink_to(tmp_path / "other")
    with pytest.raises(BinlogError, match=r"cannot be written to .*SQL_LOAD_MB-1-0: Too many levels of symbolic links"):
        files.append(1, b"y")
    assert (tmp_path / "other").read_bytes() == b"mine"
