"""Logs that a MySQL encrypted (binlog_encryption=ON): their redacted copies are plain, hold no marker, and say so."""

from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT
from tests.redact.logs import key_option
from tests.redact.markers import WORD, markers_in

FOLDER = PROJECT / "testdata" / "redact" / "mysql-9.7" / "encrypted"
LOGS = sorted(FOLDER.glob("binlog.*"))
"""Of one server, with a marker in each value, and with compressed transactions."""
KEYRING = f"--keyring={FOLDER / 'keyring.json'}"
SAID = "The log was encrypted; its redacted copy is not."
PLAIN = b"\xfebin"


def test_the_logs_are_encrypted_and_have_markers_in_compressed_transactions() -> None:
    assert [log.read_bytes()[:4] for log in LOGS] == [b"\xfdbin"] * 2
    shown = real("-vv", KEYRING, *map(str, LOGS)).out
    assert WORD.encode() in shown.partition(b"# Start of compressed events.")[2]


@pytest.mark.parametrize("options", [[], ["--names"], ["--keep-json-keys"]], ids=" ".join)
def test_the_copies_in_a_folder_are_plain_and_without_a_marker(options: list[str], tmp_path: Path) -> None:
    done = real("redact", KEYRING, key_option(tmp_path), *options, *map(str, LOGS), "-o", str(tmp_path))
    assert done.status == 0
    assert done.err.count(SAID) == len(LOGS)
    copies = [tmp_path / log.name for log in LOGS]
    assert [copy.read_bytes()[:4] for copy in copies] == [PLAIN] * 2
    shown = [
        real("-vv", *map(str, copies), f"--local-load={tmp_path}").out,
        real("rows", "--format=jsonl", *map(str, copies)).out,
        *((tmp_path / f"{log.name}.report.txt").read_bytes() for log in LOGS),
    ]
    found = {marker for text in (*shown, *(copy.read_bytes() for copy in copies)) for marker in markers_in(text)}
    assert {marker for marker in found if "--keep-json-keys" not in options or not marker.startswith(WORD)} == set()
    assert [report.count(b"the log was encrypted, and its redacted copy is not") for report in shown[2:]] == [1, 1]


def test_the_same_value_has_one_mask_in_both_logs(tmp_path: Path) -> None:
    assert real("redact", KEYRING, key_option(tmp_path), *map(str, LOGS), "-o", str(tmp_path)).status == 0
    texts = [real("-vv", "--no-tbm", str(tmp_path / log.name)).out for log in LOGS]
    rows = [{line for line in text.splitlines() if b"@1=" in line and b"INT " in line} for text in texts]
    assert rows[1]
    assert len(rows[1]) == 1


def test_a_copy_on_standard_output_says_that_it_is_not_encrypted() -> None:
    done = real("redact", KEYRING, str(LOGS[0]), "-o", "-")
    assert done.status == 0
    assert done.out[:4] == PLAIN
    assert SAID in done.err


def test_without_the_keyring_no_file_is_left(tmp_path: Path) -> None:
    done = real("redact", str(LOGS[0]), "-o", str(tmp_path / "a.000001"))
    assert (done.status, list(tmp_path.iterdir())) == (1, [])
    assert "keyring" in done.err
