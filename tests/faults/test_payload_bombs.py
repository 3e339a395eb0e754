"""A payload that inflates without end is refused, in memory of 4 times the file and 128 MiB."""

import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from pybinlog.source.inflation import LARGEST_EVENT
from tests.corpus import PROJECT
from tests.faults.bombs import MIB, bomb, event_of_zeros, row, zeros

# A process of its own starts the program: the system counts the starter's memory at the fork as the program's.
STARTER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(process.pid, 0)
open(sys.argv[1], "w").write(str(usage.ru_maxrss))
os._exit(os.waitstatus_to_exitcode(status))
"""


def run(log: Path, command: list[str], errors: Path) -> tuple[int, bytes, str, int]:
    """Status, the report of a check, standard error and the highest resident memory, in bytes."""
    memory = errors.with_name("memory")
    program = [sys.executable, "-m", "pybinlog", *command, str(log)]
    with errors.open("wb") as told:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", STARTER, str(memory), *program],
            cwd=PROJECT,
            stdout=subprocess.PIPE if "check" in command else subprocess.DEVNULL,
            stderr=told,
            timeout=300,
            check=False,
        )
    return done.returncode, done.stdout or b"", errors.read_text(), int(memory.read_text()) << 10


LIES: dict[str, tuple[Callable[[], bytes], int, str]] = {
    "inflates to more than it says": (
        lambda: event_of_zeros(60 * MIB),
        300_000,
        "the payload inflates to more than the 300000 bytes",
    ),
    "many frames": (lambda: zeros(MIB) * 64, 1000, "the payload cannot be decompressed"),
    "an event of 1 GiB": (
        lambda: event_of_zeros(1 << 30),
        1 << 30,
        f"an event inside the payload says it has {1 << 30} bytes",
    ),
    "an event beyond the bound": (
        lambda: event_of_zeros(LARGEST_EVENT + 1),
        LARGEST_EVENT + 1,
        f"an event inside the payload says it has {LARGEST_EVENT + 1} bytes",
    ),
    "an event of 4 GiB, by its size": (
        lambda: zeros(MIB, b"\0\0\0\0\2\1\0\0\0\xff\xff\xff\xff"),
        MIB,
        "an event inside the payload",
    ),
    "zeros": (lambda: zeros(256 * MIB), 256 * MIB, "an event inside the payload"),
    "a size of 2^63": (lambda: event_of_zeros(1 << 30), 1 << 63, "payload says it"),
}


COMMANDS = {"dump": ["-vv"], "check": ["check"], "tag": ["tag", "--dry-run"]}
OPENED = [(lie, command) for lie in LIES for command in ("dump", "check")]
UNOPENED = [(lie, "tag") for lie in ("an event of 1 GiB", "many frames", "a size of 2^63")]


@pytest.mark.parametrize(("lie", "name"), OPENED + UNOPENED)
def test_a_bomb_is_refused(tmp_path: Path, lie: str, name: str) -> None:
    command = COMMANDS[name]
    frame, said, sentence = LIES[lie]
    log = tmp_path / "binlog.000001"
    log.write_bytes(bomb(frame(), said))
    status, text, errors, memory = run(log, command, tmp_path / "errors")
    assert memory < 4 * log.stat().st_size + 128 * MIB
    assert "Traceback" not in errors
    if command[0] == "-vv":
        assert status == 1
        assert sentence in errors
    elif command[0] == "check":
        assert status == 1
        assert sentence.lower() in text.decode().lower()
    else:
        assert (status, errors) == (0, "")  # markers stand outside of payloads, which need not be opened


def test_a_row_as_large_as_a_server_takes_by_default_is_no_bomb(tmp_path: Path) -> None:
    """64 MiB (max_allowed_packet), and all of it zeros."""
    size = 65 * MIB
    log = tmp_path / "binlog.000001"
    log.write_bytes(bomb(event_of_zeros(size), size))
    status, _, errors, memory = run(log, ["-vv"], tmp_path / "errors")
    assert (status, errors) == (0, "")
    assert memory < 4 * size + 128 * MIB


def json_array(element: bytes, count: int) -> bytes:
    """Binary JSON: a large array whose elements stand in its table."""
    return b"\x03" + struct.pack("<II", count, 8 + 5 * count) + element * count


def json_string(size: int) -> bytes:
    """Binary JSON: an array of one string of control characters, each six bytes of text."""
    length = bytes((size >> 7 * i & 127) | (128 if i < 3 else 0) for i in range(4))
    return b"\x03" + struct.pack("<II", 1, 13 + 4 + size) + b"\x0c" + struct.pack("<I", 13) + length + b"\1" * size


VALUES: dict[str, tuple[Callable[[], bytes], bool]] = {
    "zeros": (lambda: bytes(36 * MIB), False),
    "a JSON array": (lambda: json_array(b"\5\0\x80\0\0", 36 * MIB // 5), True),
    "a JSON string": (lambda: json_string(36 * MIB), True),
}
"""The makers of the files: not every process needs all of them."""


CASES = [(value, options, True) for value in VALUES for options in (["-vv"], ["check"])]


@pytest.mark.parametrize(("value", "options", "compressed"), [*CASES, ("a JSON array", ["-vv"], False)])
def test_a_value_that_makes_much_text(tmp_path: Path, value: str, options: list[str], compressed: bool) -> None:
    data, json = VALUES[value]
    log = tmp_path / "binlog.000001"
    log.write_bytes(row(data(), json=json, compressed=compressed))
    status, _, errors, memory = run(log, options, tmp_path / "errors")
    assert (status, errors) == (0, "")
    assert memory < 4 * log.stat().st_size + 128 * MIB
    if compressed:
        assert memory < 76 * MIB  # far below the bound: the value is not held as a whole, not even once


def test_an_event_beyond_the_bound_that_is_compressed_as_data_are(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    size = 80 * MIB
    log.write_bytes(row(random_bytes(size // 90) + bytes(size - size // 90), compressed=True))
    assert log.stat().st_size < 2 * MIB
    status, _, errors, memory = run(log, [], tmp_path / "errors")
    assert (status, errors) == (0, "")
    assert memory < 100 * MIB


def random_bytes(size: int) -> bytes:
    """Bytes that cannot be compressed, always the same."""
    return Random(1).randbytes(size)
