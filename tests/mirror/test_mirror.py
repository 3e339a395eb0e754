"""Mirrors of a scripted server with real logs: what is in the folder, whatever happens to connection and server."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import pytest

from pybinlog.errors import BinlogError, DataLossError, ServerError, SourceError
from pybinlog.kernel.base.event import MAGIC, MAGIC_LENGTH
from pybinlog.mirror import reconnecting
from pybinlog.mirror.continuation import MirroredServer, random_id
from pybinlog.mirror.folder import MirrorFolder
from pybinlog.mirror.mirror import Fsync, Mirror
from pybinlog.mirror.reconnecting import REFUSED_TRIES
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.source.index import read_index
from tests.corpus import TESTDATA
from tests.mirror.scripted_server import ScriptedServer, Session

pytest.importorskip("pymysql", reason="needs PyMySQL")

MYSQL = TESTDATA / "corpus" / "mysql-9.7"
RESETS = TESTDATA / "resets"
XID = 16


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


def test_progress_gets_the_log_its_length_and_the_time_of_its_last_event(folder: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def progress(name: str, length: int, time: int) -> float:
        told.append((name, length, time))
        return 0

    with ScriptedServer(FOUR) as server:
        run(server, folder, progress=progress)
    assert {name for name, *_ in told} == set(FOUR)
    for name, length, time in told:
        ends = starts(FOUR[name])
        assert length in ends
        begin = ends[ends.index(length) - 1] if length > MAGIC_LENGTH else 0
        assert time in (0, int.from_bytes(FOUR[name][begin : begin + 4], "little"))
    assert any(time for *_, time in told)


def test_a_server_id_is_drawn_from_those_that_people_do_not_give() -> None:
    drawn = [random_id() for _ in range(200)]
    assert min(drawn) >= 1 << 31
    assert max(drawn) < 1 << 32
    assert len(set(drawn)) > 190


def test_a_server_that_encrypts_its_logs_is_mirrored_to_its_end_and_named_once(folder: Path) -> None:
    """It lists sizes of files, 512 bytes more than it sends of each log."""
    with ScriptedServer(FOUR, encrypts=True) as server:
        (warning,) = run(server, folder)
    assert "the mirror's copies are plain" in warning
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
        refused(server, one, "server_uuid another", "server_uuid 11111111", "folder of its own")


@pytest.mark.parametrize("case", ["reset-equal", "reset-equal-longer", "reset-shorter", "reset-longer"])
def test_a_log_of_the_same_name_after_a_reset_is_refused(one: Path, case: str) -> None:
    with ScriptedServer(logs_of(RESETS / case / "binlog.000001")) as server:
        refused(server, one, "binlog.000001", "reset")


def test_a_lost_end_is_refused_with_both_positions(folder: Path) -> None:
    with ScriptedServer(logs_of(RESETS / "before-longer" / "binlog.000001")) as server:
        run(server, folder)
        server.logs = logs_of(RESETS / "before" / "binlog.000001")
        long, short = (folder / "binlog.000001").stat().st_size, len(server.logs["binlog.000001"])
        refused(server, folder, f"up to {long}", f"only up to {short}")


def test_other_bytes_before_the_end_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the beginning is the same, because the end is also compared."""
    monkeypatch.setattr("pybinlog.mirror.continuation.OPENING", 200)
    log = FOUR["binlog.000001"]
    with ScriptedServer({"binlog.000001": log}) as server:
        run(server, folder)
        start = starts(log)[-3]
        size = int.from_bytes(log[start + 9 : start + 13], "little")
        event = bytes([log[start] ^ 1]) + log[start + 1 : start + size - 4]
        server.logs = {"binlog.000001": log[:start] + event + struct.pack("<I", crc32(event)) + log[start + size :]}
        refused(server, folder, f"at {start}")


def test_purged_logs_are_a_gap(one: Path) -> None:
    with ScriptedServer({name: FOUR[name] for name in list(FOUR)[2:]}) as server:
        refused(server, one, "binlog.000001", "first one is binlog.000003", "purged")


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
        refused(server, folder, "binlog.000004", "binlog.000001 to binlog.000002 only")


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
    with ScriptedServer(FOUR) as server, pytest.raises(BinlogError, match=r"it has binlog.000001 to binlog.000004"):
        run(server, folder, first_log="binlog.000009")


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
        class Enough(Exception):
            pass

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
    assert "nothing came for" in running.warnings[0]
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
    with (
        ScriptedServer(FOUR) as server,
        MirrorFolder(str(folder)),
        pytest.raises(BinlogError, match="another mirror"),
    ):
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
