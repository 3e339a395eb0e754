"""The commands that `pybinlog find` prints may be given to a shell as they are."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA

GTID = "02f81e89-e843-11f1-acc8-02fc00000001:2"


def test_a_log_that_is_named_as_an_option_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(TESTDATA / "shop" / "binlog.000001", "-rf.000001")
    for asked in (f"--gtid={GTID}", f"--set={GTID.replace(':2', ':1-2')}"):
        found = real("find", asked, "--format=jsonl", "--", "-rf.000001")
        command = json.loads(found.out)["command"]
        assert command.endswith(" ./-rf.000001")
        shell = command.replace("pybinlog", f"{sys.executable} -m pybinlog", 1)
        done = subprocess.run(shell, shell=True, capture_output=True, check=False)
        assert (done.returncode, b"GTID_NEXT" in done.stdout) == (0, True), done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["-rf.000001"]
