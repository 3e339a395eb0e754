"""Files beside the logs: regular ones, up to a size."""

import os
from pathlib import Path

import pytest

from pybinlog.errors import SourceError
from pybinlog.side_file import open_side_file, side_file


@pytest.mark.parametrize(
    ("most", "words"), [(1 << 10, "1 KiB"), (512 << 10, "512 KiB"), (1 << 20, "1 MiB"), (3 << 20, "3 MiB")]
)
def test_a_file_has_up_to_so_many_bytes(most: int, words: str, tmp_path: Path) -> None:
    path = tmp_path / "schema.sql"
    path.write_bytes(b"x" * most)
    assert len(side_file(str(path), most)) == most
    path.write_bytes(b"x" * (most + 1))
    with pytest.raises(SourceError, match=f"it is larger than {words}, the limit for such a file"):
        side_file(str(path), most)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a regular file"):
        side_file(str(tmp_path), 10)


def test_a_pipe_and_a_device_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/zero"):
        with pytest.raises(SourceError) as caught:
            open_side_file(path)
        hint = "Write its data to a file first, and name that file"
        assert str(caught.value) == f"{path}: it is not a regular file. {hint}"


def test_a_file_is_closed_in_programs_that_are_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    with open_side_file(str(tmp_path / "file")) as file:
        assert (file.read(), os.get_inheritable(file.fileno())) == (b"text", False)
    with pytest.raises(FileNotFoundError):
        open_side_file(str(tmp_path / "none"))
