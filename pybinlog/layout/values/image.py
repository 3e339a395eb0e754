"""Row images: the columns that a row event holds of each row, written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pybinlog.layout.values.column import Column
from pybinlog.layout.values.scalar_writer import write_value


def bitmap(bits: Sequence[bool]) -> bytes:
    """Bits as the format holds them, the first in the lowest bit of the first byte."""
    raw = bytearray((len(bits) + 7) // 8)
    for index, bit in enumerate(bits):
        raw[index // 8] |= bit << index % 8
    return bytes(raw)


def encode_image(
    values: Sequence[Any], columns: Sequence[Column], present: Sequence[bool], *, filler: bool = False
) -> bytes:
    """One row image: the values of the columns that `present` names, in order; None is NULL.

    The values are those that `Event.rows` gives. `filler`: the null bits that stand for no column, which servers
    before 8.0 set. Raise ValueError if a column cannot hold its value.
    """
    held = [(value, column) for value, column, is_held in zip(values, columns, present, strict=True) if is_held]
    nulls = bitmap([*(value is None for value, _ in held), *([filler] * (-len(held) % 8))])
    return nulls + b"".join(write_value(value, column) for value, column in held if value is not None)
