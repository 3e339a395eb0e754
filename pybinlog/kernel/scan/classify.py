"""Transaction boundaries (WL#4162): the classifier's table, the parser's table, and runs of events as functions.

The rules are those of docs/boundaries.md. Each event is brought to one of a few kinds; a table then gives, for the
kind and the classifier's state, the boundary type and the next state, and a second table moves the parser.
"""

import cython
from cython.cimports.pybinlog.kernel.base import facts, fields
from cython.cimports.pybinlog.kernel.base.event import ARTIFICIAL, COMMON_HEADER_LENGTH, EXECUTE_LOAD_QUERY
from cython.cimports.pybinlog.kernel.base.event import MARIA_QUERY_COMPRESSED, RELAY_LOG, ROTATE
from cython.cimports.pybinlog.kernel.base.memory import memset

CELLS = cython.declare(cython.uchar[120])  # [kind * 6 + group * 2 + always_gtid] = type | group << 3 | always_gtid << 5
MANY_SPACES = cython.declare(cython.size_t, 64)
PARSER = cython.declare(cython.uchar[64])  # [parser state * 8 + type] = new state, PARSER_ERROR where refused
PARSER_STATES = cython.declare(cython.uchar[5])
PARSER_NUMBER = cython.declare(cython.uchar[8])
NAMES = cython.declare(
    cython.p_const_char[9],
    [
        b"Not Defined",
        b"Ignore Boundary",
        b"Self Contained",
        b"Start Transaction",
        b"Inside Transaction",
        b"End Transaction",
        b"Reserved (6)",
        b"Reserved (7)",
        b"Error",
    ],
)


@cython.cfunc
def put_row(kind: cython.int, none: cython.int, none_always: cython.int, open: cython.int, explicit: cython.int):
    """One row: each cell is type | next group << 3. Only NONE differs for always-GTID."""
    CELLS[kind * 6 + 0] = none
    CELLS[kind * 6 + 1] = none_always | 1 << 5
    CELLS[kind * 6 + 2] = open
    CELLS[kind * 6 + 3] = open | 1 << 5
    CELLS[kind * 6 + 4] = explicit
    CELLS[kind * 6 + 5] = explicit | 1 << 5


@cython.cfunc
def build_tables():
    """Fill the tables; runs once, at import."""
    to_open: cython.int = GROUP_OPEN << 3
    to_explicit: cython.int = GROUP_EXPLICIT << 3
    start: cython.int = START_TRANSACTION
    inside: cython.int = INSIDE_TRANSACTION
    end: cython.int = END_TRANSACTION
    alone: cython.int = SELF_CONTAINED
    ignore: cython.int = IGNORE_BOUNDARY
    i: cython.int
    state: cython.int

    put_row(facts.KIND_GTID, start | to_open, start | to_open, start | to_open, start | to_open)
    put_row(facts.KIND_GTID_BEGIN, start | to_explicit, start | to_explicit, start | to_explicit, start | to_explicit)
    put_row(facts.KIND_BEGIN, start | to_explicit, inside | to_explicit, inside | to_explicit, start | to_explicit)
    for i in (facts.KIND_COMMIT, facts.KIND_ROLLBACK, facts.KIND_TRANSACTION_END, facts.KIND_PREPARED):
        put_row(i, end, end, end, end)
    for i in (facts.KIND_STATEMENT, facts.KIND_DELETE_FILE):
        put_row(i, alone, end, end, inside | to_explicit)
    put_row(facts.KIND_PREPARATION, start | to_open, inside | to_open, inside | to_open, inside | to_explicit)
    for i in (facts.KIND_ROWS, facts.KIND_ROWS_QUERY, facts.KIND_TABLE_MAP):
        put_row(i, inside, inside, inside | to_open, inside | to_explicit)
    put_row(facts.KIND_INCIDENT, alone, alone, end, inside | to_explicit)
    put_row(facts.KIND_GROUP_REPLICATION, alone, alone, inside | to_open, inside | to_explicit)
    put_row(facts.KIND_IGNORED, ignore, ignore, ignore | to_open, ignore | to_explicit)
    put_row(facts.KIND_ALONE, alone, alone, alone | to_open, alone | to_explicit)
    put_row(facts.KIND_PREVIOUS_GTIDS, alone, alone, alone | to_open, alone | to_explicit)
    put_row(facts.KIND_FORMAT_WITH_GTIDS, ignore, ignore, ignore | to_open, ignore | to_explicit)
    put_row(facts.KIND_FORMAT_WITHOUT_GTIDS, ignore, ignore, ignore | to_open, ignore | to_explicit)
    for i in range(6):
        CELLS[facts.KIND_GTID * 6 + i] |= 1 << 5
        CELLS[facts.KIND_GTID_BEGIN * 6 + i] |= 1 << 5
        CELLS[facts.KIND_PREVIOUS_GTIDS * 6 + i] |= 1 << 5
        CELLS[facts.KIND_FORMAT_WITH_GTIDS * 6 + i] |= 1 << 5
        CELLS[facts.KIND_FORMAT_WITHOUT_GTIDS * 6 + i] &= 0x1F

    memset(PARSER, PARSER_ERROR, 64)
    for state in range(6):
        if state == IGNORE_BOUNDARY:
            continue
        PARSER[state * 8 + ignore] = state
        if state == start or state == inside:
            PARSER[state * 8 + inside] = inside
            PARSER[state * 8 + end] = end
        else:
            PARSER[state * 8 + alone] = alone
            PARSER[state * 8 + start] = start
    PARSER_STATES[0] = NOT_DEFINED
    memset(PARSER_NUMBER, 0, 8)
    for i in range(1, 5):
        PARSER_STATES[i] = i + 1
        PARSER_NUMBER[i + 1] = i


build_tables()


def boundary_reset(b: p_Boundary):
    """Set the first state of a stream."""
    b.group = GROUP_NONE
    b.always_gtid = 0
    b.parser = NOT_DEFINED
    b.statement = STATEMENT_NONE
    b.bits_parser = 0


def length_of_word(text: cython.p_const_char, length: cython.size_t, word: cython.p_const_char) -> cython.size_t:
    """Return the length of `word` (upper case) if the text begins with it, in whatever case; else 0."""
    i: cython.size_t = 0
    while word[i] != 0:
        if i == length:
            return 0
        c: cython.char = text[i]
        if b"a" <= c <= b"z":
            c -= 32
        if c != word[i]:
            return 0
        i += 1
    return i


def are_spaces(text: cython.p_const_char) -> cython.bint:
    """Return True for MANY_SPACES: a gibibyte of them takes a tenth of a second, so nothing looks for signals here."""
    others: cython.int = 0
    i: cython.size_t
    if not is_space(text[0]):
        return False
    for i in range(MANY_SPACES):
        others |= not is_space(text[i])
    return others == 0


def leading_spaces(text: cython.p_const_char, length: cython.size_t) -> cython.size_t:
    at: cython.size_t = 0
    while length - at >= MANY_SPACES and are_spaces(text + at):
        at += MANY_SPACES
    while at < length and is_space(text[at]):
        at += 1
    return at


def classify_text(text: cython.p_const_char, length: cython.size_t) -> uint8_t:
    """TEXT_BEGIN, TEXT_COMMIT, TEXT_ROLLBACK or TEXT_OTHER: whether it opens or ends a transaction, and how."""
    spaces: cython.size_t = leading_spaces(text, length)
    text += spaces
    length -= spaces
    while length >= MANY_SPACES and are_spaces(text + (length - MANY_SPACES)):
        length -= MANY_SPACES
    while length > 0 and is_space(text[length - 1]):
        length -= 1
    if length == 5:
        return TEXT_BEGIN if starts_with(text, length, b"BEGIN") else TEXT_OTHER
    if length == 6:
        return TEXT_COMMIT if starts_with(text, length, b"COMMIT") else TEXT_OTHER
    if length < 8:
        return TEXT_OTHER
    if length == 8 and starts_with(text, length, b"ROLLBACK"):
        return TEXT_ROLLBACK
    # The transaction's id follows, so a quote or X'...' after white space; XA STARTED is another word.
    if starts_with(text, length, b"XA START") and (
        length == 8 or is_space(text[8]) or text[8] == b"'" or text[8] == b'"'
    ):
        return TEXT_BEGIN
    # The end of an XA transaction that was not prepared: it is logged for its changes that cannot be rolled back.
    # The second round of a prepared one is a group by itself, for which this comes to the same.
    if starts_with(text, length, b"XA ROLLBACK") and length > 11:
        if is_space(text[11]) or text[11] == b"'" or text[11] == b'"':
            return TEXT_ROLLBACK
    return TEXT_OTHER


def query_parts(
    parts: cython.pointer(QueryParts), format: p_const_Format, event: octets, size: cython.size_t
) -> cython.int:
    loads: cython.bint = event[4] == EXECUTE_LOAD_QUERY
    known: cython.size_t = fields.EXECUTE_LOAD_QUERY_HEAD if loads else fields.QUERY_HEAD
    post_header: cython.size_t = format.post_header_length[event[4]]
    if post_header == 255:
        post_header = known
    if post_header < (known if loads else known - 2) or size < format.header_length + post_header:
        return -1
    # the length of the status variables came with v4
    parts.fields = event + format.header_length
    parts.post_header = post_header
    parts.status = parts.fields + post_header
    parts.status_length = fields.query_status_vars_length(parts.fields) if post_header >= known else 0
    parts.database_length = fields.query_db_length(parts.fields)
    left: cython.size_t = size - format.header_length - post_header
    if parts.status_length > left or left - parts.status_length < parts.database_length + 1:
        return -1
    parts.database = cython.cast(cython.p_const_char, parts.status + parts.status_length)
    parts.text = parts.database + parts.database_length + 1
    parts.length = left - parts.status_length - parts.database_length - 1
    return 0


def query_compressed(
    format: p_const_Format,
    event: octets,
    size: cython.size_t,
    data: cython.pointer(octets),
    length: cython.pointer(cython.size_t),
) -> cython.bint:
    parts: QueryParts
    if (
        size < COMMON_HEADER_LENGTH
        or event[4] != MARIA_QUERY_COMPRESSED
        or query_parts(cython.address(parts), format, event, size) < 0
        or parts.length < 1
    ):
        return False
    head: octets = cython.cast(octets, parts.text)
    digits: cython.size_t = head[0] & 7
    if head[0] & 0xF0 != 0x80 or digits < 1 or digits > 4 or parts.length - 1 < digits:
        return False
    data[0] = head + 1 + digits
    length[0] = parts.length - 1 - digits
    return True


def is_fake_rotate(event: octets, size: cython.size_t) -> cython.bint:
    if size < COMMON_HEADER_LENGTH or event[4] != ROTATE:
        return False
    flags: uint16_t = fields.flags_of(event)
    return flags & ARTIFICIAL != 0 or fields.timestamp_of(event) == 0


def rotate_name(
    format: p_const_Format, event: octets, size: cython.size_t, length: cython.pointer(cython.size_t)
) -> cython.p_const_char:
    at: cython.size_t = format.header_length
    post_header: cython.size_t = format.post_header_length[ROTATE]
    if post_header == 255:
        post_header = 8
    length[0] = 0
    if size < COMMON_HEADER_LENGTH or event[4] != ROTATE or size < at or size - at < post_header:
        return cython.NULL
    name: cython.p_const_char = cython.cast(cython.p_const_char, event) + at + post_header
    rest: cython.size_t = size - at - post_header
    i: cython.size_t
    start: cython.size_t = 0
    for i in range(rest):
        if name[i] == b"/" or name[i] == b"\\":
            start = i + 1
    length[0] = rest - start
    return name + start


def kind_of_event(
    format: p_const_Format, event: octets, size: cython.size_t, text: cython.p_const_char, text_length: cython.size_t
) -> uint8_t:
    """Return the row of the table for an event of at least 19 bytes."""
    flags: uint16_t = fields.flags_of(event)
    kind: cython.uchar = facts.KIND_OF_TYPE[facts.type_of_code(format, event[4], flags)]
    if kind < facts.KIND_BY_TEXT:
        return kind
    parts: QueryParts
    if kind == facts.KIND_BY_TEXT or kind == facts.KIND_BY_TEXT_COMPRESSED:
        if (
            text == cython.NULL
            and kind == facts.KIND_BY_TEXT
            and query_parts(cython.address(parts), format, event, size) == 0
        ):
            text = parts.text
            text_length = parts.length
        said: cython.uchar = TEXT_OTHER if text == cython.NULL else classify_text(text, text_length)
        if said == TEXT_OTHER:
            return facts.KIND_STATEMENT
        return (
            facts.KIND_BEGIN
            if said == TEXT_BEGIN
            else facts.KIND_COMMIT
            if said == TEXT_COMMIT
            else facts.KIND_ROLLBACK
        )
    if kind == facts.KIND_MARIA_GTID:
        # sequence number 8, domain 4, flags 1: bit 0 is "standalone", an event group without BEGIN and COMMIT
        if size >= 13 and size - 13 >= format.header_length and event[format.header_length + 12] & 1:
            return facts.KIND_GTID
        return facts.KIND_GTID_BEGIN
    if kind == facts.KIND_FORMAT:
        if flags & RELAY_LOG:
            return facts.KIND_IGNORED
        if format.server_version >= (100000 if format.mariadb else 50706):
            return facts.KIND_FORMAT_WITH_GTIDS
        return facts.KIND_FORMAT_WITHOUT_GTIDS
    if kind == facts.KIND_ROTATE:
        return facts.KIND_IGNORED if flags & RELAY_LOG or is_fake_rotate(event, size) else facts.KIND_ALONE
    if kind == facts.KIND_STOP:
        return facts.KIND_IGNORED if flags & RELAY_LOG else facts.KIND_ALONE
    if kind == facts.KIND_SOURCE_PREVIOUS_GTIDS:
        return facts.KIND_IGNORED if flags & RELAY_LOG else facts.KIND_PREVIOUS_GTIDS
    # XA_prepare; the body's first byte: XA COMMIT ... ONE PHASE
    one_phase: cython.bint = size > format.header_length and event[format.header_length] != 0
    return facts.KIND_TRANSACTION_END if one_phase else facts.KIND_PREPARED


def classify_event(
    b: p_Boundary,
    format: p_const_Format,
    event: octets,
    size: cython.size_t,
    text: cython.p_const_char,
    text_length: cython.size_t,
) -> uint8_t:
    """Return the type that the rules give the event, whatever its marker says; the classifier's state moves on."""
    if size < COMMON_HEADER_LENGTH:
        return SELF_CONTAINED
    b.kind = kind_of_event(format, event, size, text, text_length)
    b.type = boundary_by_kind(b, CELLS, b.kind)
    return b.type


def type_of_bits(format: p_const_Format, bits: uint8_t, event: octets, flags: uint16_t) -> uint8_t:
    """Return the boundary type that follows from an event's statement bits and its header; no body is looked at.

    Events that take no part in transactions are known by type and flags. So are XA_prepare and Transaction_payload,
    which end their group though nothing may be committed. NOT_DEFINED where the start bits are 00: it is not marked.
    """
    kind: cython.uchar = facts.KIND_OF_TYPE[facts.type_of_code(format, event[4], flags)]
    if bits < 4:
        return NOT_DEFINED
    if kind == facts.KIND_IGNORED or kind == facts.KIND_FORMAT:
        return IGNORE_BOUNDARY
    if kind == facts.KIND_ALONE:
        return SELF_CONTAINED
    if kind == facts.KIND_ROTATE:
        return IGNORE_BOUNDARY if flags & RELAY_LOG or is_fake_rotate(event, COMMON_HEADER_LENGTH) else SELF_CONTAINED
    if kind == facts.KIND_STOP or kind == facts.KIND_SOURCE_PREVIOUS_GTIDS:
        return IGNORE_BOUNDARY if flags & RELAY_LOG else SELF_CONTAINED
    ends: cython.bint = (
        kind == facts.KIND_XA_PREPARE or kind == facts.KIND_TRANSACTION_END
    )  # prepared, too: a payload holds that
    over: cython.bint = ends or bits & 3 == 1 or bits & 3 == 2
    if bits >> 2 == 3:
        return SELF_CONTAINED if over else START_TRANSACTION
    return END_TRANSACTION if over else INSIDE_TRANSACTION


def boundary_tables(tables: cython.pointer(BoundaryTables)):
    tables.cells = CELLS
    tables.parser = PARSER


def boundary_of(
    b: p_Boundary,
    format: p_const_Format,
    event: octets,
    size: cython.size_t,
    text: cython.p_const_char,
    text_length: cython.size_t,
    inferred: cython.pointer(cython.bint),
) -> uint8_t:
    boundary_type: uint8_t = classify_event(b, format, event, size, text, text_length)
    marker: uint8_t = 0
    if size >= COMMON_HEADER_LENGTH:
        marker = marker_of(format, event, fields.flags_of(event))
    inferred[0] = marker == NOT_DEFINED
    return boundary_type if marker == NOT_DEFINED else marker


def boundary_enter_payload(inner: p_Boundary, outer: cython.pointer(cython.const[Boundary])):
    """As if the events inside followed the GTID event directly."""
    inner[0] = outer[0]
    inner.group = GROUP_OPEN
    inner.always_gtid = 1
    inner.statement = STATEMENT_FIRST


def parser_accepts(state: uint8_t, boundary_type: uint8_t) -> cython.bint:
    """One cell of the worklog's transition table; a reserved type, and any type in the Error state, is refused."""
    if state > 7:
        return boundary_type == IGNORE_BOUNDARY
    return PARSER[state * 8 + (boundary_type & 7)] != PARSER_ERROR


def parser_feed(b: p_Boundary, boundary_type: uint8_t, old_state: cython.pointer(uint8_t)) -> cython.bint:
    state: uint8_t = PARSER[b.parser * 8 + (boundary_type & 7)]
    old_state[0] = b.parser
    if state == PARSER_ERROR:
        b.parser = NOT_DEFINED
        return False
    b.parser = state
    return True


def boundary_name(boundary_type: uint8_t) -> cython.p_const_char:
    """Return the printed name, null-terminated, of a boundary type or a parser state."""
    return NAMES[min(boundary_type, cython.cast(uint8_t, PARSER_ERROR))]


def state_number(b: cython.pointer(cython.const[Boundary])) -> uint8_t:
    """0 to STATE_PAIRS - 1; 0 is the state after a reset."""
    return PARSER_NUMBER[b.parser & 7] * 6 + b.group * 2 + b.always_gtid


def state_of_number(b: p_Boundary, number: uint8_t):
    b.parser = PARSER_STATES[number // 6]
    b.group = number % 6 // 2
    b.always_gtid = number & 1


def states_after(
    exits: cython.pointer(uint8_t),
    format: p_const_Format,
    event: octets,
    size: cython.size_t,
    text: cython.p_const_char,
    text_length: cython.size_t,
    fed: cython.bint,
):
    """Fill `exits`; `fed`: whether the parser is fed with the event."""
    kind: cython.uchar = kind_of_event(format, event, size, text, text_length)
    marker: uint8_t = marker_of(format, event, fields.flags_of(event))
    i: cython.int
    j: cython.int
    for i in range(6):
        cell: cython.uchar = CELLS[kind * 6 + i]
        for j in range(5):
            state: cython.uchar = PARSER_STATES[j]
            if fed:
                state = PARSER[state * 8 + (marker if marker != NOT_DEFINED else cell & 7)]
                if state == PARSER_ERROR:
                    state = NOT_DEFINED
            exits[j * 6 + i] = PARSER_NUMBER[state] * 6 + (cell >> 3 & 3) * 2 + (cell >> 5)
