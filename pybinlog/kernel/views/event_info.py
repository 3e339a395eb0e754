"""put_info: the Info column of SHOW BINLOG EVENTS, as the server that wrote the log fills it.

The rules were fitted to what MySQL 5.6 and 9.7 and MariaDB 10.11 and 11.8 answered; docs/events.md has those that are
known to differ.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts, fields
from cython.cimports.pybinlog.kernel.base.collation import collation_find, p_const_Collation
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.text import put_unsigned, put_upper_hex, put_uuid
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal, put_shortest_double
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, put_rows_flags, statement_head
from cython.cimports.pybinlog.kernel.rows.table_map import TableMapFields, table_map_parse
from cython.cimports.pybinlog.kernel.scan import event_fields, gtid_fields
from cython.cimports.pybinlog.kernel.scan.payload import PayloadFields, payload_parse

MOST_SORTED = cython.declare(uint32_t, 10000)  # GTIDs of a list that are sorted: no server has so many domains
NO_COMPRESSION = cython.declare(uint64_t, 255)


def put_backticked(text: p_Text, name: cython.p_const_char, length: cython.size_t):
    i: cython.size_t
    put_char(text, b"`")
    for i in range(length):
        put_char(text, name[i])
        if name[i] == b"`":
            put_char(text, b"`")
    put_char(text, b"`")


def put_setting(
    text: p_Text, flags2: uint32_t, bit: cython.int, setting: cython.p_const_char, first: cython.bint
) -> cython.bint:
    """Append a setting by its bit; return True if it is the first."""
    if not flags2 >> bit & 1:
        return first
    put_text(text, "set " if first else ", ")
    put_text(text, setting)
    return False


def put_query(text: p_Text, e: p_const_Event, format: p_const_Format, query: p_const_Query):
    none: cython.bint = True
    if query.database_length and not e.flags & event.SUPPRESS_USE:
        put_bytes(text, "use ", 4)
        put_backticked(text, query.database, query.database_length)
        put_bytes(text, "; ", 2)
    if format.mariadb and query.has_flags2:
        none = put_setting(text, query.flags2, 26, "foreign_key_checks=0", none)
        none = put_setting(text, query.flags2, 14, "sql_auto_is_null=1", none)
        none = put_setting(text, query.flags2, 27, "unique_checks=0", none)
        none = put_setting(text, query.flags2, 15, "check_constraint_checks=0", none)
        none = put_setting(text, query.flags2, 28, "@@sql_if_exists=1", none)
        none = put_setting(text, query.flags2, 30, "@@system_versioning_insert_history=1", none)
        if not none:
            put_bytes(text, "; ", 2)
    put_bytes(text, query.text, query.length)
    if query.has_ddl_xid:
        put_bytes(text, " /* xid=", 8)
        put_unsigned(text, query.ddl_xid)
        put_bytes(text, " */", 3)
    if e.type == event.EXECUTE_LOAD_QUERY:
        put_bytes(text, " ;file_id=", 10)
        put_unsigned(text, query.file_id)


def put_rows(text: p_Text, e: p_const_Event, format: p_const_Format) -> cython.bint:
    head: StatementHead
    if not statement_head(cython.address(head), e, format):
        return False
    put_bytes(text, "table_id: ", 10)
    put_unsigned(text, head.table_id)
    put_rows_flags(text, head.flags & event.STMT_END_F if format.mariadb else head.flags)
    return True


def put_table_map(text: p_Text, e: p_const_Event, format: p_const_Format) -> cython.bint:
    fields: TableMapFields
    if table_map_parse(cython.address(fields), format, e.data, e.body_end) < 0:
        return False
    put_bytes(text, "table_id: ", 10)
    put_unsigned(text, fields.table_id)
    put_bytes(text, " (", 2)
    put_memory(text, fields.database, fields.database_length)
    put_char(text, b".")
    put_memory(text, fields.table, fields.table_length)
    put_char(text, b")")
    return True


def put_previous_gtids(text: p_Text, e: p_const_Event, format: p_const_Format) -> cython.bint:
    gtids: gtid_fields.PreviousGtids
    last: octets = cython.NULL
    status: cython.int = 1
    if gtid_fields.previous_gtids_begin(cython.address(gtids), e, format) < 0:
        return False
    while gtids.left:
        status = gtid_fields.previous_gtids_next(cython.address(gtids))
        if status < 0:
            return False
        if status == 0:
            return True
        if last == cython.NULL or memcmp(last, gtids.uuid, 16) != 0:
            if last != cython.NULL:
                put_bytes(text, ",\n", 2)
            put_uuid(text, gtids.uuid)
        last = gtids.uuid
        if gtids.tag_length:
            put_char(text, b":")
            put_bytes(text, gtids.tag, gtids.tag_length)
        gtid_fields.put_intervals(text, cython.address(gtids))
    return True


def put_user_var(text: p_Text, e: p_const_Event, format: p_const_Format) -> cython.bint:
    variable: event_fields.UserVar
    real: cython.double
    if event_fields.user_var_parse(cython.address(variable), e, format) < 0:
        return False
    put_char(text, b"@")
    put_backticked(text, variable.name, variable.name_length)
    put_char(text, b"=")
    if variable.is_null:
        put_bytes(text, "NULL", 4)
    elif variable.kind == fields.VARIABLE_REAL:
        memcpy(cython.address(real), variable.value, 8)
        # MariaDB shows no sign of a zero
        put_shortest_double(text, 0.0 if real == 0.0 and format.mariadb else real)
        if text.length >= 2 and text.data[text.length - 2] == b"." and text.data[text.length - 1] == b"0":
            text.length -= 2  # JSON's whole numbers have ".0"
    elif variable.kind == fields.VARIABLE_INT:
        if variable.flags & event_fields.UNSIGNED_FLAG:
            put_unsigned(text, read_u64(variable.value))
        else:
            put_signed(text, cython.cast(int64_t, read_u64(variable.value)))
    elif variable.kind == fields.VARIABLE_DECIMAL:
        put_decimal(text, variable.value + 2, variable.value[0], variable.value[1])
    else:
        found: p_const_Collation = collation_find(variable.collation, format.mariadb)
        if found == cython.NULL:
            put_bytes(text, "???", 3)
            return True
        if variable.type_name_length:
            put_bytes(text, "/*", 2)
            put_bytes(text, variable.type_name, variable.type_name_length)
            put_bytes(text, "*/", 2)
        put_char(text, b"_")
        put_text(text, found.character_set)
        put_char(text, b" ")
        if variable.size == 0:
            put_bytes(text, '""', 2)
        else:
            put_text(text, "X'" if format.mariadb else "0x")
            put_upper_hex(text, variable.value, variable.size)
            put_text(text, "'" if format.mariadb else "")
        put_bytes(text, " COLLATE ", 9)
        put_text(text, found.name)
    return True


def put_maria_gtid(
    text: p_Text, e: p_const_Event, format: p_const_Format, group: cython.pointer(cython.const[EventGroup])
) -> cython.bint:
    gtid: gtid_fields.MariaGtid
    if gtid_fields.maria_gtid_parse(cython.address(gtid), e, format) < 0:
        return False
    if gtid.flags & fields.FL_PREPARED_XA:
        put_bytes(text, "XA START ", 9)
        put_bytes(text, group.xid, group.xid_length)
        put_char(text, b" ")
    elif not gtid.flags & fields.FL_STANDALONE:
        put_bytes(text, "BEGIN ", 6)
    put_bytes(text, "GTID ", 5)
    put_bytes(text, group.gtid, group.gtid_length)
    if gtid.flags & fields.FL_GROUP_COMMIT_ID:
        put_bytes(text, " cid=", 5)
        put_unsigned(text, gtid.commit_id)
    if gtid.extra & fields.FL_EXTRA_START_ALTER:
        put_bytes(text, " START ALTER", 12)
    if gtid.extra & (fields.FL_EXTRA_COMMIT_ALTER | fields.FL_EXTRA_ROLLBACK_ALTER):
        put_text(text, " COMMIT" if gtid.extra & fields.FL_EXTRA_COMMIT_ALTER else " ROLLBACK")
        put_bytes(text, " ALTER id=", 10)
        put_unsigned(text, gtid.alter_number)
    return True


def is_before(a: octets, b: octets) -> cython.bint:
    """Return True if a GTID of a Gtid_list comes before another: by domain, then by server."""
    if read_u32(a) != read_u32(b):
        return read_u32(a) < read_u32(b)
    return read_u32(a + 4) < read_u32(b + 4)


def put_gtid_list(text: p_Text, e: p_const_Event, format: p_const_Format) -> cython.bint:
    """Append the GTIDs in the order of domains and servers; the event has them as they come."""
    count: uint32_t = 0
    i: uint32_t
    list: octets = gtid_fields.maria_gtid_list_parse(e, format, cython.address(count))
    last: octets = cython.NULL
    if list == cython.NULL or count > MOST_SORTED:
        return False
    put_char(text, b"[")
    while True:
        next: octets = cython.NULL
        for i in range(count):
            here: octets = list + i * gtid_fields.LISTED_GTID
            if (last == cython.NULL or is_before(last, here)) and (next == cython.NULL or is_before(here, next)):
                next = here
        if next == cython.NULL:
            break
        if last != cython.NULL:
            put_char(text, b",")
        put_unsigned(text, read_u32(next))
        put_char(text, b"-")
        put_unsigned(text, read_u32(next + 4))
        put_char(text, b"-")
        put_unsigned(text, read_u64(next + 8))
        last = next
    put_char(text, b"]")
    return True


def put_payload(text: p_Text, body: octets, size: cython.size_t) -> cython.bint:
    fields: PayloadFields
    if not payload_parse(cython.address(fields), body, size):
        return False
    put_text(text, "compression='NONE'" if fields.compression_type == NO_COMPRESSION else "compression='ZSTD'")
    put_bytes(text, ", decompressed_size=", 20)
    put_unsigned(text, fields.uncompressed_size)
    put_bytes(text, " bytes", 6)
    return True


def put_small(text: p_Text, e: p_const_Event, format: p_const_Format) -> cython.bint:
    """Append the Info of events of a few fields."""
    at: octets = fields.body_of(e, format)
    end: octets = fields.end_of(e)
    xid: fields.XidHead
    rotate: event_fields.Rotate
    intvar: fields.IntvarHead
    rand: fields.RandHead
    block: fields.AppendBlockHead
    incident: fields.IncidentHead
    if e.type == event.XID:
        if event_fields.xid_parse(cython.address(xid), e, format) < 0:
            return False
        put_bytes(text, "COMMIT /* xid=", 14)
        put_unsigned(text, xid.xid)
        put_bytes(text, " */", 3)
    elif e.type == event.ROTATE:
        if event_fields.rotate_parse(cython.address(rotate), e, format) < 0:
            return False
        put_bytes(text, rotate.name, rotate.length)
        put_bytes(text, ";pos=", 5)
        put_unsigned(text, cython.cast(uint64_t, rotate.position))
    elif e.type == event.INTVAR:
        if fields.intvar_head(cython.address(intvar), at, end) == cython.NULL:
            return False
        put_text(
            text,
            "LAST_INSERT_ID="
            if intvar.type == fields.INTVAR_LAST_INSERT_ID
            else "INSERT_ID="
            if intvar.type == fields.INTVAR_INSERT_ID
            else "INVALID_INT=",
        )
        put_signed(text, cython.cast(int64_t, intvar.value))
    elif e.type == event.RAND:
        if fields.rand_head(cython.address(rand), at, end) == cython.NULL:
            return False
        put_bytes(text, "rand_seed1=", 11)
        put_unsigned(text, rand.seed1)
        put_bytes(text, ",rand_seed2=", 12)
        put_unsigned(text, rand.seed2)
    elif e.type == event.INCIDENT:
        if fields.incident_head(cython.address(incident), at, end) == cython.NULL or incident.incident > 1:
            return False
        put_char(text, b"#")
        put_unsigned(text, incident.incident)
        put_text(text, " (LOST_EVENTS)" if incident.incident == 1 else " (NOTHING)")
    elif e.type == event.BEGIN_LOAD_QUERY or e.type == event.APPEND_BLOCK:
        at = fields.append_block_head(cython.address(block), at, end)
        if at == cython.NULL:
            return False
        put_bytes(text, ";file_id=", 9)
        put_unsigned(text, block.file_id)
        put_bytes(text, ";block_len=", 11)
        put_unsigned(text, end - at)
    elif facts.INFO[e.type] == cython.NULL:
        return False
    else:
        put_text(text, facts.INFO[e.type])
    return True


def put_info(
    text: p_Text,
    e: p_const_Event,
    format: p_const_Format,
    query: p_const_Query,
    group: cython.pointer(cython.const[EventGroup]),
) -> cython.bint:
    kind: uint8_t = e.type
    statement: cython.p_const_char = cython.NULL
    name: octets = cython.NULL
    length: cython.size_t = 0
    at: cython.size_t = format.header_length
    if query != cython.NULL:
        put_query(text, e, format, query)
        return True
    if kind == event.TABLE_MAP:
        return put_table_map(text, e, format)
    if event.is_rows(kind) or event.is_compressed_rows(kind):
        return put_rows(text, e, format)
    if facts.KIND_OF_TYPE[kind] == facts.KIND_GTID:
        put_bytes(text, "SET @@SESSION.GTID_NEXT= '", 26)
        if group.anonymous:
            put_bytes(text, "ANONYMOUS", 9)
        else:
            put_bytes(text, group.gtid, group.gtid_length)
        put_char(text, b"'")
    elif kind == event.MARIA_GTID:
        return put_maria_gtid(text, e, format, group)
    elif kind == event.FORMAT_DESCRIPTION:
        put_bytes(text, "Server ver: ", 12)
        put_text(text, format.server_version_text)
        put_bytes(text, ", Binlog ver: ", 14)
        put_unsigned(text, format.binlog_version)
    elif kind == event.PREVIOUS_GTIDS:
        return put_previous_gtids(text, e, format)
    elif kind == event.XA_PREPARE:
        one_phase: cython.bint = e.body_end > at and e.data[at] != 0
        put_text(text, "XA COMMIT " if one_phase else "XA PREPARE ")
        put_bytes(text, group.xid, group.xid_length)
        put_text(text, " ONE PHASE" if one_phase else "")
        return group.xid_length != 0
    elif kind == event.ROWS_QUERY:
        if event_fields.rows_query_parse(cython.address(statement), cython.address(length), e, format) < 0:
            return False
        put_bytes(text, "# ", 2)
        put_bytes(text, statement, length)
    elif e.body_end < at:
        return False
    elif kind == event.MARIA_ANNOTATE_ROWS:
        put_memory(text, e.data + at, e.body_end - at)
    elif kind == event.MARIA_BINLOG_CHECKPOINT:
        if event_fields.checkpoint_parse(cython.address(name), cython.address(length), e, format) < 0:
            return False
        put_memory(text, name, length)
    elif kind == event.MARIA_GTID_LIST:
        return put_gtid_list(text, e, format)
    elif kind == event.TRANSACTION_PAYLOAD:
        return put_payload(text, e.data + at, e.body_end - at)
    elif kind == event.USER_VAR:
        return put_user_var(text, e, format)
    elif kind == event.IGNORABLE and not format.mariadb:
        put_text(text, "# Unrecognized ignorable event")
    else:
        return put_small(text, e, format)
    return True
