"""Every option that names a file to read: a pipe, a device, a loop of links or nested data end with a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.cli.options.option import Option
from tests.cli.test_every_option import each_option, files, folder, line_of
from tests.corpus import PROJECT

__all__ = ["files", "folder"]

READ = {
    "base", "baseline", "checkpoint", "defaults-extra-file", "defaults-file", "key-file", "keyring",
    "keyring-password-file", "query-file", "schema", "server-public-key-path", "ssl-ca", "ssl-cert", "ssl-crl",
    "ssl-key",
}  # fmt: skip
OF_SERVERS = ("ssl-", "server-public", "defaults")
AT_A_SERVER = ["-R", "--host=127.0.0.1", "--port=1"]
MORE = {
    "base": ["--as-of=binlog.000001:1000"],
    "checkpoint": ["--output=rows.jsonl", "--follow"],
    "ssl-crl": [*AT_A_SERVER, "--ssl-mode=VERIFY_CA"],
    "keyring-password-file": ["--keyring=keyring"],
}


def is_read(command: str, option: Option) -> bool:
    """Return True for one command of those that share the options of a connection."""
    of_all = option.name.startswith((*OF_SERVERS, "keyring", "schema"))
    return option.name in READ and (not of_all or command == "rows")


def end_of(command: str, option: Option, value: str) -> subprocess.CompletedProcess[bytes]:
    more = MORE.get(option.name, AT_A_SERVER if option.name.startswith(OF_SERVERS) else [])
    if option.name == "base":
        more = [*more, "--view=table" if command == "export" else "--table=meta.inv"]
    line = line_of(command, option, [f"--{option.name}={value}"], *more)
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    run = [sys.executable, "-m", "pybinlog", *line]
    return subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=120, check=False)


@pytest.mark.parametrize(("command", "option"), each_option(is_read))
def test_a_pipe_and_a_device_are_refused(command: str, option: Option, folder: Path) -> None:
    os.mkfifo("pipe")
    os.symlink("/dev/zero", "link")
    for value in ("pipe", "link"):
        done = end_of(command, option, value)
        assert done.returncode in (1, 2)
        assert b"not a regular file" in done.stderr


@pytest.mark.parametrize(("command", "option"), each_option(is_read))
def test_nested_data_and_a_loop_of_links_end_with_a_sentence(command: str, option: Option, folder: Path) -> None:
    os.symlink("loop", "loop")
    Path("nested").write_bytes(b"[" * 100_000)
    for value in ("loop", "nested"):
        done = end_of(command, option, value)
        assert b"fault in pybinlog" not in done.stderr
        assert done.stderr.count(b"\n") >= 1


def test_nested_notes_of_a_backup_are_no_json(folder: Path) -> None:
    Path("dump").mkdir()
    Path("dump/@.json").write_bytes(b"[" * 100_000)
    run = [sys.executable, "-m", "pybinlog", "recover", "--from=dump", "binlog.000001"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(run, capture_output=True, env=environment, timeout=120, check=False)
    assert done.returncode == 1
    assert b"it is not JSON" in done.stderr
