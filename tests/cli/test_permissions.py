"""Files and folders that a user may not read or write: a sentence names them, and everything stays as it was."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import PROJECT, TESTDATA

LOG = "binlog.000001"
AS_USER = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""Root's program without the right to read and write everything."""
DENIED = "Permission denied"

READS = {
    "a log": (["rows", "unread"], "unread: cannot be opened: permission denied."),
    "a folder without names": (["rows", "unlisted"], "unlisted: the folder cannot be read: permission denied."),
    "a pattern in it": (["rows", "unlisted/*"], "unlisted: the folder cannot be read: permission denied."),
    "a folder of names alone": (["rows", "names"], "names: the folder cannot be read: permission denied."),
    "a pattern in that": (["serve", "names/binlog.0*"], f"names/{LOG}: cannot be opened: permission denied."),
    "a backup": (["recover", "--from=unread", LOG], f"unread: cannot be read: {DENIED}."),
    "a base": (["rows", "--as-of=now", "-Tshop.orders", "--base=unread", LOG], f"unread: cannot be read: {DENIED}."),
    "a schema": (["rows", "--schema=unread", LOG], f"unread: cannot be read: {DENIED}."),
    "a key": (
        ["redact", "--key-file=unread", "-o", "x", LOG],
        f"unread: the key file cannot be read or made: {DENIED}.",
    ),
    "a baseline": (["check", "--baseline=unread", LOG], f"unread: the baseline cannot be read: {DENIED}."),
    "a keyring": (["dump", "--keyring=unread", LOG], f"unread: cannot be read: {DENIED}."),
}
BESIDE = f"a file beside it cannot be made: {DENIED}."
FOLLOW = ["rows", "--follow", LOG]
WRITES = {
    "rows": (["rows", "-o", "fixed/x", LOG], f"fixed/x: {BESIDE}"),
    "export": (["export", "-o", "fixed/", LOG], f"fixed/{LOG}.parquet: {BESIDE}"),
    "redact": (["redact", "-o", "fixed/x", LOG], f"fixed/x: {BESIDE}"),
    "a key": (["redact", "--key-file=fixed/k", "-o", "x", LOG], "fixed/k: the key file cannot be read or made: "),
    "undo": (["undo", "-o", "fixed/x", LOG], f"fixed/x: {BESIDE}"),
    "report": (["report", "-o", "fixed/x", LOG], f"fixed/x: {BESIDE}"),
    "diff": (["diff", "-o", "fixed/x", LOG, LOG], f"fixed/x: {BESIDE}"),
    "tag": (["tag", "-o", "fixed/x", LOG], f"fixed/x: {BESIDE}"),
    "dump": (["dump", "-r", "fixed/x", LOG], f"fixed/x: the result file cannot be written: {DENIED}."),
    "check": (["check", "--write-baseline=fixed/x", LOG], f"fixed/x: {BESIDE}"),
    "mirror": (["mirror", "-h127.0.0.1", "-P1", "-ux", "--once", "fixed"], "fixed/mirror.lock: it cannot be locked: "),
    "a checkpoint": ([*FOLLOW, "--checkpoint=fixed/c", "--output=x"], "fixed/c.lock: it cannot be locked: "),
    "an output": ([*FOLLOW, "--checkpoint=c", "--output=fixed/x"], "fixed/x.lock: it cannot be locked: "),
    "a file of another": ([*FOLLOW, "--checkpoint=c", "--output=kept"], f"kept: it cannot be opened: {DENIED}."),
    "a file that cannot be read": ([*FOLLOW, "--checkpoint=c", "--output=unread"], "--output=unread would replace "),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copy(TESTDATA / "shop" / LOG, tmp_path)
    (tmp_path / "unread").write_bytes((TESTDATA / "shop" / LOG).read_bytes())
    (tmp_path / "kept").write_text("kept\n")
    for folder in ("unlisted", "names", "fixed"):
        (tmp_path / folder).mkdir()
        shutil.copy(TESTDATA / "shop" / LOG, tmp_path / folder)
    for name, mode in (("unread", 0), ("kept", 0o444), ("unlisted", 0o311), ("names", 0o644), ("fixed", 0o555)):
        (tmp_path / name).chmod(mode)
    return tmp_path


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program as a user whom permissions bind."""
    if os.geteuid() == 0 and shutil.which(AS_USER[0]) is None:
        pytest.skip("needs setpriv, or a user that is not root")
    command = [*(AS_USER if os.geteuid() == 0 else []), sys.executable, "-m", "pybinlog", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize(("arguments", "sentence"), [*READS.values(), *WRITES.values()], ids=[*READS, *WRITES])
def test_a_sentence_names_what_may_not_be_read_or_written(arguments: list[str], sentence: str, place: Path) -> None:
    before = {path.name for path in place.iterdir()}
    found = run(arguments, place)
    assert found.returncode in (1, 2), found
    assert found.stderr.startswith("ERROR: ")
    assert sentence in found.stderr
    assert {path.name for path in place.iterdir()} == before
    assert [path.name for path in (place / "fixed").iterdir()] == [LOG]
    assert (place / "kept").read_text() == "kept\n"
