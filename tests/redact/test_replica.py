"""A real replica applies redacted logs, which `pybinlog serve` sends it, to the tables of their own definitions."""

import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from unicodedata import category

import pytest

from pybinlog.redact import Redactor, kept_of
from pybinlog.views.options import ViewOptions
from tests.redact.logs import KEY, MARKED, gtids_of, listed, redacted, transactions
from tests.redact.markers import markers_in
from tests.redact.test_names import LOGS as OF_NAMES
from tests.serve.replicas import GTIDS, SECONDS, Replica, copy_of_logs, replica
from tests.serve.served import served
from tests.server import running
from tests.tag.logs import log_of

KINDS = ("mysql", "mariadb")
OF_SERVER = {
    "mysql": [log_of("mysql-9.7/compression"), log_of("mysql-9.7/row-basic")],
    "mariadb": [log_of("mariadb-11.8/compressed")],
}
COLUMNS = "SELECT table_schema, table_name, column_name FROM information_schema.columns"


@pytest.fixture(scope="module", params=KINDS)
def the_replica(request: pytest.FixtureRequest) -> Iterator[Replica]:
    with replica(request.param, *(GTIDS if request.param == "mysql" else ())) as found:
        yield found


@pytest.mark.parametrize("names", [False, True], ids=["values", "names"])
def test_a_replica_applies_the_redacted_logs(names: bool, the_replica: Replica, tmp_path: Path) -> None:
    kind = the_replica.kind
    for log in [log for log in [*MARKED, *OF_NAMES] if kind in str(log)] + OF_SERVER[kind]:
        the_replica.clean()
        copy = tmp_path / "binlog.000001"
        redactor = Redactor(KEY, names=names, tags=names)
        kept = kept_of(str(log), ViewOptions(view="transactions", exclude_gtids=",".join(of_statements(log)) or None))
        copy.write_bytes(redacted(log.read_bytes(), redactor, kept)[0])
        if kind == "mysql":
            the_replica.server.sql(f"SET GLOBAL gtid_purged = '{listed(copy).replace('[empty]', '').strip('# ')}'")
        with served(copy) as server:
            the_replica.connect(server)
            wait_for(the_replica, gtids_of(copy))
        assert names == (not markers_in(the_replica.server.sql(COLUMNS).encode())) or log not in OF_NAMES


def of_statements(log: Path) -> list[str]:
    """Return the GTIDs of transactions whose logged statements change rows, which the report names."""
    return [
        str(transaction["gtid"])
        for transaction in transactions(log)
        if transaction["ended"] == "commit" and not transaction["rows"]
    ]


def wait_for(the_replica: Replica, gtids: list[str]) -> None:
    """Wait until these transactions were applied. Fail with the replica's error."""
    if the_replica.kind == "mysql":
        statement, result = f"SELECT GTID_SUBSET('{','.join(gtids)}', @@gtid_executed)", "1"
    else:
        statement, result = "SELECT @@gtid_slave_pos", gtids[-1]
    deadline = time.monotonic() + SECONDS
    while the_replica.server.sql(statement).strip() != result:
        assert (the_replica.value("Last_SQL_Error"), the_replica.value("Last_IO_Error")) == ("", ""), workers(
            the_replica
        )
        assert time.monotonic() < deadline, the_replica.status()
        time.sleep(0.1)


def workers(the_replica: Replica) -> str:
    """Return what stopped MySQL's workers."""
    if the_replica.kind == "mariadb":
        return ""
    return the_replica.server.sql(
        "SELECT LAST_ERROR_MESSAGE FROM performance_schema.replication_applier_status_by_worker"
    ).strip()


PLAIN = ("utf8mb4_general_ci", "utf8mb4_bin")
FOLDED = {
    "mysql": (*PLAIN, "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci", "utf8mb3_unicode_ci", "utf16_unicode_ci"),
    "mariadb": (*PLAIN, "utf8mb4_unicode_ci", "utf8mb4_uca1400_ai_ci", "utf8mb4_unicode_nopad_ci", "utf32_general_ci"),
}
"""The collations whose weights are known."""


@pytest.mark.parametrize("metadata", ["MINIMAL", "FULL"])
def test_unique_keys_over_letters_of_all_scripts_hold(metadata: str, the_replica: Replica, tmp_path: Path) -> None:
    kind = the_replica.kind
    collations = FOLDED[kind] if metadata == "FULL" else PLAIN
    letters = [
        chr(code)
        for code in range(0x30, 0x2500)
        if category(chr(code))[0] in "LN" and (metadata == "MINIMAL" or not 0x590 <= code < 0x1E00)
    ]
    words = [*letters, *(one + other for one, other in zip(letters, reversed(letters), strict=True)),
             *map("".join, product("aeuéèûß", "sŝzőœ", "nñ"))]  # fmt: skip
    values = ",".join(f"('{word}')" for word in words)
    with running(
        kind,
        "source",
        "--server-id=7",
        f"--binlog-row-metadata={metadata}",
        *(GTIDS if kind == "mysql" else ["--binlog-format=ROW"]),
    ) as source:
        source.sql("CREATE DATABASE u")
        for collation in collations:
            source.sql(
                f"CREATE TABLE u.{collation} (n INT,"
                f" v VARCHAR(9) CHARACTER SET {collation.partition('_')[0]} COLLATE {collation} PRIMARY KEY);"
                f"INSERT IGNORE INTO u.{collation} (v) VALUES {values}; UPDATE u.{collation} SET n = 1;"
                f"DELETE FROM u.{collation} WHERE LENGTH(v) = 3",
                "--default-character-set=utf8mb4",
            )
        (name,) = copy_of_logs(source, tmp_path)
        counts = [source.sql(f"SELECT COUNT(*) FROM u.{collation}") for collation in collations]
    copy = tmp_path / "redacted" / "binlog.000001"
    copy.parent.mkdir()
    copy.write_bytes(redacted((tmp_path / name).read_bytes())[0])
    the_replica.clean()
    with served(copy) as server:
        the_replica.connect(server)
        wait_for(the_replica, gtids_of(copy))
    assert counts == [the_replica.server.sql(f"SELECT COUNT(*) FROM u.{collation}") for collation in collations]
