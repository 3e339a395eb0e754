"""MariaDB's INET6, INET4 and UUID as it shows them, whose zeros at the end a log leaves out."""

import json
from ipaddress import IPv6Address
from pathlib import Path
from uuid import UUID

import pytest

from pybinlog.catalog import Catalog
from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventType
from pybinlog.feed.span import Span
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.layout.log_builder import MARIADB_10_11, LogBuilder

COLUMNS = [(ColumnType.STRING, {"real_type": 254, "length": size}) for size in (16, 4, 16)]


def shown(folder: Path, inet6: bytes, inet4: bytes, uuid: bytes) -> tuple[str, str, str]:
    """The text of the three values, by the statement that creates their table."""
    builder = LogBuilder(MARIADB_10_11).query("CREATE TABLE t (a INET6, b INET4, c UUID)").table_map(COLUMNS)
    image = b"\xf8" + b"".join(bytes((len(value),)) + value for value in (inet6, inet4, uuid))
    builder.rows(EventType.WRITE_ROWS_V1, image, 3, extra_row_info=None).commit(1)
    path = folder / "binlog.000001"
    path.write_bytes(builder.data)
    reader = ViewReader(ViewOptions(view="rows"), catalog=Catalog(pytest.fail), warn=pytest.fail)
    ((row,),) = (batch.to_pylist() for batch in reader.read(Span((str(path),))))
    return tuple(json.loads(row["after"]).values())


@pytest.mark.parametrize(
    ("address", "text"),
    [
        *((one, one) for one in ("::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "::1.2.3.4")),
        *((one, one) for one in ("1::2", "1:0:2::3", "1::2:0:3", "1:2::3:4:0:0", "fe80::a0b:c00d:e")),
        *((one, one) for one in ("10:100:1000:f:f0:f00:f000:ffff", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7::")),
        ("::1:0", "::0.1.0.0"),
        ("1::2:3:4:5:6:7", "1::2:3:4:5:6:7"),
        ("0:0:0:0:0:fffe:102:304", "::fffe:102:304"),
        ("0:0:0:0:1:ffff:102:304", "::1:ffff:102:304"),
        ("0:0:0:0:0:0:ffff:304", "::255.255.3.4"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:0:0:0:2:0:0:3", "1::2:0:0:3"),
    ],
)
def test_the_first_of_the_longest_runs_of_zeros_is_left_out(address: str, text: str, tmp_path: Path) -> None:
    """An address that stands for one of version 4 ends as that."""
    value = IPv6Address(address).packed
    for stored in (value, value.rstrip(b"\0")):
        assert shown(tmp_path, stored, b"", b"")[0] == text


@pytest.mark.parametrize(
    ("value", "text"), [(b"", "0.0.0.0"), (b"\x01", "1.0.0.0"), (b"\xff\x0a\x64\x09", "255.10.100.9")]
)
def test_an_address_of_version_4_has_four_numbers(value: bytes, text: str, tmp_path: Path) -> None:
    assert shown(tmp_path, b"", value, b"")[1] == text


@pytest.mark.parametrize("length", [0, 1, 15, 16])
def test_a_uuid_is_as_everywhere(length: int, tmp_path: Path) -> None:
    value = bytes(range(0x78, 0x88))[:length]
    assert shown(tmp_path, b"", b"", value)[2] == str(UUID(bytes=value.ljust(16, b"\0")))
