"""`pybinlog diff`: what two sets of logs do not have in common."""

import json
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA

SHOP = TESTDATA / "shop"
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"


def diff(a: Path, b: Path, *arguments: str, status: int = 1) -> list[dict[str, Any]]:
    result = real("diff", "--format=jsonl", *arguments, str(a), str(b))
    assert result.status == status, result.err
    return [json.loads(line) for line in result.out.splitlines()]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    for log in SHOP.glob("binlog.0*"):
        shutil.copy(log, folder)
    return folder


def change(log: Path, old: bytes, new: bytes) -> None:
    """Change some bytes of an event, and make its checksum right again."""
    data = bytearray(log.read_bytes())
    place = data.rindex(old)
    data[place : place + len(old)] = new
    at = 4
    while at + int.from_bytes(data[at + 9 : at + 13], "little") <= place:
        at += int.from_bytes(data[at + 9 : at + 13], "little")
    end = at + int.from_bytes(data[at + 9 : at + 13], "little")
    data[end - 4 : end] = zlib.crc32(data[at : end - 4]).to_bytes(4, "little")
    log.write_bytes(data)


def test_equal_logs_have_no_difference(copy: Path) -> None:
    assert diff(SHOP, copy, status=0) == []


def test_compressed_logs_are_equal_to_plain_ones(copy: Path) -> None:
    import gzip

    for log in list(copy.iterdir()):
        (copy / f"{log.name}.gz").write_bytes(gzip.compress(log.read_bytes()))
        log.unlink()
    assert diff(SHOP, copy, status=0) == []


def test_a_log_that_one_side_lacks_is_a_set_of_gtids(copy: Path) -> None:
    (copy / "binlog.000003").unlink()
    (found,) = diff(SHOP, copy)
    assert (found["difference"], found["b"]) == ("only in A", None)
    gtids = real("export", "--view=transactions", "--columns=gtid", "-o", "-", str(SHOP / "binlog.000003")).out
    numbers = [int(json.loads(line)["gtid"].rpartition(":")[2]) for line in gtids.splitlines()]
    assert found["gtid"] == f"{UUID}:{numbers[0]}-{numbers[-1]}"
    (other,) = diff(copy, SHOP)
    assert (other["difference"], other["gtid"]) == ("only in B", found["gtid"])


def test_a_value_that_differs_is_named_with_its_column(copy: Path) -> None:
    change(copy / "binlog.000001", b"Oslo", b"Oulu")
    found = diff(SHOP, copy)
    assert [one["difference"] for one in found] == ["row"]
    assert (found[0]["gtid"], found[0]["table"]) == (f"{UUID}:4", "shop.customer")
    assert found[0]["what"] == "INSERT, change 1: after.city is 'Oslo' in A and 'Oulu' in B"


def test_a_statement_that_differs_is_shown(copy: Path) -> None:
    change(copy / "binlog.000001", b"city VARCHAR(40)", b"city VARCHAR(41)")
    (found,) = diff(SHOP, copy)
    assert (found["difference"], found["gtid"]) == ("statement", f"{UUID}:2")


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b"\x02\x00\x00\x00uv", b"\x02\x00\x00\x00uw", "other values of its variables"),
        (
            b"\x02\x06\x00\x00\x00\x00\x00\x00\x00",
            b"\x02\x08\x00\x00\x00\x00\x00\x00\x00",
            "other values of its variables",
        ),
    ],
)
def test_a_statement_with_other_variables_differs(old: bytes, new: bytes, what: str, tmp_path: Path) -> None:
    log = TESTDATA / "more" / "mid-statement" / "binlog.000001"
    shutil.copy(log, tmp_path / "prod.000001")
    change(tmp_path / "prod.000001", old, new)
    (found,) = diff(log, tmp_path / "prod.000001")
    assert found["difference"] == "statement"
    assert what in found["what"]


def test_other_bytes_of_the_same_transactions_are_a_difference_of_copies(copy: Path) -> None:
    """The id of the connection, which is before the length of the database in a Query event."""
    log = copy / "binlog.000001"
    data = log.read_bytes()
    begin = data.index(b"BEGIN")
    event = data.rindex(b"\x02", 0, begin - 40) - 4
    while data[event + 9 : event + 13] != (data.index(b"BEGIN") + 9 - event).to_bytes(4, "little"):
        event = data.rindex(b"\x02", 0, event + 4) - 4
    thread = data[event + 19 : event + 27]
    change(log, data[event : event + 27], data[event : event + 19] + bytes([thread[0] ^ 1]) + thread[1:])
    (found,) = diff(SHOP, copy)
    assert (found["difference"], found["gtid"]) == ("bytes", None)
    assert found["a"] == f"binlog.000001:{event + 19}"


def test_a_missing_log_between_two_is_trouble(copy: Path) -> None:
    (copy / "binlog.000002").unlink()
    result = real("diff", str(SHOP), str(copy))
    assert result.status == 2
    assert "binlog.000002 is missing between binlog.000001 and this log" in result.err
    assert [one["difference"] for one in diff(SHOP, copy, "--allow-gaps")] == ["only in A"]


@pytest.fixture
def named_by_hand(copy: Path) -> tuple[Path, Path]:
    """Two equal folders of copies, prod.1 to prod.3, whose names do not tell their order to a server."""
    folders = copy.parent / "first", copy.parent / "second"
    for folder in folders:
        folder.mkdir()
        for number in "123":
            shutil.copy(copy / f"binlog.00000{number}", folder / f"prod.{number}")
    return folders


NO_GAP, GAP = "", f"the transactions {UUID}:6-9 are missing between prod.1 and this log"


@pytest.mark.parametrize(("missing", "said"), [(None, NO_GAP), ("prod.2", GAP)])
@pytest.mark.parametrize("changed", [None, "prod.1", "prod.3"])
def test_gtids_tell_that_a_log_is_missing(
    named_by_hand: tuple[Path, Path], missing: str | None, said: str, changed: str | None
) -> None:
    """The logs beside the gap are equal on both sides, and read once, or one differs."""
    if missing is not None:
        for folder in named_by_hand:
            (folder / missing).unlink()
    if changed is not None:
        change(named_by_hand[1] / changed, b"Oslo", b"Oulu")
    result = real("diff", *map(str, named_by_hand))
    assert result.status == (2 if said else int(changed is not None)), result.err
    assert said in result.err
    if said:
        allowed = real("diff", "--allow-gaps", *map(str, named_by_hand))
        assert (allowed.status, said in allowed.err) == (int(changed is not None), True)


def test_gtids_tell_that_a_log_is_missing_if_the_names_have_no_gap(copy: Path) -> None:
    (copy / "binlog.000002").unlink()
    (copy / "binlog.000003").rename(copy / "binlog.000002")
    result = real("diff", str(SHOP), str(copy))
    assert result.status == 2
    assert "are missing between binlog.000001 and this log" in result.err


def test_equal_logs_that_cannot_be_read_are_equal(copy: Path) -> None:
    other = copy.parent / "other"
    with (copy / "binlog.000002").open("r+b") as log:
        log.truncate(300)
    shutil.copytree(copy, other)
    assert diff(copy, other, status=0) == []
    for folder in (copy, other):
        (folder / "binlog.000001").unlink()
        (folder / "binlog.000002").rename(folder / "binlog.000001")
    result = real("diff", str(copy), str(other))
    assert (result.status, "binlog.000002 is missing between" in result.err) == (2, True)


def test_a_transaction_without_a_gtid_is_found_by_its_place(tmp_path: Path) -> None:
    log = TESTDATA / "statement-format" / "binlog.000001"
    shutil.copy(log, tmp_path)
    other = tmp_path / log.name
    change(other, b"UPDATE", b"uPDATE")
    (found,) = diff(log, other)
    place = f"{log.name}:"
    assert found["difference"] == "statement"
    assert place in found["a"]
    assert found["what"].count("PDATE") == 2


def test_five_differences_of_each_kind_are_found_and_no_more(copy: Path) -> None:
    names = [b"Ann", b"Ben", b"Cem", b"Eve"]
    for name in names:
        change(copy / "binlog.000001", name, name[:1] + b"x" + name[2:])
    found = diff(SHOP, copy)
    (row, *more) = found
    assert (row["table"], len(found)) == ("shop.customer", len(names))
    assert [one["gtid"] for one in more] == [f"{UUID}:4"] * (len(names) - 1)


@pytest.mark.parametrize("arguments", [[], ["a"], ["a", "b", "c"]])
def test_two_sides_are_needed(arguments: list[str]) -> None:
    result = real("diff", *arguments)
    assert result.status == 2
    assert "give two logs, folders or servers" in result.err
