"""Many files that take their names together: whole, in order, and with one sync of their folder."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import BinlogError
from pybinlog.output import replacement_batch
from pybinlog.output.replacement import Replacement
from pybinlog.output.replacement_batch import ReplacementBatch


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """Record the calls that reach the disk, in order: ("sync", inode), ("name", path), ("folder", inode)."""
    made: list[tuple[str, Any]] = []
    fsync, rename, link = os.fsync, os.rename, os.link

    def synced(descriptor: int) -> None:
        status = os.fstat(descriptor)
        fsync(descriptor)
        made.append(("folder" if stat.S_ISDIR(status.st_mode) else "sync", status.st_ino))

    def renamed(old: str, new: str) -> None:
        made.append(("name", os.stat(old).st_ino))
        rename(old, new)

    def linked(old: str, new: str, **options: Any) -> None:
        made.append(("name", os.stat(old).st_ino))
        link(old, new, **options)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed)
    monkeypatch.setattr(os, "link", linked)
    return made


def written(folder: Path, name: str, data: bytes = b"x") -> Replacement:
    file = Replacement(str(folder / name))
    file.write(data)
    return file


def test_no_name_comes_before_its_bytes_and_the_folder_is_synced_once(
    tmp_path: Path, calls: list[tuple[str, Any]]
) -> None:
    names = [f"{number:03d}" for number in range(40)]
    with ReplacementBatch() as batch:
        for name in names:
            batch.add(written(tmp_path, name, name.encode()))
        assert not [path for path in tmp_path.iterdir() if not path.name.startswith(".")]
    assert [(path.name, path.read_text()) for path in sorted(tmp_path.iterdir())] == [(name, name) for name in names]
    kinds = [kind for kind, _ in calls]
    assert (kinds.count("sync"), kinds.count("name"), kinds.count("folder"), kinds[-1]) == (40, 40, 1, "folder")
    inodes = [(tmp_path / name).stat().st_ino for name in names]
    assert [inode for kind, inode in calls if kind == "name"] == inodes
    for inode in inodes:
        assert calls.index(("sync", inode)) < calls.index(("name", inode))


def test_an_empty_batch_touches_nothing(calls: list[tuple[str, Any]]) -> None:
    ReplacementBatch().commit()
    assert calls == []


def test_a_file_that_cannot_be_synced_gets_no_name_and_those_behind_it_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = ReplacementBatch()
    for name in "abcd":
        batch.add(written(tmp_path, name, b"broken" if name == "c" else b"x"))
    fsync = os.fsync

    def synced(descriptor: int) -> None:
        if os.fstat(descriptor).st_size == len(b"broken"):
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", synced)
    with pytest.raises(BinlogError, match="c: it cannot be written: No space left on device"):
        batch.commit()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_what_is_whole_has_its_name_also_where_something_else_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), ReplacementBatch() as batch:
        batch.add(written(tmp_path, "a"))
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_batch_is_full_with_many_files_many_bytes_or_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(replacement_batch, "monotonic", lambda: now)
    monkeypatch.setattr(replacement_batch, "MOST_FILES", 3)
    monkeypatch.setattr(replacement_batch, "MOST_BYTES", 10)
    with ReplacementBatch() as batch:
        assert not batch.full
        for name, size, full in (("a", 1, False), ("b", 1, False), ("c", 1, True)):
            batch.add(written(tmp_path, name, b"x" * size))
            assert batch.full == full
        batch.commit()
        assert not batch.full
        batch.add(written(tmp_path, "d", b"x" * 10))
        assert batch.full
        batch.commit()
        batch.add(written(tmp_path, "e"))
        assert not batch.full
        now = replacement_batch.MOST_SECONDS
        assert batch.full
