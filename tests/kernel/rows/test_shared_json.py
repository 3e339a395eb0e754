"""Documents whose arrays share their children: places make a tree of 2^45 values of some hundred bytes.

Every walk over a document ends after a number of steps for each of its bytes.
"""

import json
import struct
from pathlib import Path

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventType
from pybinlog.kernel.rows.json_update import updated_json
from pybinlog.kernel.rows.json_value import json_text
from tests.check.logs import events_of, joined
from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA
from tests.layout.log_builder import MYSQL_9_7, LogBuilder
from tests.redact.logs import redacted

LEVELS = 45


def shared(levels: int = LEVELS) -> bytes:
    """Return a document of arrays that each hold the next one twice."""
    size = 10
    made = b""
    for level in range(levels):
        entry = b"\4\0\0" if level == levels - 1 else b"\2" + struct.pack("<H", size)
        made += struct.pack("<HH", 2, (levels - level) * size) + 2 * entry
    return b"\2" + made


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real log with an INSERT, an UPDATE and a DELETE of a JSON array, which is now that document."""
    document = shared()
    text = b"x" * (len(document) - 10)  # an array of one text takes 10 bytes more
    real_document = b"\2" + struct.pack(
        "<HHBHH", 1, len(document) - 1, 12, 7, len(text) & 127 | 128 | len(text) >> 7 << 8
    )
    events = events_of((TESTDATA / "undo" / "mysql-json-array" / "binlog.000001").read_bytes())
    edited = [event.replace(real_document + text, document) for event in events]
    assert sum(one != other for one, other in zip(events, edited, strict=True)) == 3
    made = tmp_path_factory.mktemp("shared") / "binlog.000001"
    made.write_bytes(joined(edited))
    return made


def test_the_smallest_is_an_array_of_two() -> None:
    assert json_text(shared(1)) == b"[null, null]"
    assert json_text(shared(2)) == b"[[null, null], [null, null]]"


def test_its_text_is_refused_and_an_update_is_shown_as_it_is() -> None:
    assert json_text(shared()) is None
    replace = b"\0\4$[0]\3\4\0\0"  # by null
    shown = b'{"partial":[{"op":"replace","path":"$[0]","value":null}]}'
    assert updated_json(shared(2), replace) == b"[null, [null, null]]"
    assert updated_json(shared(), replace) == shown


@pytest.mark.parametrize("command", ["undo", "redo"])
def test_sql_cannot_write_it(command: str, log: Path) -> None:
    result = real(command, str(log))
    assert (result.status, result.out) == (1, b"")
    assert "has a value in `j` that SQL cannot write" in result.err


def test_a_mask_of_elements_that_share_a_long_text_empties_the_document(tmp_path: Path) -> None:
    """A mask of 20,000 times 50,000 bytes would take seconds for a document of 150,000 bytes."""
    count, text = 20_000, b"y" * 50_000
    begin = 8 + 5 * count
    entries = struct.pack("<BI", 12, begin) * count
    document = b"\3" + struct.pack("<II", count, begin + 3 + len(text)) + entries + b"\xd0\x86\3" + text
    row = b"\0" + struct.pack("<I", len(document)) + document
    log = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map([(ColumnType.JSON, {"length_bytes": 4})])
    path = tmp_path / "binlog.000001"
    path.write_bytes(redacted(log.rows(EventType.WRITE_ROWS, row, 1).commit(1).data)[0])
    (shown,) = real("rows", str(path)).out.splitlines()
    assert json.loads(shown)["after"] == {"@1": {}}


COMMANDS = [
    "dump -vv",
    "rows",
    "rows --format=table",
    "undo --format=binlog",
    "stats",
    "check",
    "export --format=csv -o -",
    "redact -o -",
]


@pytest.mark.parametrize("command", [*COMMANDS, "rows --where=j->>'$[0]'='x'", "rows --where=j->>'$[0][1]'='x'"])
def test_every_command_ends(command: str, log: Path) -> None:
    result: Result = real(*command.split(), str(log))
    assert result.status in (0, 1)
    assert "fault" not in result.err
