"""MariaDB's own events (types 160 to 171) as text: the content is mariadb-binlog's, the form that of the MySQL tool.

The fields are those of `pybinlog.layout.mariadb`. What differs from mariadb-binlog is listed in docs/parity-mariadb.md.
"""

from __future__ import annotations

import re
from operator import itemgetter

from pybinlog.errors import BinlogError, EncryptedError
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventType, printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import type_when_inflated
from pybinlog.kernel.scan.gtid_fields import (
    FL_ALLOW_PARALLEL,
    FL_DDL,
    FL_EXTRA_COMMIT_ALTER,
    FL_EXTRA_ROLLBACK_ALTER,
    FL_EXTRA_START_ALTER,
    FL_EXTRA_THREAD_ID,
    FL_GROUP_COMMIT_ID,
    FL_PREPARED_XA,
    FL_STANDALONE,
    FL_TRANSACTIONAL,
    FL_WAITED,
    maria_gtid,
)
from pybinlog.kernel.text.render import Renderer
from pybinlog.log.compressed_event import beyond, data_start, inflated_event, inflated_length
from pybinlog.log.maria_event import binlog_checkpoint, gtid_list, start_encryption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.gtid_set import MariaGtid
    from pybinlog.kernel.text.event_filter import GtidWindow
    from pybinlog.kernel.text.text_state import TextState

MYSQL_ONLY = (
    EventType.ROWS_QUERY,
    EventType.GTID,
    EventType.ANONYMOUS_GTID,
    EventType.PREVIOUS_GTIDS,
    EventType.PARTIAL_UPDATE_ROWS,
    EventType.TRANSACTION_PAYLOAD,
    EventType.HEARTBEAT_V2,
    EventType.GTID_TAGGED,
)
LINE = re.compile(rb"[^\r\n]+")


def put_gtid(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The beginning of a transaction: its GTID, and the statement that opens it.

    The session variables are set where they differ from the text before. With --skip-gtids they are left to the server,
    but the transaction is opened all the same; --short-form leaves them out, too.
    """
    fields = maria_gtid(batch, index)
    if fields is None:
        raise beyond()
    seq_no, domain_id, flags, commit_id, xa, extra, alter_number, thread_id = fields
    server_id = batch.header(index).server_id
    line = b"\tGTID %d-%d-%d" % (domain_id, server_id, seq_no)
    if flags & FL_GROUP_COMMIT_ID:
        line += b" cid=%d" % commit_id
    if flags & FL_DDL:
        line += b" ddl"
    if flags & FL_TRANSACTIONAL:
        line += b" trans"
    if flags & FL_WAITED:
        line += b" waited"
    line += extra_flags(extra, alter_number, thread_id)

    statements = b""
    if not renderer.short_form and not renderer.skip_gtids:
        parallel = bool(flags & FL_ALLOW_PARALLEL)
        set_parallel, set_domain, set_server = renderer.gtid_session or (None, None, None)
        if set_parallel is not parallel:
            statements += b"/*M!100101 SET @@session.skip_parallel_replication=%d*//*!*/;\n" % (not parallel)
        if set_domain != domain_id:
            statements += b"/*M!100001 SET @@session.gtid_domain_id=%d*//*!*/;\n" % domain_id
        if set_server != server_id:
            statements += b"/*M!100001 SET @@session.server_id=%d*//*!*/;\n" % server_id
        statements += b"/*M!100001 SET @@session.gtid_seq_no=%d*//*!*/;\n" % seq_no
    if flags & FL_PREPARED_XA:
        statements += b"XA START " + xa_identifier(*xa) + b"/*!*/;\n"
    elif not flags & FL_STANDALONE:
        statements += b"START TRANSACTION\n/*!*/;\n"
    renderer.close_gap()
    take_gtid(renderer, server_id, domain_id, flags)
    renderer.put_line(batch, index, line, statements)


def take_gtid(state: TextState, server_id: int, domain_id: int, flags: int) -> None:
    """What a Gtid leaves in the state, printed or not."""
    session = bool(flags & FL_ALLOW_PARALLEL), domain_id, server_id
    state.begin_maria_transaction(session, not flags & (FL_STANDALONE | FL_PREPARED_XA))


def extra_flags(flags: int, alter_number: int, thread_id: int) -> bytes:
    """What the second byte of flags says, as text: the parts of an ALTER TABLE in two phases, the thread."""
    text = b""
    if flags & FL_EXTRA_START_ALTER:
        text += b" START ALTER"
    if flags & FL_EXTRA_COMMIT_ALTER:
        text += b" COMMIT ALTER id= %d" % alter_number
    if flags & FL_EXTRA_ROLLBACK_ALTER:
        text += b" ROLLBACK ALTER id= %d" % alter_number
    if flags & FL_EXTRA_THREAD_ID:
        text += b" thread_id=%d" % thread_id
    return text


def xa_identifier(format_id: int, global_part: bytes, branch: bytes) -> bytes:
    """An XA transaction's identifier as its statements take it."""
    return f"X'{global_part.hex()}',X'{branch.hex()}',{format_id}".encode()


def put_gtid_list(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The last GTID of each domain and server before this log, by domain.

    BinlogError where the first log begins after the position that the dump is to start or stop at.
    """
    listed = gtid_list(body)
    if renderer.window is not None and renderer.window.lists == 1:
        check_position(renderer.window, listed)
    if renderer.short_form or renderer.skip_gtids:
        return
    # within a domain the last one is that of the transaction that came last
    gtids = sorted(listed, key=itemgetter(0))
    lines = b",\n# ".join(b"%d-%d-%d" % gtid for gtid in gtids) + b"]"
    first, _, rest = lines.partition(b"\n")
    renderer.put_line(batch, index, b"\tGtid list [" + first, rest + b"\n" if rest else b"")


def check_position(window: GtidWindow, listed: list[MariaGtid]) -> None:
    """Compare what came before the first log with the start and stop positions."""
    found = window.contradictions(listed)
    if found:
        raise BinlogError(
            f"the log does not fit the position asked for: {'; '.join(found)}",
            hint="Give the logs from that position on; a start position names a GTID of each domain in the Gtid_list",
        )


def put_binlog_checkpoint(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The oldest log that a recovery would read."""
    renderer.put_line(batch, index, b"\tBinlog checkpoint " + renderer.name(binlog_checkpoint(body)), b"")


def put_annotate_rows(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The statement after the row events that follow, each line of it a comment; empty ones are left out."""
    if renderer.short_form:
        return
    renderer.put_line(batch, index, b"\tAnnotate_rows:", b"")
    for line in LINE.finditer(body):
        renderer.put(b"#Q> " + line[0] + b"\n")
        renderer.relieve()


def put_ignorable(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """An event that MariaDB ignores, with its code: one of MySQL's, or any with the flag for it.

    A server that sends an encrypted log decrypts it, and passes Start_encryption on so.
    """
    if renderer.short_form:
        return
    code = batch.code(index)
    of_mysql = "MySQL " if code in MYSQL_ONLY else ""
    comment = f"# Ignorable event type {code} ({of_mysql}{printed_name(code)})\n"
    renderer.put_line(batch, index, b"\tIgnorable", comment.encode())


def put_start_encryption(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """That, and how, the rest of the log is encrypted: the last event that can be read. EncryptedError after it."""
    scheme, version, nonce = start_encryption(body)
    text = f"# Encryption scheme: {scheme}, key_version: {version}, nonce: {nonce.hex()}\n"
    renderer.put_line(batch, index, b"\tStart_encryption", text.encode() + b"# The rest of the binlog is encrypted!\n")
    renderer.finish_event()
    raise EncryptedError(
        "the log is encrypted from here on (encrypt_binlog=ON)",
        hint="Only its server has the key; read the log from the server, with mariadb-binlog --read-from-remote-server",
    )


def put_query_compressed(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """A statement as if it had not been compressed."""
    text_at = data_start(body, batch.header(index).type)
    header = batch.data(index)[:COMMON_HEADER_LENGTH]
    renderer.query_as(batch, index, inflated_event(header + body[:text_at], body, text_at, checksum=False))


def put_rows_compressed(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Rows as if they had not been compressed: a server does not take compressed ones in a BINLOG statement."""
    kind = batch.header(index).type
    at = data_start(body, kind)
    head = bytearray(batch.data(index)[:COMMON_HEADER_LENGTH] + body[:at])
    head[4] = type_when_inflated(kind)
    head[9:13] = (len(head) + inflated_length(body, at)).to_bytes(4, "little")
    checksums = batch.checksum_algorithm == 1
    renderer.rows_as(batch, index, inflated_event(bytes(head), body, at, checksum=checksums))
