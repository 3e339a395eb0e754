"""`check_errors`: standard error says what the reference says, in pybinlog's own words."""

import re

from ..corpus import Run
from .program import Output, has_gaps

# The reference's words -> pybinlog's words: `{log}` is a log of the command line, `{at}` a position. None: said by the
# line before, or by the line that follows.
INSIDE = r"ERROR: {log}: {at} is not the start of an event(: .* start.* at \d+|, as far as can be told, or) .*"
"""For damage that the reference meets because the start position is inside an event."""
SAID = [
    (
        r"WARNING: --short-form is deprecated and will be removed in a future version",
        r"WARNING: --short-form is deprecated, and a later version of MySQL will not have it\.",
    ),
    (
        r"WARNING: The option --database has been used\. .*",
        r"WARNING: --database may leave out parts of transactions but keeps all their GTIDs; to leave out whole "
        r"transactions, use --include-gtids or --exclude-gtids\.",
    ),
    (
        r"WARNING: The range of printed events ends with a row event or a table map event .*",
        r"WARNING: The printed events end inside a statement, before the row event that has STMT_END_F: .*",
    ),
    (
        r"WARNING: The range of printed events ends with an Intvar_event, .*",
        r"WARNING: The printed events end with an Intvar, Rand or User_var event whose statement did not come: .*",
    ),
    (
        r"WARNING: File ends with a truncated event\.",
        r"WARNING: The log ends inside an event; it is in use or was not closed\. \[{log}, at {at}\]",
    ),
    (
        r"WARNING: Ignoring Append_block as there is no Begin_load_query_log_event for file_id: (?P<id>\d+)",
        r"WARNING: Ignoring Append_block: no Begin_load_query came for file_id {id}\. \[{log}, at {at}\]",
    ),
    (
        r"WARNING: Ignoring Execute_load_query since there is no Begin_load_query event for file_id: (?P<id>\d+)",
        r"WARNING: Ignoring Execute_load_query: no Begin_load_query came for file_id {id}\. \[{log}, at {at}\]",
    ),
    (r"ERROR: Could not read entry at offset (?P<at>\d+): Error in log format or read error 1\.", None),
    (
        r"ERROR: corrupted data in log event",
        rf"(ERROR: {{log}}, at {{at}}: the event \(type \d+\) says it has \d+ bytes, .*|{INSIDE})",
    ),
    (
        r"ERROR: Event too big",
        rf"(ERROR: {{log}}, at {{at}}: the event \(type \d+\) says it has \d+ bytes, more than any .*|{INSIDE})",
    ),
    (
        r"ERROR: binlog truncated in the middle of event; consider out of disk space",
        rf"(ERROR: {{log}}, at {{at}}: the log ends inside an event: .*|{INSIDE})",
    ),
    (
        r"ERROR: Event crc check failed! Most likely there is event corruption\.",
        r"ERROR: {log}, at {at}: the checksum of the event \(type \d+, \d+ bytes\) does not match its bytes\. .*",
    ),
    (
        r"ERROR: Found invalid event in binary log",
        r"ERROR: {log}, at {at}: the (event's type \d+ is not known\.|\w+ event is corrupt: a length in it reaches) .*",
    ),
    (r"ERROR: Binlog has bad magic number; .*", r"ERROR: ({log}|binlog\.index), at 0: not a binary log\. .*"),
    (
        r"ERROR: I/O error reading the header from the binary log",
        r"ERROR: {log}, at 0: ends after \d bytes: a binary log begins with four magic bytes\. Copy it again, "
        r"or leave it out\.",
    ),
    (
        r"ERROR: Reading encrypted log files directly is not supported\.",
        r"ERROR: {log}, at 0: the log is encrypted \(binlog_encryption=ON\)\. .*",
    ),
    (
        r"ERROR: Attempting to dump binlog '(?P<name>[^']*)', which was not closed properly\. .*",
        r"ERROR: {name}, at {at}: the log was not closed properly: .* --force-if-open prints it anyway\.",
    ),
    (
        r"mysqlbinlog: File '(?P<name>[^']*)' not found .*",
        r"ERROR: {name}: cannot be opened: no such file or directory\.",
    ),
    (r"ERROR: Could not open log file", None),
    (
        r"ERROR: Event being written violates the --require-row-format parameter constraints\.",
        r"ERROR: {log}, at {at}: the event changes data by a statement: Event being written violates the "
        r"--require-row-format parameter constraints\.",
    ),
    (
        r"ERROR: --base64-output=never specified, but binlog contains a (?P<type>\w+) event which must be printed in "
        r"base64\.",
        r"(ERROR: {log}, at {at}: a {type} event can be printed only in base64, which --base64-output=never forbids\..*"
        r"|WARNING: Leaving out a {type} event of a payload: it can be printed only in base64, .*)",
    ),
    (
        r"ERROR: Incorrect date and time argument: (?P<text>.*)",
        r"ERROR: --st(art|op)-datetime: '{text}' is not a date and time; .*",
    ),
    (
        r"ERROR: Could not configure --(?P<option>\w+-gtids) '(?P<text>[^']*)': .*",
        r"ERROR: --{option}: '{text}' is neither a server's UUID nor a GTID of MariaDB\. .*",
    ),
]
OUR_OWN = re.compile(
    r"WARNING: (Unable to change boundary parser from |The start position |The text's LOAD DATA statements read "
    r"|\d+ more events give the same warning|The dump starts "
    r"inside a transaction, |--stop-position=\d+ is not behind |--[^ ].*: (no |none of |the events "
    r"of these logs |the logs hold it|each matches something in these logs))"
)
"""Warnings that the reference does not have."""


def wanted(run: Run) -> list[str]:
    """Return the expected sentences, as regular expressions in the order of the reference's lines."""
    at, patterns = r"\d+", []
    for line in filter(None, run.stderr.splitlines()):
        matches = [(match, said) for pattern, said in SAID if (match := re.fullmatch(pattern, line))]
        assert len(matches) == 1, f"no entry of the table, or several, for: {line}"
        ((match, said),) = matches
        names = {key: re.escape(value) for key, value in match.groupdict().items()}
        at = names.get("at", at)
        if said is not None:
            logs = "|".join(re.escape(name) for name in run.logs) or "nothing"
            for key, value in {"log": f"(?:{logs})", "at": at, **names}.items():
                said = said.replace("{" + key + "}", value)
            patterns.append(said)
    return patterns


GAP = re.compile(r" (between .* and this log|(than|as) the log before it|does not continue) ?")


def check_errors(output: Output, run: Run) -> None:
    """Warning for warning, error for error."""
    said = [line for line in output.lines_of_errors if not OUR_OWN.match(line)]
    if has_gaps(run):
        gaps = [line for line in said if GAP.search(line)]
        assert gaps
        said = [line for line in said if line not in gaps]
    patterns = wanted(run)
    for pattern in {p for p in patterns if "--database may" in p}:
        while patterns.count(pattern) > 1:  # the reference says it for each log
            patterns.remove(pattern)
    for pattern in patterns:
        assert [line for line in said if re.fullmatch(pattern, line)], (pattern, said)
    for line in said:
        assert [pattern for pattern in patterns if re.fullmatch(pattern, line)], (line, patterns)
    assert len(said) == len(patterns), said
    assert [line for line in said if line.startswith("ERROR: ")] == said[-1:] or not run.status
