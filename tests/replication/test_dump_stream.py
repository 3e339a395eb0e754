"""A dump thread announces logs; each fault of it has a sentence."""

import struct

import pytest

from pybinlog.kernel.base.event import ARTIFICIAL, ROTATE
from tests.cli.conftest import Result, real
from tests.mirror.scripted_server import ScriptedServer, rotate
from tests.replication.hostile import BEGIN, END, FIRST, LOG, LOGS, dumps, error, event, starts

pytest.importorskip("pymysql", reason="needs PyMySQL")

DAMAGED = "Read the log again; if that ends here, too, look at what is between you and it"
LOST = "The bytes before it have been read; start again from this position"
FOLLOWING = "binlog.000002"


def dumped(*packets: bytes, options: tuple[str, ...] = (), number: int | None = None) -> tuple[Result, str]:
    """The dump of what a server sends, and how its error begins."""
    with ScriptedServer(dict(LOGS)) as server:
        dumps(*packets, number=number)(server)
        where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED", *options]
        return real("dump", *where, LOG), f"ERROR: mysql://u@127.0.0.1:{server.port}"


AT = starts(LOGS[LOG])
SIZE = len(FIRST[1]) - 1
WRONG = {
    "nothing": ([END], 4, "the server sent nothing of this log. Look whether SHOW BINARY LOGS lists it"),
    "its name alone": ([BEGIN, END], 4, "the server sent nothing of this log. Look whether SHOW BINARY LOGS lists it"),
    "another log": (
        [b"\0" + rotate(FOLLOWING, 4, checksum=False)],
        4,
        "the server sends the log binlog.000002, not the requested one. Name the log as SHOW BINARY LOGS does, without "
        "a folder",
    ),
    "another kind of packet": (
        [BEGIN, FIRST[0], b"\x2anothing"],
        AT[1],
        f"the server sent a packet that begins with 2a and is not an event. {DAMAGED}",
    ),
    "an event twice": (
        [BEGIN, FIRST[0], FIRST[1], FIRST[1]],
        AT[2],
        f"events from the server are missing or came twice: the next one (type 35, {SIZE} bytes) says that it ends at "
        f"{AT[2]}. {DAMAGED}",
    ),
    "an event that does not fit": (
        [BEGIN, FIRST[0], FIRST[1] + b"x"],
        AT[1],
        f"the server sent a packet of {SIZE + 2} bytes that its event does not fit. {DAMAGED}",
    ),
    "an error": ([BEGIN, FIRST[0], error(1236, b"gone")], AT[1], "the server says: gone (error 1236)"),
    "an error without a state": (
        [BEGIN, FIRST[0], b"\xff" + struct.pack("<H", 1053) + b"Shutdown"],
        AT[1],
        "the server says: Shutdown (error 1053)",
    ),
    "the end of the connection": ([BEGIN, FIRST[0]], AT[1], f"the connection to the server was lost. {LOST}"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_position(name: str) -> None:
    packets, position, sentence = WRONG[name]
    result, address = dumped(*packets)
    assert (result.status, result.err) == (1, f"{address}/{LOG}, at {position}: {sentence}.\n")
    assert (b"# at 4\n" in result.out) == (FIRST[0] in packets)


def test_a_packet_that_is_missing_is_named_by_its_number() -> None:
    result, address = dumped(BEGIN, number=7)
    assert (result.status, result.err) == (
        1,
        f"{address}/{LOG}, at 4: packets from the server are missing or came twice: number 7 is out of order. "
        f"{DAMAGED}.\n",
    )


SECOND = [b"\0" + rotate(FOLLOWING, 4)]


@pytest.mark.parametrize(("times", "refused"), [(999, False), (1000, True)])
def test_a_server_may_announce_a_thousand_logs_in_a_row(times: int, refused: bool) -> None:
    """A log that it announces again is the same one."""
    result, address = dumped(BEGIN, *[BEGIN] * times, *FIRST, END)
    if not refused:
        assert (result.status, result.err) == (0, "")
        return
    assert (result.status, result.err) == (
        1,
        f"{address}/{LOG}, at 4: the server announced 1000 logs without an event between them. {DAMAGED}.\n",
    )


def test_the_log_that_follows_is_read_if_all_are_wanted() -> None:
    first, second = LOGS[LOG], LOGS[FOLLOWING]
    with ScriptedServer({LOG: first, FOLLOWING: second}) as server:
        where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED"]
        one, both = real("dump", *where, LOG), real("dump", *where, "--to-last-log", LOG)
    assert (one.status, both.status, one.err, both.err) == (0, 0, "", "")
    assert [result.out.count(b"Start: binlog v 4") for result in (one, both)] == [1, 2]


def test_the_end_of_a_log_needs_one_of_its_events() -> None:
    """A Rotate that announces a log is not one of them; one that ends it is."""
    with_flag = event(ROTATE, struct.pack("<Q", 4) + FOLLOWING.encode(), flags=ARTIFICIAL)
    result, address = dumped(BEGIN, with_flag, END)
    assert (result.status, result.err.startswith(f"{address}/{LOG}, at 4: ")) == (1, True)
    whole, _ = dumped(BEGIN, *FIRST, *SECOND)
    assert (whole.status, whole.err) == (0, "")
