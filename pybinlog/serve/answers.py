"""Answers: the few questions that clients of the replication protocol ask before a dump. This is no SQL engine."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice

from pybinlog.errors import BinlogError
from pybinlog.feed.span import Span
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.executed import set_text
from pybinlog.serve.archive import NO_LIMIT, Archive
from pybinlog.serve.dump_command import Session
from pybinlog.serve.refused import NOT_SUPPORTED, Refused
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import SHOWN_EVENTS

Row = Sequence[object]

NAME = r"[A-Za-z_][A-Za-z0-9_.$]*"
TEXT = r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\""
VALUE = rf"{TEXT}|[^,'\"]+"
ASSIGNMENT = re.compile(rf"\s*(@?@?{NAME}|`[^`]+`)\s*:?=\s*({VALUE})\s*(?:,|$)", re.DOTALL)
SESSION_SCOPE = re.compile(r"(?:@@)?(?:session|local)[\s.]+", re.IGNORECASE)
SPECIAL_SET = re.compile(r"(?:names|character set|charset)\s|(?:session )?transaction\s", re.IGNORECASE)
SHOW_VARIABLES = re.compile(
    rf"show\s+(?:global\s+|session\s+)?variables\s+(?:like|where\s+variable_name\s*=)\s*({VALUE})", re.IGNORECASE
)
LIKE = {"%": ".*", "_": "."}
KEPT = frozenset(
    """source_binlog_checksum master_binlog_checksum source_heartbeat_period master_heartbeat_period replica_uuid
    slave_uuid mariadb_slave_capability slave_connect_state slave_gtid_strict_mode slave_until_gtid
    slave_gtid_until_before_gtids""".split()
)
"""The user variables of clients that mean something here; a session keeps no others."""
LONGEST_QUESTION, LONGEST_PATTERN, MOST_COLUMNS = 4096, 64, 100
"""Characters, and columns of a row; SET may have more, for the state of a replica with many domains."""
MOST_ROWS = 1 << 40
NO_SUCH_VARIABLE, NO_SUCH_LOG = 1193, 1220
SHOW_EVENTS = re.compile(
    rf"show\s+binlog\s+events(?:\s+in\s+({TEXT}))?(?:\s+from\s+(\d+))?(?:\s+limit\s+(?:(\d+)\s*,\s*)?(\d+))?",
    re.IGNORECASE,
)
EVENT_COLUMNS = ("Log_name", "Pos", "Event_type", "Server_id", "End_log_pos", "Info")
CONSTANTS = {
    "binlog_format": "ROW",
    "gtid_domain_id": 0,
    "log_bin": "ON",
    "lower_case_table_names": 0,
    "max_allowed_packet": 1 << 30,
    "read_only": "ON",
    "sql_mode": "",
    "system_time_zone": "UTC",
    "time_zone": "SYSTEM",
    "version_comment": "pybinlog serve",
    "wait_timeout": 28800,
}
SUPPORTED = (
    "pybinlog serve sends binary logs and has no SQL: it answers SET, SELECT of variables, SHOW VARIABLES LIKE, SHOW "
    "BINARY LOGS, SHOW BINARY LOG STATUS and SHOW BINLOG EVENTS"
)


class Answer:
    """The result set of a question."""

    def __init__(self, names: Sequence[str], rows: Iterable[Row]):
        self.names, self.rows = names, rows


class Answers:
    """Answers the statements of one client; its session keeps the variables that it sets."""

    def __init__(self, archive: Archive, session: Session):
        self._archive = archive
        self._session = session

    def answer(self, statement: str) -> Answer | None:
        """Return the result set, None if there is none. Raise Refused for all else that a client asks."""
        text = without_comments(statement).strip().rstrip(";").strip()
        if text[:4].lower() == "set ":
            self._set(text[4:].strip())
            return None
        if len(text) > LONGEST_QUESTION:
            raise Refused(SUPPORTED, NOT_SUPPORTED, "42000")
        words = " ".join(text.lower().split())
        if words.startswith("select "):
            return self._select(text[7:].strip())
        if words in ("show binary logs", "show master logs"):
            return self._binary_logs()
        if words in ("show binary log status", "show master status", "show binlog status"):
            return self._status()
        if match := SHOW_EVENTS.fullmatch(text):
            return self._events(*match.groups())
        if match := SHOW_VARIABLES.fullmatch(text):
            return self._variables_like(plain(match[1]))
        if words.startswith(("show warnings", "show errors")):
            return Answer(["Level", "Code", "Message"], [])
        raise Refused(SUPPORTED, NOT_SUPPORTED, "42000")

    # ---- SET

    def _set(self, text: str) -> None:
        """Keep user variables; skip variables of the session, which change nothing here."""
        if SPECIAL_SET.match(text):
            return
        at = 0
        while at < len(text):
            match = ASSIGNMENT.match(text, at)
            scoped = SESSION_SCOPE.match(text, at)
            if match is None and scoped is not None:
                match = ASSIGNMENT.match(text, scoped.end())
            name = "" if match is None else match[1].strip("`").lower()
            if match is None or name.startswith("@@global") or text[at : at + 7].lower() == "global ":
                raise Refused(SUPPORTED, NOT_SUPPORTED, "42000")
            if name[1:] in KEPT and name.startswith("@"):
                self._session.variables[name[1:]] = self._value(match[2].strip())
            at = match.end()

    # ---- SELECT

    def _select(self, text: str) -> Answer:
        text = re.sub(r"\s+limit\s+1$", "", text, flags=re.IGNORECASE)
        parts = [part.strip() for part in re.split(r",(?![^()]*\))", text)]
        if len(parts) > MOST_COLUMNS:
            raise Refused(SUPPORTED, NOT_SUPPORTED, "42000")
        names, values = [], []
        for part in parts:
            value, *alias = re.split(r"\s+as\s+", part, flags=re.IGNORECASE)
            values.append(self._value(value.strip()))
            names.append(plain(alias[0].strip()) if alias else part)
        return Answer(names, [values])

    def _value(self, text: str) -> str | None:
        """Return the value of an expression: a literal, a variable, a function that clients call."""
        lower = text.lower()
        if text[:1] in "'\"":
            return plain(text)
        if re.fullmatch(r"[+-]?[0-9]+(\.[0-9]*)?(e[0-9]+)?", lower):
            return text
        if lower in ("null", "default"):
            return None
        if lower.startswith("@@"):
            name = re.sub(r"^(global|session|local)\.", "", lower[2:]).strip("`")
            return self._variable(name)
        if lower.startswith("@"):
            return self._session.variables.get(lower[1:])
        return self._function(lower)

    def _function(self, text: str) -> str | None:
        name, _, arguments = text.partition("(")
        arguments = arguments.rstrip(")").strip()
        if name.strip() == "binlog_gtid_pos":
            return self._gtid_position(arguments)
        if not arguments:
            if name in ("unix_timestamp", "unix_timestamp "):
                return str(int(time.time()))
            if name == "version":
                return self._archive.version
            if name == "now":
                return time.strftime("%Y-%m-%d %H:%M:%S")
            if name in ("database", "schema"):
                return None
            if name in ("user", "current_user"):
                return f"{self._session.user}@%"
            if name == "connection_id":
                return str(self._session.connection_id)
        raise Refused(SUPPORTED, NOT_SUPPORTED, "42000")

    def _gtid_position(self, arguments: str) -> str | None:
        """Return MariaDB's binlog_gtid_pos(log, position)."""
        name, _, position = arguments.partition(",")
        log = self._archive.named(plain(name.strip()))
        if log is None or not position.strip().isdecimal():
            return None
        try:
            return str(self._archive.executed_at(log, max(int(position), MAGIC_LENGTH)))
        except BinlogError:
            return None

    # ---- variables

    def _variable(self, name: str) -> str | None:
        if name == "server_id":
            self._session.asked_server_id = True
        value = self._variables().get(name)
        if value is None:
            raise Refused(f"Unknown system variable '{name}'", NO_SUCH_VARIABLE)
        return value()

    def _variables_like(self, pattern: str) -> Answer:
        if len(pattern) > LONGEST_PATTERN:
            raise Refused(SUPPORTED, NOT_SUPPORTED, "42000")
        pattern = re.sub("%+", "%", pattern)
        regular = "".join(LIKE.get(one, re.escape(one)) for one in pattern.lower().replace("\\", ""))
        found = {name: value for name, value in self._variables().items() if re.fullmatch(regular, name)}
        if "server_id" in found:
            self._session.asked_server_id = True
        return Answer(["Variable_name", "Value"], [(name, value()) for name, value in found.items()])

    def _variables(self) -> dict[str, Callable[[], str | None]]:
        """Return the variables that clients of the protocol ask for. The value of some takes a look into the logs."""
        archive = self._archive
        found: dict[str, Callable[[], str | None]] = {
            "version": lambda: archive.version,
            "server_id": lambda: str(archive.server_id),
            "binlog_checksum": lambda: archive.checksum,
            "binlog_row_metadata": lambda: archive.row_metadata,
            **{name: partial(str, value) for name, value in CONSTANTS.items()},
        }
        if archive.is_mariadb:
            found["gtid_binlog_pos"] = found["gtid_current_pos"] = self._executed
            return found
        return found | {
            "server_uuid": lambda: archive.server_uuid,
            "gtid_mode": lambda: archive.gtid_mode,
            "gtid_purged": lambda: set_text(archive.purged),
            "gtid_executed": self._executed,
        }

    def _executed(self) -> str:
        return str(self._archive.executed())

    # ---- SHOW

    def _binary_logs(self) -> Answer:
        logs = [(log.name, log.last_position) for log in self._archive.logs]
        if self._archive.is_mariadb:
            return Answer(["Log_name", "File_size"], logs)
        return Answer(["Log_name", "File_size", "Encrypted"], [(*row, "No") for row in logs])

    def _status(self) -> Answer:
        last = self._archive.last
        names = ["File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB"]
        row = [last.name, str(last.end), "", ""]
        if not self._archive.is_mariadb:
            names.append("Executed_Gtid_Set")
            row.append(self._executed())
        return Answer(names, [row])

    def _events(self, name: str | None, start: str | None, offset: str | None, count: str | None) -> Answer:
        log = self._archive.first if name is None else self._archive.named(plain(name))
        position = int(start or MAGIC_LENGTH)
        if log is None or not MAGIC_LENGTH <= position <= log.last_position:
            raise Refused(
                "Error when executing command SHOW BINLOG EVENTS: Could not find target log, or the position in it",
                NO_SUCH_LOG,
            )
        reader = ViewReader(ViewOptions(view=SHOWN_EVENTS.name, columns=EVENT_COLUMNS), warn=lambda _: None)
        stop = None if log.end == NO_LIMIT else log.end
        rows = ((log.name, *row[1:]) for row in reader.rows(Span((log.path,), position, stop)))
        first, most = min(int(offset or 0), MOST_ROWS), min(int(count or MOST_ROWS), MOST_ROWS)
        return Answer(EVENT_COLUMNS, islice(rows, first, first + most))


def without_comments(statement: str) -> str:
    """Return a statement with a blank in place of each comment."""
    parts, at = [], 0
    while (begin := statement.find("/*", at)) >= 0 and (end := statement.find("*/", begin + 2)) >= 0:
        parts.append(statement[at:begin])
        at = end + 2
    return " ".join([*parts, statement[at:]])


def plain(text: str) -> str:
    """Return what a literal or a name in quotes stands for."""
    if text[:1] in "'\"`" and text[-1:] == text[:1] and len(text) > 1:
        quote = text[0]
        return re.sub(r"\\(.)", r"\1", text[1:-1].replace(quote * 2, quote))
    return text
