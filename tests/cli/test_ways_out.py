"""The way out that an error names: the command that met it has the options."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import click
import pytest

from pybinlog.cli.program import program
from tests.cli.conftest import real
from tests.cli.mistakes import log

COMMANDS = (
    "dump -c",
    "dump --recover",
    "events --limit=1000",
    "find --xid=X'77'",
    "summary",
    "stats",
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


def changed(at: int, value: int) -> bytes:
    """A sound log, but for a byte of one of its events, whose checksum is made again."""
    data = bytearray(log("row-basic"))
    event = 4
    while event + int.from_bytes(data[event + 9 : event + 13], "little") <= 3000:
        event += int.from_bytes(data[event + 9 : event + 13], "little")
    end = event + int.from_bytes(data[event + 9 : event + 13], "little")
    data[event + at] = value
    data[end - 4 : end] = zlib.crc32(data[event : end - 4]).to_bytes(4, "little")
    return bytes(data)


DAMAGED = {
    "a byte of a body": log("damaged-body"),
    "an unknown type": changed(4, 0xEE),
    "a size of 5": changed(9, 5),
    "the end is missing": log("truncated-body"),
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
