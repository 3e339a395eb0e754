"""RowFormatCheck: --require-row-format, no changes of data but by row events."""

from enum import Enum, auto

from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.scan import Scanner


class State(Enum):
    """The state of the stream in the server's own check: it knows less than pybinlog's boundary parser, and an
    event out of order does not put it out."""

    NONE = auto()
    GTID = auto()
    DDL = auto()
    DML = auto()


ROWS = {
    EventType.TABLE_MAP,
    EventType.ROWS_QUERY,
    EventType.WRITE_ROWS_V1,
    EventType.UPDATE_ROWS_V1,
    EventType.DELETE_ROWS_V1,
    EventType.WRITE_ROWS,
    EventType.UPDATE_ROWS,
    EventType.DELETE_ROWS,
    EventType.PARTIAL_UPDATE_ROWS,
    EventType.VIEW_CHANGE,
}
VARIABLES = {EventType.INTVAR, EventType.RAND, EventType.USER_VAR}
LOAD = {EventType.BEGIN_LOAD_QUERY, EventType.EXECUTE_LOAD_QUERY, EventType.APPEND_BLOCK, EventType.DELETE_FILE}
ENDS = {EventType.XID, EventType.XA_PREPARE, EventType.TRANSACTION_PAYLOAD, EventType.INCIDENT}
GTIDS = {EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED}
ALLOWED_IN_TRANSACTION = (b"XA END", b"XA PREPARE", b"SAVEPOINT", b"CREATE TABLE")
TEMPORARY = (b"CREATE TEMPORARY", b"DROP TEMPORARY")


class RowFormatCheck:
    """Tells the first event that is not row format. One for each log (MySQL manual, REQUIRE_ROW_FORMAT)."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._state = State.NONE

    def first_violation(self, batch: EventBatch) -> int | None:
        """Return the index of the first event of the batch that breaks the rule, None if none does."""
        for index in range(batch.count):
            kind = batch.type(index)
            query = self._scanner.statement(batch, index) if kind == EventType.QUERY else b""
            if self._violates(kind, query):
                return index
        return None

    def _violates(self, kind: int, query: bytes) -> bool:
        statement = self._step(kind, query)
        if kind in VARIABLES:
            return kind != EventType.USER_VAR or self._state is not State.DDL
        word = query.upper()
        if (statement or self._state is State.NONE) and len(query) > 16 and word.startswith(TEMPORARY):
            return True
        if kind in LOAD:
            return True
        if statement and self._state is State.DML and kind not in ROWS:
            return not (kind == EventType.QUERY and word.startswith(ALLOWED_IN_TRANSACTION))
        return False

    def _step(self, kind: int, query: bytes) -> bool:
        """Continue by one event; True if it is a statement or a part of one."""
        word = query.upper()
        if kind in GTIDS:
            self._state = State.GTID
        elif kind == EventType.QUERY and (query == b"BEGIN" or query.startswith(b"XA START")):
            self._state = State.DML
        elif kind in ENDS or (
            kind == EventType.QUERY
            and (
                query == b"COMMIT"
                or (word.startswith(b"ROLLBACK") and not word.startswith(b"ROLLBACK TO "))
                or word.startswith(b"XA ROLLBACK")
            )
        ):
            self._state = State.NONE
        elif kind == EventType.QUERY or kind in ROWS or (kind in LOAD and kind != EventType.DELETE_FILE):
            if self._state is not State.DML:
                self._state = State.NONE
            return True
        elif kind in VARIABLES and self._state is not State.DML:
            self._state = State.DDL
        return False
