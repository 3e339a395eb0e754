"""Only some transactions: a log of its own, whose positions and lists of GTIDs follow."""

from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import scenarios
from tests.redact.logs import assert_places, key_option, listed, transactions
from tests.tag.logs import log_of

MYSQL = log_of("mysql-9.7/row-basic")
TAGGED = log_of("mysql-9.7/tagged-gtid").with_name("binlog.000002")
MARIADB = next(s for s in scenarios() if s.name.startswith("mariadb-11.8/") and s.intact and "gtid" in s.name).logs[0]


def without_places(transaction: dict[str, object]) -> dict[str, object]:
    """Return a transaction without its places, its size and its xid, which is masked."""
    others = ("file", "start_position", "end_position", "bytes", "xa_xid")
    return {name: value for name, value in transaction.items() if name not in others}


@pytest.mark.parametrize("log", [MYSQL, TAGGED, MARIADB], ids=lambda log: f"{log.parent.parent.name}/{log.parent.name}")
def test_each_transaction_can_be_a_log_of_its_own(log: Path, tmp_path: Path) -> None:
    found = transactions(log)
    out, key = tmp_path / "small.000001", key_option(tmp_path)
    assert len(found) > 3
    for transaction in found:
        for around in (transaction["start_position"], int(str(transaction["end_position"])) - 1, transaction["gtid"]):
            assert real("redact", key, f"--only-around={around}", "--force", str(log), "-o", str(out)).status == 0
            assert list(map(without_places, transactions(out))) == [without_places(transaction)]
        assert_places(out.read_bytes())
        assert real("check", str(out)).status == real("check", str(log)).status


def test_dropped_transactions_are_named_as_if_they_had_come_before(tmp_path: Path) -> None:
    out = tmp_path / "small.000001"
    assert real("redact", "--table=shop.customer", "--operation=delete", str(MYSQL), "-o", str(out)).status == 0
    gtids = [str(transaction["gtid"]).rpartition(":")[2] for transaction in transactions(out)]
    before = listed(out).partition(":")[2]
    numbers = {n for part in before.split(":") for first, _, last in [part.partition("-")]
               for n in range(int(first), int(last or first) + 1)}  # fmt: skip
    assert gtids
    assert {int(gtid) for gtid in gtids} | numbers == set(range(1, 18))
    assert {int(gtid) for gtid in gtids} & numbers == set()


def test_a_list_of_mariadb_names_the_last_dropped_one_of_each_domain(tmp_path: Path) -> None:
    found = transactions(MARIADB)
    third = found[2]
    out = tmp_path / "small.000001"
    assert real("redact", f"--only-around={third['gtid']}", str(MARIADB), "-o", str(out)).status == 0
    before = [str(transaction["gtid"]) for transaction in found[:2]]
    assert before[-1] in listed(out)
    assert str(third["gtid"]) not in listed(out)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--only-around=5", "LOG"], 1, "at 5: no transaction is there: the log has 17 transactions"),
        (
            ["--only-around=1bcbbf4c-e549-11f1-88f4-02fc00000001:99", "LOG"],
            1,
            "the log has no transaction 1bcbbf4c-e549",
        ),
        (["--only-around=fifth", "LOG"], 2, "fifth"),
        (["--only-around=200", "--table=t", "LOG"], 2, "it names one transaction"),
        (["--only-around=200", "LOG", "LOG"], 2, "--only-around"),
        (["--table=t", "-"], 2, "standard input"),
        (["--database=nowhere", "LOG"], 0, "No transaction of the log matches: the redacted log has none."),
    ],
)
def test_what_matches_nothing_is_said(arguments: list[str], status: int, message: str, tmp_path: Path) -> None:
    shown = [argument.replace("LOG", str(MYSQL)) for argument in arguments]
    done = real("redact", *shown, "-o", str(tmp_path / "small.000001"))
    assert message in done.err
    assert done.status == status
