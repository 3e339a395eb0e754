"""An XA transaction that ends in one log and is prepared in another, under filters."""

from pathlib import Path

import pytest

from pybinlog.simulate import simulate
from tests.cli.conftest import real
from tests.dump.log_parts import events_of, joined

ONE = """
con1: CREATE DATABASE shop;
con1: CREATE TABLE shop.t (id INT PRIMARY KEY);
con1: CREATE TABLE shop.u (id INT PRIMARY KEY);
con1: XA START 'x';
con1: INSERT INTO shop.u VALUES (1);
con1: XA END 'x';
con1: XA PREPARE 'x';
con2: XA COMMIT 'x';
"""


@pytest.mark.parametrize("end", ["COMMIT", "ROLLBACK"])
def test_the_name_of_one_that_is_over_is_free_again(end: str, tmp_path: Path) -> None:
    """The first one is left out with its end. The end of the next one, whose PREPARE no log has, is not."""
    events = events_of(simulate(ONE.replace("COMMIT 'x'", f"{end} 'x'")).files["binlog.000001"])
    (over,) = [index for index, event in enumerate(events) if f"XA {end}".encode() in event]
    log = tmp_path / "binlog.000001"
    for again in (0, 1):
        log.write_bytes(joined([*events[: over + 1], *events[over - 1 : over + 1] * again]))
        result = real("dump", "--table=shop.t", str(log))
        assert (result.status, result.out.count(f"\nXA {end} ".encode())) == (0, again), result.err
