"""--resolve-xa: the text of a cut log runs, and leaves the XA transactions that it says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA
from tests.server import Server, running

XID = r"X'[0-9a-f]*',X'[0-9a-f]*',\d+"
LOGS = {
    "mysql": TESTDATA / "corpus/mysql-9.7/xa/binlog.000001",
    "mariadb": TESTDATA / "corpus/mariadb-11.8/xa/mariadb-bin.000001",
}
NEXT = TESTDATA / "corpus/mysql-9.7/xa/binlog.000002"
LATER, ORPHAN = "X'6c61746572',X'',1", "X'6f727068616e',X'',1"
WAYS = ("commit", "rollback", "hold")


def dump(*arguments: object, stdin: bytes = b"") -> Result:
    return real(*map(str, arguments), stdin=stdin)


def text_of(*arguments: object, stdin: bytes = b"") -> str:
    return dump(*arguments, stdin=stdin).out.decode("utf-8", "surrogateescape")


def places(log: Path) -> list[int]:
    """Return the beginnings of events, and the end of the log."""
    found = [int(at) for at in re.findall(r"^# at (\d+)$", text_of(log), re.MULTILINE)]
    return [*found[1:], log.stat().st_size]


def prepared(text: str) -> set[str]:
    """The transactions that a text prepares and does not decide."""
    left: set[str] = set()
    for word, xid in re.findall(rf"^XA (PREPARE|COMMIT|ROLLBACK) ({XID})(?! ONE PHASE)", text, re.MULTILINE):
        left = left | {xid} if word == "PREPARE" else left - {xid}
    return left


def test_what_stays_prepared_is_decided_at_the_end() -> None:
    closing = text_of("--resolve-xa=commit", LOGS["mysql"]).partition("DELIMITER ;\n")[2]
    assert closing.startswith(
        f"# Prepared in this text and not decided in it:\nXA COMMIT {LATER};\nXA COMMIT {ORPHAN};\n# End of log file\n"
    )
    assert f"\nXA ROLLBACK {LATER};\n" in text_of("--resolve-xa=rollback", LOGS["mysql"])


def test_what_is_held_is_named_in_a_comment() -> None:
    plain, held = (text_of(*options, LOGS["mysql"]) for options in ([], ["--resolve-xa=hold"]))
    named = f"# Left prepared, for a later XA COMMIT or XA ROLLBACK:\n#   {LATER}\n#   {ORPHAN}\n"
    assert held == plain.replace("DELIMITER ;\n", f"DELIMITER ;\n{named}")


@pytest.mark.parametrize("how", WAYS)
def test_logs_that_hold_both_phases_give_the_same_text(how: str) -> None:
    logs = [LOGS["mysql"], NEXT]
    assert dump(f"--resolve-xa={how}", *logs) == dump(*logs)
    assert dump(f"--resolve-xa={how}", LOGS["mariadb"]) == dump(LOGS["mariadb"])


def test_a_decision_without_its_prepare_is_dropped_with_its_group_and_named() -> None:
    done = dump("--resolve-xa=hold", NEXT)
    text, plain = done.out.decode(), text_of(NEXT)
    assert f"{LATER}; {ORPHAN}." in done.err
    assert LATER in plain
    assert LATER not in text
    assert ORPHAN not in text
    groups = len(re.findall("^SET @@SESSION.GTID_NEXT= '[0-9a-f]", plain, re.MULTILINE))
    assert len(re.findall("^SET @@SESSION.GTID_NEXT= '[0-9a-f]", text, re.MULTILINE)) == groups - 2


GROUP, INSIDE, AFTER = 1395, (1474, 1570, 1625, 1670, 1764), 1804
"""In the log of MySQL: a group from its Gtid to its XA_prepare, and the next one, which decides about it."""


@pytest.mark.parametrize("place", INSIDE)
def test_the_rest_of_a_group_whose_start_was_cut_is_dropped(place: int) -> None:
    """Its XA END, XA PREPARE and rows would be errors, or changes without their transaction."""
    done = dump("--resolve-xa=hold", f"--start-position={place}", LOGS["mysql"])
    assert done.out == dump("--resolve-xa=hold", f"--start-position={AFTER}", LOGS["mysql"]).out
    assert f"The dump starts inside a transaction, which begins at {GROUP}" in done.err
    assert "whose XA PREPARE is not in the text: X'726f6c6c',X'',1." in done.err
    assert "XA PREPARE X'726f6c6c',X'',1" in text_of(f"--start-position={place}", LOGS["mysql"])


def test_a_decision_whose_gtid_was_cut_is_dropped() -> None:
    done = dump("--resolve-xa=hold", "--start-position=1881", LOGS["mysql"])
    assert done.out == dump("--resolve-xa=hold", "--start-position=1980", LOGS["mysql"]).out
    assert b"XA ROLLBACK X'726f6c6c',X'',1" in dump("--start-position=1881", LOGS["mysql"]).out


def test_a_pipe_gives_the_same_text() -> None:
    named = text_of("--no-tbm", "--resolve-xa=commit", LOGS["mysql"])
    assert text_of("--no-tbm", "--resolve-xa=commit", "-", stdin=LOGS["mysql"].read_bytes()) == named


@pytest.mark.parametrize(
    "option", ["--follow", "--spark=local[2]", ["--output-dir=x", "--spark=local[2]"], ["-R", "--stop-never"]]
)
def test_where_a_decision_may_still_come_it_is_refused(option: str | list[str]) -> None:
    options = [option] if isinstance(option, str) else option
    done = dump("--resolve-xa=hold", *options, LOGS["mysql"])
    assert done.status != 0
    assert "--resolve-xa cannot be used with" in done.err


@pytest.mark.parametrize("kind", LOGS)
def test_a_text_that_ends_inside_ends_its_transaction(kind: str) -> None:
    """At each place of the log; what runs it is tried below."""
    inside = 0
    for place in places(LOGS[kind]):
        text = text_of("--resolve-xa=rollback", f"--stop-position={place}", LOGS[kind])
        started = re.findall(rf"^(?:.*; )?XA (START|END|PREPARE|COMMIT|ROLLBACK) ({XID})", text, re.MULTILINE)
        active: dict[str, str] = {}
        for word, xid in started:
            if word == "START":
                assert not active
                active[xid] = word
            elif word == "END":
                assert active == {xid: "START"}
                active[xid] = word
            else:
                assert active in ({}, {xid: "END"})
                active.clear()
        assert not active
        inside += "# The text ends before XA PREPARE.\n" in text
    assert inside > 5


# ---- on a real server


@pytest.fixture(scope="module", params=LOGS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def server(kind: str) -> Iterator[Server]:
    options = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"] if kind == "mysql" else []
    with running(kind, "resolve-xa", *options) as server:
        yield server


def sizes(xid: str) -> tuple[int, int, int]:
    """The numbers of XA RECOVER."""
    gtrid, bqual, form = xid.split(",")
    return int(form), (len(gtrid) - 3) // 2, (len(bqual) - 3) // 2


def in_doubt(server: Server) -> set[tuple[int, ...]]:
    """Return the answer of XA RECOVER."""
    found = re.findall(r"^(\d+)\t(\d+)\t(\d+)\t", server.sql("XA RECOVER"), re.MULTILINE)
    return {tuple(map(int, numbers)) for numbers in found}


def as_new(server: Server, kind: str, used: str) -> None:
    """Forget what a text has left."""
    for xid in prepared(used):
        server.sql(f"XA ROLLBACK {xid}")
    server.sql("DROP DATABASE IF EXISTS xadb; DROP DATABASE IF EXISTS xam")
    server.sql("RESET BINARY LOGS AND GTIDS" if kind == "mysql" else "RESET MASTER")


def test_a_server_runs_the_text_of_a_log_that_is_cut_anywhere(kind: str, server: Server) -> None:
    """Every fourth event, with one of the ways in turn."""
    for number, place in enumerate(places(LOGS[kind])[::4]):
        how = WAYS[number % 3]
        text = text_of(f"--resolve-xa={how}", f"--stop-position={place}", LOGS[kind])
        server.sql(text)
        left = prepared(text) if how == "hold" else set()
        assert in_doubt(server) == set(map(sizes, left)), place
        as_new(server, kind, text if how == "hold" else "")


def test_a_server_runs_the_text_that_begins_inside_of_a_group(kind: str, server: Server) -> None:
    if kind == "mariadb":
        pytest.skip("the positions are of the log of MySQL")
    server.sql(text_of("--resolve-xa=rollback", f"--stop-position={GROUP}", LOGS[kind]))
    for place in INSIDE:
        server.sql(text_of("--resolve-xa=hold", f"--start-position={place}", "--stop-position=1980", LOGS[kind]))
        assert not in_doubt(server)
    as_new(server, kind, "")


def test_xa_in_doubt_lists_what_a_server_recovers(kind: str, server: Server) -> None:
    """At every sixth event."""
    for place in places(LOGS[kind])[::6]:
        text = text_of("--resolve-xa=hold", f"--stop-position={place}", LOGS[kind])
        server.sql(text)
        columns = "--columns=formatID,gtrid_length,bqual_length"
        listed = text_of("xa", "--in-doubt", f"--at={place}", columns, "--format=tsv", LOGS[kind]).splitlines()[1:]
        assert in_doubt(server) == {tuple(map(int, line.split("\t"))) for line in listed}, place
        as_new(server, kind, text)


def test_a_server_runs_the_log_after_one_that_held(kind: str, server: Server) -> None:
    if kind == "mariadb":
        pytest.skip("needs two logs of the server")
    held, rest = text_of("--resolve-xa=hold", LOGS[kind]), text_of(NEXT)
    server.sql(held)
    assert in_doubt(server) == {sizes(LATER), sizes(ORPHAN)}
    server.sql(rest)
    assert not in_doubt(server)
    as_new(server, kind, "")
    server.sql(text_of("--resolve-xa=rollback", LOGS[kind]))
    server.sql(text_of("--resolve-xa=rollback", NEXT))
    assert not in_doubt(server)
    as_new(server, kind, "")
