"""Narrowing: the conditions of a reader that a filter of a query allows. They keep a superset of its rows.

DuckDB gives a filter as an expression of pyarrow, which nothing but Arrow can take apart. So Arrow proves each
condition: it is asked if a row may match the filter although a column has other values (`Proof`). The texts and names
in the expression's printed form are only guesses of what to ask for: a wrong guess makes reading slower, not wrong.
"""

import re
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from pybinlog.event_types import printed_name
from pybinlog.gtid_set import EVENT_GTID
from pybinlog.views.frame import OPERATIONS
from pybinlog.views.options import ViewOptions
from pybinlog.views.view import Column, Filter

LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
REPLACEMENT = "\ufffd"
LEAST, MOST = -(1 << 63), (1 << 63) - 1
MOST_COMBINATIONS = 64
TIME = pa.timestamp("us", tz="UTC")


class Proof:
    """Proves that no row matches an expression, by the simplification with which Arrow omits files of a dataset."""

    def __init__(self, expression: pc.Expression, schema: pa.Schema):
        self._expression = expression
        self._schema = schema
        self._format = ds.IpcFileFormat()

    def may_hold(self, guarantee: pc.Expression) -> bool:
        """Return False only if the expression is not true of any row of which the guarantee is."""
        fragment = self._format.make_fragment(pa.py_buffer(b""), partition_expression=guarantee)
        dataset = ds.FileSystemDataset([fragment], self._schema, self._format)
        return any(True for _ in dataset.get_fragments(self._expression))


class Narrowed(NamedTuple):
    """`options` are None if nothing can match. `exact`: they keep no other rows, so nothing else tests the filter."""

    options: ViewOptions | None
    exact: bool = False


def narrowed(options: ViewOptions, filter: pc.Expression, schema: pa.Schema) -> Narrowed:
    """Return the options with the conditions that the filter allows; `schema` has all columns that it names."""
    text = str(filter)
    literals = sorted({ESCAPED.sub(r"\1", found) for found in LITERAL.findall(text)}, key=str.encode)
    proof = Proof(filter, schema)
    change: dict[str, Any] = {}
    exact: dict[str, frozenset[str]] | None = {}
    for column in options.definition.columns:
        if column.filter is None or column.name not in text or column.name not in schema.names:
            continue
        if column.filter in (Filter.TIME, Filter.POSITION):
            bounds = bounds_of(proof, column)
            if bounds is None:
                return Narrowed(None)
            if bounds != (LEAST, MOST):
                change |= RANGES[column.filter](*bounds)
                exact = None
            continue
        values = values_of(proof, column.name, literals)
        if values is None:
            continue
        if not values:
            return Narrowed(None)
        condition = SETS[column.filter](values)
        if condition is None:
            continue
        if not all(condition.values()):
            return Narrowed(None)
        change |= condition
        if exact is not None and column.filter is not Filter.GTIDS:
            exact[column.name] = values
    is_exact = bool(exact) and implied(exact or {}, filter, schema)
    return Narrowed(options.replace(**change), is_exact)


def values_of(proof: Proof, name: str, literals: list[str]) -> frozenset[str] | None:
    """Return the texts that a column may have in matching rows; None if others are possible, or null."""
    field = pc.field(name)
    if not literals or proof.may_hold(field.is_null()):
        return None
    gaps = [field < literals[0], field > literals[-1]]
    gaps += [(field > before) & (field < after) for before, after in pairwise(literals)]
    if any(map(proof.may_hold, gaps)):
        return None
    return frozenset(value for value in literals if proof.may_hold(field == value))


def bounds_of(proof: Proof, column: Column) -> tuple[int, int] | None:
    """Return the least and the largest number that a column may have in matching rows; None if no row matches."""
    field = pc.field(column.name)
    type = TIME if column.filter is Filter.TIME else pa.int64()
    if proof.may_hold(field.is_null()):
        return LEAST, MOST
    least = first_of(lambda number: proof.may_hold(field <= pa.scalar(number, type)))
    most = first_of(lambda number: proof.may_hold(field >= pa.scalar(-1 - number, type)))
    return None if least is None or most is None else (least, -1 - most)


def first_of(holds: Callable[[int], bool]) -> int | None:
    """Return the least number of 64 bits for which `holds`, which then holds for larger ones; None if for none."""
    if holds(LEAST):
        return LEAST
    if not holds(MOST):
        return None
    low, high = LEAST, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def implied(values: dict[str, frozenset[str]], filter: pc.Expression, schema: pa.Schema) -> bool:
    """Return True only if each row matches the filter whose columns have these values."""
    if any(REPLACEMENT in value for found in values.values() for value in found):
        return False  # it stands for bytes that the reader compares
    combinations = list(product(*([(name, value) for value in found] for name, found in values.items())))
    if len(combinations) > MOST_COMBINATIONS:
        return False
    opposites = [Proof(~filter, schema), Proof(filter.is_null(), schema)]
    for combination in combinations:
        guarantee = pc.scalar(True)
        for name, value in combination:
            guarantee = guarantee & (pc.field(name) == value)
        if any(opposite.may_hold(guarantee) for opposite in opposites):
            return False
    return True


# ---- conditions of the reader


def of_tables(values: frozenset[str]) -> dict[str, Any] | None:
    return None if any(REPLACEMENT in value for value in values) else {"tables": frozenset((None, v) for v in values)}


def of_databases(values: frozenset[str]) -> dict[str, Any] | None:
    return None if any(REPLACEMENT in value for value in values) else {"databases": values}


def of_types(values: frozenset[str]) -> dict[str, Any]:
    return {"types": frozenset(kind for kind in range(256) if printed_name(kind) in values)}


def of_gtids(values: frozenset[str]) -> dict[str, Any] | None:
    return {"include_gtids": ",".join(sorted(values))} if all(map(EVENT_GTID.fullmatch, values)) else None


def of_times(least: int, most: int) -> dict[str, Any]:
    return {"start_time": None if least == LEAST else least, "stop_time": None if most == MOST else most + 1}


def of_positions(least: int, most: int) -> dict[str, Any]:
    return {
        "first_position": None if least <= 0 else least,
        "stop_position": None if most == MOST else max(most + 1, 0),
    }


SETS: dict[Filter, Callable[[frozenset[str]], dict[str, Any] | None]] = {
    Filter.TABLES: of_tables,
    Filter.DATABASES: of_databases,
    Filter.TYPES: of_types,
    Filter.OPERATIONS: lambda values: {"operations": frozenset(name for name in OPERATIONS if name.upper() in values)},
    Filter.GTIDS: of_gtids,
}
RANGES: dict[Filter, Callable[[int, int], dict[str, Any]]] = {Filter.TIME: of_times, Filter.POSITION: of_positions}
