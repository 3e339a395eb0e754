"""pybinlog.open, Log and Event on real logs, and the examples of docs/library.md."""

from __future__ import annotations

import doctest
import gzip
import inspect
import os
import pydoc
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from uuid import UUID

import pytest

import pybinlog
from pybinlog.event_types import ROW_TYPES
from pybinlog.library import Log
from tests.catalog.bare_logs import DUMPS, bare_log
from tests.corpus import PROJECT, Scenario, scenarios
from tests.views.expected import view

INTACT = [scenario for scenario in scenarios() if scenario.intact and scenario.folder.name != "large"]
needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")


def test_the_examples_in_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    results = doctest.testfile(str(PROJECT / "docs" / "library.md"), module_relative=False, encoding="utf-8")
    assert results.attempted > 20
    assert results.failed == 0


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_every_event_of_an_intact_log_has_a_body_and_its_rows(scenario: Scenario) -> None:
    for path in scenario.logs:
        end = 4
        with pybinlog.open(path) as log:
            for event in log:
                assert event.position == end
                end += event.size
                assert event.refused is None
                assert event.body is not None
                if event.type_code in ROW_TYPES:
                    assert event.table_map is not None
                    assert all(row.before is not None or row.after is not None for row in event.rows)
                for inner in event.events():
                    assert inner.body is not None
                    if inner.type_code in ROW_TYPES:
                        assert isinstance(inner.rows, list)
        assert end == path.stat().st_size


def test_rows_without_their_table_map_are_an_error_that_says_so() -> None:
    path = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/row-basic").logs[0]
    with pybinlog.open(path, start_position=1230) as log:
        rows = next(event for event in log if event.type_code in ROW_TYPES)
    with pytest.raises(pybinlog.CorruptEventError, match="no Table_map came") as caught:
        rows.rows  # noqa: B018
    assert caught.value.position == 1230


def test_only_row_events_have_rows() -> None:
    path = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/row-basic").logs[0]
    event = next(iter(pybinlog.open(path)))
    with pytest.raises(TypeError, match="Format_desc"):
        event.rows  # noqa: B018


def test_a_file_that_is_missing_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(pybinlog.SourceError, match="nosuch"):
        pybinlog.open(tmp_path / "nosuch.000001")


@pytest.mark.parametrize("position", [-1, 1 << 64])
def test_a_position_that_no_log_has_is_a_value_error(tmp_path: Path, position: int) -> None:
    with pytest.raises(ValueError, match="a log has no position"):
        pybinlog.open(tmp_path / "nosuch.000001", start_position=position)


def test_every_public_name_can_be_imported() -> None:
    for name in pybinlog.__all__:
        assert getattr(pybinlog, name) is not None


@needs_pyarrow
@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_the_gtid_of_an_event_is_that_of_the_view(scenario: Scenario) -> None:
    for path in scenario.logs:
        with pybinlog.open(path) as log:
            found = [(event.position, event.gtid) for outer in log for event in (outer, *outer.events())]
        assert found == [(row["position"], row["gtid"]) for row in view([path], "events")]


@needs_pyarrow
@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_transactions_are_those_of_the_view(scenario: Scenario) -> None:
    for path in scenario.logs:
        with pybinlog.open(path) as log:
            assert list(log.transactions()) == view([path], "transactions")


@needs_pyarrow
@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_rows_are_those_of_the_view_with_the_values_of_the_events(scenario: Scenario) -> None:
    for path in scenario.logs:
        with pybinlog.open(path) as log:
            rows = list(log.rows())
            images = [
                tuple(row)
                for outer in log
                for event in (outer, *outer.events())
                if event.type_code in ROW_TYPES
                for row in event.rows
            ]
        wanted = view([path], "rows")
        assert [(row["before"], row["after"]) for row in rows] == images
        assert [list(row) for row in rows] == [list(row) for row in wanted]
        for row, other in zip(rows, wanted, strict=True):
            assert {**row, "before": None, "after": None} == {**other, "before": None, "after": None}


def test_rows_of_one_table() -> None:
    for name, table in [("row-basic", "customer"), ("row-basic", "shop.orders"), ("compression", "`cz`.t,t3")]:
        path = next(scenario for scenario in scenarios() if scenario.name == f"mysql-9.7/{name}").logs[0]
        wanted = {part.replace("`", "").rpartition(".")[2] for part in table.split(",")}
        with pybinlog.open(path) as log:
            every = list(log.rows())
            found = list(log.rows(table=table))
            assert 0 < len(found) < len(every)
            assert found == [row for row in every if row["table"] in wanted]
            assert list(log.rows(table="nosuch")) == []
    with pytest.raises(ValueError, match=r"'a\.b\.c' is no table"):
        pybinlog.open(path).rows(table="a.b.c")


def test_a_pipe_is_read_once_and_its_rows_come_as_they_arrive() -> None:
    path = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/row-basic").logs[0]
    data = path.read_bytes()
    with pybinlog.open(path) as log:
        first = next(log.rows())
        end = next(event.position + event.size for event in log if event.position == first["position"])
    reading, writing = os.pipe()
    os.write(writing, data[: end + 5])
    with os.fdopen(reading, "rb") as pipe, Log("-", stdin=pipe) as log:
        rows = log.rows()
        assert next(rows)["after"] == first["after"]  # which would wait for ever for what comes later
        os.write(writing, data[end + 5 :])
        os.close(writing)
        assert len(list(rows)) == 22
        with pytest.raises(pybinlog.SourceError, match="a pipe can be read only once"):
            next(log.transactions())


def test_the_middle_of_a_log_has_the_rows_from_there_on() -> None:
    path = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/row-basic").logs[0]
    with pybinlog.open(path) as log:
        rows = list(log.rows())
        starts = [row["start_position"] for row in log.transactions()]
    start = starts[len(starts) // 2]
    with pybinlog.open(path, start_position=start) as log:
        assert list(log.rows()) == [row for row in rows if row["position"] >= start]
        assert [row["start_position"] for row in log.transactions()] == starts[len(starts) // 2 :]


def test_damage_ends_the_rows_with_an_error_after_those_before_it() -> None:
    path = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/damaged-body").logs[0]
    for method in ("rows", "transactions"):
        found = []
        with pybinlog.open(path) as log, pytest.raises(pybinlog.ChecksumError) as caught:
            for row in getattr(log, method)():
                found.append(row)
        assert (caught.value.file, caught.value.position) == (str(path), 1985)
        assert found


def test_only_public_names_are_shown() -> None:
    assert dir(pybinlog) == sorted(pybinlog.__all__)
    program = "import sys, pybinlog; list(pybinlog.open(sys.argv[1])); print(*dir(pybinlog))"
    done = subprocess.run(
        [sys.executable, "-c", program, str(INTACT[0].logs[0])],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == sorted(pybinlog.__all__)


def test_help_tells_of_every_public_name() -> None:
    about = pydoc.plain(pydoc.render_doc(pybinlog))
    opening, _, rest = about.partition("PACKAGE CONTENTS")
    assert [line for line in opening.splitlines() if len(line) > 100] == []
    classes = re.findall(r"^    class (\w+)", rest, re.MULTILINE)
    functions = re.findall(r"^    (\w+)\(", rest.partition("\nFUNCTIONS")[2], re.MULTILINE)
    assert sorted([*classes, *functions, "__version__"]) == sorted(pybinlog.__all__)
    for name in pybinlog.__all__:
        assert name == "__version__" or re.search(rf"\b{name}\b", opening), name
        assert inspect.getdoc(getattr(pybinlog, name)), name
    for method in (pybinlog.Log.rows, pybinlog.Log.transactions, pybinlog.Log.batches, pybinlog.Log.close):
        assert inspect.getdoc(method)


@pytest.mark.parametrize("server", ["mysql-9.7", "mariadb-11.8"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_schema_gives_names_to_rows_of_a_log_without(server: str, packed: bool, tmp_path: Path) -> None:
    folder = DUMPS / server
    log = tmp_path / ("binlog.000002.gz" if packed else "binlog.000002")
    data = bare_log(folder / "binlog.000002")
    log.write_bytes(gzip.compress(data) if packed else data)
    with pybinlog.open(log) as bare, pybinlog.open(log, schema=folder / "shop.sql") as named:
        found, known = list(bare.rows()), list(named.rows())
        again = list(named.rows()) if not packed else known
    with pybinlog.open(folder / "binlog.000002") as full:
        wanted = [(row["table"], list(row["before"] or ()), list(row["after"] or ())) for row in full.rows()]
    assert [(row["table"], list(row["before"] or ()), list(row["after"] or ())) for row in known] == wanted
    assert {row["metadata"] for row in known} == {"schema"}
    assert known == again
    if server == "mariadb-11.8":
        addresses = [row["after"]["ident"] for row in known if row["table"] == "customer" and row["after"]]
        assert {type(address) for address in addresses} - {type(None)} == {UUID}
    assert [list((row["before"] or {}).values()) for row in found] != []
    assert all(key.startswith("@") for row in found for key in row["before"] or row["after"])


def test_a_schema_that_defines_nothing_is_an_error(tmp_path: Path) -> None:
    dump = tmp_path / "empty.sql"
    dump.write_text("SELECT 1;")
    with pytest.raises(pybinlog.BinlogError, match="no CREATE TABLE statement is in it"):
        pybinlog.open(INTACT[0].logs[0], schema=[dump])
