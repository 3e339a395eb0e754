"""Names of logs with their keyrings."""

import io
import pickle
from pathlib import Path

import pytest

from pybinlog.keyring import Keyring
from pybinlog.source import KeyedLog, open_source
from pybinlog.source.keyed_log import begins_encrypted, keyed_as
from tests.encryption import mysql_log
from tests.source.test_encrypted import KEYS, PLAIN, mysql_keyring


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return mysql_keyring(tmp_path, KEYS[32])


def test_a_name_keeps_its_keyring_in_another_process(keyring: Keyring, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(mysql_log(PLAIN, KEYS[32]))
    again = pickle.loads(pickle.dumps(KeyedLog(str(log), keyring)))
    assert (again, again.log) == (str(log), str(log))
    with open_source(again) as source:
        assert source.read_up_to(len(PLAIN) + 1) == PLAIN


def test_another_log_of_a_keyed_name_has_its_keyring(keyring: Keyring) -> None:
    other = keyed_as(KeyedLog("a", keyring), "b")
    assert isinstance(other, KeyedLog)
    assert (other, other.keyring) == ("b", keyring)
    assert type(keyed_as("a", "b")) is str


@pytest.mark.parametrize(
    ("head", "answer"),
    [
        (b"\xfdbin", True),
        (b"\xfdbinx", True),
        (b"\xfdbi", False),
        (b"\xfebin", False),
        (b"\xfdbix", False),
        (b"", False),
    ],
)
@pytest.mark.parametrize("seeks", [False, True])
def test_a_log_that_begins_encrypted_is_read_from_its_first_byte(
    head: bytes, answer: bool, seeks: bool, tmp_path: Path
) -> None:
    path = tmp_path / "log"
    path.write_bytes(head)
    with open_source(str(path)) if seeks else open_source("-", io.BytesIO(head)) as source:
        assert begins_encrypted(source) is answer
        assert (source.position, source.read_up_to(9)) == (0, head)
