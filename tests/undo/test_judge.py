"""Logs may leave an undo open, or forbid it, besides its rows."""

import zlib
from pathlib import Path

import pytest

from pybinlog.simulate import simulate
from pybinlog.undo.judge import form_of_events
from tests.check.logs import events_of, joined
from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA

SERVER = "-- server: version=9.7 format=ROW row_metadata=FULL\n"
TABLE = "CREATE DATABASE d;\nCREATE TABLE d.t (a INT PRIMARY KEY);\nINSERT INTO d.t VALUES (1);\n"
PARTIAL = TESTDATA / "corpus" / "mysql-9.7" / "partial-json-full" / "binlog.000001"


def written(folder: Path, text: str) -> list[Path]:
    """The logs of some statements."""
    logs = []
    for name, data in simulate(SERVER + text).files.items():
        (folder / name).write_bytes(data)
        logs.append(folder / name)
    return sorted(logs)


def run(word: str, *arguments: str | Path) -> Result:
    return real(word, *map(str, arguments))


def notes(result: Result) -> list[str]:
    """The comments of the head between the command and how to run it."""
    assert (result.status, result.err) == (0, "")
    lines = result.out.decode().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("-- command:"))
    return [line.removeprefix("-- ") for line in lines[first + 1 : lines.index("--")]]


def positions(log: Path, kind: str) -> list[int]:
    """The places of events whose bytes hold that."""
    at, found = 4, []
    for event in events_of(log.read_bytes()):
        found += [at] * (kind.encode() in event)
        at += len(event)
    return found


def test_a_part_of_a_document_is_not_made_again() -> None:
    result = run("redo", PARTIAL)
    assert (result.status, result.out) == (1, b"")
    assert result.err == (
        f"ERROR: {PARTIAL}, at 1716: the UPDATE of pj.j has only what changed in a JSON document. Its session had "
        "binlog_row_value_options=PARTIAL_JSON.\n"
    )


def test_the_head_names_a_later_statement_that_may_change_rows(tmp_path: Path) -> None:
    (log,) = written(
        tmp_path,
        TABLE
        + "SET SESSION binlog_format = STATEMENT;\nUSE d;\nDELETE FROM t WHERE a = 5;\nDELETE FROM t WHERE a = 6;\n",
    )
    at, _ = positions(log, "DELETE")
    end = max(number for number in positions(log, "BEGIN") if number < at)
    found = notes(run("undo", f"--stop-position={end}", log))
    assert found == [
        f"a later statement may have changed the same rows, and the log does not say which: {log}, at {at}",
        f"later changes of the same rows were looked for to the end of {log}",
    ]


def test_the_head_names_unique_keys_that_are_not_compared(tmp_path: Path) -> None:
    (log,) = written(
        tmp_path,
        "CREATE DATABASE d;\nCREATE TABLE d.t (a INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET sjis,\n"
        "UNIQUE KEY of_v (v(3)), UNIQUE KEY again (v(2)), UNIQUE KEY whole (v));\nINSERT INTO d.t VALUES (1, 'x');\n",
    )
    sentence = "d.t: whether a later row took a value of the unique key of_v, again was not looked for"
    assert sentence in notes(run("undo", log))
    assert sentence not in notes(run("undo", "--look-to=none", log))


@pytest.mark.parametrize("decision", ["COMMIT", "ROLLBACK"])
@pytest.mark.parametrize("word", ["undo", "redo"])
def test_a_prepared_transaction_that_was_rolled_back_has_no_text(word: str, decision: str, tmp_path: Path) -> None:
    (log,) = written(
        tmp_path,
        TABLE + "XA START 'x';\nINSERT INTO d.t VALUES (2);\nXA END 'x';\nXA PREPARE 'x';\n"
        f"XA {decision} 'x';\nINSERT INTO d.t VALUES (3);\n",
    )
    result = run(word, log)
    rows = 3 if decision == "COMMIT" else 2
    lines = result.out.decode().splitlines()
    assert lines[1] == f"-- {word} of {rows} transactions, {rows} rows, by pybinlog"
    kept = [1, 2, 3] if decision == "COMMIT" else [1, 3]
    assert [line for line in lines if line.startswith(("DELETE", "INSERT"))] == (
        [f"INSERT INTO `d`.`t` (`a`) VALUES ({number});" for number in kept]
        if word == "redo"
        else [f"DELETE FROM `d`.`t` WHERE `a` = {number};" for number in reversed(kept)]
    )


def test_a_table_that_is_defined_anew_after_its_rows_is_refused(tmp_path: Path) -> None:
    (log,) = written(tmp_path, TABLE + "ALTER TABLE d.t ADD COLUMN b INT;\n")
    result = run("undo", log)
    (at,) = positions(log, "ALTER TABLE")
    assert (result.status, result.out, result.err) == (
        1,
        b"",
        f"ERROR: {log}, at {at}: a statement changes the definition of d.t, whose rows are to be taken back: ALTER "
        "TABLE d.t ADD COLUMN b INT. Take back what comes after it; for what comes before it, restore a backup.\n",
    )


def test_events_of_two_server_versions_do_not_go_together(tmp_path: Path) -> None:
    """A server reads BINLOG statements by one Format_description."""
    first, second = written(tmp_path, f"{TABLE}FLUSH BINARY LOGS;\nINSERT INTO d.t VALUES (2);\n")
    whole = run("undo", "--format=binlog", first, second)
    assert (whole.status, whole.err) == (0, "")
    head, *events = events_of(second.read_bytes())
    assert head[21:24] == b"9.7"
    head = head[:21] + b"9.6" + head[24:-4]
    second.write_bytes(joined([head + zlib.crc32(head).to_bytes(4, "little"), *events]))
    refused = run("undo", "--format=binlog", first, second)
    assert (refused.status, refused.out) == (1, b"")
    (last,) = positions(first, "BEGIN")
    (at,) = (place for place in places(first) if place > last and type_at(first, place) == 30)
    assert refused.err == (
        f"ERROR: {first}, at {at}: the logs after it are of another server version, or have other checksums. Take "
        "those back first, and then the ones before them.\n"
    )
    assert run("undo", first, second).status == 0


def places(log: Path) -> list[int]:
    return positions(log, "")


def type_at(log: Path, place: int) -> int:
    return log.read_bytes()[place + 4]


@pytest.mark.parametrize(
    ("place", "counts"),
    [
        (18, False),
        (19, True),
        (70, True),
        (71, False),
        (74, False),
        (75, True),
        (115, True),
        (116, False),
        (119, False),
    ],
)
def test_the_time_and_the_checksum_of_a_format_description_do_not_matter(place: int, counts: bool) -> None:
    plain = bytes(120)
    changed = plain[:place] + b"x" + plain[place + 1 :]
    assert (form_of_events(plain) != form_of_events(changed)) is counts
