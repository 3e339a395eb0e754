"""The fields of small events: Rotate, Xid, XA_prepare and Incident, those of LOAD DATA, of variables, and Rows_query;
MariaDB's Binlog_checkpoint and Start_encryption.

Layouts: MySQL's source documentation and MariaDB's, a page for each event.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.digits import decimal_size, write_unsigned
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16, read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset
from cython.cimports.pybinlog.kernel.base.text import write_lower_hex

LONGEST_VARIABLE_NAME = cython.declare(cython.size_t, 192)  # bytes: 64 characters of utf8mb3


def rotate_parse(rotate: cython.pointer(Rotate), e: p_const_Event, format: p_const_Format) -> cython.int:
    if e.body_end < format.header_length + cython.cast(cython.size_t, 8):
        return -1
    rotate.position = cython.cast(int64_t, read_u64(e.data + format.header_length))
    rotate.name = cython.cast(cython.p_const_char, e.data + format.header_length + 8)
    rotate.length = e.body_end - format.header_length - 8
    return 0


def xid_parse(xid: cython.pointer(uint64_t), e: p_const_Event, format: p_const_Format) -> cython.int:
    at: cython.size_t = format.header_length
    if format.post_header_length[XID] != 255:
        at += format.post_header_length[XID]
    if e.body_end < at + 8:
        return -1
    xid[0] = read_u64(e.data + at)
    return 0


def xa_prepare_parse(xa: cython.pointer(XaPrepare), e: p_const_Event, format: p_const_Format) -> cython.int:
    at: octets = e.data + format.header_length
    if e.body_end < format.header_length + cython.cast(cython.size_t, 13):
        return -1
    left: cython.size_t = e.body_end - format.header_length - 13
    xa.one_phase = at[0] != 0
    xa.xid = XaIdentifier(read_u32(at + 1), at + 13, read_u32(at + 5), read_u32(at + 9))
    if xa.xid.global_length > LONGEST_XID_PART or xa.xid.branch_length > LONGEST_XID_PART:
        return -1
    return -1 if xa.xid.global_length + xa.xid.branch_length > left else 0


def write_xid(to: cython.p_char, xid: cython.pointer(cython.const[XaIdentifier])) -> cython.p_char:
    memcpy(to, cython.cast(cython.p_const_char, b"X'"), 2)
    to = write_lower_hex(to + 2, xid.data, xid.global_length)
    memcpy(to, cython.cast(cython.p_const_char, b"',X'"), 4)
    to = write_lower_hex(to + 4, xid.data + xid.global_length, xid.branch_length)
    memcpy(to, cython.cast(cython.p_const_char, b"',"), 2)
    return write_unsigned(to + 2, xid.format)


def incident_parse(number: cython.pointer(uint16_t), e: p_const_Event, format: p_const_Format) -> cython.int:
    if e.body_end < format.header_length + cython.cast(cython.size_t, 2):
        return -1
    number[0] = read_u16(e.data + format.header_length)
    return -1 if number[0] > 1 else 0


def file_id_parse(file_id: cython.pointer(uint32_t), e: p_const_Event, format: p_const_Format) -> cython.int:
    if e.body_end < format.header_length + cython.cast(cython.size_t, 4):
        return -1
    file_id[0] = read_u32(e.data + format.header_length)
    return 0


def intvar_parse(variable: cython.pointer(Intvar), e: p_const_Event, format: p_const_Format) -> cython.int:
    at: octets = e.data + format.header_length
    if e.body_end < format.header_length + cython.cast(cython.size_t, 9):
        return -1
    variable.type = at[0]
    variable.value = cython.cast(int64_t, read_u64(at + 1))
    return 0


def rand_parse(seeds: cython.pointer(int64_t), e: p_const_Event, format: p_const_Format) -> cython.int:
    at: octets = e.data + format.header_length
    if e.body_end < format.header_length + cython.cast(cython.size_t, 16):
        return -1
    seeds[0] = cython.cast(int64_t, read_u64(at))
    seeds[1] = cython.cast(int64_t, read_u64(at + 8))
    return 0


def user_var_parse(variable: cython.pointer(UserVar), e: p_const_Event, format: p_const_Format) -> cython.int:
    at: octets = e.data + format.header_length
    memset(variable, 0, cython.sizeof(UserVar))
    if e.body_end < format.header_length + cython.cast(cython.size_t, 5):
        return -1
    left: cython.size_t = e.body_end - format.header_length
    variable.name_length = read_u32(at)
    if variable.name_length == 0 or left < 5 or variable.name_length > left - 5:
        return -1
    if variable.name_length > LONGEST_VARIABLE_NAME and not format.mariadb:
        return -1
    variable.name = cython.cast(cython.p_const_char, at + 4)
    at += 4 + variable.name_length
    left -= 4 + variable.name_length
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
    if size > left or (kind != STRING_VALUE and kind != DECIMAL_VALUE and kind != REAL_VALUE and kind != INT_VALUE):
        return -1
    variable.value = at
    variable.size = size
    if left > size:
        variable.flags = at[size]
    if (kind == REAL_VALUE or kind == INT_VALUE) and size < 8:
        return -1
    if kind == DECIMAL_VALUE:
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
    if e.body_end < format.header_length + cython.cast(cython.size_t, 1):
        return -1
    statement[0] = cython.cast(cython.p_const_char, e.data + format.header_length + 1)
    length[0] = e.body_end - format.header_length - 1
    return 0


def checkpoint_parse(
    name: cython.pointer(octets), length: cython.pointer(cython.size_t), e: p_const_Event, format: p_const_Format
) -> cython.int:
    if e.body_end < format.header_length + cython.cast(cython.size_t, 4):
        return -1
    name[0] = e.data + format.header_length + 4
    length[0] = read_u32(e.data + format.header_length)
    return -1 if length[0] > e.body_end - format.header_length - 4 else 0


def start_encryption_parse(
    fields: cython.pointer(StartEncryption), e: p_const_Event, format: p_const_Format
) -> cython.int:
    at: octets = e.data + format.header_length
    if e.body_end < format.header_length + cython.cast(cython.size_t, 5 + ENCRYPTION_NONCE):
        return -1
    fields.scheme = at[0]
    fields.key_version = read_u32(at + 1)
    fields.nonce = at + 5
    return 0


def small_event(e: p_const_Event, format: p_const_Format) -> cython.int:
    kind: uint8_t = e.type
    number: uint64_t = 0
    short: uint32_t = 0
    incident: uint16_t = 0
    seeds: int64_t[2]
    name: octets = cython.NULL
    text: cython.p_const_char = cython.NULL
    length: cython.size_t = 0
    status: cython.int
    rotate: Rotate
    xa: XaPrepare
    intvar: Intvar
    variable: UserVar
    encryption: StartEncryption
    if kind == event.XID:
        status = xid_parse(cython.address(number), e, format)
    elif kind == event.ROWS_QUERY:
        status = rows_query_parse(cython.address(text), cython.address(length), e, format)
    elif kind == event.INTVAR:
        status = intvar_parse(cython.address(intvar), e, format)
    elif kind == event.RAND:
        status = rand_parse(seeds, e, format)
    elif kind == event.USER_VAR:
        status = user_var_parse(cython.address(variable), e, format)
    elif kind == event.BEGIN_LOAD_QUERY or kind == event.APPEND_BLOCK or kind == event.DELETE_FILE:
        status = file_id_parse(cython.address(short), e, format)
    elif kind == event.ROTATE:
        status = rotate_parse(cython.address(rotate), e, format)
    elif kind == event.XA_PREPARE:
        status = xa_prepare_parse(cython.address(xa), e, format)
    elif kind == event.INCIDENT:
        status = incident_parse(cython.address(incident), e, format)
    elif kind == event.MARIA_BINLOG_CHECKPOINT:
        status = checkpoint_parse(cython.address(name), cython.address(length), e, format)
    elif kind == event.MARIA_START_ENCRYPTION:
        status = start_encryption_parse(cython.address(encryption), e, format)
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
