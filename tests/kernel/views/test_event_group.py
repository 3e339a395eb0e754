"""How a statement ends its transaction, and the xid that it names."""

from pathlib import Path

import pytest

import pybinlog
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

LONGEST = f"'{'a' * 316}',1"


@pytest.mark.parametrize(
    ("words", "ended", "xid"),
    [
        ("COMMIT", "commit", None),
        ("commit", "commit", None),
        ("COMMIT AND CHAIN", "commit", None),
        ("COMMIT'", "commit", None),
        ("COMMITS", "statement", None),
        ("COMMIT;", "statement", None),
        (" \t\n\x0b\x0c\rROLLBACK", "rollback", None),
        ("\x08ROLLBACK", "statement", None),
        ("\x0eROLLBACK", "statement", None),
        ("ROLLBACKS", "statement", None),
        ("XA", "statement", None),
        ("XAR", "statement", None),
        ("XA RECOVER", "statement", None),
        ("XA COMMIT", "xa commit", None),
        ("XA COMMIT X'61',X'',1", "xa commit", "X'61',X'',1"),
        ("XA COMMIT   X'61',X'',1   ", "xa commit", "X'61',X'',1"),
        ("XA COMMIT X'61',X'',1 ONE PHASE", "xa commit", "X'61',X'',1"),
        ("xa commit X'61',X'',1 one phase ", "xa commit", "X'61',X'',1"),
        ("XA COMMIT ONE PHASE", "xa commit", "ONE PHASE"),
        ("XA COMMIT 'a' ONE PHASES", "xa commit", "'a' ONE PHASES"),
        ("XA PREPARE X'61',X'',1", "xa prepare", "X'61',X'',1"),
        ("XA ROLLBACK X'61'", "xa rollback", "X'61'"),
        ("XA ROLLBACK X'61',X'',4294967295", "xa rollback", "X'61',X'',4294967295"),
        ("XA ROLLBACK X'61',X'',4294967296", "xa rollback", "X'61',X'',0"),
        ("XA ROLLBACK X'61',X'',18446744073709551614", "xa rollback", "X'61',X'',4294967294"),
        ("XA ROLLBACK X'61' 4294967296", "xa rollback", "X'61' 4294967296"),
        (f"XA COMMIT {LONGEST}", "xa commit", LONGEST),
        (f"XA COMMIT {LONGEST}2", "xa commit", None),
    ],
)
def test_a_statement_ends_its_transaction(words: str, ended: str, xid: str | None, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(LogBuilder(MYSQL_9_7).gtid(1).query(words).data)
    (found,) = pybinlog.open(str(log)).transactions()
    assert (found["ended"], found["xa_xid"]) == (ended, xid)
