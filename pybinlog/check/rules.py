"""The rules of `pybinlog check`: codes, severities and advice. docs/check.md explains each with an example."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.check.finding import Severity

INFO, WARNING, ERROR = Severity.INFO, Severity.WARNING, Severity.ERROR


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

RULES: dict[str, Rule] = {
    rule.code: rule
    for rule in (
        Rule(
            "B001",
            "boundary-refused",
            ERROR,
            "The boundary parser refuses a transition.",
            "A part of the log is missing or out of place here; compare it with the server's own copy.",
        ),
        Rule(
            "B002",
            "starts-inside",
            ERROR,
            "The stream starts inside a transaction.",
            "The transaction's beginning is in an earlier log, or was cut away; check that log together with this one.",
        ),
        Rule(
            "B003",
            "ends-inside",
            ERROR,
            "The file ends inside a transaction.",
            "The file is cut short or was copied while it was written; copy it again after FLUSH BINARY LOGS.",
        ),
        Rule(
            "B004",
            "gtid-without-statement",
            ERROR,
            "No statement follows a GTID.",
            "The transaction's events are missing; compare the log with the server's own copy.",
        ),
        Rule(
            "B005",
            "restart-inside",
            ERROR,
            "The server was started anew inside a transaction.",
            "The server crashed while it wrote the transaction, which is not whole; skip it when the log is applied.",
        ),
        Rule(
            "B006",
            "marker-contradicts",
            WARNING,
            "A transaction boundary marker contradicts the event's content.",
            "Write the markers anew with `pybinlog tag --clear` and `pybinlog tag`.",
        ),
        Rule(
            "B007",
            "marker-reserved",
            WARNING,
            "A transaction boundary marker has a reserved value.",
            "Write the markers anew with `pybinlog tag --clear` and `pybinlog tag`.",
        ),
        Rule(
            "B008",
            "statement-without-end",
            ERROR,
            "A statement has no end.",
            "Events of the statement are missing; compare the log with the server's own copy. Tables without rows come "
            "of a statement that failed, and do no harm.",
        ),
        Rule(
            "B009",
            "empty-transaction",
            INFO,
            "A transaction holds no statement.",
            "Nothing: a server writes one if a filter dropped its statements, or if someone runs BEGIN and COMMIT for "
            "a GTID.",
        ),
        Rule(
            "S001",
            "checksum",
            ERROR,
            "An event's checksum does not match its bytes.",
            "The file was damaged after it was written; copy it again, and look at the disk and the transfer.",
        ),
        Rule(
            "S002",
            "impossible-size",
            ERROR,
            "An event's size is impossible.",
            "The file was damaged after it was written; copy it again, and look at the disk and the transfer.",
        ),
        Rule(
            "S003",
            "truncated",
            ERROR,
            "The log ends inside an event.",
            "The file is cut short; if its server was writing it, copy it again after FLUSH BINARY LOGS.",
        ),
        Rule(
            "S004",
            "zero-tail",
            ERROR,
            "The log ends in zero bytes.",
            "Space was set aside and never written, as after a crash of the machine; cut the file at this position.",
        ),
        Rule(
            "S005",
            "unknown-type",
            ERROR,
            "An event's type is not known.",
            "A newer server wrote the log, or it is damaged; look for a newer pybinlog.",
        ),
        Rule(
            "S006",
            "in-use",
            INFO,
            "The log is in use, or its server did not close it.",
            "Nothing, if the server is writing it; otherwise the server crashed, and will repair it at its next start.",
        ),
        Rule(
            "S007",
            "end-log-pos",
            ERROR,
            "An event's end_log_pos is not where the event ends.",
            "Bytes were taken out or put in before this event, or logs were joined; use the server's own copy.",
        ),
        Rule(
            "S008",
            "format-description",
            ERROR,
            "The log has no readable Format_description.",
            "The file's beginning is lost; copy it again.",
        ),
        Rule(
            "S009",
            "lying-length",
            ERROR,
            "A length in an event reaches beyond its end.",
            "The event was damaged before its checksum was worked out, or has none; use the server's own copy.",
        ),
        Rule(
            "S010",
            "suspicious-name",
            WARNING,
            "A name holds characters that could do harm in a text.",
            "See who made the name, and read the text of a dump before a program runs it.",
            once=True,
        ),
        Rule(
            "R001",
            "rows-without-table-map",
            ERROR,
            "Rows come without the Table_map event of their table.",
            "Events are missing; the statement cannot be applied from this log.",
        ),
        Rule(
            "R002",
            "no-statement-end",
            ERROR,
            "A statement's last rows event does not end the statement.",
            "The statement's last rows are missing (flag STMT_END_F); compare the log with the server's own copy.",
        ),
        Rule(
            "R003",
            "payload",
            ERROR,
            "A Transaction_payload does not hold exactly one transaction.",
            "The compressed transaction cannot be applied; use the server's own copy.",
        ),
        Rule(
            "G001",
            "gtid-twice",
            ERROR,
            "The same GTID comes twice.",
            "A replica skips the second transaction; see whether a file was given or copied twice.",
        ),
        Rule(
            "G002",
            "previous-gtids",
            ERROR,
            "Previous_gtids disagrees with the logs before.",
            "A log was changed, left out, or is another server's; check that all logs are given, in order.",
        ),
        Rule(
            "G003",
            "logical-clock",
            ERROR,
            "last_committed is not below sequence_number.",
            "A replica with parallel workers cannot order this transaction; use the server's own copy.",
        ),
        Rule(
            "X001",
            "xa-unfinished",
            INFO,
            "A prepared XA transaction is never finished in these logs.",
            "See XA RECOVER on the server; a transaction in doubt holds its locks until XA COMMIT or XA ROLLBACK.",
        ),
        Rule(
            "X002",
            "xa-not-prepared",
            ERROR,
            "XA COMMIT or XA ROLLBACK of a transaction that is not prepared.",
            "Check the logs before these, too; if it was prepared in none, a replica stops here.",
        ),
        Rule(
            "X003",
            "xa-prepared-twice",
            ERROR,
            "The same XA transaction is prepared twice.",
            "Its XA COMMIT or XA ROLLBACK is missing between the two; compare the log with the server's own copy.",
        ),
        Rule(
            "X004",
            "xa-unreadable",
            ERROR,
            "XA COMMIT or XA ROLLBACK of an xid that cannot be read.",
            "The statement was damaged; a server does not start on such a log. Compare it with the server's own copy.",
        ),
        Rule(
            "X005",
            "xid-twice",
            ERROR,
            "Two transactions of a log have the same Xid.",
            "A server commits under each number once; see whether a part of the log was copied twice.",
        ),
        Rule(
            "E001",
            "rollback",
            INFO,
            "A transaction ends in ROLLBACK: its changes to non-transactional tables were kept.",
            "Nothing; use transactional tables only, if such changes must go with their transaction.",
        ),
        Rule(
            "F001",
            "rotate-elsewhere",
            ERROR,
            "The log's Rotate names another file than the next one given.",
            "Give the logs in the order of the server's index file, and all of them.",
        ),
        Rule(
            "F002",
            "numbering-gap",
            ERROR,
            "Files are missing between two logs.",
            "Give the missing files, too; without them a recovery from these logs loses transactions.",
        ),
        Rule(
            "F003",
            "order",
            ERROR,
            "The logs are not given in their order.",
            "Give the logs in the order of their numbers, each once.",
        ),
        Rule(
            "V001",
            "replica-stops",
            ERROR,
            "A replica of --replica does not know an event, and stops.",
            "Let the source write no such events before such a replica is attached, or upgrade the replica.",
        ),
        Rule(
            "V002",
            "replica-ignores",
            INFO,
            "A replica of --replica ignores an event.",
            "Nothing, unless you need what it says there: GTIDs, or the text of statements.",
        ),
    )
}
"""Code -> rule."""
