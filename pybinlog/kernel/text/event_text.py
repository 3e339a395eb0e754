# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""EventText: the text of one event after the other, by type; compiled, it is the dump's innermost loop."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text.event_text is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t, uint16_t, uint64_t
from cython.cimports.libc.string import memcpy
from cython.cimports.pybinlog.kernel.base.checksum import checksum_matches
from cython.cimports.pybinlog.kernel.base.event import (
    ANONYMOUS_GTID,
    DELETE_FILE,
    DELETE_ROWS,
    DELETE_ROWS_V0,
    DELETE_ROWS_V1,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    IGNORABLE,
    IGNORABLE_FLAG,
    IN_USE,
    INCIDENT,
    INTVAR,
    LAST_MYSQL,
    MARIA_ANNOTATE_ROWS,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_QUERY_COMPRESSED,
    MARIA_WRITE_ROWS_COMPRESSED_V1,
    PARTIAL_UPDATE_ROWS,
    PREVIOUS_GTIDS,
    QUERY,
    RAND,
    RELAY_LOG,
    ROTATE,
    ROWS_QUERY,
    STOP,
    TABLE_MAP,
    UNKNOWN,
    UPDATE_ROWS,
    UPDATE_ROWS_V0,
    UPDATE_ROWS_V1,
    USER_VAR,
    WRITE_ROWS,
    WRITE_ROWS_V0,
    WRITE_ROWS_V1,
    XA_PREPARE,
    XID,
    Event,
    is_rows,
)
from cython.cimports.pybinlog.kernel.base.outcome import (
    BAD_CHECKSUM,
    BASE64_REFUSED,
    CORRUPT,
    DONE,
    FULL,
    HELP,
    LOG_IN_USE,
    MORE_ROWS,
    NO_FORMAT_DESCRIPTION,
    NO_MEMORY,
    SKIPPED,
    SPILL,
    STATEMENT,
)
from cython.cimports.pybinlog.kernel.base.text import put_bytes, text_free, text_init
from cython.cimports.pybinlog.kernel.rows.rows import STATEMENT_END, rows_parse, statement_head
from cython.cimports.pybinlog.kernel.rows.table_map import table_maps_free, table_maps_init
from cython.cimports.pybinlog.kernel.scan.gtid_fields import Gtid, gtid_parse
from cython.cimports.pybinlog.kernel.scan.query_fields import (
    LastStatus,
    Query,
    query_ends_group,
    query_is_transaction_keyword,
    query_parse_like,
    query_starts_group,
)
from cython.cimports.pybinlog.kernel.text.control import (
    put_delete_file,
    put_end_of_log,
    put_format_description,
    put_incident,
    put_named,
    put_rotate,
    put_xa_prepare,
    put_xid,
)
from cython.cimports.pybinlog.kernel.text.gtid import put_gtid, put_previous_gtids
from cython.cimports.pybinlog.kernel.text.printer import (
    BASE64_DECODE_ROWS,
    BASE64_NEVER,
    Printer,
    finish_head,
    put_before_head,
)
from cython.cimports.pybinlog.kernel.text.query import put_query
from cython.cimports.pybinlog.kernel.text.select import Selection
from cython.cimports.pybinlog.kernel.text.statement import put_rows_event, put_rows_query, put_table_map
from cython.cimports.pybinlog.kernel.text.variable import put_intvar, put_rand, put_user_var

# Finished text is passed on when there is so much of it, waiting text goes to a file.
HAND_ON = cython.declare(cython.size_t, 1 << 16)
KEEP = cython.declare(cython.size_t, 8 << 20)

ROWS_NAMES = cython.declare(cython.p_const_char[256])


@cython.cfunc
def fill_names() -> cython.void:
    ROWS_NAMES[WRITE_ROWS_V0] = "Write_rows_v0"
    ROWS_NAMES[UPDATE_ROWS_V0] = "Update_rows_v0"
    ROWS_NAMES[DELETE_ROWS_V0] = "Delete_rows_v0"
    ROWS_NAMES[WRITE_ROWS_V1] = "Write_rows_v1"
    ROWS_NAMES[UPDATE_ROWS_V1] = "Update_rows_v1"
    ROWS_NAMES[DELETE_ROWS_V1] = "Delete_rows_v1"
    ROWS_NAMES[WRITE_ROWS] = "Write_rows"
    ROWS_NAMES[UPDATE_ROWS] = "Update_rows"
    ROWS_NAMES[DELETE_ROWS] = "Delete_rows"
    ROWS_NAMES[PARTIAL_UPDATE_ROWS] = "Update_rows_partial"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1] = "Write_rows_compressed_v1"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 1] = "Update_rows_compressed_v1"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 2] = "Delete_rows_compressed_v1"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 3] = "Write_rows_compressed"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 4] = "Update_rows_compressed"
    ROWS_NAMES[MARIA_WRITE_ROWS_COMPRESSED_V1 + 5] = "Delete_rows_compressed"


fill_names()


def rows_name(type):
    """A row event's name as it is printed."""
    return ROWS_NAMES[type]


@cython.cclass
class EventText(Selection):
    """What each event says, and in which order: the reference's process_event, with its texts in the modules beside."""

    def __cinit__(self):
        table_maps_init(cython.address(self.maps))
        text_init(cython.address(self.ignored))
        text_init(cython.address(self.deferred))
        self.hand_on_at = HAND_ON

    def __dealloc__(self):
        table_maps_free(cython.address(self.maps))
        text_free(cython.address(self.ignored))
        text_free(cython.address(self.deferred))

    def defer(self, e):
        """Keep an event, with its bytes, until the statement that it belongs to is printed."""
        put_bytes(cython.address(self.deferred), cython.cast(cython.p_const_char, e), cython.sizeof(Event))
        put_bytes(cython.address(self.deferred), cython.cast(cython.p_const_char, e.data), e.whole)
        if self.deferred.failed:
            return NO_MEMORY
        self.deferred_count += 1
        return DONE

    def put_deferred(self, batch):
        p: cython.pointer(Printer) = cython.address(self.printer)
        at: cython.size_t = 0
        status: cython.int
        e: Event
        while at < self.deferred.length:
            memcpy(cython.address(e), self.deferred.data + at, cython.sizeof(Event))
            at += cython.sizeof(Event)
            e.data = cython.cast(cython.pointer(cython.const[uint8_t]), self.deferred.data + at)
            at += e.whole
            if e.type == INTVAR:
                status = put_intvar(p, cython.address(e), cython.address(batch.format))
            elif e.type == RAND:
                status = put_rand(p, cython.address(e), cython.address(batch.format))
            else:
                status = put_user_var(p, cython.address(e), cython.address(batch.format))
            if status < 0:
                return status
        return DONE

    def query_event(self, e, shown, batch):
        """A statement: `e` to be read, `shown` as its header line has it."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        query: Query
        status: cython.int = DONE
        last: cython.pointer(LastStatus) = cython.address(self.last_status[0])
        if query_parse_like(cython.address(query), last, e, cython.address(batch.format)) < 0:
            return CORRUPT
        skips: cython.bint = self.skips_database(
            query.database, query.database_length
        ) and not query_is_transaction_keyword(cython.address(query))
        ends: cython.bint = query_ends_group(cython.address(query))
        starts: cython.bint = query_starts_group(cython.address(query))
        if not skips:
            status = self.put_deferred(batch)
            if status < 0:
                return status
        self.deferred.length = 0
        self.deferred_count = 0
        if skips:
            if p.progress.seen_gtid and not p.progress.in_transaction and not starts and not ends:
                # a statement that commits by itself: its GTID still wants a transaction
                put_before_head(p, "COMMIT /* added by mysqlbinlog *//*!*/;\n")
                p.progress.skipped_in_transaction = False
                p.progress.seen_gtid = False
            else:
                p.progress.skipped_in_transaction = True
            return SKIPPED
        if ends:
            p.progress.in_transaction = False
            p.progress.skipped_in_transaction = False
            p.progress.seen_gtid = False
        elif starts:
            p.progress.in_transaction = True
        elif not p.progress.in_transaction:
            p.progress.seen_gtid = False
        put_query(
            p,
            cython.address(query),
            shown,
            cython.address(batch.format),
            "Query_compressed" if shown.type == MARIA_QUERY_COMPRESSED else "Query",
        )
        return DONE

    def ignores(self, table_id):
        """Whether --database leaves this table's rows out; the tables of one statement are few."""
        ids: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), self.ignored.data)
        i: cython.size_t = self.ignored.length // cython.sizeof(uint64_t)
        while i > 0:
            i -= 1
            if ids[i] == table_id:
                return True
        return False

    def rows_event(self, e, batch):
        """Table_map, row events, Rows_query."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        status: cython.int
        table_id: uint64_t = 0
        flags: uint16_t = 0
        behind: cython.size_t = 0
        ends: cython.bint = False
        compressed: cython.bint = MARIA_WRITE_ROWS_COMPRESSED_V1 <= e.type <= MARIA_DELETE_ROWS_COMPRESSED
        if e.type != ROWS_QUERY and not statement_head(
            e, cython.address(batch.format), cython.address(table_id), cython.address(flags), cython.address(behind)
        ):
            return CORRUPT
        if e.type == TABLE_MAP:
            if p.options.database != cython.NULL:
                # the database's name comes next, its length in a byte before it
                if e.size <= behind or e.data[behind] > e.size - behind - 1:
                    return CORRUPT
                if self.skips_database(cython.cast(cython.p_const_char, e.data + behind + 1), e.data[behind]):
                    p.progress.skipped_in_transaction = True
                    if not self.ignores(table_id):
                        put_bytes(
                            cython.address(self.ignored),
                            cython.cast(cython.p_const_char, cython.address(table_id)),
                            cython.sizeof(uint64_t),
                        )
                    return NO_MEMORY if self.ignored.failed else SKIPPED
        elif e.type != ROWS_QUERY:
            ends = flags & STATEMENT_END
            if self.ignores(table_id):
                p.progress.skipped_in_transaction = True
                if not ends:
                    return SKIPPED
                self.ignored.length = 0
                p.progress.unflushed = False
                if p.body.length or p.body_spilled:
                    put_bytes(cython.address(p.body), "'/*!*/;\n", 8)
                finish_head(p)
                return STATEMENT
            if ends:
                self.ignored.length = 0
            status = rows_parse(cython.address(self.rows), cython.address(batch.format), e.data, e.size)
            if status < 0:
                return status
            if (
                not p.progress.printed_format_description
                and not p.options.short_form
                and p.options.base64 != BASE64_DECODE_ROWS
            ):
                return BASE64_REFUSED if p.options.base64 == BASE64_NEVER else NO_FORMAT_DESCRIPTION
            if compressed:
                return HELP
        if e.type == TABLE_MAP:
            status = put_table_map(p, cython.address(self.maps), e, cython.address(batch.format))
        elif e.type == ROWS_QUERY:
            status = put_rows_query(p, e, cython.address(batch.format))
        else:
            status = put_rows_event(
                p,
                cython.address(self.maps),
                e,
                cython.address(batch.format),
                ROWS_NAMES[e.type],
                cython.address(self.rows),
                cython.address(self.cursor),
            )
            if status == 1:
                p.progress.unflushed = not ends
                return MORE_ROWS
        if status < 0:
            return status
        p.progress.unflushed = not ends
        return STATEMENT if ends else DONE

    def event_text(self, e, batch):
        """The event's own text, by its type."""
        p: cython.pointer(Printer) = cython.address(self.printer)
        gtid: Gtid
        status: cython.int
        kind: uint8_t = e.type
        if kind == QUERY:
            return self.query_event(e, e, batch)
        if kind == TABLE_MAP or kind == ROWS_QUERY or is_rows(kind):
            return self.rows_event(e, batch)
        if kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED:
            if gtid_parse(cython.address(gtid), e, cython.address(batch.format)) < 0:
                return CORRUPT
            p.progress.seen_gtid = True
            p.progress.immediate_server_version = gtid.immediate_server_version
            if p.progress.skipped_in_transaction:
                put_before_head(p, "COMMIT /* added by mysqlbinlog *//*!*/;\n")
            p.progress.skipped_in_transaction = False
            put_gtid(p, cython.address(gtid), e, cython.address(batch.format))
            return DONE
        if kind == XID:
            p.progress.in_transaction = False
            p.progress.skipped_in_transaction = False
            p.progress.seen_gtid = False
            return put_xid(p, e, cython.address(batch.format))
        if kind == INTVAR or kind == RAND or kind == USER_VAR:
            return self.defer(e)
        if kind == FORMAT_DESCRIPTION:
            if not e.flags & RELAY_LOG:
                if e.end_log_pos and p.progress.seen_format_description:
                    put_end_of_log(p)
                p.progress.seen_format_description = True
            status = put_format_description(p, e, cython.address(batch.format))
            if status == DONE and e.flags & IN_USE and not self.force_if_open:
                return LOG_IN_USE
            return status
        if kind == ROTATE:
            return put_rotate(p, e, cython.address(batch.format))
        if kind == STOP:
            return put_named(p, e, cython.address(batch.format), "\tStop", "")
        if kind == PREVIOUS_GTIDS:
            return put_previous_gtids(p, e, cython.address(batch.format))
        if kind == XA_PREPARE:
            return put_xa_prepare(p, e, cython.address(batch.format))
        if kind == INCIDENT:
            return put_incident(p, e, cython.address(batch.format))
        if kind == DELETE_FILE:
            return put_delete_file(p, e, cython.address(batch.format))
        if kind == IGNORABLE or (
            e.flags & IGNORABLE_FLAG
            and (kind == UNKNOWN or (kind > LAST_MYSQL and not (batch.format.mariadb and kind >= MARIA_ANNOTATE_ROWS)))
        ):
            return put_named(p, e, cython.address(batch.format), "\tIgnorable", "# Unrecognized ignorable event\n")
        if kind == UNKNOWN or (kind > LAST_MYSQL and kind < MARIA_ANNOTATE_ROWS):
            return put_named(p, e, cython.address(batch.format), "", "# Unknown event\n")
        if batch.format.mariadb and MARIA_WRITE_ROWS_COMPRESSED_V1 <= kind <= MARIA_DELETE_ROWS_COMPRESSED:
            return self.rows_event(e, batch)
        return HELP

    def loop(self, batch, index):
        """From event `index` on, until something leaves the loop.

        After FULL and SPILL `index` is the next event's, else that of the event that could not be finished here.
        """
        p: cython.pointer(Printer) = cython.address(self.printer)
        status: cython.int
        e: cython.pointer(Event)
        while index[0] < batch.count:
            e = batch.events + index[0]
            if (
                self.verify_checksum
                and e.has_checksum
                and not self.inside_payload
                and not checksum_matches(e.data, e.whole)
            ):
                return BAD_CHECKSUM
            status = self.begin(e, batch)
            if status == DONE:
                status = self.event_text(e, batch)
            if status == STATEMENT and not p.body_spilled and not p.footer_spilled:
                put_bytes(cython.address(p.out), p.body.data, p.body.length)
                put_bytes(cython.address(p.out), p.footer.data, p.footer.length)
                p.body.length = 0
                p.footer.length = 0
                status = DONE
            if status == DONE:
                finish_head(p)
            elif status != SKIPPED:
                return status
            p.progress.events += 1
            index[0] += 1
            if p.mark >= self.hand_on_at:
                return FULL
            if p.body.length >= KEEP or p.footer.length >= KEEP:
                return SPILL
        return DONE
