"""The native functions that the model has, by name."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from decimal import Decimal

from pybinlog.simulate.sql.execution import Execution
from pybinlog.values.context import context
from pybinlog.values.operators import arithmetic, compare
from pybinlog.values.temporal import from_utc, round_to
from pybinlog.values.value import (
    Temporal,
    Text,
    Value,
    collation_of,
    is_true,
    to_bytes,
    to_integer,
    to_number,
    to_text,
)

AGGREGATES = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX"})
UNSAFE = frozenset({"RAND", "SYSDATE", "USER", "CURRENT_USER", "UUID", "VERSION"})
"""Functions that may give another value on a replica (manual, "Determination of Safe and Unsafe Statements")."""
MAX_LENGTH = 64 << 20
"""max_allowed_packet: a text that would be longer is NULL."""
USER = "root@localhost"
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
UUID_NODE = 0x02FC00000001
UUID_EPOCH = 0x01B21DD213814000
"""1970 in the time of UUIDs, tenths of microseconds since 1582."""

Native = Callable[[Execution, Sequence[Value]], Value]


def aggregate(name: str, values: list[Value], connection: int) -> Value:
    """COUNT, SUM, AVG, MIN and MAX of values, without those that are NULL."""
    values = [value for value in values if value is not None]
    if name == "COUNT":
        return len(values)
    if not values:
        return None
    if name in ("MIN", "MAX"):
        best = values[0]
        for value in values:
            order = compare(value, best, connection) or 0
            best = value if (order < 0 if name == "MIN" else order > 0) else best
        return best
    total: Value = Decimal(0) if all(isinstance(to_number(value), (int, Decimal)) for value in values) else 0.0
    for value in values:
        total = arithmetic("+", total, value)
    return total if name == "SUM" else arithmetic("/", total, len(values))


def connection_of(execution: Execution) -> int:
    """The collation of the connection."""
    return execution.session.collation_connection


def text(execution: Execution, value: str) -> Text:
    return Text(value, connection_of(execution))


def like(execution: Execution, value: Value, changed: str) -> Text:
    """Text in the character set of a value."""
    return Text(changed, collation_of(value, connection_of(execution)))


def joined(execution: Execution, values: Sequence[Value]) -> Value:
    connection = connection_of(execution)
    if any(isinstance(value, bytes) for value in values):
        return b"".join(to_bytes(value, connection) for value in values)
    collation = next((value.collation for value in values if isinstance(value, Text)), connection)
    return Text("".join(map(to_text, values)), collation)


def concat_ws(execution: Execution, values: Sequence[Value]) -> Value:
    separator, *rest = values
    if separator is None:
        return None
    parts = [part for value in rest if value is not None for part in (separator, value)]
    return joined(execution, parts[1:])


def repeat(execution: Execution, values: Sequence[Value]) -> Value:
    value, times = values[0], max(0, to_integer(values[1]))
    content = value if isinstance(value, bytes) else to_text(value)
    if len(content) * times > MAX_LENGTH:
        return None
    return bytes(content) * times if isinstance(content, bytes) else like(execution, value, content * times)


def cased(change: Callable[[str], str]) -> Native:
    def native(execution: Execution, values: Sequence[Value]) -> Value:
        value = values[0]
        return value if isinstance(value, bytes) else like(execution, value, change(to_text(value)))

    return native


def now(execution: Execution, values: Sequence[Value]) -> Value:
    """The time of the statement, with as many digits of a second as the argument says."""
    seconds, microseconds = execution.session.now
    decimals = min(max(to_integer(values[0]), 0), 6) if values else 0
    context().microseconds_used |= decimals > 0
    moment = EPOCH + timedelta(seconds=seconds, microseconds=microseconds)
    return Temporal("DATETIME", round_to(from_utc(moment, execution.session.time_zone), decimals, True), decimals)


def last_insert_id(execution: Execution, values: Sequence[Value]) -> Value:
    """LAST_INSERT_ID(), or with an argument: what it answers from the next statement on."""
    if not values:
        return execution.last_insert_id()
    if values[0] is not None:
        execution.session.last_insert_id = to_integer(values[0])
    return values[0]


def made_uuid(execution: Execution, values: Sequence[Value]) -> Value:
    """A UUID of version 1 whose time is that of the statement, so that a scenario gives the same ones each time."""
    storage = execution.session.storage
    storage.uuids += 1
    seconds, microseconds = execution.session.now
    ticks = (seconds * 1_000_000 + microseconds) * 10 + UUID_EPOCH + storage.uuids
    low, middle, high = ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0xFFF | 0x1000
    return text(execution, str(uuid.UUID(fields=(low, middle, high, 0x80, 0x01, UUID_NODE))))


def if_(execution: Execution, values: Sequence[Value]) -> Value:
    return values[1] if is_true(values[0]) else values[2]


def strict(native: Native) -> Native:
    """A function that is NULL where one of its arguments is."""
    return lambda execution, values: None if None in values else native(execution, values)


MANY = 1 << 16
_NOW: tuple[int, int, Native] = (0, 1, strict(now))
FUNCTIONS: dict[str, tuple[int, int, Native]] = {
    "COALESCE": (1, MANY, lambda _, values: next((value for value in values if value is not None), None)),
    "CONCAT": (1, MANY, strict(joined)),
    "CONCAT_WS": (2, MANY, concat_ws),
    "CONNECTION_ID": (0, 0, lambda execution, _: execution.session.connection_id),
    "CURRENT_TIMESTAMP": _NOW,
    "CURRENT_USER": (0, 0, lambda execution, _: text(execution, USER)),
    "IF": (3, 3, if_),
    "LAST_INSERT_ID": (0, 1, last_insert_id),
    "LENGTH": (1, 1, strict(lambda execution, values: len(to_bytes(values[0], connection_of(execution))))),
    "LOWER": (1, 1, strict(cased(str.lower))),
    "NOW": _NOW,
    "RAND": (0, 0, lambda execution, _: execution.random()),
    "REPEAT": (2, 2, strict(repeat)),
    "SYSDATE": _NOW,
    "UNIX_TIMESTAMP": (0, 0, lambda execution, _: execution.session.now[0]),
    "UPPER": (1, 1, strict(cased(str.upper))),
    "USER": (0, 0, lambda execution, _: text(execution, USER)),
    "UUID": (0, 0, made_uuid),
    "VERSION": (0, 0, lambda execution, _: text(execution, ".".join(map(str, execution.session.storage.version)))),
}
"""The fewest and the most arguments of each function, and what gives its value."""
