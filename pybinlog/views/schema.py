"""The views and their columns: declared here once, for the kernel, the filters, Arrow, Spark and the documentation.

The build reads this file before there is a kernel (setup.py).
"""

import re

from pybinlog.views.view import Column, Filter, Kind, Need, View

KINDS = {kind.title: kind for kind in Kind}


def columns(text: str) -> tuple[Column, ...]:
    """Return the columns of a text. Each begins a line: its name, its type, maybe `source`, `filter` and `need` (see
    Column), and after a colon its meaning.
    """
    found = []
    for line in re.findall(".+", re.sub("\n +", " ", text)):
        head, _, about = line.partition(": ")
        name, kind, *marks = head.split()
        more = dict(mark.split("=") for mark in marks)
        filter = Filter(more["filter"]) if "filter" in more else None
        need = Need[more["need"].upper()] if "need" in more else None
        found.append(Column(name, KINDS[kind], about, more.get("source", ""), filter, need))
    return tuple(found)


DIGEST = columns("""\
digest string: The digest of `query` ([statements](stats.md#statements)), only if a query names the column.
""")

EVENTS = View(
    "events",
    "a row for every event, the default",
    columns("""\
file string: The log, by the name it was read under.
position bigint filter=position: Offset of the event in the uncompressed log, in bytes; inside a Transaction_payload
    the payload's.
end_position bigint: Offset of the byte after the event, or after its payload.
timestamp timestamp filter=time: The header's, to the second. Null if that is 0 (events that servers make up).
event_type string filter=types: As the dump names it: `Query`, `Xid`, `Write_rows` ...
server_id bigint: The id of the server that created the event.
flags int: The 16 flags of the header.
boundary string: The boundary type, for example `Start Transaction`.
boundary_inferred boolean: True if pybinlog inferred the type, false if the event has a marker.
starts string need=bits: The start field of the statement bits: `No_start`, `Statement_start` or `Transaction_start`.
ends string need=bits: The end field: `No_end`, `Statement_end`, `Transaction_commit` or `Rollback`.
gtid string filter=gtids: The GTID of the event's transaction: `uuid:number`, `uuid:tag:number`, of MariaDB
    `domain-server-number`. Null outside transactions, and in transactions without a GTID (anonymous).
xid bigint: The xid of an Xid event, and of a Query that is DDL (`ddl_xid`). Null for all other events.
transaction_position bigint: Position in `file` of the first event of the event's transaction. If that is in an
    earlier relay log, or not in these logs, the position of the first one that is. Null outside transactions.
database string filter=databases: The session's database of a Query, the table's of Table_map and row events. Null for
    all other events and for a Query without one.
table string filter=tables: Of Table_map and row events; null for all other events and for unknown tables.
query string: The statement of a Query, Execute_load_query, Rows_query or Annotate_rows. Null for all other events.
size bigint: Bytes of the event, with its checksum; inside a payload its uncompressed bytes.
checksum_ok boolean need=checksums: True if the CRC32 matches the event's bytes. Null in logs without checksums and
    inside payloads.
in_payload boolean: True if the event is inside a Transaction_payload.
end_log_pos bigint: The header's, which has 32 bits; inside a payload the payload's. MariaDB 11.4 and later write 0
    inside a group.
info string: The column Info of SHOW BINLOG EVENTS ([events](events.md)). Null if pybinlog does not know it.
"""),
    extra=(
        *DIGEST,
        *columns("""\
sql_mode bigint: The bits of sql_mode under which a Query was run, only if a query names the column.
"""),
    ),
)

TRANSACTIONS = View(
    "transactions",
    "a row for every transaction",
    columns("""\
gtid string filter=gtids: As in the view events. Null if the transaction has none.
file string: The log in which the transaction begins.
start_position bigint: Offset of its first event. Null if that is not in these logs.
end_position bigint: Offset of the byte after its last event (in a relay log maybe in a later file).
begin_time timestamp: Timestamp of the first event after the GTID, to the second. Null if no event has one.
commit_time timestamp filter=time: The GTID event's immediate_commit_timestamp, to the microsecond; before MySQL 8.0
    and in MariaDB the timestamp of the last event. Null if neither is known.
seconds bigint: `duration` in whole seconds, because `begin_time` has no fractions. Null if it is unknown.
events bigint: Events of the transaction, including those inside a payload.
rows bigint: Rows that its row events change; 0 for statements. Null if pybinlog cannot count them, for example
    because the transaction's beginning is missing.
bytes bigint: Bytes of its events in the log, as they are stored (compressed or not).
tables array<string>: The tables whose rows it changes, as `database.table`, each once; of statements those that
    their text tells.
ended string: `commit`, `rollback`, `xa prepare`, `xa commit`, `xa rollback`, `statement` (a statement that commits by
    itself, mostly DDL) or `incident`. Null if these logs do not contain its end.
xa_xid string: The xid of an XA transaction, as in XA statements: `X'6731',X'',1`. Null otherwise.
thread_id bigint: The connection: `thread_id` of its first statement, mostly BEGIN, or of MariaDB's Gtid event, which
    has it from 11.5 on. Null if none of its events has one.
table_rows json: The rows of each table that has row events: `{"shop.orders":3}`. Null if pybinlog cannot count them.
last_committed bigint: MySQL's logical timestamp: the `sequence_number` of the last transaction of this log that must
    commit before this one can run. Null in MariaDB and before MySQL 5.7.
sequence_number bigint: The transaction's own logical timestamp, counted from 1 in each log. Null as above.
commit_lag bigint: Microseconds from the commit on the original server to the commit on the server that wrote the log;
    0 on the original server. Null in MariaDB and before MySQL 8.0.
duration bigint: Microseconds from `begin_time` to `commit_time`, at most. Null if either is unknown.
duration_error bigint: How many microseconds shorter the duration may be: a second, because BEGIN has whole seconds;
    two if the commit has them as well.
"""),
    options=frozenset({"schema", "where"}),
)

ROWS = View(
    "rows",
    "a row for every changed row",
    columns("""\
gtid string filter=gtids: The transaction's, as in the view events.
file string: The log, by the name it was read under.
position bigint filter=position: Offset of the row event (or of the payload it is in).
end_position bigint: Offset of the byte after the event, or after its payload.
transaction_position bigint: Position in `file` of the first event of the transaction. If that is in an earlier relay
    log, or not in these logs, the position of the first one that is.
event bigint: Number of the row event among the events of its transaction, from 1, as the column `events` of the view
    transactions counts them.
row bigint: Number of the row in its transaction, from 1, whatever the filters. Null after a row event that a filter
    dropped and whose rows pybinlog cannot count.
timestamp timestamp filter=time: The row event's: when the statement began, to the second.
commit_time timestamp: The GTID event's immediate_commit_timestamp, to the microsecond; before MySQL 8.0 and in
    MariaDB the GTID event's timestamp, to the second. Null without a GTID event, as in MySQL 5.6 with gtid_mode=OFF.
server_id bigint: The id of the server that changed the row.
thread_id bigint: The connection that changed it. Null if neither a BEGIN nor MariaDB's GTID event has it.
xa_xid string: The xid of an XA transaction, as in the view transactions. Null otherwise.
database string filter=databases: The table's database; for a statement the session's, or null if it has none.
table string filter=tables: The table. Null for statements.
operation string filter=operations: `INSERT`, `UPDATE` or `DELETE`; `DDL` for a statement, with `--ddl`.
metadata string need=names: How much pybinlog knows about the table's columns: `full` (names, members, signs,
    character sets), `minimal` (signs and character sets) or `none` from the log, `schema` (all of it) from a
    definition. Null for statements.
before json need=names: The row before the change, an object of column to value. Null for INSERT and statements.
after json need=names: The row after the change. Null for DELETE and statements.
query string: The statement that changed the row, from a Rows_query or Annotate_rows. Null if the log has none.
"""),
    options=frozenset({"ddl", "committed", "schema", "where"}),
    has_lines=True,
    hidden=columns("""\
_key string source=key need=names: The names of the primary key's columns as a JSON array, for `rows` on a terminal.
    Null if not known.
"""),
    extra=DIGEST,
)

TABLE = View(
    "table",
    "the changed rows of one table, which --table names, with its own columns and types",
    columns("""\
_op string source=operation: `INSERT`, `UPDATE` or `DELETE`. An UPDATE of the primary key gives two rows, the DELETE
    of the old key and the UPDATE, if the log or a definition has the key.
_sequence string source=sequence: The order of the changes, as text of a fixed width. It contains the log's number (0
    if its name has none), `transaction_position` and `row` of the view rows, and 0 for the DELETE of an old key, else
    1.

_gtid string source=gtid filter=gtids: The transaction's, as in the view events.
_commit_time timestamp source=commit_time: As `commit_time` in the view rows.
_file string source=file: The log, by the name it was read under.
_position bigint source=position filter=position: Offset of the row event (or of the payload it is in).
_before json source=before: As `before` in the view rows. Null for INSERT.
_missing array<string> source=missing: Columns that the log lacks for this row (`binlog_row_image=MINIMAL` or
    `NOBLOB`); they are null. Null if the row is complete.
"""),
    options=frozenset({"committed", "schema", "where", "zero-dates", "invalid-text"}),
    of_one_table=True,
)
"""The columns are those beside a table's own, which are first in its TableShape's view."""

SHOWN_EVENTS = View(
    "shown events",
    "the events as SHOW BINLOG EVENTS shows them",
    columns("""\
Log_name string source=file
Pos bigint source=position filter=position
Event_type string source=event_type filter=types
Server_id bigint source=server_id
End_log_pos bigint source=end_log_pos
Info string source=info
TBM string source=boundary
"""),
    extra=columns("""\
Digest string source=digest
"""),
    as_server=True,
)
"""Events inside a payload stand at its end, and an inferred boundary says so, as in the dump."""

VIEWS = {view.name: view for view in (EVENTS, TRANSACTIONS, ROWS)}
"""Those whose columns are always the same."""
ALL_VIEWS = {**VIEWS, TABLE.name: TABLE}
DEFINITIONS = {**ALL_VIEWS, SHOWN_EVENTS.name: SHOWN_EVENTS}
"""All views, those among them that are only shown."""
