"""Names of columns from CREATE TABLE statements, in a dump or in the log itself, for logs that have none."""

import json
from base64 import b64decode
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from pybinlog.catalog import Catalog
from pybinlog.event_types import EventType
from pybinlog.feed.span import Span
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.catalog.bare_logs import DUMPS, bare_log
from tests.corpus import TESTDATA

CORPUS = TESTDATA / "corpus"
SERVERS = [folder.name for folder in sorted(DUMPS.iterdir())]


def rows(*paths: Path, catalog: Catalog | None = None, **options: Any) -> list[dict[str, Any]]:
    reader = ViewReader(ViewOptions(view="rows", **options), catalog=catalog, warn=pytest.fail)
    found = [row for path in paths for batch in reader.read(Span((str(path),))) for row in batch.to_pylist()]
    return [row | {image: json.loads(row[image] or "null") for image in ("before", "after")} for row in found]


def keys(found: list[dict[str, Any]]) -> list[Any]:
    """The tables and the columns of rows."""
    return [
        (row["table"], row["operation"], *(list(row[image] or ()) for image in ("before", "after"))) for row in found
    ]


def named(found: list[dict[str, Any]]) -> set[str]:
    """The tables whose columns have names."""
    return {row["table"] for row in found for key in row["before"] or row["after"] if not key.startswith("@")}


ADDRESSES: dict[str, Any] = {"ident": lambda data: UUID(bytes=data), "addr": IPv6Address, "addr4": IPv4Address}


def with_addresses(image: dict[str, Any] | None) -> dict[str, Any] | None:
    """An image with UUID, INET6 and INET4 as text, of which the log's own metadata does not tell."""
    if image is None:
        return None
    return {
        name: str(ADDRESSES[name](b64decode(value["base64"]))) if name in ADDRESSES and value is not None else value
        for name, value in image.items()
    }


def test_twins_whose_logs_have_names_and_have_none() -> None:
    minimal, full = (CORPUS / "mysql-9.7" / f"row-metadata-{kind}" / "binlog.000001" for kind in ("minimal", "full"))
    assert keys(rows(minimal, catalog=Catalog(pytest.fail))) == keys(rows(full))
    assert named(rows(minimal)) == set()


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("dump", [False, True], ids=["statements", "dump"])
def test_names_of_what_a_dump_and_statements_define(server: str, dump: bool, tmp_path: Path) -> None:
    folder = DUMPS / server
    logs = [folder / "binlog.000002"] if dump else [folder / "binlog.000001", folder / "binlog.000002"]
    catalog = Catalog(pytest.fail)
    if dump:
        catalog.read("shop.sql", (folder / "shop.sql").read_text())
    bare = [tmp_path / log.name for log in logs]
    for path, log in zip(bare, logs, strict=True):
        path.write_bytes(bare_log(log))
    assert named(rows(*bare)) == set()
    found, expected = rows(*bare, catalog=catalog), rows(*logs)
    assert keys(found) == keys(expected)
    assert len(found) > 8
    images = [[with_addresses(row["before"]), with_addresses(row["after"])] for row in expected]
    assert [[row["before"], row["after"]] for row in found] == images


@pytest.mark.parametrize("server", SERVERS)
def test_without_a_dump_tables_that_were_there_before_have_no_names(server: str, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000002"
    log.write_bytes(bare_log(DUMPS / server / "binlog.000002"))
    found = rows(log, catalog=Catalog(pytest.fail))
    assert "customer" not in named(found)
    assert named(found)  # those that were created later


def test_old_logs_have_names_by_their_statements() -> None:
    logs = sorted((CORPUS / "mysql-5.6").glob("types-*/mysql-bin.000001"))
    assert len(logs) > 5
    for log in logs:
        found = rows(log, catalog=Catalog(pytest.fail))
        assert named(found) == {row["table"] for row in found}


@pytest.mark.parametrize("name", ["mysql-9.7/compression", "mariadb-11.8/compressed", "mariadb-10.11/compressed"])
def test_names_inside_what_is_compressed(name: str) -> None:
    (log,) = (CORPUS / name).glob("*bin*.000001")
    assert named(rows(log)) == set()
    found = rows(log, catalog=Catalog(pytest.fail))
    assert named(found) == {row["table"] for row in found} != set()


class Asked(Catalog):
    """A catalog that counts the questions."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[bytes] = []

    def metadata(self, table_map: bytes, *where: Any) -> bytes:
        self.asked.append(table_map)
        return super().metadata(table_map, *where)


def test_a_table_map_is_asked_about_once() -> None:
    log = CORPUS / "mysql-5.6" / "mixed-engines-row" / "mysql-bin.000001"
    catalog = Asked()
    found = rows(log, catalog=catalog)
    assert named(found) == {row["table"] for row in found}
    assert len(catalog.asked) < len(found) / 10


def test_the_catalog_is_not_asked_about_tables_that_are_left_out_or_have_names() -> None:
    catalog = Asked()
    log = CORPUS / "mysql-5.6" / "mixed-engines-row" / "mysql-bin.000001"
    assert rows(log, catalog=catalog, tables=frozenset({(None, "none")})) == []
    rows(CORPUS / "mysql-9.7" / "row-metadata-full" / "binlog.000001", catalog=catalog)
    assert catalog.asked == []


def test_what_the_catalog_raises_comes_out() -> None:
    class Broken(Catalog):
        def metadata(self, *_: Any) -> bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rows(CORPUS / "mysql-5.6" / "row-v2" / "mysql-bin.000001", catalog=Broken())


def test_a_definition_that_the_log_contradicts_gives_no_names_and_one_warning(tmp_path: Path) -> None:
    log = CORPUS / "mysql-9.7" / "row-metadata-minimal" / "binlog.000001"
    told: list[str] = []
    catalog = Catalog(told.append)

    class Other(Catalog):
        def run(self, text: bytes, *rest: Any, **session: Any) -> None:
            super().run(text.replace(b"x INT)", b"x BIGINT)"), *rest, **session)

    catalog = Other(told.append)
    found = rows(log, catalog=catalog)
    tables = {row["table"] for row in found}
    assert tables - named(found) == {"inv"}
    (warning,) = told
    assert "binlog.000001, position " in warning
    assert "meta.inv" in warning
    assert "column 3 (x, bigint) is of type LONG in the log" in warning


def test_statements_inside_comments_for_servers_are_taken(tmp_path: Path) -> None:
    """A Query that begins with a comment is looked at, too."""
    from tests.check.logs import events_of, joined

    events = events_of((CORPUS / "mysql-5.6" / "row-v2" / "mysql-bin.000001").read_bytes())
    changed = [
        event.replace(b"CREATE TABLE", b"/* x */ CREATE /*!32302 TABLE */") if event[4] == EventType.QUERY else event
        for event in events
    ]
    assert changed != events
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined(changed))
    found = rows(log, catalog=Catalog(pytest.fail))
    assert named(found) == {row["table"] for row in found}
