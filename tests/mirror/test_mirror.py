"""Mirrors of a scripted server with real logs: what is in the folder, whatever happens to connection and server."""

import os
import struct
import threading
from collections.abc import Callable
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from pybinlog.errors import BinlogError, DataLossError, ServerError, SourceError
from pybinlog.kernel.base.event import MAGIC, MAGIC_LENGTH
from pybinlog.mirror import reconnecting
from pybinlog.mirror.continuation import OWN_FOLDER, MirroredServer, random_id
from pybinlog.mirror.folder import MirrorFolder
from pybinlog.mirror.mirror import Fsync, Mirror
from pybinlog.mirror.reconnecting import REFUSED_TRIES
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.source.index import read_index
from tests.corpus import TESTDATA
from tests.dump.log_parts import events_of, joined, with_unknown_event
from tests.inflate import inflate
from tests.mirror.scripted_server import UUID, ScriptedServer, Session

pytest.importorskip("pymysql", reason="needs PyMySQL")

MYSQL = TESTDATA / "corpus" / "mysql-9.7"
RESETS = TESTDATA / "resets"
XID, GTID = 16, 33


def logs_of(*paths: Path) -> dict[str, bytes]:
    """These files as consecutive logs; without the in-use flag, which no server sends."""
    return {f"binlog.{number:06d}": closed(path.read_bytes()) for number, path in enumerate(paths, 1)}


def closed(log: bytes) -> bytes:
    return log[:21] + b"\0" + log[22:]


FOUR = logs_of(*sorted((MYSQL / "multi-file").glob("binlog.0*")))


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconnecting, "FIRST_WAIT", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mirror"


def options(server: ScriptedServer) -> ServerOptions:
    return ServerOptions(host="127.0.0.1", port=server.port, user="u", ssl_mode=SslMode.DISABLED)


def run(server: ScriptedServer, folder: Path, once: bool = True, **arguments: object) -> list[str]:
    """A mirror that ends at the server's end with `once`; what it warned of."""
    warnings: list[str] = []
    with MirrorFolder(str(folder)) as opened:
        Mirror(
            opened,
            MirroredServer(options(server), stays=False),
            once=once,
            warn=warnings.append,
            **arguments,  # type: ignore[arg-type]
        ).run()
    return warnings


def contents(folder: Path) -> dict[str, bytes]:
    """The logs that the index lists."""
    return {Path(name).name: Path(name).read_bytes() for name in read_index(str(folder / "binlog.index"))}


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def starts(log: bytes) -> list[int]:
    """Return the beginnings of its events, and its end."""
    found = [MAGIC_LENGTH]
    while found[-1] < len(log):
        found.append(found[-1] + int.from_bytes(log[found[-1] + 9 : found[-1] + 13], "little"))
    return found


def test_the_logs_are_those_of_the_server(folder: Path) -> None:
    finished: list[str] = []
    with ScriptedServer(FOUR) as server:
        assert run(server, folder, log_finished=lambda path: finished.append(Path(path).name)) == []
    assert contents(folder) == FOUR
    assert finished == list(FOUR)[:-1]


def test_events_of_no_known_type_are_copied(folder: Path) -> None:
    logs = FOUR | {"binlog.000001": with_unknown_event(FOUR["binlog.000001"])}
    with ScriptedServer(logs) as server:
        run(server, folder)
    assert contents(folder) == logs


def test_progress_gets_the_log_its_length_and_the_time_of_its_last_event(folder: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def progress(name: str, length: int, time: int) -> float:
        told.append((name, length, time))
        return 0

    logs = {
        name: joined(struct.pack("<I", time) + event[4:] for time, event in enumerate(events_of(log), 1000))
        for name, log in FOUR.items()
    }
    with ScriptedServer(logs) as server:
        run(server, folder, progress=progress)
    assert contents(folder) == logs
    assert {name for name, *_ in told} == set(FOUR)
    for name, length, time in told:
        assert time in (0, 999 + starts(logs[name]).index(length))
    assert any(time for *_, time in told)


class Enough(Exception):
    """A test has seen all that it wants."""


def test_progress_is_told_again_while_nothing_comes(folder: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def progress(*now: Any) -> float:
        told.append(now)
        if told[-4:] == [now] * 4:
            raise Enough
        return 0.01

    with ScriptedServer(FOUR) as server, MirrorFolder(str(folder)) as opened, pytest.raises(Enough):
        Mirror(opened, MirroredServer(options(server), stays=True), warn=pytest.fail, progress=progress).run()
    name = "binlog.000004"
    assert told[-4:] == [(name, len(FOUR[name]), 0)] * 4
    assert contents(folder) == FOUR


@pytest.mark.parametrize("fsync", Fsync)
def test_the_disk_has_each_log_as_soon_as_was_asked_for(
    fsync: Fsync, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[str, int]] = []
    real = os.fsync

    def note(descriptor: int) -> None:
        status = os.fstat(descriptor)
        logs = [path.name for path in folder.glob("binlog.0*") if os.path.samestat(status, path.stat())]
        found.extend((name, status.st_size) for name in logs if status.st_size > MAGIC_LENGTH)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    with ScriptedServer(FOUR) as server:
        run(server, folder, fsync=fsync)
    whole = [(name, len(log)) for name, log in FOUR.items()]
    if fsync is Fsync.NEVER:
        assert found == []
    elif fsync is Fsync.LOG:
        assert found == whole
    else:
        assert list(dict.fromkeys(found)) == found
        assert [one for one in found if one in whole] == whole


def test_a_server_id_is_drawn_from_those_that_people_do_not_give() -> None:
    drawn = [random_id() for _ in range(200)]
    assert min(drawn) >= 1 << 31
    assert max(drawn) < 1 << 32
    assert len(set(drawn)) > 190


def test_a_server_that_encrypts_its_logs_is_mirrored_to_its_end_and_named_once(folder: Path) -> None:
    """It lists sizes of files, 512 bytes more than it sends of each log."""
    with ScriptedServer(FOUR, encrypts=True) as server:
        (warning,) = run(server, folder)
    assert warning == (
        "The server encrypts its logs and sends them decrypted: the mirror's copies are plain. Protect the folder, or "
        "encrypt its disk."
    )
    assert contents(folder) == FOUR


@pytest.mark.parametrize("fsync", Fsync)
def test_it_continues_where_it_was(folder: Path, fsync: Fsync) -> None:
    with ScriptedServer(dict(list(FOUR.items())[:2])) as server:
        run(server, folder, fsync=fsync)
        server.logs = FOUR
        run(server, folder, fsync=fsync)
        assert run(server, folder, fsync=fsync) == []
        assert [name for name, _ in server.dumps] == ["binlog.000001", "binlog.000002", "binlog.000004"]
    assert contents(folder) == FOUR


def test_it_begins_with_the_log_that_is_named(folder: Path) -> None:
    with ScriptedServer(FOUR) as server:
        run(server, folder, first_log="binlog.000003")
    assert list(contents(folder)) == ["binlog.000003", "binlog.000004"]


def test_a_connection_that_ends_anywhere_leaves_no_trace(folder: Path) -> None:
    folder.mkdir()
    longest = len(FOUR["binlog.000004"])
    for budget in range(0, sum(map(len, FOUR.values())), 97):
        with ScriptedServer(FOUR) as server:
            server.budgets = [budget, (budget * 7) % longest + 200]
            warnings = run(server, folder / str(budget))
        assert contents(folder / str(budget)) == FOUR
        assert 1 <= len(warnings) <= 2
        assert ["connecting again" in warning for warning in warnings] == [True] * len(warnings)


def test_after_each_connection_the_last_log_ends_with_a_whole_transaction(folder: Path) -> None:
    folder.mkdir()
    log = FOUR["binlog.000001"]
    ends = starts(log)
    whole = {MAGIC_LENGTH} | {
        end for start, end in pairwise(ends) if log[start + 4] in (XID, 35, 4) or ends_ddl(log, start)
    }
    found = set()
    for budget in range(0, len(log), 61):
        with ScriptedServer({"binlog.000001": log}) as server:
            server.budgets = [budget] * 20
            with pytest.raises(SourceError, match="lost"):
                run(server, folder / str(budget))
        size = len(contents(folder / str(budget))["binlog.000001"])
        assert size in whole
        found.add(size)
    assert len(found) > 3


def ends_ddl(log: bytes, start: int) -> bool:
    """A Query that is no BEGIN."""
    size = int.from_bytes(log[start + 9 : start + 13], "little")
    return log[start + 4] == 2 and not log[start : start + size - 4].endswith(b"BEGIN")


@pytest.mark.parametrize("left", ["part of a transaction", "part of an event", "zeros", "another run's event"])
def test_what_a_kill_has_left_is_cut_off(folder: Path, left: str) -> None:
    log = FOUR["binlog.000001"]
    begun = next(start for start in starts(log) if log[start + 4] == 19)  # Table_map
    rest = {
        "part of a transaction": log[:begun],
        "part of an event": log[: begun + 7],
        "zeros": log[:begun] + bytes(4096),
        "another run's event": log[:begun] + log[begun : begun + 30] + b"x" + log[begun + 31 :],
    }
    with ScriptedServer({"binlog.000001": log[:begun]}) as server:
        run(server, folder)
        (folder / "binlog.000001").write_bytes(rest[left])
        server.logs = FOUR
        assert run(server, folder) == []
    assert contents(folder) == FOUR


def test_a_log_that_was_begun_and_not_listed_is_taken_over(folder: Path) -> None:
    with ScriptedServer(dict(list(FOUR.items())[:1])) as server:
        run(server, folder)
        (folder / "binlog.000002").write_bytes(MAGIC[:2])
        server.logs = FOUR
        run(server, folder)
    assert contents(folder) == FOUR


def test_a_file_in_the_way_is_not_written_over(folder: Path) -> None:
    with ScriptedServer(FOUR) as server:
        folder.mkdir()
        (folder / "binlog.000002").write_bytes(b"somebody else's")
        with pytest.raises(BinlogError, match="has not made"):
            run(server, folder)
    assert (folder / "binlog.000002").read_bytes() == b"somebody else's"


def test_a_clean_shutdown_is_a_lost_server(folder: Path) -> None:
    """The server has sent an EOF before all was there that it has said it has."""
    with ScriptedServer(FOUR) as server:
        server.budgets = [300]
        assert "lost" in run(server, folder)[0]


# ---- refusals


def refused(server: ScriptedServer, folder: Path, *parts: str) -> None:
    """DataLossError that says all this; the folder stays as it was."""
    begun = folder / "binlog.000001"
    begun.write_bytes(begun.read_bytes() + b"left by a kill") if len(list(folder.glob("binlog.0*"))) == 1 else None
    before = everything(folder)
    with pytest.raises(DataLossError) as raised:
        run(server, folder)
    assert everything(folder) == before
    for part in parts:
        assert part in str(raised.value)


@pytest.fixture
def one(folder: Path) -> Path:
    """A mirror of the first log before a reset."""
    with ScriptedServer(logs_of(RESETS / "before" / "binlog.000001")) as server:
        run(server, folder)
    return folder


def test_another_server_is_refused(one: Path) -> None:
    with ScriptedServer(logs_of(RESETS / "before" / "binlog.000001"), uuid="another") as server:
        refused(
            server,
            one,
            f"the mirror in {one} is of the server with server_uuid {UUID}, and this one has server_uuid another. "
            "Mirror each server into a folder of its own",
        )


@pytest.mark.parametrize("case", ["reset-equal", "reset-equal-longer", "reset-shorter", "reset-longer"])
def test_a_log_of_the_same_name_after_a_reset_is_refused(one: Path, case: str) -> None:
    with ScriptedServer(logs_of(RESETS / case / "binlog.000001")) as server:
        refused(server, one, "binlog.000001", "reset")


def test_a_lost_end_is_refused_with_both_positions(folder: Path) -> None:
    with ScriptedServer(logs_of(RESETS / "before-longer" / "binlog.000001")) as server:
        run(server, folder)
        server.logs = logs_of(RESETS / "before" / "binlog.000001")
        long, short = (folder / "binlog.000001").stat().st_size, len(server.logs["binlog.000001"])
        refused(
            server,
            folder,
            f":{server.port}/binlog.000001, at {short}: the mirror has this log up to {long}, and the server only up "
            f"to {short}. The server has lost the end of it, as in a crash with sync_binlog other than 1. {OWN_FOLDER}"
            f". The mirror has the lost bytes from {short} on",
        )


@pytest.fixture(scope="module")
def large() -> bytes:
    """A log of several reads, longer than the opening that is compared first."""
    out = BytesIO()
    inflate(closed((MYSQL / "row-basic" / "binlog.000001").read_bytes()), out, 600 << 10)
    return out.getvalue()


def with_another_time(log: bytes, start: int) -> bytes:
    """The log with one bit changed in the event there, and its checksum."""
    size = int.from_bytes(log[start + 9 : start + 13], "little")
    event = bytes([log[start] ^ 1]) + log[start + 1 : start + size - 4]
    return log[:start] + event + struct.pack("<I", crc32(event)) + log[start + size :]


@pytest.mark.parametrize("number", [1, -3])
def test_other_bytes_before_the_end_are_refused(folder: Path, large: bytes, number: int) -> None:
    """The beginning is compared on a connection of its own, and then the end."""
    start = starts(large)[number]
    with ScriptedServer({"binlog.000001": large}) as server:
        run(server, folder)
        server.logs = {"binlog.000001": with_another_time(large, start)}
        refused(
            server,
            folder,
            f"mysql://u@127.0.0.1:{server.port}/binlog.000001, at {start}: the server's log of this name is not the "
            "one that the mirror has. The logs were reset (RESET BINARY LOGS AND GTIDS), restored from a backup, or "
            f"are another server's. {OWN_FOLDER}",
        )


def test_the_first_64_kib_are_compared(folder: Path, large: bytes) -> None:
    after = next(start for start in starts(large) if start >= 1 << 16)
    before = [start for start in starts(large) if start < 1 << 16][-1]
    with ScriptedServer({"binlog.000001": large}) as server:
        run(server, folder)
        server.logs = {"binlog.000001": with_another_time(large, after)}
        assert run(server, folder) == []
        server.logs = {"binlog.000001": with_another_time(large, before)}
        refused(server, folder, f"at {before}: the server's log of this name is not the one")


def test_a_large_log_is_compared_near_its_end_and_continued(folder: Path, large: bytes) -> None:
    cut = [start for start in starts(large)[:-1] if large[start + 4] == GTID][-5]
    with ScriptedServer({"binlog.000001": large[:cut]}) as server:
        run(server, folder)
        server.logs = {"binlog.000001": large}
        assert run(server, folder) == []
        assert run(server, folder) == []
        compared = [position for _, position in server.dumps]
    assert contents(folder) == {"binlog.000001": large}
    assert compared[0] == MAGIC_LENGTH
    for position, whole in zip(compared[1:], (cut, len(large)), strict=True):
        assert position in starts(large)
        assert 1 << 16 <= whole - position < whole - MAGIC_LENGTH


def test_a_log_that_ends_before_the_size_that_was_listed_is_refused(folder: Path, large: bytes) -> None:
    with ScriptedServer({"binlog.000001": large}) as server:
        run(server, folder)

        def lists_more(session: Session, statement: str) -> bool:
            if statement == "SHOW BINARY LOGS":
                session.rows(["Log_name", "File_size"], [["binlog.000001", str(len(large))]])
            return statement == "SHOW BINARY LOGS"

        server.on_query = lists_more
        server.logs = {"binlog.000001": large[: starts(large)[-2]]}
        refused(
            server,
            folder,
            f":{server.port}/binlog.000001: the server's log ends before {len(large)}, up to where the mirror has it. "
            "The mirror was left as it is; to mirror what this server has now, name another folder",
        )


def test_purged_logs_are_a_gap(one: Path) -> None:
    with ScriptedServer({name: FOUR[name] for name in list(FOUR)[2:]}) as server:
        whole = len(contents(one)["binlog.000001"])
        refused(
            server,
            one,
            f"/binlog.000001, at {whole}: the mirror ends in this log, and the server's first one is binlog.000003: "
            f"those between were purged. {OWN_FOLDER}",
        )


def test_a_purged_log_that_is_all_there_is_no_gap(folder: Path) -> None:
    with ScriptedServer(dict(list(FOUR.items())[:2])) as server:
        run(server, folder)
        (folder / "binlog.000002").write_bytes(FOUR["binlog.000002"])
        server.logs = dict(list(FOUR.items())[2:])
        run(server, folder)
    assert contents(folder) == FOUR


def test_fewer_logs_than_the_mirror_has_are_a_reset(folder: Path) -> None:
    with ScriptedServer(FOUR) as server:
        run(server, folder)
        server.logs = dict(list(FOUR.items())[:2])
        refused(
            server,
            folder,
            f"/binlog.000004, at {len(FOUR['binlog.000004'])}: the mirror ends in this log, and the server has "
            f"binlog.000001 to binlog.000002 only: its logs were reset, or it is another server. {OWN_FOLDER}",
        )


def test_logs_of_another_name_are_a_reset(one: Path) -> None:
    with ScriptedServer({"other.000001": FOUR["binlog.000001"]}) as server:
        refused(server, one, "and the server has other.000001 to other.000001 only: its logs were reset, or it is")


def test_a_reset_while_the_server_sends_is_noticed_at_the_next_log(folder: Path) -> None:
    """The dump thread continues with the new second log after the old first one, as real servers do."""
    old, new = RESETS / "before" / "binlog.000001", RESETS / "before-closed" / "binlog.000002"
    with ScriptedServer(logs_of(old, new)) as server, pytest.raises(DataLossError, match="without a Rotate event"):
        run(server, folder)
    assert list(contents(folder)) == ["binlog.000001"]


def test_a_server_that_was_killed_ends_its_log_anywhere(folder: Path) -> None:
    """Its last transaction has no end; the next log says that the server was started."""
    killed = closed((MYSQL / "recovered" / "binlog.000001").read_bytes())
    begun = [start for start in starts(killed)[:-1] if killed[start + 4] == 19][-1]
    next_log = closed((MYSQL / "stopped" / "binlog.000002").read_bytes())
    logs = {"binlog.000001": killed[:begun], "binlog.000002": next_log}
    with ScriptedServer(logs) as server:
        assert run(server, folder) == []
    assert contents(folder) == logs


def test_a_log_that_the_server_does_not_have_is_an_error(folder: Path) -> None:
    with ScriptedServer(FOUR) as server, pytest.raises(BinlogError) as raised:
        run(server, folder, first_log="binlog.000009")
    assert str(raised.value) == (
        f"mysql://u@127.0.0.1:{server.port}/binlog.000009: the server has no such log; it has binlog.000001 to "
        "binlog.000004. Leave the log out to begin with the first one"
    )


def test_who_may_not_log_in_is_told_so_at_once(folder: Path) -> None:
    with ScriptedServer(FOUR, denies=True) as server, pytest.raises(SourceError, match="Access denied"):
        run(server, folder)


def test_names_that_lead_out_of_the_folder_are_refused(folder: Path) -> None:
    for name in ("../binlog.000001", ".binlog.000001", "binlog", "/etc/binlog.000001"):
        with ScriptedServer({name: FOUR["binlog.000001"]}) as server, pytest.raises(BinlogError, match="not a name"):
            run(server, folder)
    assert list(folder.parent.iterdir()) == []


def test_what_the_boundary_parser_refuses_ends_the_mirror(folder: Path) -> None:
    """A transaction without its end: the mirror has those before it, and does not connect again."""
    log = FOUR["binlog.000001"]
    listed = [log[start:end] for start, end in pairwise(starts(log))]
    ends = [number for number, event in enumerate(listed) if event[4] == XID]
    broken, position = MAGIC, MAGIC_LENGTH
    for number, event in enumerate(listed):
        if number != ends[0]:
            placed = event[:13] + struct.pack("<I", len(broken) + len(event)) + event[17:-4]
            broken += placed + struct.pack("<I", crc32(placed))
        if number == ends[0] - 5:
            position = len(broken)
    with ScriptedServer({"binlog.000001": broken}) as server:
        with pytest.raises(BinlogError, match="Unable to change boundary parser from Inside Transaction") as raised:
            run(server, folder)
        assert len(server.dumps) == 1
    assert raised.value.position == len(b"".join(listed[: ends[0]])) + MAGIC_LENGTH
    assert position >= len(contents(folder)["binlog.000001"]) == starts(log)[ends[0] - 4]


# ---- a mirror that stays


class Running:
    """A mirror in a thread, until the server is gone."""

    def __init__(self, server: ScriptedServer, folder: Path, **arguments: object):
        self.warnings: list[str] = []
        self.error: BaseException | None = None
        self._server, self._folder, self._arguments = server, folder, arguments
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        def warn(text: str) -> None:
            self.warnings.append(text)
            if self.ends():
                raise Enough

        asked = MirroredServer(
            options(self._server),
            stays=True,
            **self._arguments,  # type: ignore[arg-type]
        )
        try:
            with MirrorFolder(str(self._folder)) as opened:
                Mirror(opened, asked, warn=warn).run()
        except Enough:
            pass
        except BaseException as error:
            self.error = error

    def ends(self) -> bool:
        return False

    def join(self) -> None:
        self._thread.join(30)
        assert not self._thread.is_alive()


def stays_until(ends: Callable[[Running], bool]) -> type[Running]:
    """One that ends with the warning after which that is true."""

    class Ending(Running):
        def ends(self) -> bool:
            return ends(self)

    return Ending


def test_a_server_that_is_shut_down_and_started_is_found_again(folder: Path) -> None:
    with ScriptedServer(dict(list(FOUR.items())[:2]), shuts_down=True) as server:

        def more(running: Running) -> bool:
            server.logs = FOUR
            return len(server.dumps) > 1

        stays_until(more)(server, folder).join()
    assert contents(folder) == FOUR


def test_a_silent_server_is_a_lost_one(folder: Path) -> None:
    with ScriptedServer(FOUR) as server:
        running = stays_until(lambda _: True)(server, folder, heartbeat=0.05)
        running.join()
        assert server.variables["source_heartbeat_period"] == "50000000"
    end = len(FOUR["binlog.000004"])
    assert running.warnings == [
        f"mysql://u@127.0.0.1:{server.port}/binlog.000004, at {end}: the connection to the server was lost: nothing "
        "came for 0.15 s; connecting again."
    ]
    assert contents(folder) == FOUR


def test_a_semi_synchronous_server_is_answered_when_the_transaction_is_there(folder: Path) -> None:
    sizes: list[tuple[int, int]] = []
    with ScriptedServer(FOUR, semi_sync=True, shuts_down=True) as server:
        server.on_answer = lambda position, log: sizes.append((position, (folder / log).stat().st_size))
        stays_until(lambda _: True)(server, folder, semi_sync=True).join()
        assert server.answers == [(len(log), name) for name, log in FOUR.items()]
        first = server.variables["replica_uuid"]
        stays_until(lambda _: True)(server, folder, semi_sync=True).join()
        assert server.variables["replica_uuid"] == first
        assert server.answers[len(FOUR) :] == server.answers[len(FOUR) - 1 : len(FOUR)]
    assert [position for position, _ in sizes] == [size for _, size in sizes]
    assert len(sizes) == len(FOUR) + 1
    assert contents(folder) == FOUR


def test_a_server_without_semi_synchronous_replication_is_mirrored_all_the_same(folder: Path) -> None:
    with ScriptedServer(FOUR, shuts_down=True) as server:
        stays_until(lambda _: True)(server, folder, semi_sync=True).join()
    assert contents(folder) == FOUR


def test_two_mirrors_in_one_folder_are_refused(folder: Path) -> None:
    with ScriptedServer(FOUR) as server, MirrorFolder(str(folder)), pytest.raises(BinlogError, match="another mirror"):
        run(server, folder)


# ---- what is tried again


def refusing(server: ScriptedServer, number: int, times: int | None = None) -> None:
    """The server ends each dump in the middle from now on; then it says this error to SHOW BINARY LOGS, so often."""
    said = 0

    def on_query(session: Session, statement: str) -> bool:
        nonlocal said
        if statement != "SHOW BINARY LOGS" or not server.dumps or times == said:
            return False
        said += 1
        session.send(b"\xff" + number.to_bytes(2, "little") + b"#HY000no")
        return True

    server.budgets = [400]
    server.on_query = on_query


@pytest.mark.parametrize("number", [1045, 1227, 1236])
def test_a_refusal_that_repeats_ends_a_mirror_and_one_that_goes_away_does_not(number: int, folder: Path) -> None:
    with ScriptedServer(dict(FOUR)) as server:
        refusing(server, number)
        with pytest.raises(ServerError, match=f"{number}.*20 times in a row"):
            run(server, folder, once=False)
        before = everything(folder)
        server.on_query = None
        refusing(server, number, times=3)
        server.dumps.clear()
        assert sum(f"error {number}" in warning for warning in run(server, folder)) == 1
    assert contents(folder) == FOUR
    assert before["mirror.json"] == everything(folder)["mirror.json"]


@pytest.mark.parametrize("number", [1040, 1053, 1317, 3032])
def test_a_server_that_is_busy_or_restarts_is_asked_for_as_long_as_that_takes(number: int, folder: Path) -> None:
    with ScriptedServer(dict(FOUR), shuts_down=True) as server:
        refusing(server, number, times=3 * REFUSED_TRIES)
        running = stays_until(lambda running: "has ended the connection" in running.warnings[-1])(server, folder)
        running.join()
    assert running.error is None
    assert sum(f"error {number}" in warning for warning in running.warnings) == 1
    assert contents(folder) == FOUR


def test_another_server_at_the_address_is_borne_for_a_while(folder: Path) -> None:
    with ScriptedServer(dict(FOUR), budgets=[400]) as server:
        others = iter(["2" * 36] * 3)

        def on_query(session: Session, statement: str) -> bool:
            if server.dumps and statement == "SELECT @@server_uuid" and (other := next(others, None)):
                session.rows(["@@server_uuid"], [[other]])
                return True
            return False

        server.on_query = on_query
        warnings = run(server, folder)
    assert [warning for warning in warnings if "is of the server with" in warning]
    assert contents(folder) == FOUR
