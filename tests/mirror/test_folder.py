"""A mirror's folder: what is in it, whose it is, and that it is always whole."""

import json
import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.kernel.base.event import MAGIC
from pybinlog.mirror.finished_logs import FinishedLogs
from pybinlog.mirror.folder import LOCK, STATE, Identity, MirrorFolder, base_of, check_following, identity_of, number_of
from pybinlog.mirror.verification import DONE
from pybinlog.output import lock_file, replacement
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
        pytest.raises(BinlogError, match=rf"another mirror \(process {os.getpid()}\) is at work"),
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
    begun(tmp_path, "binlog.000001", "binlog.000002", "binlog.000003")
    (tmp_path / "binlog.000003").unlink()
    with pytest.raises(DataLossError) as raised, MirrorFolder(str(tmp_path)):
        pass
    assert str(raised.value) == (
        f"{tmp_path / 'binlog.000003'}: the mirror's last log is gone. Restore it, or remove its line from the index "
        "to copy it again"
    )


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


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("server", "uuid 1", "server is not a server_uuid or server_id"),
        ("server", f"server_id {'1' * 65}", "server is not a server_uuid or server_id"),
        ("base", f"a{'b' * 200}", "base is not a name of a series of logs"),
        ("replica_uuid", "a" * 65, "replica_uuid is not a uuid"),
        ("replica_id", 0, "replica_id is not a number from 1 to 4294967295"),
        ("replica_id", 1 << 32, "replica_id is not a number from 1 to 4294967295"),
        ("more", 1, "it has not just the fields server, base, replica_uuid, replica_id"),
    ],
)
def test_a_state_with_a_wrong_field_says_which(tmp_path: Path, field: str, value: object, why: str) -> None:
    path = tmp_path / STATE
    path.write_text(json.dumps({**SAID, field: value}))
    with pytest.raises(BinlogError) as raised, MirrorFolder(str(tmp_path)):
        pass
    assert str(raised.value) == (
        f"{path}: it does not say whose logs these are: {why}. Restore the file that the mirror wrote, or mirror into "
        "another folder"
    )


def test_a_state_that_is_no_json_says_so(tmp_path: Path) -> None:
    (tmp_path / STATE).write_text("{")
    with pytest.raises(BinlogError, match="whose logs these are: it is no JSON"), MirrorFolder(str(tmp_path)):
        pass


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("server", f"server_id {'1' * 64}"),
        ("base", f"a{'b' * 199}"),
        ("base", "a.b-c d"),
        ("replica_uuid", "a" * 64),
        ("replica_id", 1),
        ("replica_id", (1 << 32) - 1),
    ],
)
def test_a_state_may_have_the_largest_and_the_smallest_values(field: str, value: object) -> None:
    assert getattr(identity_of({**SAID, field: value}), field) == value


def test_the_state_is_written_a_field_in_a_line(tmp_path: Path) -> None:
    begun(tmp_path)
    assert (tmp_path / STATE).read_text() == (
        '{\n  "server": "server_uuid 1",\n  "base": "binlog",\n  "replica_uuid": "2",\n  "replica_id": 3\n}\n'
    )


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("binlog.000001", ("binlog", 1)),
        ("a.b.1234567890", ("a.b", 1234567890)),
        (f"a{'b' * 199}.000012", (f"a{'b' * 199}", 12)),
    ],
)
def test_the_parts_of_a_logs_name(name: str, parts: tuple[str, int]) -> None:
    assert (base_of(name), number_of(name)) == parts


@pytest.mark.parametrize("name", ["binlog.00001", "binlog.12345678901", "a\nb.000001", "-b.000001", ".000001"])
def test_a_name_without_a_number_is_refused_in_quotes(name: str) -> None:
    with pytest.raises(BinlogError) as raised:
        number_of(name)
    assert str(raised.value) == f"{name!r} is not a name of a numbered log"


def test_a_name_that_has_no_end_is_shortened() -> None:
    with pytest.raises(BinlogError) as raised:
        base_of("b" * 501)
    assert str(raised.value) == (
        f"'{'b' * 250}... (1 characters are left out) ...{'b' * 250}' is not a name of a numbered log"
    )


@pytest.mark.parametrize("name", ["b.000007", "b.000009", "a.000008", "b.8", "x"])
def test_only_the_next_log_of_the_series_follows(name: str) -> None:
    check_following("db1", "b.000007", "b.000008")
    with pytest.raises(BinlogError) as raised:
        check_following("db1", "b.000007", name)
    assert str(raised.value) == (
        f"db1: the server continues with {name!r} after b.000007, which is not the next log of the series"
    )


def test_a_folder_that_cannot_be_locked_is_an_error(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir()
    with pytest.raises(BinlogError) as raised, MirrorFolder(str(tmp_path)):
        pass
    assert str(raised.value) == f"{tmp_path / LOCK}: it cannot be locked: Is a directory"


def test_a_lock_that_a_refused_first_run_removes_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening and locking it: two runs would otherwise hold a lock each."""
    locked: list[int] = []

    def lock(descriptor: int) -> bool:
        if not locked:
            (tmp_path / LOCK).unlink()
        locked.append(descriptor)
        return replacement.lock(descriptor)

    monkeypatch.setattr(lock_file, "lock", lock)
    with MirrorFolder(str(tmp_path)):
        first, second = locked
        assert first == second, "the number of a closed file is given again"
        with pytest.raises(BinlogError, match="another mirror"), MirrorFolder(str(tmp_path)):
            pass
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(second)


def test_a_log_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    begun(tmp_path)
    (tmp_path / "binlog.000001").mkdir()
    with MirrorFolder(str(tmp_path)) as folder:
        with pytest.raises(BinlogError) as raised:
            folder.add("binlog.000001")
        assert str(raised.value) == f"{tmp_path / 'binlog.000001'}: the log cannot be made: Is a directory"
        assert folder.logs() == []


@pytest.mark.parametrize("begins", [b"", MAGIC[:1], MAGIC])
def test_what_an_ended_run_has_left_of_a_log_is_taken_over(tmp_path: Path, begins: bytes) -> None:
    begun(tmp_path)
    (tmp_path / "binlog.000001").write_bytes(begins)
    with MirrorFolder(str(tmp_path)) as folder:
        assert Path(folder.add("binlog.000001")).read_bytes() == MAGIC
        assert folder.logs() == ["binlog.000001"]


@pytest.mark.parametrize("there", [MAGIC + b"x", b"x", MAGIC[1:]])
def test_another_file_of_a_logs_name_stays(tmp_path: Path, there: bytes) -> None:
    begun(tmp_path)
    path = tmp_path / "binlog.000001"
    path.write_bytes(there)
    with MirrorFolder(str(tmp_path)) as folder, pytest.raises(BinlogError) as raised:
        folder.add("binlog.000001")
    assert str(raised.value) == (
        f"{path}: a file of this name is there, which the mirror has not made. Move it away, or mirror into another "
        "folder"
    )
    assert path.read_bytes() == there


@pytest.mark.parametrize("name", [STATE, "binlog.index"])
def test_a_file_beside_the_logs_that_cannot_be_read_is_an_error(name: str, tmp_path: Path) -> None:
    begun(tmp_path, "binlog.000001")
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(name)
    with pytest.raises(BinlogError) as raised, MirrorFolder(str(tmp_path)):
        pass
    assert str(raised.value) == f"{tmp_path / name}: it cannot be read: Too many levels of symbolic links"


def test_a_mirror_that_was_ended_before_its_first_log_has_none(tmp_path: Path) -> None:
    begun(tmp_path)
    with MirrorFolder(str(tmp_path)) as folder:
        assert (folder.identity, folder.logs()) == (IDENTITY, [])


def test_an_index_with_another_name_is_an_error_of_the_index(tmp_path: Path) -> None:
    begun(tmp_path, "binlog.000001")
    (tmp_path / "binlog.index").write_text("./binlog.000001\n./other.000002.zst\n")
    with pytest.raises(BinlogError) as raised, MirrorFolder(str(tmp_path)):
        pass
    assert str(raised.value) == (
        f"{tmp_path / 'binlog.index'}: 'other.000002' is not a name of a log of the series 'binlog'"
    )


def test_a_refused_first_run_removes_what_it_has_made(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    begun(old)
    before = {path.name for path in old.iterdir()}
    for path in (new, old):
        with MirrorFolder(str(path)) as folder:
            if folder.identity is None:
                folder.begin(IDENTITY)
            folder.add("binlog.000001")
            folder.remove_new()
    assert not new.exists()
    assert {path.name for path in old.iterdir()} == before | {"binlog.000001", "binlog.index"}


def test_what_is_made_others_may_not_read(tmp_path: Path) -> None:
    path = tmp_path / "mirror"
    before = os.umask(0o002)
    try:
        begun(path, "binlog.000001")
    finally:
        os.umask(before)
    modes = {name.name: name.stat().st_mode & 0o777 for name in (path, *path.iterdir())}
    assert modes == {"mirror": 0o750, **dict.fromkeys([LOCK, STATE, "binlog.000001", "binlog.index"], 0o640)}


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
