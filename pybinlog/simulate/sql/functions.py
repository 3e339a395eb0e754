"""The native functions that the model has, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone

from pybinlog.simulate.sql.execution import Execution
from pybinlog.values.operators import arithmetic, compare
from pybinlog.values.temporal import from_utc, round_to
from pybinlog.values.value import Temporal, Text, Value, collation_of, context, to_bytes, to_integer, to_text

AGGREGATES = frozenset({"COUNT", "SUM", "MIN", "MAX"})
UNSAFE = frozenset({"RAND"})
"""Functions that give another value on a replica (manual, "Determination of Safe and Unsafe Statements")."""
MAX_LENGTH = 64 << 20
"""max_allowed_packet: a text that would be longer is NULL."""
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
Native = Callable[[Execution, Sequence[Value]], Value]


def aggregate(name: str, values: list[Value], connection: int) -> Value:
    """COUNT, SUM, MIN and MAX of values, without those that are NULL."""
    values = [value for value in values if value is not None]
    if name == "COUNT" or not values:
        return len(values) if name == "COUNT" else None
    result = values[0]
    for value in values[1:]:
        if name == "SUM":
            result = arithmetic("+", result, value)
        elif (compare(value, result, connection) or 0) * (1 if name == "MAX" else -1) > 0:
            result = value
    return result


def joined(execution: Execution, values: Sequence[Value]) -> Value:
    connection = execution.session.collation_connection
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
    if isinstance(content, bytes):
        return bytes(content) * times
    return Text(content * times, collation_of(value, execution.session.collation_connection))


def upper(execution: Execution, values: Sequence[Value]) -> Value:
    value = values[0]
    if isinstance(value, bytes):
        return value
    return Text(to_text(value).upper(), collation_of(value, execution.session.collation_connection))


def now(execution: Execution, values: Sequence[Value]) -> Value:
    """Return the time of the statement, with as many digits of a second as the argument says."""
    seconds, microseconds = execution.session.now
    decimals = min(max(to_integer(values[0]), 0), 6) if values else 0
    context().microseconds_used |= decimals > 0
    moment = EPOCH + timedelta(seconds=seconds, microseconds=microseconds)
    return Temporal("DATETIME", round_to(from_utc(moment, execution.session.time_zone), decimals, True), decimals)


def strict(native: Native) -> Native:
    """Return a function that is NULL if one of its arguments is."""
    return lambda execution, values: None if None in values else native(execution, values)


MANY = 1 << 16
_NOW: tuple[int, int, Native] = (0, 1, strict(now))
FUNCTIONS: dict[str, tuple[int, int, Native]] = {
    "CONCAT": (1, MANY, strict(joined)),
    "CONCAT_WS": (2, MANY, concat_ws),
    "CURRENT_TIMESTAMP": _NOW,
    "LAST_INSERT_ID": (0, 0, lambda execution, _: execution.last_insert_id()),
    "NOW": _NOW,
    "RAND": (0, 0, lambda execution, _: execution.random()),
    "REPEAT": (2, 2, strict(repeat)),
    "UPPER": (1, 1, strict(upper)),
}
"""The fewest and the most arguments of each function, and what gives its value."""
