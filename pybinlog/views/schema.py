"""The views and their columns: declared here once, for the kernel, the filters, Arrow, Spark and the documentation.

The build reads this file before there is a kernel (setup.py).
"""

from __future__ import annotations

from pybinlog.views.view import Column, Filter, Kind, Need, View

EVENTS = View(
    "events",
    "a row for every event, the default",
    (
        Column("file", Kind.STRING, "The log, by the name it was read under."),
        Column(
            "position",
            Kind.LONG,
            "Offset of the event in the uncompressed log, in bytes; inside a Transaction_payload the payload's.",
            filter=Filter.POSITION,
        ),
        Column("end_position", Kind.LONG, "Offset of the byte after the event, or after its payload."),
        Column(
            "timestamp",
            Kind.TIMESTAMP,
            "The header's, to the second. Null if that is 0 (events that servers make up).",
            filter=Filter.TIME,
        ),
        Column(
            "event_type", Kind.STRING, "As the dump names it: `Query`, `Xid`, `Write_rows` ...", filter=Filter.TYPES
        ),
        Column("server_id", Kind.LONG, "The id of the server that created the event."),
        Column("flags", Kind.INTEGER, "The 16 flags of the header."),
        Column("boundary", Kind.STRING, "The boundary type, for example `Start Transaction`."),
        Column(
            "boundary_inferred", Kind.BOOLEAN, "True if pybinlog inferred the type, false if the event has a marker."
        ),
        Column(
            "starts",
            Kind.STRING,
            "The start field of the statement bits: `No_start`, `Statement_start` or `Transaction_start`.",
            need=Need.BITS,
        ),
        Column(
            "ends",
            Kind.STRING,
            "The end field: `No_end`, `Statement_end`, `Transaction_commit` or `Rollback`.",
            need=Need.BITS,
        ),
        Column(
            "gtid",
            Kind.STRING,
            "The GTID of the event's transaction: `uuid:number`, `uuid:tag:number`, of MariaDB "
            "`domain-server-number`. Null outside transactions, and in transactions without a GTID (anonymous).",
            filter=Filter.GTIDS,
        ),
        Column(
            "xid",
            Kind.LONG,
            "The xid of an Xid event, and of a Query that is DDL (`ddl_xid`). Null for all other events.",
        ),
        Column(
            "transaction_position",
            Kind.LONG,
            "Position in `file` of the first event of the event's transaction. If that is in an earlier relay log, or "
            "not in these logs, the position of the first one that is. Null outside transactions.",
        ),
        Column(
            "database",
            Kind.STRING,
            "The session's database of a Query, the table's of Table_map and row events. Null for all other events and "
            "for a Query without one.",
            filter=Filter.DATABASES,
        ),
        Column(
            "table",
            Kind.STRING,
            "Of Table_map and row events; null for all other events and for unknown tables.",
            filter=Filter.TABLES,
        ),
        Column(
            "query",
            Kind.STRING,
            "The statement of a Query, Execute_load_query, Rows_query or Annotate_rows. Null for all other events.",
        ),
        Column("size", Kind.LONG, "Bytes of the event, with its checksum; inside a payload its uncompressed bytes."),
        Column(
            "checksum_ok",
            Kind.BOOLEAN,
            "True if the CRC32 matches the event's bytes. Null in logs without checksums and inside payloads.",
            need=Need.CHECKSUMS,
        ),
        Column("in_payload", Kind.BOOLEAN, "True if the event is inside a Transaction_payload."),
        Column(
            "end_log_pos",
            Kind.LONG,
            "The header's, which has 32 bits; inside a payload the payload's. MariaDB 11.4 and later write 0 inside a "
            "group.",
        ),
        Column(
            "info",
            Kind.STRING,
            "The column Info of SHOW BINLOG EVENTS ([events](events.md)). Null if pybinlog does not know it.",
        ),
    ),
    extra=(
        Column(
            "digest",
            Kind.STRING,
            "The digest of `query` ([statements](stats.md#statements)), only if a query names the column.",
        ),
    ),
)

TRANSACTIONS = View(
    "transactions",
    "a row for every transaction",
    (
        Column("gtid", Kind.STRING, "As in the view events. Null if the transaction has none.", filter=Filter.GTIDS),
        Column("file", Kind.STRING, "The log in which the transaction begins."),
        Column(
            "start_position",
            Kind.LONG,
            "Offset of its first event. Null if that is not in these logs.",
        ),
        Column(
            "end_position",
            Kind.LONG,
            "Offset of the byte after its last event (in a relay log maybe in a later file).",
        ),
        Column(
            "begin_time",
            Kind.TIMESTAMP,
            "Timestamp of the first event after the GTID, to the second. Null if no event has one.",
        ),
        Column(
            "commit_time",
            Kind.TIMESTAMP,
            "The GTID event's immediate_commit_timestamp, to the microsecond; before MySQL 8.0 and in MariaDB the "
            "timestamp of the last event. Null if neither is known.",
            filter=Filter.TIME,
        ),
        Column(
            "seconds",
            Kind.LONG,
            "Whole seconds from `begin_time` to `commit_time`, because `begin_time` has no fractions. Null if either "
            "is unknown.",
        ),
        Column("events", Kind.LONG, "Events of the transaction, including those inside a payload."),
        Column(
            "rows",
            Kind.LONG,
            "Rows that its row events change; 0 for statements. Null if pybinlog cannot count them, for example "
            "because the transaction's beginning is missing.",
        ),
        Column("bytes", Kind.LONG, "Bytes of its events in the log, as they are stored (compressed or not)."),
        Column("tables", Kind.STRINGS, "The tables whose rows it changes, as `database.table`, each once."),
        Column(
            "ended",
            Kind.STRING,
            "`commit`, `rollback`, `xa prepare`, `xa commit`, `xa rollback`, `statement` (a statement that commits by "
            "itself, mostly DDL) or `incident`. Null if these logs do not contain its end.",
        ),
        Column(
            "xa_xid", Kind.STRING, "The xid of an XA transaction, as in XA statements: `X'6731',X'',1`. Null otherwise."
        ),
        Column(
            "thread_id",
            Kind.LONG,
            "The connection: `thread_id` of its first statement, mostly BEGIN, or of MariaDB's Gtid event, which has "
            "it from 11.5 on. Null if none of its events has one.",
        ),
        Column(
            "table_rows",
            Kind.JSON,
            'The rows of each table: `{"shop.orders":3}`. Null if pybinlog cannot count them.',
        ),
        Column(
            "last_committed",
            Kind.LONG,
            "MySQL's logical timestamp: the `sequence_number` of the last transaction of this log that must commit "
            "before this one can run. Null in MariaDB and before MySQL 5.7.",
        ),
        Column(
            "sequence_number",
            Kind.LONG,
            "The transaction's own logical timestamp, counted from 1 in each log. Null as above.",
        ),
        Column(
            "commit_lag",
            Kind.LONG,
            "Microseconds from the commit on the original server to the commit on the server that wrote the log; 0 on "
            "the original server. Null in MariaDB and before MySQL 8.0.",
        ),
        Column(
            "duration",
            Kind.LONG,
            "Microseconds from `begin_time` to `commit_time`, at most. Null if either is unknown.",
        ),
        Column(
            "duration_error",
            Kind.LONG,
            "How many microseconds shorter the duration may be: a second, because BEGIN has whole seconds; two if the "
            "commit has them as well.",
        ),
    ),
)

ROWS = View(
    "rows",
    "a row for every changed row",
    (
        Column("gtid", Kind.STRING, "The transaction's, as in the view events.", filter=Filter.GTIDS),
        Column("file", Kind.STRING, "The log, by the name it was read under."),
        Column("position", Kind.LONG, "Offset of the row event (or of the payload it is in).", filter=Filter.POSITION),
        Column("end_position", Kind.LONG, "Offset of the byte after the event, or after its payload."),
        Column(
            "transaction_position",
            Kind.LONG,
            "Position in `file` of the first event of the transaction. If that is in an earlier relay log, or not in "
            "these logs, the position of the first one that is.",
        ),
        Column(
            "event",
            Kind.LONG,
            "Number of the row event among the events of its transaction, from 1, as the column `events` of the view "
            "transactions counts them.",
        ),
        Column(
            "row",
            Kind.LONG,
            "Number of the row in its transaction, from 1, whatever the filters. Null after a row event that a filter "
            "dropped and whose rows pybinlog cannot count.",
        ),
        Column(
            "timestamp",
            Kind.TIMESTAMP,
            "The row event's: when the statement began, to the second.",
            filter=Filter.TIME,
        ),
        Column(
            "commit_time",
            Kind.TIMESTAMP,
            "The GTID event's immediate_commit_timestamp, to the microsecond; before MySQL 8.0 and in MariaDB the GTID "
            "event's timestamp, to the second. Null without a GTID event, as in MySQL 5.6 with gtid_mode=OFF.",
        ),
        Column("server_id", Kind.LONG, "The id of the server that changed the row."),
        Column(
            "thread_id",
            Kind.LONG,
            "The connection that changed it. Null if neither a BEGIN nor MariaDB's GTID event has it.",
        ),
        Column("xa_xid", Kind.STRING, "The xid of an XA transaction, as in the view transactions. Null otherwise."),
        Column(
            "database",
            Kind.STRING,
            "The table's database; for a statement the session's, or null if it has none.",
            filter=Filter.DATABASES,
        ),
        Column("table", Kind.STRING, "The table. Null for statements.", filter=Filter.TABLES),
        Column(
            "operation",
            Kind.STRING,
            "`INSERT`, `UPDATE` or `DELETE`; `DDL` for a statement, with `--ddl`.",
            filter=Filter.OPERATIONS,
        ),
        Column(
            "metadata",
            Kind.STRING,
            "How much pybinlog knows about the table's columns: `full` (names, members, signs, character sets), "
            "`minimal` (signs and character sets) or `none` from the log, `schema` (all of it) from a definition. "
            "Null for statements.",
            need=Need.NAMES,
        ),
        Column(
            "before",
            Kind.JSON,
            "The row before the change, an object of column to value. Null for INSERT and statements.",
            need=Need.NAMES,
        ),
        Column("after", Kind.JSON, "The row after the change. Null for DELETE and statements.", need=Need.NAMES),
        Column(
            "query",
            Kind.STRING,
            "The statement that changed the row, from a Rows_query or Annotate_rows. Null if the log has none.",
        ),
    ),
    options=frozenset({"ddl", "committed", "schema", "where"}),
    has_lines=True,
    hidden=(
        Column(
            "_key",
            Kind.STRING,
            "The names of the primary key's columns as a JSON array, for `rows` on a terminal. Null if not known.",
            "key",
            need=Need.NAMES,
        ),
    ),
    extra=(EVENTS.column("digest"),),
)

TABLE = View(
    "table",
    "the changed rows of one table, which --table names, with its own columns and types",
    (
        Column(
            "_op",
            Kind.STRING,
            "`INSERT`, `UPDATE` or `DELETE`. An UPDATE of the primary key gives two rows, the DELETE of the old key "
            "and the UPDATE, if the log or a definition has the key.",
            "operation",
        ),
        Column(
            "_sequence",
            Kind.STRING,
            "The order of the changes, as text of a fixed width. It contains the log's number (0 if its name has "
            "none), `transaction_position` and `row` of the view rows, and 0 for the DELETE of an old key, else 1.",
            "sequence",
        ),
        Column("_gtid", Kind.STRING, "The transaction's, as in the view events.", "gtid", Filter.GTIDS),
        Column("_commit_time", Kind.TIMESTAMP, "As `commit_time` in the view rows.", "commit_time"),
        Column("_file", Kind.STRING, "The log, by the name it was read under.", "file"),
        Column(
            "_position", Kind.LONG, "Offset of the row event (or of the payload it is in).", "position", Filter.POSITION
        ),
        Column("_before", ROWS.column("before").kind, "As `before` in the view rows. Null for INSERT.", "before"),
        Column(
            "_missing",
            Kind.STRINGS,
            "Columns that the log lacks for this row (`binlog_row_image=MINIMAL` or `NOBLOB`); they are null. Null if "
            "the row is complete.",
            "missing",
        ),
    ),
    options=frozenset({"committed", "schema", "where", "zero-dates", "invalid-text"}),
    of_one_table=True,
)
"""The columns are those beside a table's own, which are first in its TableShape's view."""

SHOWN_EVENTS = View(
    "shown events",
    "the events as SHOW BINLOG EVENTS shows them",
    (
        Column("Log_name", Kind.STRING, source="file"),
        Column("Pos", Kind.LONG, source="position", filter=Filter.POSITION),
        Column("Event_type", Kind.STRING, source="event_type", filter=Filter.TYPES),
        Column("Server_id", Kind.LONG, source="server_id"),
        Column("End_log_pos", Kind.LONG, source="end_log_pos"),
        Column("Info", Kind.STRING, source="info"),
        Column("TBM", Kind.STRING, source="boundary"),
    ),
    extra=(Column("Digest", Kind.STRING, source="digest"),),
    as_server=True,
)
"""Events inside a payload stand at its end, and an inferred boundary says so, as in the dump."""

VIEWS = {view.name: view for view in (EVENTS, TRANSACTIONS, ROWS)}
"""Those whose columns are always the same."""
ALL_VIEWS = {**VIEWS, TABLE.name: TABLE}
DEFINITIONS = {**ALL_VIEWS, SHOWN_EVENTS.name: SHOWN_EVENTS}
"""All views, those among them that are only shown."""
