"""Contents: what transactions say, without what two logs of the same transactions may differ in.

Statements count by their text, default database, sql_mode, character sets and variables, rows by the values of their
columns, in order. Ids of threads and tables, the grouping of rows into events, compression and the form of row images
do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span, spans
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.undo import sql_text
from pybinlog.kernel.undo.change_sink import CHANGE_END, CHANGE_ROW, CHANGE_VARIABLE
from pybinlog.kernel.undo.changed_images import ChangedImages
from pybinlog.log.executed import wanted_set
from pybinlog.log.gap_watch import GapWatch
from pybinlog.source.log_series import LogName
from pybinlog.statement import LoggedStatement
from pybinlog.undo.reading import changes_read
from pybinlog.undo.row_judge import RowJudge, TransactionEnd
from pybinlog.undo.table import STRINGS, Form
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import ROWS

Values: TypeAlias = "list[bytes | None] | None"
"A row image by column: None, or empty, for a value that it lacks."

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.undo.change_sink import ChangeSink
    from pybinlog.views.kernel_views import Making


class Place(NamedTuple):
    """A transaction's log and position."""

    log: str
    position: int

    def __str__(self) -> str:
        return f"{self.log}:{self.position}"


class RowContent(NamedTuple):
    """A changed row: its table, INSERT, UPDATE or DELETE, its images, and the names of its columns, if known."""

    table: str
    operation: str
    before: Values
    after: Values
    names: tuple[str | None, ...]


class StatementContent(NamedTuple):
    """A statement and what its result depends on: its default database, `sql_mode`, its client's and connection's
    character sets, and the events of its variables.
    """

    text: bytes
    database: bytes
    sql_mode: int
    charset: bytes
    variables: tuple[bytes, ...]


class Content(NamedTuple):
    """A transaction's changes. `key` is its GTID, or its log and position if it has none."""

    key: str
    place: Place
    items: list[RowContent | StatementContent]


def key_of(gtid: str | None, log: str, position: int | None) -> str:
    return gtid or f"{LogName.of(log).base}:{position}"


class Held:
    """The transactions of some logs: their keys with their places; and the GTIDs among them. `gaps` sees the logs."""

    def __init__(self, names: Sequence[str], warn: Callable[[str], object], gaps: GapWatch):
        self.places: dict[str, Place] = {}
        reader = ViewReader(
            ViewOptions(view="transactions", columns=("gtid", "file", "start_position", "end_position")),
            gaps=gaps,
            counts_statements=False,
            warn=warn,
        )
        for span in spans(names):
            for gtid, file, start, end in reader.rows(span):
                position = end if start is None else start
                self.places[key_of(gtid, file, start)] = Place(file, position)

    def gtid(self, key: str) -> GtidSet | None:
        """Return the set of one GTID; None for a transaction that has none."""
        if "." in key:
            return None
        return wanted_set(key)


class ContentJudge(RowJudge):
    """Takes what the kernel's ChangeView finds; `contents` are the transactions so far, whose keys are `wanted`."""

    def __init__(self, wanted: Callable[[str], bool]):
        self.contents: list[Content] = []
        self._wanted = wanted
        self._items: list[RowContent | StatementContent] = []
        self._variables: list[bytes] = []

    def sink(self, cells: list[tuple[str, int]], making: Making) -> ChangeSink:
        sink = ChangedImages(cells, self, True)
        sink.takes_variables = True
        return sink

    def table(
        self, database: bytes, name: bytes, described: list[Any], body: bytes, mariadb: bool, file: bytes, position: int
    ) -> tuple[tuple[str, tuple[str | None, ...]], list[Any], bytes, int, list[Any], bytes]:
        """Return a table by a definition of it, as ChangeSink has it: values are written by their bytes alone."""
        label = b".".join((database, name)).decode("utf-8", "surrogateescape")
        forms = [tuple(Form(sql_text.AS_HEXADECIMAL) if column[1] in STRINGS else Form()) for column in described]
        names = tuple(None if column[0] is None else column[0].decode("utf-8", "replace") for column in described)
        return (label, names), forms, b"\0", 0, [], b""

    def event(
        self, cells: dict[str, Any], table: tuple[str, tuple[str | None, ...]], flags: int, before: int, after: int
    ) -> tuple[str, str, tuple[str | None, ...]]:
        """Return what stands for a row event."""
        return table[0], cells["operation"], table[1]

    def statement(self, logged: tuple[Any, ...], chosen: bool) -> StatementContent:
        """Return what stands for a statement."""
        variables, self._variables = tuple(self._variables), []
        one = LoggedStatement(*logged)
        return StatementContent(one.text, one.database, one.sql_mode, (one.charset or b"")[:4], variables)

    def unwritable(self, event: object, place: int) -> None:
        """Take a value that SQL cannot write; its bytes are compared nevertheless."""

    def add(self, found: Iterable[tuple[Any, ...]]) -> None:
        """Take rows, statements and ends of transactions."""
        for one in found:
            if one[0] == CHANGE_ROW:
                _, (label, operation, names), before, after, *_ = one
                old, new = (None if image is None else image[1] for image in (before, after))
                self._items.append(RowContent(label, operation, old, new, names))
            elif one[0] == CHANGE_END:
                end = TransactionEnd(*one[1:])
                items, self._items = self._items, []
                file = end.cells["file"]
                key = key_of(end.cells["gtid"], file, end.start)
                if self._wanted(key):
                    self.contents.append(Content(key, Place(file, end.start), items))
            elif one[0] == CHANGE_VARIABLE:
                self._variables.append(one[1])
            else:
                self._items.append(one[2])

    def pop(self) -> list[Content]:
        contents, self.contents = self.contents, []
        return contents


def contents_of(feed: Feed, spans: Iterable[Span], wanted: Callable[[str], bool]) -> Iterator[Content]:
    """Yield the transactions of spans whose keys are wanted. Raise BinlogError if a log cannot be read."""
    judge = ContentJudge(wanted)
    for span in spans:
        for _ in changes_read(feed, ViewOptions(view=ROWS.name), judge, span):
            yield from judge.pop()
