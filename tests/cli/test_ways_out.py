"""The way out that an error names: the command that met it has the options."""

import re
from pathlib import Path

import click
import pytest

from pybinlog.cli.program import program
from pybinlog.event_types import EventType
from tests.check.logs import MAGIC, changed, events_of, first, log, signed
from tests.cli.conftest import real

COMMANDS = (
    "dump -c",
    "dump --recover",
    "events --limit=1000",
    "find --xid=X'77'",
    "summary",
    "stats",
    "report -o-",
    "transactions",
    "rows",
    "rows --follow --format=jsonl",
    "xa",
    "export -o-",
    "export -o- --view=events",
    "check",
    "tag -o out.000001",
    "undo",
    "redo",
)


def damaged(at: int, data: bytes) -> bytes:
    """A log with other bytes in the header of its first Xid, whose checksum is right."""
    events = events_of(log("mysql-9.7/row-basic"))
    xid = first(events, EventType.XID)
    events[xid] = signed(changed(events[xid], at, data))
    return MAGIC + b"".join(events)


DAMAGED = {
    "a byte of a body": log("mysql-9.7/damaged-body"),
    "an unknown type": damaged(4, b"\xee"),
    "a size of 5": damaged(9, b"\5\0\0\0"),
    "the end is missing": log("mysql-9.7/truncated-body"),
    "encrypted": b"\xfdbin" + bytes(508),
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_has_the_options_that_its_error_names(
    command: str, damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "--follow" in command and damage == "the end is missing":
        pytest.skip("a log that is followed may grow")
    monkeypatch.chdir(tmp_path)
    Path("binlog.000001").write_bytes(DAMAGED[damage])
    done = real(*command.split(), "binlog.000001")
    context = click.Context(program)
    asked = program.get_command(context, command.split()[0])
    assert asked is not None
    options = {option for parameter in asked.get_params(context) for option in parameter.opts}
    named = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", re.sub(r"`[^`]*`", "", done.err))
    assert set(named) <= options, done.err
