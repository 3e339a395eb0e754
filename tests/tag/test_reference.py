"""Marked logs before the reference mysqlbinlog, pybinlog's own dump, and a real server.

MYSQLBINLOG is the reference's command. MYSQL is the command of a client (as root) on a server that exists for this test
alone: every database and user on it is dropped, its GTIDs are reset. It has log_bin, gtid_mode=ON_PERMISSIVE,
enforce_gtid_consistency=ON and log_bin_trust_function_creators=ON.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import pybinlog
from pybinlog.tag import Tagger
from tests.cli.conftest import real
from tests.corpus import Scenario
from tests.tag.logs import closed_scenarios, tagged

CLOSED = closed_scenarios()
MYSQLBINLOG = shlex.split(os.environ.get("MYSQLBINLOG", ""))
MYSQL = shlex.split(os.environ.get("MYSQL", ""))
# Checksums, and the numbers by which the files of LOAD DATA are told from those of the run before.
VARYING = re.compile(rb" CRC32 0x[0-9a-f]{8}|SQL_LOAD_MB-\d+-\d+")
INFERRED = re.compile(rb"(\tTBM: [A-Z][A-Za-z ]+) \(inferred\)$", re.MULTILINE)
DECODE = ("-vv", "--base64-output=decode-rows")
# XA transactions that stay prepared would keep the server from being emptied; big ones take long.
NOT_APPLIED = ("xa", "large")


@pytest.fixture(params=[False, True], ids=["types", "bits"])
def marked(scenario: Scenario, tmp_path: Path, request: pytest.FixtureRequest) -> list[tuple[Path, Path]]:
    """Each log of a scenario and its copy marked in either form, under the same base name."""
    pairs = []
    for log in scenario.logs:
        if scenario.folder.name == ("large" if request.param else "large-compressed"):
            pytest.skip("large logs are marked in one form each")
        copy = tmp_path / log.name
        copy.write_bytes(tagged(log.read_bytes(), Tagger(bits=request.param))[0])
        pairs.append((log, copy))
    return pairs


@pytest.mark.parametrize("scenario", CLOSED, ids=repr)
def test_the_dump_shows_the_same_types_without_inferred(marked: list[tuple[Path, Path]], tmp_path: Path) -> None:
    large = marked[0][0].parent.name in ("large", "large-compressed")
    options = (*(DECODE[1:] if large else DECODE), f"--local-load={tmp_path}")
    for log, copy in marked:
        before, after = (VARYING.sub(b"", real(*options, str(path)).out) for path in (log, copy))
        assert INFERRED.sub(rb"\1", before) == INFERRED.sub(rb"\1", after)
        # The events without a marker are inside the payloads.
        opened = list(pybinlog.open(str(copy)))
        inner = sum(len(list(event.events())) for event in opened if event.type_name == "Transaction_payload")
        assert len(INFERRED.findall(after)) == inner
        assert {event.inferred for event in opened} == {False}


def reference(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """`folder` is for the files of LOAD DATA, whose names count on from those that are there."""
    for file in folder.glob("SQL_LOAD*"):
        file.unlink()
    return subprocess.run(
        [*MYSQLBINLOG, f"--local-load={folder}", *map(str, arguments)],
        env={**os.environ, "TZ": "UTC"},
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.skipif(not MYSQLBINLOG, reason="MYSQLBINLOG does not say where the reference is")
@pytest.mark.parametrize("scenario", CLOSED, ids=repr)
def test_the_reference_reads_a_marked_log_as_it_does_the_original(
    marked: list[tuple[Path, Path]], tmp_path: Path
) -> None:
    for log, copy in marked:
        before, after = (reference(tmp_path, "--verify-binlog-checksum", *DECODE, path) for path in (log, copy))
        assert (after.returncode, after.stderr) == (before.returncode, before.stderr)
        assert VARYING.sub(b"", after.stdout) == VARYING.sub(b"", before.stdout)
        if before.returncode == 0:
            assert b"# at " in after.stdout


def sql(text: bytes) -> bytes | None:
    """Return the server's answer; None if it refuses."""
    done = subprocess.run(
        [*MYSQL, "-N", "-B", "-r", "--default-character-set=utf8mb4"],
        input=text,
        capture_output=True,
        timeout=300,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None


def answer(text: str) -> list[str]:
    got = sql(text.encode())
    assert got is not None, text
    return got.decode().splitlines()


SYSTEM = "('mysql', 'sys', 'information_schema', 'performance_schema')"


def quoted(column: str) -> str:
    return f"CONCAT('`', REPLACE({column}, '`', '``'), '`')"


def empty_server() -> None:
    databases = answer(
        f"SELECT {quoted('schema_name')} FROM information_schema.schemata WHERE schema_name NOT IN {SYSTEM}"
    )
    answer("SET foreign_key_checks=0;" + "".join(f"DROP DATABASE {name};" for name in databases))
    users = answer("SELECT QUOTE(user), QUOTE(host) FROM mysql.user WHERE user <> 'root' AND user NOT LIKE 'mysql.%'")
    answer("".join("DROP USER {}@{};".format(*user.split("\t")) for user in users))
    answer("RESET BINARY LOGS AND GTIDS")


def contents() -> list[str]:
    """Definition and checksum of every table, and the GTIDs."""
    tables = answer(
        f"SELECT CONCAT({quoted('table_schema')}, '.', {quoted('table_name')}) FROM information_schema.tables "
        f"WHERE table_schema NOT IN {SYSTEM} AND table_type = 'BASE TABLE' ORDER BY 1"
    )
    found = answer("SELECT @@GLOBAL.gtid_executed")
    for table in tables:
        found += answer(f"SHOW CREATE TABLE {table}; CHECKSUM TABLE {table} EXTENDED; SELECT COUNT(*) FROM {table}")
    return found


def applied(text: bytes) -> list[str] | None:
    """Return the contents of an empty server after these statements; None if it refuses one."""
    empty_server()
    return None if sql(text) is None else contents()


def position_of_last_drop(log: Path) -> int:
    """Return the beginning of the transaction that drops the last table or database."""
    start, found = 4, 4
    for event in pybinlog.open(str(log)):
        if event.boundary in (pybinlog.BoundaryType.START_TRANSACTION, pybinlog.BoundaryType.SELF_CONTAINED):
            start = event.position
        if event.type is pybinlog.EventType.QUERY and event.body.query.startswith((b"DROP TABLE", b"DROP DATABASE")):
            found = start
    return found


@pytest.mark.skipif(not (MYSQL and MYSQLBINLOG), reason="MYSQL and MYSQLBINLOG do not name a server and the reference")
@pytest.mark.parametrize("scenario", [s for s in CLOSED if not s.folder.name.startswith(NOT_APPLIED)], ids=repr)
def test_a_server_that_applies_a_marked_log_has_the_rows_of_the_original(
    marked: list[tuple[Path, Path]], tmp_path: Path
) -> None:
    originals, copies = ([str(path) for path in paths] for paths in zip(*marked, strict=True))
    before = reference(tmp_path, *originals)
    origin = None if before.returncode else applied(before.stdout)
    if origin is None:
        pytest.skip("the server refuses the original, too: another version, or files that are not there")
    more: list[str] = []
    if len(origin) == 1:  # the workload ends by dropping everything
        more = [f"--stop-position={position_of_last_drop(marked[-1][0])}"]
        origin = applied(reference(tmp_path, *more, *originals).stdout)
    assert origin is not None
    assert len(origin) > 1
    assert applied(real("--no-tbm", *more, *copies).out) == origin
    empty_server()
