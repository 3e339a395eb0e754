"""No value of a log survives: a search that knows the encodings finds none, and finds one that is left in."""

from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.redact.logs import MARKED, key_option, redacted
from tests.redact.markers import BASE64, FORMS, HEX, WORD, markers_in

KINDS = ("utf-8", "utf-16-be", "utf-16-le", "utf-32-be", "gbk", "digits", "little-endian", "as a DOUBLE", "as a FLOAT",
         "as one below 0", "a DATETIME", "a TIMESTAMP")  # fmt: skip


def test_there_is_a_log_of_each_server() -> None:
    assert [log.parent.name for log in MARKED] == ["mariadb-11.8", "mysql-9.7"]


@pytest.mark.parametrize("log", MARKED, ids=lambda log: log.parent.name)
def test_the_search_finds_each_kind_of_marker_in_the_log_as_it_was(log: Path) -> None:
    found = markers_in(log.read_bytes())
    assert [kind for kind in KINDS if not any(kind in name for name in found)] == []


def test_the_search_finds_a_marker_that_is_left_in() -> None:
    clean, _ = redacted(MARKED[0].read_bytes())
    for name, form in {**FORMS, **HEX, **BASE64}.items():
        assert name not in markers_in(clean)
        assert name in markers_in(clean[:5000] + form + clean[5000:])


@pytest.mark.parametrize("log", MARKED, ids=lambda log: log.parent.name)
def test_no_marker_is_in_the_redacted_log(log: Path) -> None:
    masked, _ = redacted(log.read_bytes())
    assert markers_in(masked) == set()


@pytest.mark.parametrize("log", MARKED, ids=lambda log: log.parent.name)
@pytest.mark.parametrize("options", [["-vv"], ["--hexdump"]], ids=" ".join)
def test_no_marker_is_in_a_dump_of_the_redacted_log(log: Path, options: list[str], tmp_path: Path) -> None:
    masked = tmp_path / log.name
    masked.write_bytes(redacted(log.read_bytes())[0])
    whole = real(*options, str(log), f"--local-load={tmp_path}").out
    assert WORD.encode() in whole.lower()
    dumped = real(*options, str(masked), f"--local-load={tmp_path}").out
    assert markers_in(dumped) == set()


@pytest.mark.parametrize("log", MARKED, ids=lambda log: log.parent.name)
def test_the_report_names_no_marker(log: Path, tmp_path: Path) -> None:
    shown = real("redact", "--dry-run", key_option(tmp_path), str(log)).out
    assert b"Not masked:" in shown
    assert markers_in(shown) == set()
