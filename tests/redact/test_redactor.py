"""Redacted logs are logs like the original ones: same events, sizes, findings and lines but for values."""

import json
import re
import zlib
from functools import cache
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.redact import Redactor
from tests.cli.conftest import real
from tests.corpus import PROJECT
from tests.redact.logs import KEY, MARKED, assert_places, closed_logs, redacted
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
    has_moved = len(masked(log)) != log.stat().st_size
    before, after = [[head(at, event, has_moved) for at, event in events(path.read_bytes())] for path in (log, copy)]
    assert after == before
    if has_moved:
        assert_places(masked(log))
        assert [code for _, code in findings(copy)] == [code for _, code in findings(log)]
    else:
        assert findings(copy) == findings(log)
    if "hostile" not in str(log):  # a masked name of a log has no line ends
        lines, others = lines_of(log, tmp_path), lines_of(copy, tmp_path)
        assert len(others) == len(lines)
        pairs = zip(map(shape, lines), map(shape, others), strict=True)
        assert [pair for pair in pairs if pair[0] != pair[1]] == []


def head(at: int, event: bytes, has_moved: bool) -> tuple[int, bytes]:
    """Return the place and the header of an event; of a log whose events moved, only what must not change."""
    return (0, event[:9] + event[17:19]) if has_moved else (at, event[:19])


COMPRESSED = [log for log in LOGS if {"compression", "compressed", "payload"} & {*log.parent.name.split("-")}]


@pytest.mark.parametrize("log", COMPRESSED, ids=lambda log: f"{log.parent.name}/{log.name}")
def test_compressed_events_are_opened_masked_and_packed_again(log: Path, tmp_path: Path) -> None:
    rows = [list(map(row_of, lines_of(path, tmp_path))) for path in (log, written(log, tmp_path))]
    assert len(rows[0]) == len(rows[1])
    assert rows[0] != rows[1] or "statement" in str(log)
    assert redacted(log.read_bytes())[1].has_moved


def row_of(line: str) -> str:
    return line if line.startswith("###   @") else ""


def written(log: Path, folder: Path) -> Path:
    copy = folder / log.name
    copy.write_bytes(masked(log))
    return copy


def test_the_parts_of_a_row_event_are_masked_as_the_whole(tmp_path: Path) -> None:
    parts, whole = (PROJECT / "testdata/partial-rows" / name for name in ("parts.000001", "whole.000001"))
    values = [list(filter(None, map(row_of, lines_of(written(log, tmp_path), tmp_path)))) for log in (parts, whole)]
    assert values[0] == values[1] != list(filter(None, map(row_of, lines_of(parts, tmp_path))))
    assert len(masked(parts)) == parts.stat().st_size
    missing = b"".join(
        event for _, event in events(parts.read_bytes()) if event[4] != 172 or event[23:27] != event[19:23]
    )
    with pytest.raises(BinlogError, match="the last part of a row event"):
        redacted(parts.read_bytes()[:4] + missing)


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
        return "# at"
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
