"""Keyrings: the files of both servers, read without showing a key."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.errors import SourceError
from pybinlog.keyring import Keyring
from tests.encryption import ENCRYPTED, KEY_ID, component_keyring, plugin_keyring

KEY = bytes(range(32))
MARIADB = ENCRYPTED / "mariadb-cbc"


def written(folder: Path, data: bytes, name: str = "keyring") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("write", [component_keyring, plugin_keyring])
def test_mysqls_keys_are_found_by_their_ids(tmp_path: Path, write: object) -> None:
    keys = {KEY_ID: KEY, "MySQLReplicationKey_another_1": KEY[::-1], KEY_ID[:-2]: bytes(16), "INNODBKey-x-1": KEY}
    keyring = Keyring([written(tmp_path, write(keys))])  # type: ignore[operator]
    assert keyring.mysql_ids == sorted([KEY_ID, "MySQLReplicationKey_another_1"])
    assert keyring.mysql_key(KEY_ID) == KEY
    assert keyring.mysql_key("MySQLReplicationKey_another_1") == KEY[::-1]
    assert keyring.mysql_key("INNODBKey-x-1") is None
    assert keyring.mariadb_keys == ()


def test_a_real_keyring_of_mysql() -> None:
    keyring = Keyring([str(ENCRYPTED / "mysql-9.7" / "keyring.json")])
    (key_id,) = keyring.mysql_ids
    assert key_id.endswith("_2")
    assert len(keyring.mysql_key(key_id) or b"") == 32


def test_the_key_files_of_mariadb_open_with_and_without_a_password() -> None:
    plain = Keyring([str(MARIADB / "keys")])
    encrypted = Keyring([str(MARIADB / "keys.encrypted")], str(MARIADB / "password"))
    assert plain.mariadb_keys == encrypted.mariadb_keys
    assert len(plain.mariadb_keys[0]) == 16


def test_several_keyrings_are_one(tmp_path: Path) -> None:
    paths = [
        str(MARIADB / "keys"),
        str(ENCRYPTED / "mariadb-ctr" / "keys"),
        written(tmp_path, plugin_keyring({KEY_ID: KEY})),
    ]
    keyring = Keyring([*paths, paths[0]])
    assert [len(key) for key in keyring.mariadb_keys] == [16, 32]
    assert keyring.mysql_ids == [KEY_ID]


def test_no_key_is_shown_or_pickled(tmp_path: Path) -> None:
    path = written(tmp_path, component_keyring({KEY_ID: KEY}))
    keyring = Keyring([path])
    assert repr(keyring) == f"Keyring({path!r})"
    pickled = pickle.dumps(keyring)
    assert KEY not in pickled
    assert pickle.loads(pickled).mysql_key(KEY_ID) == KEY


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not a keyring: neither"),
        (b"\xfebin", "not a keyring: neither"),
        (b"1;00112233\nx;y", "not a keyring: neither"),
        (b"1;0011223\n", "not a keyring: neither"),
        (b"2;00112233445566778899aabbccddeeff", "no key 1 of 16, 24 or 32 bytes"),
        (b"1;00112233", "no key 1 of 16, 24 or 32 bytes"),
        (b"{}", "not a keyring: the JSON lacks a list"),
        (b'{"elements": [{"data_id": "x"}]}', "not a keyring: the JSON lacks a list"),
        (b'{"elements": [{"data_id": "x", "data": "0g"}]}', "not a keyring: the JSON lacks a list"),
        (b'{"elements": 7}', "not a keyring: the JSON lacks a list"),
        (b'{"elements": []}', "none of its 0 ids begins with MySQLReplicationKey_"),
        (b'{"a":' * 100_000, "not a keyring: the JSON lacks a list"),
        (b"Salted__12345678" + bytes(16), "the key file is encrypted"),
        (b"Keyring file version:2.0", "damaged or cut"),
        (b"Keyring file version:2.0" + bytes(40), "damaged or cut"),
        (b"Keyring file version:2.0EOF", "none of its 0 ids"),
        (plugin_keyring({KEY_ID: KEY})[:-36], "damaged or cut"),
        (plugin_keyring({KEY_ID: KEY}).replace(pack("<Q", len(KEY_ID)), pack("<Q", len(KEY_ID) + 60), 1), "damaged"),
    ],
)
def test_what_is_not_a_keyring_is_named(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(SourceError, match=sentence) as caught:
        Keyring([path])
    assert caught.value.file == path


def test_a_file_too_large_for_a_keyring_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, b"{}")
    os.truncate(path, 16 << 20)
    with pytest.raises(SourceError, match="not a keyring"):
        Keyring([path])
    os.truncate(path, (16 << 20) + 1)
    with pytest.raises(SourceError, match="larger than 16 MiB") as caught:
        Keyring([path])
    assert caught.value.file == path


def test_a_wrong_password_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="the password is wrong, or the file is damaged"):
        Keyring([str(MARIADB / "keys.encrypted")], written(tmp_path, b"another\n"))


def test_a_password_for_nothing_is_refused() -> None:
    with pytest.raises(SourceError, match="no keyring is one"):
        Keyring([str(MARIADB / "keys")], str(MARIADB / "password"))


def test_a_keyring_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read: No such file or directory"):
        Keyring([str(tmp_path / "missing")])


@given(data=st.binary(max_size=300))
def test_any_bytes_are_a_keyring_or_an_error(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("keyring", numbered=True)
    for head in (b"", b"Keyring file version:2.0", b'{"elements": [', b"Salted__"):
        try:
            Keyring([written(folder, head + data)], str(MARIADB / "password"))
        except SourceError:
            continue
