"""GTID, anonymous and tagged GTID events, and Previous_gtids as text; compiled, as every transaction opens with one."""

import cython
from cython.cimports.pybinlog.kernel.base.clock import put_microseconds
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.name import length_until_null, put_inside_quotes, put_whole_name
from cython.cimports.pybinlog.kernel.base.text import put_again, put_bytes, put_char, put_signed, put_text, put_unsigned


def put_source(text: p_Text, recent: cython.pointer(Recent), uuid: octets):
    """Append the UUID of a transaction's server, which is most often that of the one before."""
    if recent.uuid_known and memcmp(recent.uuid, uuid, 16) == 0:
        put_bytes(text, recent.uuid_text, 36)
        return
    put_uuid(text, uuid)
    if not text.failed:
        recent.uuid_known = True
        memcpy(recent.uuid, uuid, 16)
        memcpy(recent.uuid_text, text.data + text.length - 36, 36)


def put_commit_timestamp(text: p_Text, stamp: cython.pointer(Digits), microseconds: uint64_t):
    """Append the time with a sign, as the statements have it."""
    if cython.cast(int64_t, microseconds) < 0:
        put_signed(text, cython.cast(int64_t, microseconds))
    else:
        put_again(text, stamp, microseconds)


def put_gtid(p: p_Printer, gtid: cython.pointer(cython.const[Gtid]), e: p_const_Event, format: p_const_Format):
    text: p_Text = cython.address(p.out)
    stamp: cython.pointer(Digits) = cython.address(p.recent.commit_timestamp)
    if not p.options.short_form:
        put_header(p, e, format)
        put_text(text, "\tAnonymous_GTID" if gtid.anonymous else "\tGTID")
        put_bytes(text, "\tlast_committed=", 16)
        put_unsigned(text, cython.cast(uint64_t, gtid.last_committed))
        put_bytes(text, "\tsequence_number=", 17)
        put_unsigned(text, cython.cast(uint64_t, gtid.sequence_number))
        put_text(text, "\trbr_only=no" if gtid.may_have_statements else "\trbr_only=yes")
        put_bytes(text, "\toriginal_committed_timestamp=", 30)
        put_again(text, stamp, gtid.original_commit_timestamp)
        put_bytes(text, "\timmediate_commit_timestamp=", 28)
        put_again(text, stamp, gtid.immediate_commit_timestamp)
        put_bytes(text, "\ttransaction_length=", 20)
        put_unsigned(text, gtid.transaction_length)
        end_header(p, e)
    if not gtid.may_have_statements:
        put_text(text, "/*!50718 SET TRANSACTION ISOLATION LEVEL READ COMMITTED*//*!*/;\n")
    put_text(text, "# original_commit_timestamp=")
    put_commit_timestamp(text, stamp, gtid.original_commit_timestamp)
    put_bytes(text, " (", 2)
    put_microseconds(text, cython.address(p.clock), gtid.original_commit_timestamp)
    put_text(text, ")\n# immediate_commit_timestamp=")
    put_commit_timestamp(text, stamp, gtid.immediate_commit_timestamp)
    put_bytes(text, " (", 2)
    put_microseconds(text, cython.address(p.clock), gtid.immediate_commit_timestamp)
    put_text(text, ")\n/*!80001 SET @@session.original_commit_timestamp=")
    put_commit_timestamp(text, stamp, gtid.original_commit_timestamp)
    put_text(text, "*//*!*/;\n/*!80014 SET @@session.original_server_version=")
    put_again(text, cython.address(p.recent.original_server_version), gtid.original_server_version)
    put_text(text, "*//*!*/;\n/*!80014 SET @@session.immediate_server_version=")
    put_again(text, cython.address(p.recent.immediate_server_version), gtid.immediate_server_version)
    put_text(text, "*//*!*/;\nSET @@SESSION.GTID_NEXT= '")
    if gtid.anonymous:
        put_bytes(text, "ANONYMOUS", 9)
    else:
        put_source(text, cython.address(p.recent), gtid.uuid)
        put_char(text, b":")
        if gtid.tag_length:
            tag: octets = cython.cast(octets, gtid.tag)
            put_inside_quotes(text, tag, gtid.tag_length, p.options.exact, p.options.exact)
            if p.options.exact and length_until_null(tag, gtid.tag_length) < gtid.tag_length:
                put_bytes(text, "/*!*/;\n", 7)  # the reference's text ends at the null byte
                return
            put_char(text, b":")
        put_signed(text, gtid.number)
    put_bytes(text, "'/*!*/;\n", 8)


def put_previous_gtids(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    """Append the set of the earlier logs; return -1 if a length reaches beyond the event."""
    text: p_Text = cython.address(p.out)
    gtids: PreviousGtids
    last: octets = cython.NULL
    if previous_gtids_begin(cython.address(gtids), e, format) < 0:
        return -1
    put_title(p, e, format, "\tPrevious-GTIDs")
    if gtids.left == 0:
        put_bytes(text, "# [empty]\n", 10)
        return 0
    while True:
        status: cython.int = previous_gtids_next(cython.address(gtids))
        if status < 0:
            return -1
        if status == 0:
            break
        if last != cython.NULL and memcmp(last, gtids.uuid, 16) == 0:
            pass  # another tag of the same source: it continues in the line
        else:
            put_text(text, "# " if last == cython.NULL else ",\n# ")
            put_uuid(text, gtids.uuid)
        last = gtids.uuid
        if gtids.tag_length:
            put_char(text, b":")
            # if a tag is invalid, the reference drops the line
            put_whole_name(text, cython.cast(octets, gtids.tag), gtids.tag_length, False)
        put_intervals(text, cython.address(gtids))
    put_char(text, b"\n")
    return 0
