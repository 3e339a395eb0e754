"""Functions that ask the server about itself, the session or the last statement."""

from __future__ import annotations

import uuid

from ..value import Value, to_integer
from .call import Call, function, strict


@strict("DATABASE", "SCHEMA", least=0)
def database(call: Call) -> Value:
    name = call.session.database
    return None if name is None else call.text(name)


@strict("USER", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", least=0)
def user(call: Call) -> Value:
    return call.text(call.session.user)


@strict("CURRENT_ROLE", least=0)
def current_role(call: Call) -> Value:
    return call.text("NONE")


@strict("VERSION", least=0)
def version(call: Call) -> Value:
    return call.text(".".join(map(str, call.session.storage.version)))


@strict("CONNECTION_ID", least=0)
def connection_id(call: Call) -> Value:
    return call.session.connection_id


@strict("FOUND_ROWS", least=0)
def found_rows(call: Call) -> Value:
    return call.session.found_rows


@strict("ROW_COUNT", least=0)
def row_count(call: Call) -> Value:
    return call.session.row_count


@function("LAST_INSERT_ID")
def last_insert_id(call: Call) -> Value:
    """LAST_INSERT_ID(), or with an argument: what it answers from the next statement on."""
    if not len(call):
        return call.evaluator.execution.last_insert_id()
    value = call[0]
    if value is not None:
        call.session.last_insert_id = to_integer(value)
    return value


def made_uuid(call: Call) -> uuid.UUID:
    """A UUID of version 1 whose time is that of the statement, so that a scenario gives the same ones each time."""
    session = call.session
    session.storage.uuids += 1
    seconds, microseconds = session.now
    ticks = (seconds * 1000000 + microseconds) * 10 + 0x01B21DD213814000 + session.storage.uuids
    low, middle, high = ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0xFFF | 0x1000
    return uuid.UUID(fields=(low, middle, high, 0x80, 0x01, 0x02FC00000001))


@strict("UUID", least=0)
def uuid_(call: Call) -> Value:
    return call.text(str(made_uuid(call)))


@strict("UUID_SHORT", least=0)
def uuid_short(call: Call) -> Value:
    return made_uuid(call).int >> 64 & (1 << 63) - 1


@strict("UUID_TO_BIN", least=1)
def uuid_to_bin(call: Call, value: Value) -> Value:
    return uuid.UUID(str(value)).bytes


@strict("BIN_TO_UUID", least=1)
def bin_to_uuid(call: Call, value: Value) -> Value:
    return call.text(str(uuid.UUID(bytes=bytes(value))))


@strict("SLEEP", least=1)
def sleep(call: Call, seconds: Value) -> Value:
    """The model's clock stands still within a statement, so nothing is waited for."""
    return 0
