"""Encrypted logs on Spark: executors get the keyring by Spark's own means, and give what the plain logs give."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import SourceError
from pybinlog.source import KeyedLog, open_source
from pybinlog.spark.worker import ShippedKeyring, ship
from tests.encryption import ENCRYPTED

MYSQL = ENCRYPTED / "mysql-9.7"
MARIADB = ENCRYPTED / "mariadb-cbc"


def opened(name: KeyedLog) -> tuple[bytes, str]:
    """The first bytes of a log, and the file that its keyring was read from."""
    with open_source(name) as source:
        return source.read(4), name.keyring.paths[0]


def test_executors_read_the_copies_that_spark_ships(spark: Any) -> None:
    keyring = ShippedKeyring([str(MYSQL / "keyring-before-rotation.json")])
    ship(spark.sparkContext, keyring.files)
    log = KeyedLog(str(MYSQL / "before-rotation.000001"), keyring)
    ((magic, path),) = spark.sparkContext.parallelize([log], 1).map(opened).collect()
    assert magic == b"\xfebin"
    assert path not in keyring.files
    assert Path(path).name == "keyring-before-rotation.json"


def test_two_keyrings_of_one_name_are_refused(spark: Any, tmp_path: Path) -> None:
    other = tmp_path / "keys"
    shutil.copyfile(ENCRYPTED / "mariadb-ctr" / "keys", other)
    with pytest.raises(SourceError, match="Spark ships files by their names"):
        ship(spark.sparkContext, [str(MARIADB / "keys"), str(other)])


def test_the_source_reads_encrypted_logs(spark: Any) -> None:
    def rows(path: Path, **options: str) -> list[Any]:
        frame = spark.read.format("binlog").options(view="transactions", **options).load(str(path))
        return [row.asDict() for row in frame.drop("file").orderBy("start_position").collect()]

    plain = rows(MYSQL / "plain" / "binlog.000001")
    assert len(plain) > 5
    assert rows(MYSQL / "binlog.000001", keyring=str(MYSQL / "keyring.json")) == plain
    sent = rows(MARIADB / "plain" / "mariadb-bin.000001")
    stored = rows(
        MARIADB / "mariadb-bin.000001",
        keyring=str(MARIADB / "keys.encrypted"),
        keyringPasswordFile=str(MARIADB / "password"),
    )
    assert stored == sent


def test_the_source_says_how_to_read_an_encrypted_log(spark: Any) -> None:
    with pytest.raises(Exception, match="keyring=FILE"):
        spark.read.format("binlog").load(str(MYSQL / "binlog.000001")).collect()
