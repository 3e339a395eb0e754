"""Names of logs in their series."""

import pytest

from pybinlog.source.log_series import LogName, by_number


def test_names() -> None:
    assert LogName.of("/x/binlog.000012.gz") == ("/x/binlog", 12, "binlog.000012", "binlog")
    assert LogName.of("binlog.1000000").number == 1_000_000
    assert LogName.of("-").number is None
    assert LogName.of("binlog.old").number is None


def test_the_log_that_follows() -> None:
    log = LogName.of("/x/binlog.000012")
    assert LogName.of("/x/binlog.000013.zst").follows(log)
    assert not LogName.of("/x/binlog.000014").follows(log)
    assert not LogName.of("/y/binlog.000013").follows(log)
    assert not LogName.of("-").follows(LogName.of("-"))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("binlog.00001", ("binlog.00001", None, "binlog.00001", "binlog.00001")),
        ("binlog.000001", ("binlog", 1, "binlog.000001", "binlog")),
        ("a.b.0000123", ("a.b", 123, "a.b.0000123", "a.b")),
        (".000001", (".000001", None, ".000001", ".000001")),
        ("-", ("-", None, "-", "-")),
        ("x/-.000001.bz2", ("x/-", 1, "-.000001", "-")),
        ("x\\binlog.000001.xz", ("binlog", 1, "binlog.000001", "binlog")),
        ("binlog.000001.lz4", ("binlog.000001.lz4", None, "binlog.000001.lz4", "binlog.000001.lz4")),
    ],
)
def test_the_parts_of_a_name(path: str, name: tuple[str, int | None, str, str]) -> None:
    assert LogName.of(path) == name


def test_a_name_with_another_number_has_at_least_six_digits() -> None:
    log = LogName.of("/x/binlog.000012.gz")
    assert [log.numbered(number) for number in (1, 999_999, 1_000_000)] == [
        "binlog.000001",
        "binlog.999999",
        "binlog.1000000",
    ]


def test_logs_are_in_the_order_in_which_they_were_written() -> None:
    mixed = ["b.1000000", "c.000001", "b", "b.000001.gz", "a.000002", "b.999999", "b.000001"]
    assert sorted(mixed, key=by_number) == [
        *("a.000002", "b", "b.000001", "b.000001.gz", "b.999999", "b.1000000", "c.000001")
    ]
    assert [by_number(name) for name in ("b", "b.000000")] == [("b", -1, "b"), ("b", 0, "b.000000")]
