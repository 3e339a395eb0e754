"""DumpOptions: what to dump and in which form, under the names that mysqlbinlog gives its options."""

from __future__ import annotations

from enum import Enum

from pybinlog.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.filters import NameRules
    from pybinlog.where import Condition


class Base64Output(Enum):
    """When BINLOG statements with base64 text are written (`--base64-output`)."""

    NEVER = "never"
    AUTO = "auto"
    UNSPEC = "unspec"  # not said: the same as AUTO, but the reference lists it among the values
    DECODE_ROWS = "decode-rows"


class DumpOptions(Record):
    """Every option of a dump; the defaults are the reference's.

    Names that come from the command line (`database`, `rewrite_db`, `set_charset`, `local_load`) are text; bytes that
    are not UTF-8 stand in them as surrogate escapes, so `.encode("utf-8", "surrogateescape")` gives the bytes to
    compare with those of an event. Positions are bytes of the uncompressed stream, datetimes seconds since 1970 UTC.
    """

    base64_output: Base64Output = Base64Output.AUTO
    database: str | None = None  # only events of this database
    rewrite_db: tuple[tuple[str, str], ...] = ()  # (from, to), in the order given
    disable_log_bin: bool = False
    force_if_open: bool = True  # skip a cut tail of a log whose in-use flag is set
    force_read: bool = False  # skip events of unknown types
    recover: bool = False  # continue after damage
    allow_gaps: bool = False  # continue if a log is missing between two
    hexdump: bool = False
    idempotent: bool = False
    local_load: str | None = None  # folder for LOAD DATA files; None: the folder for temporary files
    offset: int = 0  # events to skip
    server_id: int | None = None  # only events that this server created
    server_id_bits: int = 32  # 7 to 32
    set_charset: str | None = None
    short_form: bool = False
    start_datetime: int | None = None
    stop_datetime: int | None = None
    start_position: int = 4  # of the first file
    stop_position: int | None = None  # of the last file
    start_gtids: str | None = None  # the position that transactions of MariaDB come after, one GTID for each domain
    stop_gtids: str | None = None  # the position that they go up to
    verbose: int = 0  # 1: rows as statements in comments, 2: column types too
    verify_binlog_checksum: bool = False
    binlog_row_event_max_size: int = 4294967040  # bytes, a multiple of 256
    skip_gtids: bool = False
    include_gtids: str | None = None  # a GTID set as text, of MySQL or MariaDB; checked by the dump
    exclude_gtids: str | None = None
    print_table_metadata: bool = False
    require_row_format: bool = False
    tbm: bool = True  # the TBM field on every header line
    statement_bits: bool = False  # the BITS field
    column_names: bool = False  # print names of columns if they are known
    # pybinlog's own: transactions stay with their frames, or go as a whole
    names: NameRules | None = None  # databases and tables
    event_types: frozenset[int] | None = None
    operations: frozenset[str] = frozenset()  # of "insert", "update", "delete", "ddl"; empty: all
    thread_ids: frozenset[int] | None = None
    server_ids: frozenset[int] | None = None  # several; one is `server_id`
    where: Condition | None = None  # on the values of rows; only where no event is printed as bytes or in base64
    resolve_xa: str | None = None  # "commit", "rollback" or "hold" XA transactions that the text leaves prepared

    @property
    def filters(self) -> bool:
        """Return True if events may be omitted, of some log or of the last."""
        dates_and_positions = (self.start_datetime, self.stop_datetime, self.stop_position)
        gtids = (self.start_gtids, self.stop_gtids, self.include_gtids, self.exclude_gtids)
        others = (self.database, self.server_id, *dates_and_positions, *gtids)
        return bool(self.filters_transactions or self.offset) or any(value is not None for value in others)

    @property
    def filters_transactions(self) -> bool:
        """Return True if filters keep or drop whole transactions: with an option that the reference does not have."""
        others = (self.names, self.event_types, self.thread_ids, self.server_ids, self.where, self.resolve_xa)
        return bool(self.operations) or any(value is not None for value in others)
