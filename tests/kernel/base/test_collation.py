"""The names of collations are those that the servers give them."""

import lzma

from pybinlog.kernel.base.collation import collation_names
from tests.corpus import TESTDATA


def test_every_collation_of_mariadb_has_its_name() -> None:
    """information_schema.COLLATION_CHARACTER_SET_APPLICABILITY of 11.8: ID, CHARACTER_SET_NAME, FULL_COLLATION_NAME."""
    table = lzma.decompress((TESTDATA / "collations" / "mariadb-11.8.tsv.xz").read_bytes()).decode()
    wanted = {int(number): (character_set, name) for number, character_set, name in map(str.split, table.splitlines())}
    names = collation_names(True)
    assert {number: names.get(number) for number in wanted} == wanted
    assert len(wanted) == 1288
    assert {number for number in names if number >= 512} <= wanted.keys()


def test_those_of_mysql_are_named_as_ever() -> None:
    names = collation_names(False)
    assert max(names) == 323
    assert names[213] == ("utf8mb3", "utf8mb3_croatian_ci")
    assert names[255] == ("utf8mb4", "utf8mb4_0900_ai_ci")
