"""The order of the rows of a MyISAM table, as a real server gave it after rows had grown, shrunk and gone."""

import re
from pathlib import Path

import pytest

from tests.simulate.sql.world import World

ORDERS = Path(__file__).with_name("orders.txt").read_text(encoding="utf-8").splitlines()
"""Changes and the order after them. "+B/C/D" inserts a row whose columns have these lengths (n: NULL), "A=B" changes a
row's length, "-A" deletes a row.
"""


@pytest.mark.parametrize("line", ORDERS, ids=range(len(ORDERS)))
def test_the_order_of_rows(line: str) -> None:
    changes, order = line.split(": ")
    world = World()
    world.run("CREATE TABLE f (a INT, b VARCHAR(300), c BLOB, d CHAR(5)) ENGINE=MyISAM")
    count = 0
    for change in changes.split():
        numbers = re.split("[+/=-]", change)
        if change[0] == "+":
            count += 1
            blob = "NULL" if numbers[2] == "n" else f"'{'1' * int(numbers[2])}'"
            text = f"INSERT INTO f VALUES ({count}, '{'x' * int(numbers[1])}', {blob}, '{'y' * int(numbers[3])}')"
        elif change[0] == "-":
            text = f"DELETE FROM f WHERE a = {numbers[1]}"
        else:
            text = f"UPDATE f SET b = '{'z' * int(numbers[1])}' WHERE a = {numbers[0]}"
        world.run(text)
    assert " ".join(str(row[0]) for row in world.run("SELECT a FROM f").rows) == order
