"""One rule for the permissions of what is made."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.output import modes
from pybinlog.output.modes import make_folders
from tests.cli.conftest import real
from tests.tag.logs import log_of

SCENARIO = "con1: CREATE TABLE t (a INT);\n"
COMMANDS = {
    "dump": ["dump", "-r", "new", "log"],
    "check": ["check", "-o", "new", "log"],
    "baseline": ["check", "--write-baseline=new", "log"],
    "tag": ["tag", "-o", "new", "log"],
    "export": ["export", "--format=csv", "-o", "new", "log"],
    "partitions": ["export", "--view=rows", "--format=csv", "--partition-by=table", "-o", "new/folder", "log"],
    "simulate": ["simulate", "-o", "new", "scenario.sql"],
}


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_output_has_the_same_permissions(
    command: str, umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(log_of("mysql-9.7/row-basic"), "log")
    os.chmod("log", 0o666)
    Path("scenario.sql").write_text(SCENARIO)
    assert real(*COMMANDS[command]).status == 0
    made = [Path("new"), *Path("new").rglob("*")]
    found = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in made}
    assert found <= {(True, 0o750 & ~umask), (False, 0o640 & ~umask)}


def test_a_copy_of_a_log_allows_no_more_than_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    shutil.copy(log_of("mysql-9.7/row-basic"), log)
    for mode, wanted in ((0o600, 0o600), (0o644, 0o640), (0o440, 0o440)):
        log.chmod(mode)
        copy = tmp_path / f"copy-{mode:o}"
        assert real("tag", "-o", str(copy), str(log)).status == 0
        assert stat.S_IMODE(copy.stat().st_mode) == wanted


def test_folders_are_made_with_those_above_them(tmp_path: Path) -> None:
    make_folders(f"{tmp_path}/a/b/c/")
    make_folders(str(tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b" / "c").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        make_folders(str(tmp_path / "file"))
    with pytest.raises(NotADirectoryError):
        make_folders(str(tmp_path / "file" / "below"))


def test_what_is_not_finished_is_removed_if_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two", "mine"):
        (tmp_path / name).touch()
    paths = {str(tmp_path / name) for name in ("one", "none", "two")}
    monkeypatch.setattr(modes, "unfinished", paths)
    modes.remove_unfinished()
    modes.remove_unfinished()
    assert (os.listdir(tmp_path), paths) == (["mine"], set())
