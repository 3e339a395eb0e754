"""How an event of each type is masked. A type without a rule is refused, and so is a body that cannot be read."""

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, AnyStr

from construct import ConstructError

from pybinlog.column_types import MetadataType
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import COMPRESSED_ROW_TYPES, GTID_TYPES, ROW_TYPES, EventType, printed_name
from pybinlog.kernel.base.collation import collation_names
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.layout.envelope import Format, build_body, parse_body
from pybinlog.layout.gtid import GtidField
from pybinlog.layout.query import STATUS_VARS, StatusVar
from pybinlog.layout.statement import UserVarFlag, UserVarType
from pybinlog.log.large_event import deflated, inflate
from pybinlog.redact import statement_text
from pybinlog.redact.names import Names
from pybinlog.redact.refusal import RefusedEvent
from pybinlog.redact.statement_text import BIGGEST, WIDE, Session, masked_format_id, masked_statement, masked_whole
from pybinlog.redact.words import SYSTEM_DATABASES

REFUSED: dict[EventType, str] = {
    EventType.UNKNOWN: "its type is not known",
    **dict.fromkeys(
        (
            EventType.START_V3,
            EventType.SLAVE,
            EventType.LOAD,
            EventType.NEW_LOAD,
            EventType.CREATE_FILE,
            EventType.EXECUTE_LOAD,
        ),
        "only servers before 5.0.3 write such events",
    ),
    EventType.MARIA_START_ENCRYPTION: "what follows it is encrypted",
}
"""The types that are refused, and why."""
BY_KERNEL = ROW_TYPES - COMPRESSED_ROW_TYPES
"""The row events, which `RowMask` masks with their batch."""
HOLDS_ROWS = COMPRESSED_ROW_TYPES | {EventType.TRANSACTION_PAYLOAD, EventType.MARIA_PARTIAL_ROWS}
"""The events that `packed` opens."""
PACKED = HOLDS_ROWS | {EventType.MARIA_QUERY_COMPRESSED}
"""The types whose masked events may have other sizes."""
WELL_KNOWN_NAMES = re.compile(
    r"(?:mysqld?|mariadb|master|source|replica|slave|relay)?-?(?:relay-)?(?:bin|binlog|log-bin)"
)
"""Names of logs that tell nothing: those of servers' defaults and of manuals."""
CHANGES_ROWS = frozenset(verb[:6].encode() for verb in statement_text.CHANGES_ROWS)
"""The first bytes of statements whose shapes come again."""
LONGEST_CACHED = 256
"""Bytes of a statement that may come again."""


@dataclass
class Remarks:
    """The remarks of a report, besides counts."""

    statements_with_values: int = 0
    accounts: int = 0
    """Statements about accounts, which do nothing now."""
    unread: int = 0
    """Statements that were masked wholly."""
    has_ansi_names: bool = False
    """Statements had names in double quotes."""
    kept: set[bytes] = field(default_factory=set)
    """Clauses of definitions whose literals stay."""
    user_variables: set[str] = field(default_factory=set)


Rule = Callable[["EventMask", bytes, EventType, Format], bytes]
RULES: dict[EventType, Rule] = {}


def masks(*types: EventType) -> Callable[[Rule], Rule]:
    """Give events of these types a rule: their body, to one of the same size."""

    def note(rule: Rule) -> Rule:
        for kind in types:
            RULES[kind] = rule
        return rule

    return note


class EventMask:
    """Masks the bodies of events that are not row events, with the state that some leave for later ones."""

    def __init__(self, mask: RowMask, names: Names | None = None, *, tags: bool = False):
        self.mask = mask
        self.names = names
        self.tags = tags
        """True if tags of GTIDs are masked."""
        self.format = Format.default()
        self.remarks = Remarks()
        self._statement = lru_cache(1024)(partial(masked_statement, mask, names=names))
        self.variables = lru_cache(1024)(partial(_variables_of, mask, names))

    def body(self, body: bytes, kind: EventType, format: Format) -> bytes:
        """Return the masked body of an event. Raise RefusedEvent or CorruptEventError."""
        if kind in GTID_TYPES:
            self.use(None)
        self.format = format
        rule = RULES.get(kind)
        if rule is None:
            raise RefusedEvent(REFUSED.get(kind, "no rule masks such events"))
        masked = rule(self, body, kind, format)
        if len(masked) != len(body) and kind not in PACKED:
            raise RefusedEvent(f"its mask has {len(masked)} bytes in place of {len(body)}")
        if kind is EventType.TABLE_MAP:
            self.mask.remember(int(kind), body, masked)
        return masked

    def use(self, session: Session | None) -> None:
        """Read statements from here on under a Query's settings; None: the event group has no Query yet."""
        self.mask.literals.use(session, session is not None and session.character_set in WIDE)

    def statement(self, text: bytes) -> bytes:
        """Return the mask of a statement that is read as the last Query says."""
        session = self.mask.literals.session
        if text[:6].upper() not in CHANGES_ROWS:
            of = self._statement if len(text) < LONGEST_CACHED else self._statement.__wrapped__
            result = of(text, session, mariadb=self.format.mariadb)
        elif known := self.mask.literals.masked(self.mask, text):
            self.remarks.statements_with_values += self.mask.literals.have_changed(text, known)
            return known
        else:
            result = masked_statement(self.mask, text, session, self.names, mariadb=self.format.mariadb)
            self.mask.literals.learn(self.mask, text, result.text, None if result.kept else result.actions)
        self.remarks.statements_with_values += result.has_values
        self.remarks.accounts += result.replaced
        self.remarks.unread += result.unread
        self.remarks.has_ansi_names |= result.has_ansi_names
        self.remarks.kept.update(result.kept)
        return result.text

    def log_name(self, name: str) -> str:
        """Return the mask of a log's name: its number stays, and its name, if that tells nothing."""
        base, point, number = name.rpartition(".")
        folder, slash, base = base.rpartition("/")
        if not point or not number.isdigit():
            return self.letters(name)
        if not WELL_KNOWN_NAMES.fullmatch(base):
            base = self.letters(base)
        folder = re.sub(r"[^/]", "x", folder)
        return f"{folder}{slash}{base}{point}{number}"

    def text(self, value: AnyStr, collation: int = 0) -> AnyStr:
        """Return the mask of a text, or of bytes."""
        if isinstance(value, bytes):
            return self.mask.text(value, collation, self.format.mariadb)
        masked = self.mask.text(value.encode("utf-8", "surrogateescape"), collation, self.format.mariadb)
        return masked.decode("utf-8", "surrogateescape")

    def letters(self, value: AnyStr) -> AnyStr:
        """Return the mask of a name, in which signs become underscores."""
        if isinstance(value, bytes):
            return self.mask.text(re.sub(rb"[^0-9A-Za-z\x80-\xff]", b"_", value))
        return self.letters(value.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def whole(self, number: int) -> int:
        return masked_whole(self.mask, number, BIGGEST)

    def format_id(self, number: int) -> int:
        return masked_format_id(self.mask, number)

    def seed(self, number: int) -> int:
        return int(self.mask.integer(number, BIGGEST))

    def uuid(self, uuid: bytes) -> bytes:
        return uuid if self.names is None else self.names.uuid(uuid)

    def uuid_text(self, text: str) -> str:
        return text if self.names is None else self.names.uuid_text(text)

    def tag(self, tag: str) -> str:
        return self.text(tag) if self.tags else tag

    def gtids(self, data: bytes) -> bytes:
        """Return the mask of a GTID set within an event of group replication."""
        return data and masked_previous_gtids(self, data, EventType.PREVIOUS_GTIDS, self.format)

    def blank(self, data: bytes) -> bytes:
        return bytes(len(data))


XID: dict[str, Callable[[EventMask, Any], Any]] = {
    "format_id": EventMask.format_id,
    "gtrid": EventMask.text,
    "bqual": EventMask.text,
}
FIELDS: dict[EventType, dict[str, Callable[[EventMask, Any], Any]]] = {
    **{kind: {} for kind in (EventType.XID, EventType.STOP, EventType.DELETE_FILE, EventType.MARIA_GTID_LIST)},
    EventType.ROTATE: {"new_log_ident": EventMask.log_name},
    EventType.MARIA_BINLOG_CHECKPOINT: {"filename": EventMask.log_name},
    EventType.INCIDENT: {"message": EventMask.letters},
    EventType.INTVAR: {"value": EventMask.whole},
    EventType.RAND: {"seed1": EventMask.seed, "seed2": EventMask.seed},
    EventType.XA_PREPARE: XID,
    EventType.MARIA_GTID: {**{f"xid.{name}": mask for name, mask in XID.items()}, "padding": EventMask.blank},
    EventType.PREVIOUS_GTIDS: {"sources.*.sid": EventMask.uuid, "sources.*.tag": EventMask.tag},
    EventType.TRANSACTION_CONTEXT: {
        "server_uuid": EventMask.uuid_text,
        "snapshot_version": EventMask.gtids,
        "write_set.*": EventMask.letters,
        "read_set.*": EventMask.letters,
    },
    EventType.VIEW_CHANGE: {
        "view_id": EventMask.letters,
        "certification_info.*.key": EventMask.letters,
        "certification_info.*.value": EventMask.gtids,
    },
}
"""The masks of fields, by type; all others are numbers of the server alone."""


def parsed(body: bytes, kind: EventType, format: Format) -> Any:
    """Return the fields of a body; bytes behind the last one become zeros."""
    fields = parse_body(kind, body, format)
    if "trailing" in fields:
        fields.trailing = bytes(len(fields.trailing))
    return fields


def masked_fields(state: EventMask, body: bytes, kind: EventType, format: Format) -> Any:
    """Return the fields of a body, masked as FIELDS says."""
    fields = parsed(body, kind, format)
    for path, mask in FIELDS[kind].items():
        put_mask(fields, path.split("."), partial(mask, state))
    return fields


def put_mask(of: Any, path: list[str], mask: Callable[[Any], Any]) -> None:
    """Mask the value at a path, or the values if a * is in it."""
    name, *rest = path
    for key in range(len(of)) if name == "*" else (name,):
        if of[key] is None:
            continue
        if rest:
            put_mask(of[key], rest, mask)
        else:
            of[key] = mask(of[key])


@masks(*(kind for kind in FIELDS if kind is not EventType.PREVIOUS_GTIDS))
def masked_event(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    return build_body(kind, masked_fields(state, body, kind, format), format)


@masks(EventType.GTID, EventType.ANONYMOUS_GTID)
def masked_gtid(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    known = build_body(kind, parsed(body, kind, format), format)
    if state.names is None:
        return known
    uuid = state.uuid(known[1:17])
    state.mask.remember_uuid(known[1:17], uuid)
    return known[:1] + uuid + known[17:]


@masks(EventType.GTID_TAGGED)
def masked_tagged_gtid(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    fields = parsed(body, kind, format)
    for item in fields.fields:
        if item.id == GtidField.SID:
            item.value = list(state.uuid(bytes(item.value)))
        elif item.id == GtidField.TAG:
            item.value = state.tag(item.value)
        elif not isinstance(item.id, GtidField):
            raise RefusedEvent(f"it has a field of the unknown number {int(item.id)}")
    return build_body(kind, fields, format)


@masks(EventType.PREVIOUS_GTIDS)
def masked_previous_gtids(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    fields = masked_fields(state, body, kind, format)
    fields.sources.sort(key=lambda source: (source.sid, source.tag or ""))
    return build_body(kind, fields, format)


@masks(EventType.FORMAT_DESCRIPTION)
def masked_format(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    state.mask.begin_format()
    fields = parsed(body, kind, format)
    fields.server_version = fields.server_version.split("\0")[0]
    return build_body(kind, fields, format).ljust(len(body), b"\0")


@masks(EventType.IGNORABLE)
def masked_ignorable(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    return bytes(len(body))


@masks(EventType.USER_VAR)
def masked_user_variable(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    fields = parsed(body, kind, format)
    if state.names is not None:
        fields.name = state.names.text(fields.name, "v")
    state.remarks.user_variables.add(fields.name)
    if fields.is_null:
        return build_body(kind, fields, format)
    value, mask = fields.value, state.mask
    if fields.type == UserVarType.STRING:
        fields.value = mask.text(value, fields.charset, format.mariadb)
    elif fields.type == UserVarType.REAL and len(value) == 8:
        fields.value = struct.pack("<d", mask.real(struct.unpack("<d", value)[0]))
    elif fields.type == UserVarType.INT and len(value) == 8:
        unsigned = bool((fields.flags or 0) & UserVarFlag.UNSIGNED)
        number = int.from_bytes(value, "little", signed=not unsigned)
        if number >= 0:
            number = masked_whole(mask, number, BIGGEST if unsigned else BIGGEST >> 1)
        else:
            number = -mask.integer(-number, 1 << 63)
        fields.value = number.to_bytes(8, "little", signed=not unsigned)
    elif fields.type == UserVarType.DECIMAL and len(value) > 2:
        try:
            fields.value = value[:2] + mask.decimal(value[2:], value[0], value[1])
        except ValueError as error:
            raise RefusedEvent(f"the value of the user variable is {error}") from None
    else:
        raise RefusedEvent(f"the type {int(fields.type)} of a user variable is not known")
    return build_body(kind, fields, format)


@masks(EventType.TABLE_MAP)
def masked_table_map(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    if (known := state.mask.table_maps.get(body)) is not None:
        return known
    fields = parsed(body, EventType.TABLE_MAP, format)
    types = {int(member) for member in MetadataType}
    is_system = fields.db.upper() in SYSTEM_DATABASES
    if state.names is not None and not is_system:
        fields.db, fields.table = state.names.text(fields.db, "d"), state.names.text(fields.table, "t")
    elif "trailing" not in fields and not any(
        item.type in (MetadataType.ENUM_STR_VALUE, MetadataType.SET_STR_VALUE) or int(item.type) not in types
        for item in fields.optional_metadata
    ):
        return body
    for item in fields.optional_metadata:
        if int(item.type) not in types:
            item.value = bytes(len(item.value))
        elif item.type == MetadataType.COLUMN_NAME and state.names is not None and not is_system:
            item.value = [state.names.text(name, "c") for name in item.value]
        elif item.type in (MetadataType.ENUM_STR_VALUE, MetadataType.SET_STR_VALUE):
            collation = _collation_of_members(fields.optional_metadata)
            item.value = [[state.text(member, collation) for member in members] for members in item.value]
    return build_body(EventType.TABLE_MAP, fields, format)


def _collation_of_members(metadata: Any) -> int:
    """Return the one collation of all ENUMs and SETs; 0 if they have several."""
    for item in metadata:
        if item.type == MetadataType.ENUM_AND_SET_DEFAULT_CHARSET and not item.value.exceptions:
            return int(item.value.default_charset)
        if item.type == MetadataType.ENUM_AND_SET_COLUMN_CHARSET and len(set(item.value)) == 1:
            return int(item.value[0])
    return 0


@masks(EventType.ROWS_QUERY)
def masked_rows_query(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    return body[:1] + state.statement(body[1:])


@masks(EventType.MARIA_ANNOTATE_ROWS)
def masked_annotate(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    return state.statement(body)


@masks(EventType.QUERY, EventType.EXECUTE_LOAD_QUERY, EventType.MARIA_QUERY_COMPRESSED)
def masked_query(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    own = 26 if kind is EventType.EXECUTE_LOAD_QUERY else 13
    lengths = format.post_header_lengths
    post_header = lengths[kind - 1] if kind <= len(lengths) else own
    if post_header < own:
        raise CorruptEventError(f"{printed_name(kind)}: the log says that {post_header} bytes begin it, not {own}")
    if len(body) < post_header + 1:
        raise CorruptEventError(f"{printed_name(kind)}: {len(body)} bytes are too few")
    variables_end = post_header + int.from_bytes(body[11:13], "little")
    query = variables_end + body[8] + 1
    reaches_beyond = query > len(body)
    if kind is EventType.EXECUTE_LOAD_QUERY:
        start, end = struct.unpack_from("<II", body, post_header - 9)  # the name of the file, in the statement
        reaches_beyond |= not start < end <= len(body) - query
    if reaches_beyond:
        raise CorruptEventError(f"{printed_name(kind)}: a length reaches beyond the event")
    variables, session = state.variables(body[post_header:variables_end], format.mariadb)
    state.use(session)
    database = body[variables_end:query]
    if state.names is not None:
        database = state.names.masked(database, "d")
    head = body[:own] + bytes(post_header - own) + variables + database
    if kind is EventType.MARIA_QUERY_COMPRESSED:
        return head + deflated(state.statement(bytes(inflate(body, query))))
    masked = head + state.statement(body[query:])
    if kind is EventType.QUERY:
        state.mask.remember_head(body[8:query], head[8:])
        if masked.endswith(body[query:]):
            state.mask.remember(int(kind), body, masked)
    return masked


def _variables_of(mask: RowMask, names: Names | None, data: bytes, mariadb: bool) -> tuple[bytes, Session]:
    """Return status variables without the invoker, and what they say about reading the statement."""
    try:
        variables = STATUS_VARS.parse(data)
    except ConstructError as error:
        raise CorruptEventError(f"Query: the status variables cannot be read: {error}") from error
    sql_mode, collation = 0, 45
    for item in variables:
        if not isinstance(item.code, StatusVar):
            raise RefusedEvent(f"it has a status variable of the unknown code {item.code}")
        if item.code == StatusVar.INVOKER:
            for name in ("user", "host"):
                text = item.value[name].encode("utf-8", "surrogateescape")
                item.value[name] = mask.text(re.sub(rb"[^0-9A-Za-z\x80-\xff]", b"_", text), 45)
        elif item.code == StatusVar.UPDATED_DB_NAMES and names is not None and item.value.names is not None:
            item.value.names = [names.text(name, "d") for name in item.value.names]
        elif item.code == StatusVar.SQL_MODE:
            sql_mode = item.value
        elif item.code == StatusVar.CHARSET:
            collation = item.value.character_set_client
    character_set = collation_names(mariadb).get(collation, ("utf8mb4", ""))[0]
    return STATUS_VARS.build(variables), Session(sql_mode, collation, character_set, mariadb)


@masks(EventType.BEGIN_LOAD_QUERY, EventType.APPEND_BLOCK)
def masked_block(state: EventMask, body: bytes, kind: EventType, format: Format) -> bytes:
    """Mask the values of a file's block: what is between separators, by itself."""
    mask = state.mask

    def value(found: re.Match[bytes]) -> bytes:
        text = found[0]
        return mask.number(text) if found.lastgroup == "NUMBER" else mask.text(text)

    return body[:4] + _VALUE.sub(value, body[4:])


_VALUE = re.compile(
    rb"(?P<MOMENT>\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?)?|\d\d:\d\d:\d\d(?:\.\d{1,6})?)"
    rb"(?![0-9A-Za-z\x80-\xff])"
    rb"|(?P<NUMBER>\d+\.\d+)(?![0-9A-Za-z\x80-\xff.])|(?P<TEXT>[0-9A-Za-z\x80-\xff\x01-\x08\x0b\x0c\x0e-\x1f\x7f]+)"
)
