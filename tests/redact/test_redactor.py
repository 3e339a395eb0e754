"""Redacted logs are logs like the original ones: same events, sizes, findings and lines but for values."""

from __future__ import annotations

import json
import re
import zlib
from functools import cache
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.redact import Redactor
from tests.cli.conftest import real
from tests.redact.logs import KEY, MARKED, closed_logs, redacted
from tests.tag.logs import events

LOGS = closed_logs()
by_log = pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}/{log.name}")


@cache
def masked(log: Path) -> bytes:
    return redacted(log.read_bytes())[0]


def test_most_logs_are_accepted() -> None:
    assert len(LOGS) > 60


@by_log
def test_a_redacted_log_is_like_the_log_but_for_values(log: Path, tmp_path: Path) -> None:
    copy = tmp_path / log.name
    copy.write_bytes(masked(log))
    before, after = [[(at, event[:19]) for at, event in events(path.read_bytes())] for path in (log, copy)]
    assert after == before
    assert findings(copy) == findings(log)
    if "hostile" not in str(log):  # a masked name of a log has no line ends
        lines, others = lines_of(log, tmp_path), lines_of(copy, tmp_path)
        assert len(others) == len(lines)
        pairs = zip(map(shape, lines), map(shape, others), strict=True)
        assert [pair for pair in pairs if pair[0] != pair[1]] == []


def findings(log: Path) -> list[tuple[int, str]]:
    """Return the places and the rules of what a check finds, but those about the names of logs."""
    found = json.loads(real("check", "--format=json", str(log)).out)["findings"]
    return [(item["position"], item["code"]) for item in found if item["code"] != "S010"]


def lines_of(log: Path, folder: Path) -> list[str]:
    options = ["-vv", "--base64-output=decode-rows", "--no-tbm", f"--local-load={folder}"]
    return real(*options, str(log)).out.decode("utf-8", "surrogateescape").split("\n")


def shape(line: str) -> str:
    """Return a line of a dump without its values."""
    if ABOUT_ACCOUNTS.match(line) or line.startswith("FLUSH STATUS"):
        return ""
    line = re.sub(r"CRC32 0x\w+|SQL_LOAD_MB\S+", "", line)
    if line.startswith("###"):
        name, _, value = line.partition("=")
        comment = re.search(r" /\* [A-Z]+.*is_null=\d \*/$", value)
        return f"{name}{comment[0]}" if comment else "###"
    if line.startswith("# at "):
        return line
    line = re.sub(r"/\*(?![!M]).*?\*/|'(?:[^'\\]|\\.|'')*'|\"[^\"]*\"", "''", line)
    line = re.sub(r"(^|\s+)(--|#)\s(?!at |\S+ 0 INTO).*$", "", line) if "#Q>" not in line else line
    line = re.sub(r"`\S+`@`\S+`|\w+@\w+", "account", line)
    return re.sub(r"X?''|0x[0-9A-F]+|[-\d.e+]+|[^\x00-\x7f]+", "0", line).strip()


ABOUT_ACCOUNTS = re.compile(r"(CREATE|ALTER|DROP|RENAME) (USER|ROLE)|GRANT|REVOKE|SET (PASSWORD|DEFAULT ROLE)")


@pytest.mark.parametrize("log", MARKED, ids=lambda log: log.parent.name)
def test_the_same_key_masks_alike_and_another_otherwise(log: Path) -> None:
    data = log.read_bytes()
    assert redacted(data)[0] == masked(log)
    assert redacted(data, Redactor(b"another 16 bytes"))[0] != masked(log)


@pytest.mark.parametrize("log", MARKED, ids=lambda log: log.parent.name)
def test_checksums_are_those_of_the_new_bytes(log: Path) -> None:
    for _, event in events(masked(log)):
        assert int.from_bytes(event[-4:], "little") == zlib.crc32(event[:-4])


@pytest.mark.parametrize("log", MARKED, ids=lambda log: log.parent.name)
def test_nothing_is_written_of_a_row_event_without_its_table(log: Path) -> None:
    data = log.read_bytes()
    without = b"".join(event for _, event in events(data) if event[4] != 19)
    with pytest.raises(BinlogError, match="the Table_map that its rows need is not in the log"):
        redacted(data[:4] + without)


def test_a_cut_log_is_refused() -> None:
    with pytest.raises(BinlogError, match="ends inside an event"):
        redacted(MARKED[0].read_bytes()[:-7])


def test_keys_of_json_stay_on_request() -> None:
    data = next(log for log in MARKED if "mysql" in str(log)).read_bytes()
    assert b"qzmarkwx2" not in redacted(data)[0]
    kept, _ = redacted(data, Redactor(KEY, keep_json_keys=True))
    assert b"qzmarkwx2" in kept
    assert b"qzmarkwx new" not in kept
