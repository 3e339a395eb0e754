"""Integers of logs that do not say which columns are UNSIGNED: a row is judged if both readings judge it alike."""

import operator
import re
import warnings

import pytest

import pybinlog
from pybinlog.errors import BinlogWarning
from pybinlog.where import Condition
from tests.corpus import TESTDATA
from tests.where.test_dump import dumped

LOG = TESTDATA / "corpus" / "mysql-5.6" / "types-int" / "mysql-bin.000001"
BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
RELATIONS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
ROW = re.compile(rb"^### INSERT INTO `ty5`\.`ints`\n### SET\n###   @1=(\d+)", re.MULTILINE)


def table() -> tuple[list[str], list[dict[str, int]]]:
    """The columns of the table, in order, and its rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BinlogWarning)
        rows = [row["after"] for row in pybinlog.open(str(LOG)).rows("ty5.ints") if row["operation"] == "INSERT"]
    return list(rows[0]), rows


NAMES, ROWS = table()


@pytest.mark.parametrize("name", [name for name in NAMES if name.partition("_")[0] in BITS])
def test_a_row_is_judged_if_its_sign_does_not_matter(name: str) -> None:
    bits = BITS[name.partition("_")[0]]
    for constant in (-101, 0, 100, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1):
        for word, relation in RELATIONS.items():
            kept, unknown = [], []
            for row in ROWS:
                value = row[name]
                if value is None:  # NULL
                    continue
                plain = value % (1 << bits)
                signed = plain - (1 << bits) if plain >> bits - 1 else plain
                truth = {relation(plain, constant), relation(signed, constant)}
                kept += [row["id"]] if truth == {True} else []
                unknown += [row["id"]] if len(truth) == 2 else []
            condition = f"@{NAMES.index(name) + 1} {word} {constant}"
            assert printed(condition, drops_unknown=True) == kept, condition
            assert printed(condition, drops_unknown=False) == sorted(kept + unknown), condition


def printed(condition: str, *, drops_unknown: bool) -> list[int]:
    """The ids of the rows that a dump prints."""
    text, _ = dumped(LOG, where=Condition(condition, drops_unknown=drops_unknown))
    return [int(number) for number in ROW.findall(text)]
