"""A database under another name: its name before a full stop in statements, and nothing else."""

import pytest

from pybinlog.errors import BinlogError
from pybinlog.recover.renaming import Renaming


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("DROP TABLE shop.orders, `shop`.`items`", "DROP TABLE `look`.orders, `look`.`items`"),
        ("DROP TABLE other.shop.orders", "DROP TABLE other.shop.orders"),
        ("INSERT INTO orders VALUES ('shop.orders')", "INSERT INTO orders VALUES ('shop.orders')"),
        ("ALTER TABLE shop . orders ADD shop INT", "ALTER TABLE `look` . orders ADD shop INT"),
        ("ALTER TABLE shops.orders ADD n INT", "ALTER TABLE shops.orders ADD n INT"),
        ("CREATE VIEW w AS SELECT shop.t.a FROM shop.t", "CREATE VIEW w AS SELECT `look`.t.a FROM `look`.t"),
        ("SET @a = 'shop.'", "SET @a = 'shop.'"),
        ("use `shop`", "use `shop`"),
    ],
)
def test_a_name_before_a_full_stop_is_changed(statement: str, expected: str) -> None:
    assert Renaming("shop", "look").of_statement(statement.encode()).decode() == expected


def test_a_new_name_is_quoted() -> None:
    assert Renaming("shop", "lo`ok").of_statement(b"DROP TABLE shop.t") == b"DROP TABLE `lo``ok`.t"


def test_bytes_that_are_not_utf8_remain() -> None:
    assert Renaming("shop", "look").of_statement(b"INSERT INTO shop.t VALUES ('\xff')") == (
        b"INSERT INTO `look`.t VALUES ('\xff')"
    )


def test_a_statement_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(BinlogError):
        Renaming("shop", "look").of_statement(b"INSERT INTO shop.t VALUES ('")
