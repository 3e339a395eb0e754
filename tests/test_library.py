"""pybinlog.open, Log and Event on real logs, and the examples of docs/library.md."""

import doctest
import gc
import gzip
import inspect
import io
import os
import pydoc
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import pybinlog
from pybinlog.event_types import ROW_TYPES
from tests.catalog.bare_logs import DUMPS, bare_log
from tests.corpus import MOST_EVENTS, PROJECT, TESTDATA, Scenario, scenarios
from tests.layout.log_builder import MYSQL_9_7, LogBuilder
from tests.views.expected import view
from tests.views.relay_logs import RelayLogs, added
from tests.views.relay_logs import opened as begun

INTACT = [scenario for scenario in scenarios() if scenario.intact and scenario.folder.name != "large"]
SMALL = [scenario for scenario in INTACT if scenario.folder.name != "large-compressed"]
needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")


def test_the_examples_in_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    results = doctest.testfile(str(PROJECT / "docs" / "library.md"), module_relative=False, encoding="utf-8")
    assert results.attempted > 20
    assert results.failed == 0


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_every_event_of_an_intact_log_has_a_body_and_its_rows(scenario: Scenario) -> None:
    for path in scenario.logs:
        end, count = 4, 0
        with pybinlog.open(path) as log:
            for event in islice(log, MOST_EVENTS):
                count += 1
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
        assert end == path.stat().st_size or count == MOST_EVENTS


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
@pytest.mark.parametrize("scenario", SMALL, ids=repr)
def test_the_gtid_of_an_event_is_that_of_the_view(scenario: Scenario) -> None:
    for path in scenario.logs:
        with pybinlog.open(path) as log:
            found = [(event.position, event.gtid) for outer in log for event in (outer, *outer.events())]
        assert found == [(row["position"], row["gtid"]) for row in view([path], "events")]


@needs_pyarrow
@pytest.mark.parametrize("scenario", SMALL, ids=repr)
def test_transactions_are_those_of_the_view(scenario: Scenario) -> None:
    for path in scenario.logs:
        with pybinlog.open(path) as log:
            assert list(log.transactions()) == view([path], "transactions")


@pytest.mark.parametrize("scenario", SMALL, ids=repr)
def test_rows_have_the_values_of_the_events_but_for_what_a_definition_adds(scenario: Scenario) -> None:
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
        assert len(rows) == len(images)
        for row, (before, after) in zip(rows, images, strict=True):
            if row["metadata"] != "schema":
                assert (row["before"], row["after"]) == (before, after)
            assert len(row["before"] or ()) == len(before or ())
            assert len(row["after"] or ()) == len(after or ())


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
    with pytest.raises(ValueError, match=r"'a\.b\.c' is not a table"):
        pybinlog.open(path).rows(table="a.b.c")


def test_a_pipe_is_read_once_and_its_rows_come_as_they_arrive() -> None:
    path = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/row-basic").logs[0]
    data = path.read_bytes()
    with pybinlog.open(path) as log:
        first = next(log.rows())
        end = next(event.position + event.size for event in log if event.position == first["position"])
    reading, writing = os.pipe()
    os.write(writing, data[: end + 5])
    with os.fdopen(reading, "rb") as pipe, pybinlog.open(pipe) as log:
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
        [sys.executable, "-c", program, str(INTACT[0].logs[0])], cwd=PROJECT, capture_output=True, text=True, check=True
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
    assert any(key.startswith("@") for row in found for key in row["before"] or row["after"])


def test_a_schema_that_defines_nothing_is_an_error(tmp_path: Path) -> None:
    dump = tmp_path / "empty.sql"
    dump.write_text("SELECT 1;")
    with pytest.raises(pybinlog.BinlogError, match="no CREATE TABLE statement is in it"):
        pybinlog.open(INTACT[0].logs[0], schema=[dump])


BASIC = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/row-basic").logs[0]
SERIES = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/multi-file").logs


def places(log: pybinlog.Log) -> list[tuple[str, int]]:
    return [(event.file, event.position) for event in log]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_log_opened_by_name_can_be_read_again_and_again(packed: bool, tmp_path: Path) -> None:
    path = BASIC
    if packed:
        path = tmp_path / "binlog.000001.gz"
        path.write_bytes(gzip.compress(BASIC.read_bytes()))
    with pybinlog.open(path) as log:
        first = places(log)
        rows = list(log.rows())
        assert len(first) > 10
        assert places(log) == first
        assert sum(map(len, log.batches())) == len(first)
        assert list(log.rows()) == rows
        one, other = iter(log), iter(log)  # at the same time, too
        assert [(a.position, b.position) for a, b in zip(one, other, strict=True)] == [(at, at) for _, at in first]


def test_a_second_loop_over_a_pipe_says_that_it_can_be_read_once(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, BASIC.read_bytes())
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe, pybinlog.open(pipe) as log:
        assert len(places(log)) > 10
        for again in (log, log.rows(), log.batches()):
            with pytest.raises(pybinlog.SourceError, match="a pipe can be read only once"):
                list(again)
    named = tmp_path / "binlog.000001"
    os.mkfifo(named)
    writer = subprocess.Popen(["cp", BASIC, named])
    with pybinlog.open(named) as log:
        assert len(places(log)) > 10
        with pytest.raises(pybinlog.SourceError, match="a pipe can be read only once"):
            list(log)
    assert writer.wait() == 0


def test_a_file_object_is_read_from_where_it_stands_and_stays_open() -> None:
    data = BASIC.read_bytes()
    with pybinlog.open(BASIC) as log:
        wanted, rows = [position for _, position in places(log)], list(log.rows())
    packed = gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(data)))
    for stream in (io.BytesIO(b"before" + data), BASIC.open("rb"), packed):
        with stream:
            if isinstance(stream, io.BytesIO):
                stream.seek(6)
            with pybinlog.open(stream) as log:
                both = zip(log, log, strict=True)
                assert [(a.position, b.position) for a, b in both] == [(at, at) for at in wanted]
                assert [row["after"] for row in log.rows()] == [row["after"] for row in rows]
            assert not stream.closed
    with open(BASIC, encoding="latin-1") as text, pytest.raises(TypeError, match="binary mode"):
        pybinlog.open(text)


def test_bytes_are_the_content_of_a_log() -> None:
    data = BASIC.read_bytes()
    for content in (data, bytearray(data), memoryview(data), gzip.compress(data)):
        with pybinlog.open(content) as log:
            assert repr(log) == "<Log <bytes>>"
            assert len(places(log)) == len(places(log)) > 10
            assert len(list(log.rows())) == 23
    with pybinlog.open(data, start_position=1230) as log:
        assert next(iter(log.rows()))["position"] >= 1230
    with pytest.raises(pybinlog.BadMagicError, match=r"<bytes>.*not a binary log"):
        list(pybinlog.open(b"/var/lib/mysql/binlog.000001"))


def test_a_list_or_folder_of_logs_is_read_in_order(tmp_path: Path) -> None:
    wanted = [place for path in SERIES for place in places(pybinlog.open(path))]
    for path in SERIES:
        shutil.copy(path, tmp_path)
    folder = [(str(tmp_path / Path(file).name), position) for file, position in wanted]
    for given, expected in (
        (SERIES, wanted),
        (map(str, SERIES), wanted),
        (SERIES[0].parent / "binlog.0*", wanted),
        (tmp_path, folder),
        ([tmp_path], folder),
    ):
        with pybinlog.open(given) as log:
            assert places(log) == expected
            assert all(event.refused is None for event in log)
            assert {Path(row["file"]).name for row in log.transactions()} <= {Path(file).name for file, _ in wanted}
            assert len(list(log.rows())) == 9
    with pybinlog.open([BASIC.read_bytes(), BASIC], allow_gaps=True) as log:
        assert len(list(log.rows())) == 46
    with pytest.raises(ValueError, match="no log is given"):
        pybinlog.open([])
    with pytest.raises(ValueError, match="start_position is about one log"):
        pybinlog.open(SERIES, start_position=200)
    with pytest.raises(TypeError, match="not int"):
        pybinlog.open(7)  # type: ignore[arg-type]


def test_logs_that_a_folder_leaves_out_are_warned_of(tmp_path: Path) -> None:
    shutil.copy(BASIC, tmp_path)
    (tmp_path / "aria_log.00000001").write_bytes(b"\xfe\xfe\xaf\x01" + bytes(100))
    with pytest.warns(pybinlog.BinlogWarning, match="aria_log") as caught:
        log = pybinlog.open(tmp_path)
    assert caught[0].filename == __file__
    assert log.names == (str(tmp_path / BASIC.name),)


def test_repr_says_which_logs() -> None:
    with pybinlog.open(BASIC) as log:
        assert repr(log) == f"<Log {BASIC}>"
    assert repr(log) == f"<Log {BASIC}, closed>"
    with pybinlog.open(SERIES) as several:
        assert repr(several) == f"<Log {len(SERIES)} logs, {SERIES[0]} to {SERIES[-1]}>"


def test_a_closed_log_is_a_value_error() -> None:
    log = pybinlog.open(BASIC)
    under_way: list[Any] = [iter(log), log.rows(), log.transactions(), log.batches()]
    for one in under_way:
        next(one)
    log.close()
    log.close()
    for one in (*under_way, log, log.rows()):
        with pytest.raises(ValueError, match="the log is closed"):
            list(one)
    with pytest.raises(ValueError, match="the log is closed"):
        log.__enter__()


def test_a_password_is_for_a_server() -> None:
    with pytest.raises(ValueError, match="a password is for the logs of a server"):
        pybinlog.open(BASIC, password="secret")
    with pytest.raises(pybinlog.SourceError) as caught:
        pybinlog.open("mysql://me@127.0.0.1:1/binlog.000001", password="secret")
    assert "secret" not in str(caught.value)
    with pytest.raises(pybinlog.SourceError, match=r"give password=$") as caught:
        pybinlog.open("mysql://me:secret@127.0.0.1:1/binlog.000001")
    assert "secret" not in str(caught.value)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc")
def test_a_log_that_is_not_closed_gives_its_descriptor_back() -> None:
    """At the end of the log, and when nothing refers to the log or its iterator any more."""
    gc.collect()
    before = descriptors()
    kept = []
    for _ in range(3):
        log = pybinlog.open(BASIC)
        iterators = [iter(log), log.batches(), log.rows(), log.transactions()]
        for iterator in iterators:
            assert sum(1 for _ in iterator) > 0
        kept.append((log, iterators))
    assert descriptors() == before  # though all are alive
    kept.clear()
    held = [pybinlog.open(BASIC) for _ in range(3)]
    broken_off = [next(iter(log)) for log in held]
    assert len(broken_off) == 3
    opened = [pybinlog.open(BASIC) for _ in range(3)]
    assert descriptors() >= before + 3
    del held, opened, log, iterators, iterator
    gc.collect()
    assert descriptors() == before


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc")
def test_memory_and_descriptors_stay_flat_without_close() -> None:
    path = str(BASIC)
    used = []
    for _ in range(4):
        for _ in range(200):
            for event in pybinlog.open(path):
                if event.position > 200:
                    break
            pybinlog.open(path)
        gc.collect()
        used.append((descriptors(), int(Path("/proc/self/statm").read_text().split()[1])))
    assert used[1][0] == used[-1][0]
    assert used[-1][1] - used[1][1] < 64  # pages


@pytest.mark.parametrize("as_object", [False, True], ids=["by name", "file object"])
def test_several_threads_read_one_log(as_object: bool) -> None:
    given = io.BytesIO(BASIC.read_bytes()) if as_object else BASIC
    with pybinlog.open(BASIC) as log:
        wanted = [position for _, position in places(log)], [row["after"] for row in log.rows()]
    with pybinlog.open(given) as log, ThreadPoolExecutor(4) as pool:

        def read(_: int) -> tuple[list[int], list[Any]]:
            return [position for _, position in places(log)], [row["after"] for row in log.rows()]

        assert list(pool.map(read, range(12))) == [wanted] * 12


@pytest.mark.filterwarnings("ignore::pybinlog.BinlogWarning")
def test_errors_name_what_the_library_has(tmp_path: Path) -> None:
    index = tmp_path / "binlog.index"
    index.write_text("./binlog.000001\n")
    damaged = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/damaged-body").logs[0]
    unknown = tmp_path / "binlog.000001"
    event = b"\0\0\0\0\xee" + bytes(4) + b"\x17" + bytes(13)
    unknown.write_bytes(BASIC.read_bytes() + event)
    for log, words in (
        (index, "read the logs that it lists"),
        (damaged, "verify_checksum=False"),
        (unknown, "`force_read=True` skips"),
    ):
        with pytest.raises(pybinlog.BinlogError) as caught:
            list(pybinlog.open(log, verify_checksum=log == damaged))
        assert words in str(caught.value.hint)
        assert "--" not in str(caught.value.hint)


def test_what_is_no_word_of_an_argument_is_a_value_error() -> None:
    with pybinlog.open(BASIC) as log:
        with pytest.raises(ValueError, match=r"^where_unknown is 'keep' or 'drop', not 'ask'$"):
            log.rows(where="id = 1", where_unknown="ask")  # type: ignore[arg-type]
        assert (log.closed, log.cut_tail) == (False, False)
    assert log.closed
    with pytest.raises(ValueError, match=r"^schema_of is 'start' or 'end', not 'middle'$"):
        pybinlog.open(BASIC, schema_of="middle")


@pytest.mark.parametrize("position", [0, 4, (1 << 64) - 1])
def test_the_bounds_of_a_position_are_taken(position: int) -> None:
    with pybinlog.open(BASIC, start_position=position) as log:
        assert log.names == (str(BASIC),)


def test_several_logs_may_be_given_with_the_position_of_their_beginning() -> None:
    with pybinlog.open(SERIES, start_position=4) as log:
        assert len(places(log)) > 10
    with pytest.raises(ValueError, match=rf"^start_position is about one log, and these are {len(SERIES)}; open one$"):
        pybinlog.open(SERIES, start_position=5)


ENCRYPTED = [
    ("mysql-9.7/binlog.000001", "mysql-9.7/keyring.json", 0, "is encrypted (binlog_encryption=ON)"),
    ("mariadb-cbc/mariadb-bin.000001", "mariadb-cbc/keys", 256, "is encrypted from here on (encrypt_binlog=ON)"),
    ("mariadb-ctr/mariadb-bin.000001", "mariadb-ctr/keys", 256, "is encrypted from here on (encrypt_binlog=ON)"),
]


@pytest.mark.parametrize(("name", "keyring", "position", "message"), ENCRYPTED)
def test_a_keyring_opens_an_encrypted_log(name: str, keyring: str, position: int, message: str) -> None:
    pytest.importorskip("cryptography", reason="needs cryptography")
    folder = TESTDATA / "encrypted"
    path = folder / name
    with pybinlog.open(path.parent / "plain" / path.name) as sent:
        wanted = [position for _, position in places(sent)]
    with pybinlog.open(path, keyring=[str(folder / keyring)]) as opened:
        assert [position for _, position in places(opened)] == wanted
    for force_read in (False, True):
        with pytest.raises(pybinlog.EncryptedError) as caught:
            places(pybinlog.open(path, force_read=force_read))
        assert (caught.value.file, caught.value.position) == (str(path), position)
        assert message in caught.value.message
        assert "keyring=FILE" in str(caught.value.hint)


def test_a_log_in_use_may_have_a_cut_tail(tmp_path: Path) -> None:
    log = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/in-use").logs[0]
    cut = tmp_path / log.name
    cut.write_bytes(log.read_bytes()[:-3])
    for path, is_cut in ((log, False), (cut, True)):
        with pybinlog.open(path) as opened:
            assert places(opened)
            assert opened.cut_tail is is_cut


def boundaries(*logs: Path | str) -> list[tuple[str, str]]:
    """Of each event but those at the beginning and the end of a log."""
    with pybinlog.open(logs) as log:
        assert [event.position for event in log if event.refused is not None] == []
        events = [(event.type_name, event.boundary.printed_name) for event in log]
    return [(name, boundary) for name, boundary in events if name not in ("Format_desc", "Rotate")]


def test_relay_logs_that_follow_each_other_are_one_stream(tmp_path: Path) -> None:
    relay = RelayLogs(tmp_path)
    relay.add(begun())
    relay.add(added(LogBuilder(MYSQL_9_7)).commit(1))
    whole = tmp_path / "binlog.000001"
    whole.write_bytes(added(begun()).commit(1).data)
    assert boundaries(*relay.names) == boundaries(whole)
    assert boundaries(*next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/relay").logs)


def test_a_relay_log_that_does_not_follow_begins_anew(tmp_path: Path) -> None:
    relay = RelayLogs(tmp_path)
    relay.add(begun(), follower="relay.000009")
    relay.add(added(begun()).commit(1))
    assert boundaries(*relay.names) == [each for name in relay.names for each in boundaries(name)]
