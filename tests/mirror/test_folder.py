"""A mirror's folder: what is in it, whose it is, and that it is always whole."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.kernel.base.event import MAGIC
from pybinlog.mirror.finished_logs import FinishedLogs
from pybinlog.mirror.folder import LOCK, STATE, Identity, MirrorFolder
from pybinlog.mirror.verification import DONE
from pybinlog.source.index import read_index

IDENTITY = Identity("server_uuid 1", "binlog", "2", 3)


def begun(path: Path, *names: str) -> None:
    with MirrorFolder(str(path)) as folder:
        folder.begin(IDENTITY)
        for name in names:
            folder.add(name)


def test_it_is_found_again_as_it_was(tmp_path: Path) -> None:
    begun(tmp_path / "mirror", "binlog.000007", "binlog.000008")
    with MirrorFolder(str(tmp_path / "mirror")) as folder:
        assert folder.identity == IDENTITY
        assert folder.logs() == ["binlog.000007", "binlog.000008"]
        assert Path(folder.index).read_text() == "./binlog.000007\n./binlog.000008\n"
        assert read_index(folder.index) == [folder.file(name) for name in folder.logs()]
        assert Path(folder.file("binlog.000008")).read_bytes() == MAGIC


def test_the_index_names_the_file_that_holds_a_log(tmp_path: Path) -> None:
    begun(tmp_path, "binlog.000001", "binlog.000002", "binlog.000003")
    with MirrorFolder(str(tmp_path)) as folder:
        folder.replaced("binlog.000002", "binlog.000002.zst")
        folder.removed("binlog.000001")
        with pytest.raises(ValueError):
            folder.removed("binlog.000001")
    with MirrorFolder(str(tmp_path)) as folder:
        assert folder.logs() == ["binlog.000002.zst", "binlog.000003"]


def test_a_second_one_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    begun(tmp_path)
    with (
        MirrorFolder(str(tmp_path)),
        pytest.raises(BinlogError, match="another mirror is at work"),
        MirrorFolder(str(tmp_path)),
    ):
        pass
    with MirrorFolder(str(tmp_path)):
        pass


@pytest.mark.parametrize("name", ["../binlog.000001", "other.000001", "binlog.1", ".binlog.000001", "binlog.index"])
def test_no_other_names_come_into_it(tmp_path: Path, name: str) -> None:
    begun(tmp_path / "mirror")
    with MirrorFolder(str(tmp_path / "mirror")) as folder, pytest.raises(BinlogError, match="not a name of a log"):
        folder.add(name)
    assert {path.name for path in tmp_path.rglob("*")} == {"mirror", LOCK, STATE}


def test_an_index_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "binlog.index").write_text("./binlog.000001\n")
    with pytest.raises(BinlogError, match="not a mirror's yet"):
        begun(tmp_path)
    assert (tmp_path / "binlog.index").read_text() == "./binlog.000001\n"


def test_a_last_log_that_is_gone_is_an_error(tmp_path: Path) -> None:
    begun(tmp_path, "binlog.000001")
    (tmp_path / "binlog.000001").unlink()
    with pytest.raises(DataLossError, match="last log is gone"), MirrorFolder(str(tmp_path)):
        pass


SAID = {"server": "server_uuid 1", "base": "binlog", "replica_uuid": "2", "replica_id": 3}
WRONG: dict[str, tuple[object, ...]] = {
    "server": (None, 1, "a", "server_uuid a'b", "server_uuid a\nb"),
    "base": (None, [], "", "a\0b", "../a", "/a", ".a", "a\nb", "a\u2028"),
    "replica_uuid": (None, {}, "", "a'b", "\0", "a" * 100),
    "replica_id": (None, True, "3", 0, -1, 1 << 32, 1e99, 2.5),
}
STRANGE = [
    *(
        "",
        "[]",
        "{}",
        '{"server": 1}',
        json.dumps({"server": "a", "base": "b"}),
        "{" * 99,
        "[" * 60_000,
        "\udcff",
        "\0",
    ),
    json.dumps({**SAID, "more": 1}),
    *(json.dumps({**SAID, field: value}) for field, values in WRONG.items() for value in values),
]


@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_a_state_that_says_nothing_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / STATE).write_text(text, errors="surrogateescape")
    with pytest.raises(BinlogError, match="does not say whose logs"), MirrorFolder(str(tmp_path)):
        pass
    assert (tmp_path / STATE).read_text(errors="surrogateescape") == text


@pytest.mark.parametrize("name", [STATE, "binlog.index", DONE])
def test_a_file_beside_the_logs_that_has_no_end_is_an_error(name: str, tmp_path: Path) -> None:
    begun(tmp_path, "binlog.000001")
    with suppress(FileNotFoundError):
        (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises(BinlogError, match="not a regular file"), MirrorFolder(str(tmp_path)) as folder:
        FinishedLogs(folder, report=pytest.fail)


def test_a_state_that_is_too_large_is_an_error_that_says_how_large_it_may_be(tmp_path: Path) -> None:
    (tmp_path / STATE).write_text(" " * (1 << 16) + "{}")
    with pytest.raises(BinlogError, match="it is larger than 64 KiB"), MirrorFolder(str(tmp_path)):
        pass


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "mirror", tmp_path / "no" / "mirror"):
        with pytest.raises(BinlogError, match="cannot be"), MirrorFolder(str(path)):
            pass


def test_several_threads_change_it(tmp_path: Path) -> None:
    """As a mirror that adds logs while finished ones are compressed."""
    begun(tmp_path, *(f"binlog.{number:06d}" for number in range(1, 11)))
    with MirrorFolder(str(tmp_path)) as folder:

        def compress() -> None:
            for number in range(1, 11):
                folder.replaced(f"binlog.{number:06d}", f"binlog.{number:06d}.zst")

        thread = threading.Thread(target=compress)
        thread.start()
        for number in range(11, 21):
            folder.add(f"binlog.{number:06d}")
        thread.join()
        expected = [f"binlog.{number:06d}" + ".zst" * (number < 11) for number in range(1, 21)]
        assert folder.logs() == expected
    assert [Path(name).name for name in (tmp_path / "binlog.index").read_text().split()] == expected
