"""Two runs with one --output or --checkpoint: the second is refused, and the first loses nothing."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT, TESTDATA

PATIENCE = 60


def test_the_second_is_refused_with_the_id_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "binlog.000001"
    log.write_bytes((TESTDATA / "shop" / "binlog.000001").read_bytes())
    command = [sys.executable, "-m", "pybinlog", "rows", "--follow", "--checkpoint=c", "--output=o", str(log)]
    first = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(PROJECT)}, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + PATIENCE
        while not (Path("o").exists() and Path("o").stat().st_size and Path("c").exists()):
            assert first.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        lines = Path("o").read_bytes()
        Path("link").symlink_to("o")
        for checkpoint, output, locked in (("c", "o", "c"), ("c", "o2", "c"), ("c2", "o", "o"), ("c2", "link", "link")):
            second = real("rows", "--follow", f"--checkpoint={checkpoint}", f"--output={output}", str(log))
            assert second.status == 1
            assert second.err == (
                f"ERROR: {locked}: another run (process {first.pid}) writes this file. End that run, or name another "
                "--checkpoint and --output.\n"
            )
        Path("hard").hardlink_to("o")
        second = real("rows", "--follow", "--checkpoint=c2", "--output=hard", str(log))
        assert (second.status, second.err) == (
            1,
            "ERROR: hard: another run writes this file, under another name. End that run, or name another --output.\n",
        )
        assert Path("o").read_bytes() == lines
    finally:
        first.terminate()
        first.communicate()
    assert not list(tmp_path.glob("*.lock"))
