"""MariaDB's own events (types 160 to 171) as text: the content is mariadb-binlog's, the form that of the MySQL tool.

MariaDB writes one of them, its Gtid, in front of every transaction, so they are decoded with struct; the fields are
those of `pybinlog.layout.mariadb`. What differs from mariadb-binlog is listed in docs/parity-mariadb.md.
"""

from __future__ import annotations

import re
import struct
import zlib
from operator import itemgetter

from pybinlog.compressed_event import beyond, inflate, integer, rows_start, text_start
from pybinlog.errors import BinlogError, EncryptedError
from pybinlog.events import COMMON_HEADER_LENGTH, EventType
from pybinlog.kernel.batch import EventBatch
from pybinlog.kernel.render import Renderer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from pybinlog.gtid_set import MariaGtid
    from pybinlog.kernel.gtid_window import GtidWindow

__all__ = [
    "put_annotate_rows",
    "put_binlog_checkpoint",
    "put_gtid",
    "put_gtid_list",
    "put_query_compressed",
    "put_rows_compressed",
    "put_start_encryption",
]

GTID = struct.Struct("<QIB")  # sequence number, domain, flags
XID = struct.Struct("<IBB")  # format, length of the global part, length of the branch qualifier
LISTED_GTID = struct.Struct("<IIQ")  # domain, server, sequence number

# The flags of a Gtid ...
STANDALONE, GROUP_COMMIT_ID, TRANSACTIONAL, ALLOW_PARALLEL, WAITED, DDL, PREPARED_XA, COMPLETED_XA = (
    1 << bit for bit in range(8)
)
# ... and those in a second byte.
MULTI_ENGINE, START_ALTER, COMMIT_ALTER, ROLLBACK_ALTER, THREAD_ID = (1 << bit for bit in range(5))

GTID_LIST_COUNT = 0x0FFFFFFF  # the bits above are flags
NONCE = 12

INFLATED_ROWS = {
    EventType.MARIA_WRITE_ROWS_COMPRESSED_V1: EventType.WRITE_ROWS_V1,
    EventType.MARIA_UPDATE_ROWS_COMPRESSED_V1: EventType.UPDATE_ROWS_V1,
    EventType.MARIA_DELETE_ROWS_COMPRESSED_V1: EventType.DELETE_ROWS_V1,
    EventType.MARIA_WRITE_ROWS_COMPRESSED: EventType.WRITE_ROWS,
    EventType.MARIA_UPDATE_ROWS_COMPRESSED: EventType.UPDATE_ROWS,
    EventType.MARIA_DELETE_ROWS_COMPRESSED: EventType.DELETE_ROWS,
}

LINE_ENDS = re.compile(rb"[\r\n]+")


def put_gtid(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The beginning of a transaction: what its GTID is to be, and the statement that opens it.

    The session variables are set where they differ from the text before. With --skip-gtids they are left to the server,
    but the transaction is opened all the same; --short-form leaves them out, too.
    """
    if len(body) < GTID.size:
        raise beyond()
    seq_no, domain_id, flags = GTID.unpack_from(body)
    server_id = batch.header(index)[3]
    at = GTID.size
    line = b"\tGTID %d-%d-%d" % (domain_id, server_id, seq_no)
    if flags & GROUP_COMMIT_ID:
        line += b" cid=%d" % integer(body, at, 8)
        at += 8
    xid = b""
    if flags & (PREPARED_XA | COMPLETED_XA):
        xid, at = xa_identifier(body, at)
    if flags & DDL:
        line += b" ddl"
    if flags & TRANSACTIONAL:
        line += b" trans"
    if flags & WAITED:
        line += b" waited"
    if at < len(body):
        line += extra_flags(body, at)

    statements = b""
    if not renderer.short_form and not renderer.skip_gtids:
        parallel = bool(flags & ALLOW_PARALLEL)
        set_parallel, set_domain, set_server = renderer.gtid_session or (None, None, None)
        if set_parallel is not parallel:
            statements += b"/*M!100101 SET @@session.skip_parallel_replication=%d*//*!*/;\n" % (not parallel)
        if set_domain != domain_id:
            statements += b"/*M!100001 SET @@session.gtid_domain_id=%d*//*!*/;\n" % domain_id
        if set_server != server_id:
            statements += b"/*M!100001 SET @@session.server_id=%d*//*!*/;\n" % server_id
        statements += b"/*M!100001 SET @@session.gtid_seq_no=%d*//*!*/;\n" % seq_no
        renderer.gtid_session = (parallel, domain_id, server_id)
    if flags & PREPARED_XA:
        statements += b"XA START " + xid + b"/*!*/;\n"
    elif not flags & STANDALONE:
        statements += b"START TRANSACTION\n/*!*/;\n"
    renderer.begin_transaction()
    # an XA transaction cannot be ended by ROLLBACK; its session's end does that
    renderer.in_transaction(not flags & (STANDALONE | PREPARED_XA))
    renderer.put_line(batch, index, line, statements)


def extra_flags(body: bytes, at: int) -> bytes:
    """What the second byte of flags says, as text: the parts of an ALTER TABLE in two phases, the thread."""
    flags = body[at]
    at += 1
    text = b""
    if flags & MULTI_ENGINE:
        at += 1
    if flags & START_ALTER:
        text += b" START ALTER"
    if flags & (COMMIT_ALTER | ROLLBACK_ALTER):
        start = integer(body, at, 8)
        at += 8
        if flags & COMMIT_ALTER:
            text += b" COMMIT ALTER id= %d" % start
        if flags & ROLLBACK_ALTER:
            text += b" ROLLBACK ALTER id= %d" % start
    if flags & THREAD_ID:
        text += b" thread_id=%d" % integer(body, at, 4)
    return text


def xa_identifier(body: bytes, at: int) -> tuple[bytes, int]:
    """An XA transaction's identifier as its statements take it, and the offset behind it."""
    if len(body) - at < XID.size:
        raise beyond()
    format_id, global_length, branch_length = XID.unpack_from(body, at)
    at += XID.size
    branch_at = at + global_length
    end = branch_at + branch_length
    if end > len(body):
        raise beyond()
    text = f"X'{body[at:branch_at].hex()}',X'{body[branch_at:end].hex()}',{format_id}"
    return text.encode(), end


def put_gtid_list(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The last GTID of each domain and server before this log, by domain.

    BinlogError where the first log begins behind the position that the dump is to start or stop at.
    """
    count = integer(body, 0, 4) & GTID_LIST_COUNT
    if count * LISTED_GTID.size > len(body) - 4:
        raise beyond()
    if renderer.window is not None and renderer.window.lists == 1:
        check_position(renderer.window, LISTED_GTID.iter_unpack(body[4 : 4 + count * LISTED_GTID.size]))
    if renderer.short_form or renderer.skip_gtids:
        return
    # within a domain the last one is that of the transaction that came last
    gtids = sorted(LISTED_GTID.iter_unpack(body[4 : 4 + count * LISTED_GTID.size]), key=itemgetter(0))
    lines = b",\n# ".join(b"%d-%d-%d" % gtid for gtid in gtids) + b"]"
    first, _, rest = lines.partition(b"\n")
    renderer.put_line(batch, index, b"\tGtid list [" + first, rest + b"\n" if rest else b"")


def check_position(window: GtidWindow, listed: Iterable[MariaGtid]) -> None:
    """Compare what came before the first log with the positions that were asked for."""
    found = window.contradictions(list(listed))
    if found:
        raise BinlogError(
            f"the log does not fit the position asked for: {'; '.join(found)}",
            hint="Give the logs from that position on; a start position names a GTID of each domain in the Gtid_list",
        )


def put_binlog_checkpoint(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The oldest log that a recovery would read."""
    length = integer(body, 0, 4)
    if length > len(body) - 4:
        raise beyond()
    renderer.put_line(batch, index, b"\tBinlog checkpoint " + renderer.name(body[4 : 4 + length]), b"")


def put_annotate_rows(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The statement behind the row events that follow, each line of it a comment; empty ones are left out."""
    if renderer.short_form:
        return
    lines = b"".join(b"#Q> " + line + b"\n" for line in LINE_ENDS.split(body) if line)
    renderer.put_line(batch, index, b"\tAnnotate_rows:", lines)


def put_start_encryption(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """That, and how, the rest of the log is encrypted: the last event that can be read. EncryptedError behind it."""
    scheme, version, nonce = integer(body, 0, 1), integer(body, 1, 4), body[5 : 5 + NONCE]
    if len(nonce) < NONCE:
        raise beyond()
    text = f"# Encryption scheme: {scheme}, key_version: {version}, nonce: {nonce.hex()}\n"
    renderer.put_line(batch, index, b"\tStart_encryption", text.encode() + b"# The rest of the binlog is encrypted!\n")
    renderer.finish_event()
    raise EncryptedError(
        "the log is encrypted from here on (encrypt_binlog=ON)",
        hint="Only its server has the key; read the log from the server, with mariadb-binlog --read-from-remote-server",
    )


def put_query_compressed(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """A statement as if it had not been compressed."""
    text_at = text_start(body)
    header = batch.data(index)[:COMMON_HEADER_LENGTH]
    renderer.query_as(batch, index, header + body[:text_at] + inflate(body, text_at))


def put_rows_compressed(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Rows as if they had not been compressed: a server does not take compressed ones in a BINLOG statement."""
    kind = EventType(batch.header(index)[2])
    at = rows_start(body, kind)
    plain = bytearray(batch.data(index)[:COMMON_HEADER_LENGTH])
    plain += body[:at]
    plain += inflate(body, at)
    checksums = batch.checksum_algorithm == 1
    plain[4] = INFLATED_ROWS[kind]
    plain[9:13] = (len(plain) + 4 * checksums).to_bytes(4, "little")
    if checksums:
        plain += zlib.crc32(plain).to_bytes(4, "little")
    renderer.rows_as(batch, index, bytes(plain))
