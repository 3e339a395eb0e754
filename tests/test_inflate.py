"""The log that the benchmarks and the scale tests read passes every check."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import Scenario, scenarios
from tests.inflate import END_LOG_POS, WORD, Template, events, inflate

LOGS = [s for s in scenarios() if s.name in ("mysql-9.7/row-basic", "mysql-9.7/statement", "mysql-9.7/checksum-none")]
MARIADB = next(s for s in scenarios() if s.name == "mariadb-10.11/gtid-domains")
SIZE = 1 << 18


@pytest.mark.parametrize("scenario", LOGS, ids=repr)
def test_an_inflated_log_repeats_the_transactions_and_stands_the_checks(scenario: Scenario, tmp_path: Path) -> None:
    log = scenario.logs[0].read_bytes()
    out = io.BytesIO()
    last = inflate(log, out, SIZE)
    large = out.getvalue()
    assert SIZE <= len(large) < SIZE + 2 * len(log)
    position = 4
    positions = []
    for event in events(large):
        positions.append(position)
        position += len(event.data)
        assert WORD.unpack_from(event.data, END_LOG_POS)[0] == position
    assert last in positions
    kinds = [event.kind for event in Template(log).transactions]
    assert [event.kind for event in Template(large).transactions] == kinds * (
        len(Template(large).transactions) // len(kinds)
    )
    path = tmp_path / "binlog.000001"
    path.write_bytes(large)
    command = [sys.executable, "-m", "pybinlog", "--verify-binlog-checksum", str(path)]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""
    assert b"# at %d\n" % last in done.stdout


def test_the_numbers_of_mariadbs_gtids_grow(tmp_path: Path) -> None:
    """Else mariadb-binlog would warn of each, and check report them."""
    out = io.BytesIO()
    inflate(MARIADB.logs[0].read_bytes(), out, SIZE)
    path = tmp_path / "binlog.000001"
    path.write_bytes(out.getvalue())
    text = subprocess.run([sys.executable, "-m", "pybinlog", str(path)], capture_output=True, check=True).stdout
    last: dict[tuple[bytes, bytes], int] = {}
    for domain, server, number in re.findall(rb"\tGTID (\d+)-(\d+)-(\d+)", text):
        assert last.get((domain, server), 0) < int(number)
        last[domain, server] = int(number)
    assert len(last) > 2


def test_one_repetition_is_the_log_itself() -> None:
    log = LOGS[0].logs[0].read_bytes()
    out = io.BytesIO()
    inflate(log, out, len(log) // 2)
    assert out.getvalue() == log


def test_a_log_of_rows_alone_defines_no_table(tmp_path: Path) -> None:
    out = io.BytesIO()
    inflate(MARIADB.logs[0].read_bytes(), out, SIZE, only_committed=True)
    path = tmp_path / "binlog.000001"
    path.write_bytes(out.getvalue())
    command = [sys.executable, "-m", "pybinlog", str(path)]
    text = subprocess.run(command, capture_output=True, check=True).stdout
    assert b"CREATE" not in text
    assert text.count(b"COMMIT/*!*/;") == text.count(b"START TRANSACTION") > 100


def test_a_cut_log_is_refused() -> None:
    log = LOGS[0].logs[0].read_bytes()
    with pytest.raises(ValueError, match="no whole event"):
        inflate(log[:-1], io.BytesIO(), SIZE)
