"""The fields of small events: Rotate, Xid, XA_prepare and Incident, those of LOAD DATA, of variables, and Rows_query;
MariaDB's Binlog_checkpoint and Start_encryption.

Layouts: MySQL's source documentation and MariaDB's, a page for each event.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, fields
from cython.cimports.pybinlog.kernel.base.digits import decimal_size, write_unsigned
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset
from cython.cimports.pybinlog.kernel.base.text import write_lower_hex

LONGEST_VARIABLE_NAME = cython.declare(cython.size_t, 192)  # bytes: 64 characters of utf8mb3


def rotate_parse(rotate: cython.pointer(Rotate), e: p_const_Event, format: p_const_Format) -> cython.int:
    head: fields.RotateHead
    at: octets = fields.rotate_head(cython.address(head), fields.body_of(e, format), fields.end_of(e))
    if at == cython.NULL:
        return -1
    rotate.position = cython.cast(int64_t, head.position)
    rotate.name = cython.cast(cython.p_const_char, at)
    rotate.length = fields.end_of(e) - at
    return 0


def xid_parse(head: cython.pointer(fields.XidHead), e: p_const_Event, format: p_const_Format) -> cython.int:
    at: octets = fields.body_of(e, format)
    if format.post_header_length[XID] != 255:
        at += format.post_header_length[XID]
    return -1 if fields.xid_head(head, at, fields.end_of(e)) == cython.NULL else 0


def xa_prepare_parse(xa: cython.pointer(XaPrepare), e: p_const_Event, format: p_const_Format) -> cython.int:
    head: fields.XaPrepareHead
    end: octets = fields.end_of(e)
    at: octets = fields.xa_prepare_head(cython.address(head), fields.body_of(e, format), end)
    if at == cython.NULL or head.gtrid_length > LONGEST_XID_PART or head.bqual_length > LONGEST_XID_PART:
        return -1
    xa.one_phase = head.one_phase != 0
    xa.xid = XaIdentifier(head.format_id, at, head.gtrid_length, head.bqual_length)
    return -1 if end - at < head.gtrid_length + head.bqual_length else 0


def write_xid(to: cython.p_char, xid: cython.pointer(cython.const[XaIdentifier])) -> cython.p_char:
    memcpy(to, cython.cast(cython.p_const_char, b"X'"), 2)
    to = write_lower_hex(to + 2, xid.data, xid.global_length)
    memcpy(to, cython.cast(cython.p_const_char, b"',X'"), 4)
    to = write_lower_hex(to + 4, xid.data + xid.global_length, xid.branch_length)
    memcpy(to, cython.cast(cython.p_const_char, b"',"), 2)
    return write_unsigned(to + 2, xid.format)


def read_attributes(variable: cython.pointer(UserVar), at: octets, end: octets) -> cython.bint:
    """Read what MariaDB writes after a value. Return False if a length reaches beyond the event."""
    while at < end and at[0] <= TYPE_NAME:
        if at[0] != TYPE_NAME:
            variable.flags = at[0]
            at += 1
            continue
        if end - at < 2 or at[1] > end - at - 2:
            return False
        variable.type_name = cython.cast(cython.p_const_char, at + 2)
        variable.type_name_length = at[1]
        at += 2 + at[1]
    return True


def user_var_parse(variable: cython.pointer(UserVar), e: p_const_Event, format: p_const_Format) -> cython.int:
    head: fields.UserVarHead
    end: octets = fields.end_of(e)
    at: octets = fields.user_var_head(cython.address(head), fields.body_of(e, format), end)
    memset(variable, 0, cython.sizeof(UserVar))
    if at == cython.NULL or head.name_length == 0 or head.name_length >= cython.cast(cython.size_t, end - at):
        return -1
    if head.name_length > LONGEST_VARIABLE_NAME and not format.mariadb:
        return -1
    variable.name = cython.cast(cython.p_const_char, at)
    variable.name_length = head.name_length
    at += head.name_length
    left: cython.size_t = end - at
    variable.is_null = at[0] != 0
    if variable.is_null:
        return 0
    if left < 10:
        return -1
    kind: cython.int = at[1]
    size: cython.size_t = read_u32(at + 6)
    variable.kind = kind
    variable.collation = read_u32(at + 2)
    at += 10
    left -= 10
    if size > left or (
        kind != fields.VARIABLE_STRING
        and kind != fields.VARIABLE_DECIMAL
        and kind != fields.VARIABLE_REAL
        and kind != fields.VARIABLE_INT
    ):
        return -1
    variable.value = at
    variable.size = size
    if format.mariadb:
        if not read_attributes(variable, at + size, at + left):
            return -1
    elif left > size:
        variable.flags = at[size]
    if (kind == fields.VARIABLE_REAL or kind == fields.VARIABLE_INT) and size < 8:
        return -1
    if kind == fields.VARIABLE_DECIMAL:
        if size < 2 or at[0] < at[1] or decimal_size(at[0], at[1]) < 0:
            return -1
        if size - 2 < cython.cast(cython.size_t, decimal_size(at[0], at[1])):
            return -1
    return 0


def rows_query_parse(
    statement: cython.pointer(cython.p_const_char),
    length: cython.pointer(cython.size_t),
    e: p_const_Event,
    format: p_const_Format,
) -> cython.int:
    head: fields.RowsQueryHead
    at: octets = fields.rows_query_head(cython.address(head), fields.body_of(e, format), fields.end_of(e))
    if at == cython.NULL:
        return -1
    statement[0] = cython.cast(cython.p_const_char, at)
    length[0] = fields.end_of(e) - at
    return 0


def checkpoint_parse(
    name: cython.pointer(octets), length: cython.pointer(cython.size_t), e: p_const_Event, format: p_const_Format
) -> cython.int:
    head: fields.MariaBinlogCheckpointHead
    end: octets = fields.end_of(e)
    name[0] = fields.maria_binlog_checkpoint_head(cython.address(head), fields.body_of(e, format), end)
    if name[0] == cython.NULL:
        return -1
    length[0] = head.filename_length
    return -1 if length[0] > cython.cast(cython.size_t, end - name[0]) else 0


def small_event(e: p_const_Event, format: p_const_Format) -> cython.int:
    kind: uint8_t = e.type
    at: octets = fields.body_of(e, format)
    end: octets = fields.end_of(e)
    name: octets = cython.NULL
    text: cython.p_const_char = cython.NULL
    length: cython.size_t = 0
    xid: fields.XidHead
    intvar: fields.IntvarHead
    rand: fields.RandHead
    block: fields.AppendBlockHead
    incident: fields.IncidentHead
    encryption: fields.MariaStartEncryptionHead
    rotate: Rotate
    xa: XaPrepare
    variable: UserVar
    if kind == event.XID:
        status: cython.int = xid_parse(cython.address(xid), e, format)
    elif kind == event.ROWS_QUERY:
        status = rows_query_parse(cython.address(text), cython.address(length), e, format)
    elif kind == event.INTVAR:
        status = -1 if fields.intvar_head(cython.address(intvar), at, end) == cython.NULL else 0
    elif kind == event.RAND:
        status = -1 if fields.rand_head(cython.address(rand), at, end) == cython.NULL else 0
    elif kind == event.USER_VAR:
        status = user_var_parse(cython.address(variable), e, format)
    elif kind == event.BEGIN_LOAD_QUERY or kind == event.APPEND_BLOCK or kind == event.DELETE_FILE:
        status = -1 if fields.append_block_head(cython.address(block), at, end) == cython.NULL else 0
    elif kind == event.ROTATE:
        status = rotate_parse(cython.address(rotate), e, format)
    elif kind == event.XA_PREPARE:
        status = xa_prepare_parse(cython.address(xa), e, format)
    elif kind == event.INCIDENT:
        at = fields.incident_head(cython.address(incident), at, end)
        status = -1 if at == cython.NULL or incident.incident > 1 else 0
    elif kind == event.MARIA_BINLOG_CHECKPOINT:
        status = checkpoint_parse(cython.address(name), cython.address(length), e, format)
    elif kind == event.MARIA_START_ENCRYPTION:
        at = fields.maria_start_encryption_head(cython.address(encryption), at, end)
        status = -1 if at == cython.NULL else 0
    else:
        if (
            kind == event.GTID
            or kind == event.ANONYMOUS_GTID
            or kind == event.GTID_TAGGED
            or kind == event.MARIA_GTID
            or kind == event.PREVIOUS_GTIDS
            or kind == event.MARIA_GTID_LIST
            or kind == event.TRANSACTION_PAYLOAD
            or kind == event.FORMAT_DESCRIPTION
            or kind == event.STOP
            or kind == event.IGNORABLE
            or kind == event.UNKNOWN
            or kind == event.MARIA_ANNOTATE_ROWS
        ):
            return SMALL_OTHER
        return SMALL_RARE
    return SMALL_CORRUPT if status < 0 else SMALL_READ
