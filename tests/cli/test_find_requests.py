"""`pybinlog find` at URLs asks a store for the beginnings of logs, and then for what is needed."""

from collections.abc import Iterator

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA

pytest.importorskip("fsspec")

from tests.source.counted_store import CountedStore

SHOP = [path.read_bytes() for path in sorted((TESTDATA / "shop").glob("binlog.0*"))]
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"
HEAD, WHOLE = 64 << 10, 1 << 20


@pytest.fixture
def names() -> Iterator[list[str]]:
    """Three logs of a megabyte: the rest, behind a Rotate, is nothing that `find` needs to read."""
    CountedStore.requests.clear()
    for number, log in enumerate(SHOP, 1):
        CountedStore.files[f"backup/binlog.{number:06d}"] = log + filler(len(log))
    yield [f"tallied://backup/binlog.{number:06d}" for number in (1, 2, 3)]
    CountedStore.files.clear()


def filler(position: int) -> bytes:
    """Heartbeats without a transaction, up to a megabyte."""
    size = WHOLE - position
    header = bytes(4) + bytes([27]) + (1).to_bytes(4, "little") + size.to_bytes(4, "little")
    return header + WHOLE.to_bytes(4, "little") + bytes(2) + bytes(size - 19)


def test_a_gtid_costs_the_heads_and_one_log(names: list[str]) -> None:
    found = real("find", f"--gtid={UUID}:7", *names)
    assert found.status == 0, found.err
    assert b"binlog.000002" in found.out
    sizes: dict[str, list[int]] = {}
    for path, size in CountedStore.requests:
        sizes.setdefault(path, []).append(size)
    assert len(sizes["backup/binlog.000001"]) == len(sizes["backup/binlog.000003"]) == 1
    assert max(sizes["backup/binlog.000001"] + sizes["backup/binlog.000003"]) <= 2 * HEAD
    assert sum(sizes["backup/binlog.000002"]) <= WHOLE + 2 * HEAD
    assert len(sizes["backup/binlog.000002"]) == 2


def test_a_gtid_that_no_log_has_costs_the_heads(names: list[str]) -> None:
    CountedStore.files["backup/binlog.000003"] = SHOP[2]  # only the last log has to be read whole
    assert real("find", "--gtid=11111111-1111-1111-1111-111111111111:1", *names).status == 1
    assert [path for path, _ in CountedStore.requests[:3]] == [name.removeprefix("tallied://") for name in names]
    assert {path for path, _ in CountedStore.requests[3:]} == {"backup/binlog.000003"}


def test_a_folder_is_listed_without_its_logs(names: list[str]) -> None:
    assert real("find", f"--gtid={UUID}:7", "tallied://backup/").status == 0
    assert max(size for path, size in CountedStore.requests if path != "backup/binlog.000002") <= 2 * HEAD
