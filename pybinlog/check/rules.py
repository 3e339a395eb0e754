"""The rules of `pybinlog check`: codes, severities and advice. docs/check.md explains each with an example."""

import re
from dataclasses import dataclass

from pybinlog.check.finding import Severity


@dataclass(frozen=True)
class Rule:
    """`severity` is the usual one; some findings of the rule have a lower one, as docs/check.md says.

    With `once`, what has been reported of a log is not reported of it again at another event.
    """

    code: str
    name: str
    severity: Severity
    title: str
    advice: str
    once: bool = False

    @property
    def area(self) -> str:
        return AREAS[self.code[0]]


AREAS = {
    "B": "boundary",
    "S": "structure",
    "R": "rows",
    "G": "GTID",
    "X": "XA",
    "E": "engines",
    "F": "files",
    "V": "replicas",
}

TABLE = """\
B001 error boundary-refused: The boundary parser refuses a transition.
    A part of the log is missing or out of place here; compare it with the server's own copy.
B002 error starts-inside: The stream starts inside a transaction.
    The transaction's beginning is in an earlier log, or was cut away; check that log together with this one.
B003 error ends-inside: The file ends inside a transaction.
    The file is cut short or was copied while it was written; copy it again after FLUSH BINARY LOGS.
B004 error gtid-without-statement: No statement follows a GTID.
    The transaction's events are missing; compare the log with the server's own copy.
B005 error restart-inside: The server was started anew inside a transaction.
    The server crashed while it wrote the transaction, which is not whole; skip it when the log is applied.
B006 warning marker-contradicts: A transaction boundary marker contradicts the event's content.
    Write the markers anew with `pybinlog tag --clear` and `pybinlog tag`.
B007 warning marker-reserved: A transaction boundary marker has a reserved value.
    Write the markers anew with `pybinlog tag --clear` and `pybinlog tag`.
B008 error statement-without-end: A statement has no end.
    Events of the statement are missing; compare the log with the server's own copy. Tables without \
rows come of a statement that failed, and do no harm.
B009 info empty-transaction: A transaction holds no statement.
    Nothing: a server writes one if a filter dropped its statements, or if someone runs BEGIN and COMMIT for a GTID.
S001 error checksum: An event's checksum does not match its bytes.
    The file was damaged after it was written; copy it again, and look at the disk and the transfer.
S002 error impossible-size: An event's size is impossible.
    The file was damaged after it was written; copy it again, and look at the disk and the transfer.
S003 error truncated: The log ends inside an event.
    The file is cut short; if its server was writing it, copy it again after FLUSH BINARY LOGS.
S004 error zero-tail: The log ends in zero bytes.
    Space was set aside and never written, as after a crash of the machine; cut the file at this position.
S005 error unknown-type: An event's type is not known.
    A newer server may have written the log: look for a newer pybinlog.
S006 info in-use: The log is in use, or its server did not close it.
    Nothing, if the server is writing it; otherwise the server crashed, and will repair it at its next start.
S007 error end-log-pos: An event's end_log_pos is not where the event ends.
    Bytes were taken out or put in before this event, or logs were joined; use the server's own copy.
S008 error format-description: The log has no readable Format_description.
    The file's beginning is lost; copy it again.
S009 error lying-length: A length in an event reaches beyond its end.
    The event was damaged before its checksum was worked out, or has none; use the server's own copy.
S010 warning suspicious-name once: A name holds characters that could do harm in a text.
    See who made the name, and read the text of a dump before a program runs it.
R001 error rows-without-table-map: Rows come without the Table_map event of their table.
    Events are missing; the statement cannot be applied from this log.
R002 error no-statement-end: A statement's last rows event does not end the statement.
    The statement's last rows are missing (flag STMT_END_F); compare the log with the server's own copy.
R003 error payload: A Transaction_payload does not hold exactly one transaction.
    The compressed transaction cannot be applied; use the server's own copy.
G001 error gtid-twice: The same GTID comes twice.
    A replica skips the second transaction; see whether a file was given or copied twice.
G002 error previous-gtids: Previous_gtids disagrees with the logs before.
    A log was changed, left out, or is another server's; check that all logs are given, in order.
G003 error logical-clock: last_committed is not below sequence_number.
    A replica with parallel workers cannot order this transaction; use the server's own copy.
X001 info xa-unfinished: A prepared XA transaction is never finished in these logs.
    See XA RECOVER on the server; a transaction in doubt holds its locks until XA COMMIT or XA ROLLBACK.
X002 error xa-not-prepared: XA COMMIT or XA ROLLBACK of a transaction that is not prepared.
    Check the logs before these, too; if it was prepared in none, a replica stops here.
X003 error xa-prepared-twice: The same XA transaction is prepared twice.
    Its XA COMMIT or XA ROLLBACK is missing between the two; compare the log with the server's own copy.
X004 error xa-unreadable: XA COMMIT or XA ROLLBACK of an xid that cannot be read.
    The statement was damaged; a server does not start on such a log. Compare it with the server's own copy.
X005 error xid-twice: Two transactions of a log have the same Xid.
    A server commits under each number once; see whether a part of the log was copied twice.
E001 info rollback: A transaction ends in ROLLBACK: its changes to non-transactional tables were kept.
    Nothing; use transactional tables only, if such changes must go with their transaction.
F001 error rotate-elsewhere: The log's Rotate names another file than the next one given.
    Give the logs in the order of the server's index file, and all of them.
F002 error numbering-gap: Files are missing between two logs.
    Give the missing files, too; without them a recovery from these logs loses transactions.
F003 error order: The logs are not given in their order.
    Give the logs in the order of their numbers, each once.
V001 error replica-stops: A replica of --replica does not know an event, and stops.
    Let the source write no such events before such a replica is attached, or upgrade the replica.
V002 info replica-ignores: A replica of --replica ignores an event.
    Nothing, unless you need what it says there: GTIDs, or the text of statements.
"""
"""Code, severity, name (and `once`), title; the advice stands below them."""
ROW = re.compile(r"(\w+) (\w+) ([\w-]+)( once)?: (.+)\n    (.+)\n")

RULES = {
    code: Rule(code, name, Severity[severity.upper()], title, advice, bool(once))
    for code, severity, name, once, title, advice in ROW.findall(TABLE)
}
"""Code -> rule."""
