"""Names of logs in their series."""

from __future__ import annotations

from pybinlog.source.log_series import LogName


def test_names() -> None:
    assert LogName.of("/x/binlog.000012.gz") == ("/x/binlog", 12, "binlog.000012")
    assert LogName.of("binlog.1000000").number == 1_000_000
    assert LogName.of("-").number is None
    assert LogName.of("binlog.old").number is None


def test_the_log_that_follows() -> None:
    log = LogName.of("/x/binlog.000012")
    assert LogName.of("/x/binlog.000013.zst").follows(log)
    assert not LogName.of("/x/binlog.000014").follows(log)
    assert not LogName.of("/y/binlog.000013").follows(log)
    assert not LogName.of("-").follows(LogName.of("-"))
