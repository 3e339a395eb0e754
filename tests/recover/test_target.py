"""A target's answers, in the words of the logs."""

import pytest

from pybinlog.recover.target import xid_of


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((1, 2, 0, "'g1'"), "X'6731',X'',1"),
        ((1, 2, 2, "'g1','b1'"), "X'6731',X'6231',1"),
        ((7, 3, 1, "X'672778',X'62',7"), "X'672778',X'62',7"),
        ((3, 2, 1, "X'00FF',X'62',3"), "X'00ff',X'62',3"),
        ((1, 5, 1, "'a','b','c'"), "X'61272c2762',X'63',1"),
        ((1, 2, 0, "X'c3a9'"), "X'c3a9',X'',1"),
    ],
)
def test_a_prepared_xa_transaction_has_the_name_that_logs_write(row: tuple[int, int, int, str], expected: str) -> None:
    """The rows are those of a MariaDB 11.8."""
    assert xid_of(*row) == expected
