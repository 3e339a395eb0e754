"""Agreement: what one command cannot read, all say; and all count the same rows.

`disagreement(path)` asks dump -vv, rows, export, stats, transactions, undo, redact and check, and returns a sentence,
or None.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

from pybinlog.check import Checker, CheckOptions, Severity
from pybinlog.dump import Base64Output, DumpOptions, run
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from tests.cli.conftest import Result, real

__all__ = ["disagreement", "real"]

ROW = re.compile(rb"^### (?:INSERT INTO|UPDATE|DELETE FROM) `", re.MULTILINE)
REMARKS = re.compile(rb"^(?:###   @\d+=)?(?:!! |\*\*\*)|^### Row event for unknown table|Invalid JSON$", re.MULTILINE)
"""With one of them, the text of a row event ends: the reference cannot show a type, or has no Table_map."""
NO_TABLE = "no Table_map came for it"
UNCOUNTED = "no Table_map of theirs"
COUNTED = re.compile(rb"^-- undo of \d+ transactions?, (\d+) rows?,", re.MULTILINE)
UNREADABLE = ("S001", "S002", "S003", "S005", "S009")
"""The rules of `check` that say that something cannot be read."""
IN_USE = "it is in use or was not closed"
"""The end of a log that its server may still write is a warning, but not for a check."""
MAGIC, HEADER = b"\xfebin", 19
HEADER_LENGTH = HEADER + 56
"""The offset of the length of headers in a Format_description."""
STATEMENT = re.compile(r"the log does not say which: .*?\.\.\.\.", re.DOTALL)
"""A part of a refusal that has the words of a statement."""
FAULTS = ("cannot be read", "is corrupt", "is not known", "beyond the end", "ends inside")


class Answer(NamedTuple):
    """The error of a command, and the rows that it counts; None if it does not say."""

    error: str | None
    rows: int | None = None
    in_use: bool = False

    @property
    def lacks_table(self) -> bool:
        return self.error is not None and NO_TABLE in self.error


def disagreement(path: Path) -> str | None:
    """Return what two commands say differently of a log."""
    name = str(path)
    if has_strange_headers(path.read_bytes()):
        return None
    dump = of_dump(name)
    rows = of_lines(real("rows", "--format=tsv", name), header=1)
    answers = {
        "rows": rows,
        "export": of_lines(real("export", "--view=rows", "--format=jsonl", "-o", "-", name)),
        "stats": of_stats(real("stats", "--format=json", name)),
        "transactions": of_transactions(real("transactions", "--format=jsonl", name)),
    }
    if rows.lacks_table:  # the others have no rows of it, and go on
        if not answers["export"].lacks_table:
            return f"rows says {rows.error!r}, export {answers['export'].error!r}"
        return (
            None if answers["stats"].error or answers["stats"].rows is None else "stats counts rows without a Table_map"
        )
    for command, answer in answers.items():
        if (answer.error is None) != (dump.error is None):
            return f"dump says {dump.error!r}, {command} {answer.error!r}"
        if answer.error is None and answer.rows != rows.rows:
            return f"rows counts {rows.rows} rows, {command} {answer.rows}"
    if dump.error is None and dump.rows not in (None, rows.rows):
        return f"rows counts {rows.rows} rows, dump {dump.rows}"
    return of_check(name, dump) or of_undo(name, dump, rows) or of_redact(name, dump)


def has_strange_headers(data: bytes) -> bool:
    """Return True if a Format_description says that headers have another length than 19, which no server writes."""
    at = len(MAGIC)
    while at + HEADER <= len(data):
        if (
            data[at + 4] == EventType.FORMAT_DESCRIPTION
            and data[at + HEADER_LENGTH : at + HEADER_LENGTH + 1] != b"\x13"
        ):
            return True
        at += max(HEADER, int.from_bytes(data[at + 9 : at + 13], "little"))
    return False


def of_dump(name: str) -> Answer:
    text = bytearray()
    warnings: list[str] = []
    options = DumpOptions(verbose=2, base64_output=Base64Output.DECODE_ROWS, verify_binlog_checksum=True)

    class Text:
        def write(self, data: bytes) -> None:
            text.extend(data)

    try:
        run([name], options, Text(), warnings.append)
    except BinlogError as error:
        return Answer(str(error))
    is_whole = not REMARKS.search(text) and not any("rows are not printed" in one for one in warnings)
    return Answer(None, len(ROW.findall(text)) if is_whole else None, any(IN_USE in one for one in warnings))


def of_lines(result: Result, header: int = 0) -> Answer:
    if result.status != 0:
        return Answer(result.err)
    return Answer(None, max(0, result.out.count(b"\n") - header))


def of_stats(result: Result) -> Answer:
    if result.status != 0:
        return Answer(result.err)
    counted = sum(group[name] for group in json.loads(result.out) for name in ("rows", "rolled_back", "prepared"))
    return Answer(None, None if UNCOUNTED in result.err else counted)


def of_transactions(result: Result) -> Answer:
    if result.status != 0:
        return Answer(result.err)
    counts = [json.loads(line)["rows"] for line in result.out.splitlines()]
    return Answer(None, None if None in counts else sum(counts))


def of_check(name: str, dump: Answer) -> str | None:
    """Return what a check says differently."""
    checker = Checker([name], CheckOptions())
    found = [one for result in checker.results() for one in result.findings if one.severity is Severity.ERROR]
    unreadable = [one for one in found if one.code in UNREADABLE and "the GTID set has" not in one.message]
    if dump.error is not None and not found and not checker.totals.failures:
        return f"dump says {dump.error!r}, check finds no error"
    if dump.error is None and (unreadable or checker.totals.failures) and not dump.in_use:
        return f"dump says nothing, check {[one.message for one in unreadable]}"
    return None


def of_redact(name: str, dump: Answer) -> str | None:
    """Return what a redaction says differently. It may refuse more than what cannot be read."""
    if dump.error is None or real("redact", "--dry-run", name).status != 0:
        return None
    return f"dump says {dump.error!r}, redact nothing"


def of_undo(name: str, dump: Answer, rows: Answer) -> str | None:
    """Return what an undo says differently. It may refuse what can be read, but not call it damaged."""
    result = real("undo", "--dry-run", "--format=binlog", "--look-to=none", name)
    if dump.error is not None and result.status == 0:
        return f"dump says {dump.error!r}, undo nothing"
    said = STATEMENT.sub("", result.err)
    if dump.error is None and any(fault in said for fault in FAULTS):
        return f"dump says nothing, undo {result.err!r}"
    counted = COUNTED.search(result.out)
    if result.status == 0 and counted is not None and rows.rows is not None and int(counted[1]) > rows.rows:
        return f"rows counts {rows.rows} rows, undo {counted[1].decode()}"
    return None
