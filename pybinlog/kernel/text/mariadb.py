"""MariaDB's own events (types 160 to 171) as text; compiled, as each transaction begins with one.

The content is mariadb-binlog's, the form that of the MySQL tool. docs/parity-mariadb.md lists what differs from
mariadb-binlog. Compressed events are printed as what they stand for (`EventText.inflated_text`).
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, fields
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import free, malloc, qsort
from cython.cimports.pybinlog.kernel.base.name import put_whole_name
from cython.cimports.pybinlog.kernel.base.text import put_lower_hex, put_text, put_unsigned
from cython.cimports.pybinlog.kernel.scan import event_fields, gtid_fields
from cython.cimports.pybinlog.kernel.text import printer
from cython.cimports.pybinlog.kernel.text.control import put_xa_identifier


def put_field(text: p_Text, name: cython.p_const_char, value: int64_t):
    put_text(text, name)
    put_unsigned(text, value)


def put_variable(text: p_Text, name: cython.p_const_char, before: int64_t, value: int64_t):
    """Set a variable of the session if it differs from what the text has set before."""
    if before != value:
        put_text(text, name)
        put_unsigned(text, value)
        put_bytes(text, "*//*!*/;\n", 9)


def put_maria_gtid(
    p: p_Printer, gtid: cython.pointer(cython.const[gtid_fields.MariaGtid]), e: p_const_Event, format: p_const_Format
):
    """Append the beginning of a transaction: its GTID, and the statement that opens it.

    With --skip-gtids the session variables are left to the server, but the transaction is opened nevertheless;
    --short-form leaves them out, too.
    """
    text: p_Text = cython.address(p.out)
    session: cython.pointer(cython.const[printer.Session]) = p.session
    flags: uint8_t = gtid.flags
    if not p.options.short_form:
        printer.put_header(p, e, format)
        put_bytes(text, "\tGTID ", 6)
        put_gtid(text, gtid.domain, e.server_id, gtid.sequence_number)
        if flags & fields.FL_GROUP_COMMIT_ID:
            put_field(text, " cid=", gtid.commit_id)
        if flags & fields.FL_DDL:
            put_bytes(text, " ddl", 4)
        if flags & fields.FL_TRANSACTIONAL:
            put_bytes(text, " trans", 6)
        if flags & fields.FL_WAITED:
            put_bytes(text, " waited", 7)
        # the parts of an ALTER TABLE in two phases
        if gtid.extra & fields.FL_EXTRA_START_ALTER:
            put_text(text, " START ALTER")
        if gtid.extra & fields.FL_EXTRA_COMMIT_ALTER:
            put_field(text, " COMMIT ALTER id= ", gtid.alter_number)
        if gtid.extra & fields.FL_EXTRA_ROLLBACK_ALTER:
            put_field(text, " ROLLBACK ALTER id= ", gtid.alter_number)
        if gtid.extra & fields.FL_EXTRA_THREAD_ID:
            put_field(text, " thread_id=", gtid.thread_id)
        printer.end_header(p, e)
        if not p.options.skip_gtids:
            put_variable(
                text,
                "/*M!100101 SET @@session.skip_parallel_replication=",
                session.skip_parallel_replication,
                not flags & fields.FL_ALLOW_PARALLEL,
            )
            put_variable(text, "/*M!100001 SET @@session.gtid_domain_id=", session.gtid_domain_id, gtid.domain)
            put_variable(text, "/*M!100001 SET @@session.server_id=", session.server_id, e.server_id)
            put_field(text, "/*M!100001 SET @@session.gtid_seq_no=", gtid.sequence_number)
            put_bytes(text, "*//*!*/;\n", 9)
    if flags & fields.FL_PREPARED_XA:
        put_bytes(text, "XA START ", 9)
        put_xa_identifier(text, cython.address(gtid.xid))
        put_bytes(text, "/*!*/;\n", 7)
    elif not flags & fields.FL_STANDALONE:
        put_bytes(text, "START TRANSACTION\n/*!*/;\n", 25)


def put_gtid(text: p_Text, domain: uint32_t, server: uint32_t, number: int64_t):
    put_unsigned(text, domain)
    put_char(text, b"-")
    put_unsigned(text, server)
    put_char(text, b"-")
    put_unsigned(text, number)


def by_domain(left: cython.p_const_void, right: cython.p_const_void) -> cython.int:
    """Compare two GTIDs of a list: within a domain by the event's order, whose last one is the domain's last."""
    a: octets = cython.cast(cython.pointer(octets), left)[0]
    b: octets = cython.cast(cython.pointer(octets), right)[0]
    if read_u32(a) != read_u32(b):
        return -1 if read_u32(a) < read_u32(b) else 1
    return -1 if a < b else 1


def put_gtid_list(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    """Append the last GTID of each domain and server before this log, by domain."""
    text: p_Text = cython.address(p.out)
    count: uint32_t = 0
    i: uint32_t
    listed: octets = gtid_fields.maria_gtid_list_parse(e, format, cython.address(count))
    if listed == cython.NULL:
        return printer.CORRUPT
    if p.options.short_form or p.options.skip_gtids:
        return printer.DONE
    order: cython.pointer(octets) = cython.cast(
        cython.pointer(octets), malloc((cython.cast(cython.size_t, count) + 1) * cython.sizeof(octets))
    )
    if order == cython.NULL:
        return printer.NO_MEMORY
    for i in range(count):
        order[i] = listed + cython.cast(cython.size_t, i) * gtid_fields.LISTED_GTID
    qsort(order, count, cython.sizeof(octets), by_domain)
    printer.put_header(p, e, format)
    put_bytes(text, "\tGtid list [", 12)
    for i in range(count):
        if i == 1:
            put_char(text, b",")
            printer.end_header(p, e)
            put_bytes(text, "# ", 2)
        elif i:
            put_bytes(text, ",\n# ", 4)
        put_gtid(text, read_u32(order[i]), read_u32(order[i] + 4), read_u64(order[i] + 8))
    free(order)
    put_char(text, b"]")
    if count > 1:
        put_char(text, b"\n")
    else:
        printer.end_header(p, e)
    return printer.DONE


def put_checkpoint(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    """Append the oldest log that a recovery would read."""
    name: octets = cython.NULL
    length: cython.size_t = 0
    if event_fields.checkpoint_parse(cython.address(name), cython.address(length), e, format) < 0:
        return printer.CORRUPT
    if not p.options.short_form:
        printer.put_header(p, e, format)
        put_bytes(cython.address(p.out), "\tBinlog checkpoint ", 19)
        put_whole_name(cython.address(p.out), name, length, p.options.exact)
        printer.end_header(p, e)
    return printer.DONE


def put_annotate_rows(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    """Append the statement after the row events that follow, each line of it a comment; empty ones are omitted."""
    text: p_Text = cython.address(p.out)
    at: cython.p_const_char = cython.cast(cython.p_const_char, e.data + format.header_length)
    end: cython.p_const_char = cython.cast(cython.p_const_char, e.data + e.body_end)
    if p.options.short_form:
        return printer.DONE
    printer.put_title(p, e, format, "\tAnnotate_rows:")
    while at < end:
        line: cython.p_const_char = at
        at += plain_run(at, end - at)
        while at < end and at[0] != b"\n" and at[0] != b"\r":
            at += 1
        if at > line:
            put_bytes(text, "#Q> ", 4)
            if p.options.exact:
                put_bytes(text, line, at - line)
            else:
                put_in_order(text, line, at - line)
            put_char(text, b"\n")
            if text.length >= RELIEVED_AT and p.relieve != cython.NULL:
                p.relieve(p.owner)
        at += 1
    return printer.DONE


def put_start_encryption(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    """Append the comment that the rest of the log is encrypted, and how: the last event that can be read."""
    text: p_Text = cython.address(p.out)
    head: fields.MariaStartEncryptionHead
    at: octets = fields.body_of(e, format)
    if fields.maria_start_encryption_head(cython.address(head), at, fields.end_of(e)) == cython.NULL:
        return printer.CORRUPT
    printer.put_title(p, e, format, "\tStart_encryption")
    put_field(text, "# Encryption scheme: ", head.crypto_scheme)
    put_field(text, ", key_version: ", head.key_version)
    put_text(text, ", nonce: ")
    put_lower_hex(text, head.nonce, fields.MARIA_START_ENCRYPTION_NONCE_SIZE)
    put_text(text, "\n# The rest of the binlog is encrypted!\n")
    printer.finish_head(p)
    return printer.ENCRYPTED


def put_maria_event(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    if e.type == event.MARIA_ANNOTATE_ROWS:
        return put_annotate_rows(p, e, format)
    if e.type == event.MARIA_BINLOG_CHECKPOINT:
        return put_checkpoint(p, e, format)
    if e.type == event.MARIA_GTID_LIST:
        return put_gtid_list(p, e, format)
    return put_start_encryption(p, e, format)
