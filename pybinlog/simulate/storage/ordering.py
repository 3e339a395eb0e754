"""Sorting by several values, each upwards or downwards, and telling duplicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .operators import sort_key
from .value import Value

__all__ = ["SortBy", "distinct", "row_key", "sort"]

_Row = TypeVar("_Row")
SortBy = tuple[Callable[[_Row], Value], bool]
"""What a row is sorted by, and whether downwards."""


def sort(rows: list[_Row], by: Sequence[SortBy[_Row]], connection: int) -> None:
    """Sorts in place; rows that are equal keep their order."""
    for value_of, descending in reversed(by):

        def key(row: _Row, value_of: Callable[[_Row], Value] = value_of) -> tuple[Any, ...]:
            return sort_key(value_of(row), connection)

        rows.sort(key=key, reverse=descending)


def row_key(row: Sequence[Value], connection: int) -> tuple[Any, ...]:
    """A key that is the same for rows whose values are equal."""
    return tuple(sort_key(value, connection) for value in row)


def distinct(rows: Sequence[_Row], values_of: Callable[[_Row], Sequence[Value]], connection: int) -> list[_Row]:
    """The rows without those that equal one before them."""
    first: dict[tuple[Any, ...], _Row] = {}
    for row in rows:
        first.setdefault(row_key(values_of(row), connection), row)
    return list(first.values())
