"""A scanner's state as plain values: what is carried to another thread or process is what was there."""

from pybinlog.kernel.scan.boundary_state import boundary_number, restore_boundary
from pybinlog.kernel.scan.scan import Scanner
from tests.dump.log_parts import corpus_log, events_of

LOG = corpus_log("mysql-9.7/row-basic")


def numbers(*, statement_bits: bool) -> list[int]:
    """The boundaries' state after each event."""
    scanner = Scanner()
    scanner.new_log(4)
    scanner.statement_bits = statement_bits
    found, at = [], 4
    for event in events_of(LOG):
        scanner.scan(LOG, at, at + len(event), "log")
        at += len(event)
        found.append(boundary_number(scanner))
    return found


def test_the_state_of_statements_travels_with_that_of_transactions() -> None:
    without, with_bits = numbers(statement_bits=False), numbers(statement_bits=True)
    assert len(set(without)) > 1
    assert len(set(with_bits)) > len(set(without))
    for number in {*without, *with_bits}:
        other = Scanner()
        restore_boundary(other, number)
        assert boundary_number(other) == number
