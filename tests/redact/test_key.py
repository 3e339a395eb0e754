"""The key and its file."""

from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.redact import key_of_file, new_key


def test_keys_differ() -> None:
    assert len({new_key() for _ in range(10)}) == 10


def test_a_file_that_does_not_exist_is_made_for_its_owner_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "case.key"
    key = key_of_file(str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    assert key_of_file(str(path)) == key


@pytest.mark.parametrize("text", ["", "00", "not a key", "0" * 34])
def test_a_file_without_a_key_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "case.key"
    path.write_text(text)
    with pytest.raises(BinlogError, match="the file holds no key"):
        key_of_file(str(path))
