"""Logs for these tests: real ones, redacted in memory."""

import io
import json
from pathlib import Path

from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.layout.envelope import Format, parse_body
from pybinlog.log.new_log import MYSQL_GTIDS, length_of
from pybinlog.redact import Kept, Redaction, Redactor
from pybinlog.source.file import ObjectSource
from tests.cli.conftest import real
from tests.corpus import PROJECT, Scenario, more_scenarios, scenarios
from tests.tag.logs import events

KEY = b"sixteen secrets!"
MARKED = sorted((PROJECT / "testdata" / "redact").glob("*/*.00*"))
"""Logs with a marker in each value (markers.py): all types of both servers."""


def key_option(folder: Path) -> str:
    """Return the option with a file of that key: under a random one, a mask may be a marker by chance."""
    path = folder / "fixed.key"
    path.write_text(KEY.hex())
    return f"--key-file={path}"


def redacted(data: bytes, redactor: Redactor | None = None, kept: Kept | None = None) -> tuple[bytes, Redaction]:
    """Return a redacted log, and what was found in it."""
    pieces: list[bytes] = []
    done = (redactor or Redactor(KEY)).log(
        ObjectSource("binlog.000001", io.BytesIO(data)), lambda piece: pieces.append(bytes(piece)), kept=kept
    )
    return b"".join(pieces), done


def closed_logs() -> list[Path]:
    """Return the logs of the corpus, and of more cases, that can be redacted."""
    found: list[Scenario] = [*scenarios(), *more_scenarios("more")]
    return [log for scenario in found for log in scenario.logs if is_accepted(log)]


def is_accepted(log: Path) -> bool:
    try:
        redacted(log.read_bytes())
    except BinlogError:
        return False
    return True


def assert_places(data: bytes) -> None:
    """Fail unless each event ends where it says, and each transaction is as long as its Gtid says."""
    format = Format.default()
    said: dict[int, int | None] = {}
    found: dict[int, int] = {}
    group = 0
    for at, event in events(data):
        if event[4] == EventType.FORMAT_DESCRIPTION:
            format = Format.from_event(event)
        assert int.from_bytes(event[13:17], "little") in (0, at + len(event))  # MariaDB may say none
        body = event[19 : len(event) - format.checksum_length]
        if event[4] in MYSQL_GTIDS:
            group = at
            said[at] = length_of(parse_body(event[4], body, format))
        elif event[4] == EventType.ROTATE:
            group = 0
        if group:
            found[group] = found.get(group, 0) + len(event)
    assert found == said


def transactions(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in real("transactions", "--format=jsonl", str(log)).out.splitlines()]


def gtids_of(log: Path) -> list[str]:
    """Return the GTIDs of a log's transactions, in order."""
    return [str(transaction["gtid"]) for transaction in transactions(log)]


def listed(log: Path) -> str:
    """Return the GTIDs that a log says came before it."""
    lines = real("dump", "--no-tbm", str(log)).out.decode().splitlines()
    at = next(index for index, line in enumerate(lines) if "Previous-GTIDs" in line or "Gtid list" in line)
    return lines[at].partition("Gtid list ")[2] or lines[at + 1]
