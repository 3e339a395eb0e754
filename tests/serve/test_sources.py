"""Sources of `pybinlog serve`: it sends whatever the other commands read: compressed, encrypted and remote logs."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.corpus import TESTDATA
from tests.encryption import ENCRYPTED
from tests.serve.served import served
from tests.serve.test_copies import copied

pytest.importorskip("pymysql", reason="needs PyMySQL")

PLAIN = TESTDATA / "corpus/mysql-9.7/multi-file"
LOGS = sorted(PLAIN.glob("binlog.??????"))


def in_folder(folder: Path, suffix: str, deflate: Callable[[bytes], bytes]) -> list[str]:
    for log in LOGS:
        (folder / (log.name + suffix)).write_bytes(deflate(log.read_bytes()))
    return [str(folder)]


def by_index(folder: Path) -> list[str]:
    index = folder / "binlog.index"
    index.write_text("".join(f"{log}\n" for log in LOGS))
    return [f"--index={index}"]


ARGUMENTS: dict[str, Callable[[Path], list[str]]] = {
    "gzip": lambda folder: in_folder(folder, ".gz", gzip.compress),
    "zstd": lambda folder: in_folder(folder, ".zst", zstandard.ZstdCompressor().compress),
    "an index": by_index,
    "a pattern": lambda folder: [f"{PLAIN}/binlog.0000*"],
    "URLs": lambda folder: [f"file://{log}" for log in LOGS],
}


@pytest.mark.parametrize("form", ARGUMENTS)
def test_logs_in_every_form_are_sent_as_the_plain_ones(form: str, tmp_path: Path) -> None:
    folder, to = tmp_path / "logs", tmp_path / "copies"
    folder.mkdir()
    to.mkdir()
    with served(*ARGUMENTS[form](folder)) as server:
        assert copied(server.port, LOGS[0].name, to) == {log.name: log.read_bytes() for log in LOGS}


@pytest.mark.parametrize(
    ("name", "keys"), [("mysql-9.7/binlog.000003", "keyring.json"), ("mariadb-ctr/mariadb-bin.000001", "keys")]
)
def test_encrypted_logs_are_sent_as_their_server_sends_them(name: str, keys: str, tmp_path: Path) -> None:
    log = ENCRYPTED / name
    with served(log, f"--keyring={log.parent / keys}") as server:
        copies = copied(server.port, log.name, tmp_path)
    assert copies == {log.name: (log.parent / "plain" / log.name).read_bytes()}
