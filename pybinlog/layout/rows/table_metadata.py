"""The optional metadata of Table_map (WL#4618): signedness, character sets, names, values, keys, visibility."""

from __future__ import annotations

from typing import Any

from construct import Adapter, GreedyBytes, Int8ul, PrefixedArray, Struct, Switch, this

from pybinlog.column_types import MetadataType
from pybinlog.layout.integer import LengthEncodedInteger
from pybinlog.layout.primitive import Bounded, Coded, PrefixedText, UntilEnd


class _Bits(Adapter):
    """A list of booleans, the first in the highest bit of the first byte; the last byte's padding is part of it."""

    def _decode(self, obj: bytes, context: Any, path: str) -> list[bool]:
        return [bool(byte >> shift & 1) for byte in obj for shift in range(7, -1, -1)]

    def _encode(self, obj: list[bool], context: Any, path: str) -> bytes:
        padded = [*obj, *[False] * (-len(obj) % 8)]
        return bytes(
            sum(bit << 7 - shift for shift, bit in enumerate(padded[start : start + 8]))
            for start in range(0, len(padded), 8)
        )


_LENENC = LengthEncodedInteger()
_DEFAULT_CHARSET = Struct(
    "default_charset" / _LENENC,
    "exceptions" / UntilEnd(Struct("column" / _LENENC, "charset" / _LENENC)),
)
_STR_VALUES = UntilEnd(PrefixedArray(_LENENC, PrefixedText(_LENENC)))
_FIELD = Struct(
    "type" / Coded(Int8ul, MetadataType),
    "value"
    / Bounded(
        _LENENC,
        Switch(
            this.type,
            {
                MetadataType.SIGNEDNESS: _Bits(GreedyBytes),
                MetadataType.DEFAULT_CHARSET: _DEFAULT_CHARSET,
                MetadataType.COLUMN_CHARSET: UntilEnd(_LENENC),
                MetadataType.COLUMN_NAME: UntilEnd(PrefixedText(_LENENC)),
                MetadataType.SET_STR_VALUE: _STR_VALUES,
                MetadataType.ENUM_STR_VALUE: _STR_VALUES,
                MetadataType.GEOMETRY_TYPE: UntilEnd(_LENENC),
                MetadataType.SIMPLE_PRIMARY_KEY: UntilEnd(_LENENC),
                MetadataType.PRIMARY_KEY_WITH_PREFIX: UntilEnd(Struct("column" / _LENENC, "prefix" / _LENENC)),
                MetadataType.ENUM_AND_SET_DEFAULT_CHARSET: _DEFAULT_CHARSET,
                MetadataType.ENUM_AND_SET_COLUMN_CHARSET: UntilEnd(_LENENC),
                MetadataType.COLUMN_VISIBILITY: _Bits(GreedyBytes),
                MetadataType.VECTOR_DIMENSIONALITY: UntilEnd(_LENENC),
            },
            default=GreedyBytes,
        ),
    ),
)

OPTIONAL_METADATA = UntilEnd(_FIELD)
"""Pairs of type and value. Signedness is that of the numeric columns only, a set of values that of the ENUM or SET
columns only, and so on, in the order of the columns; a character set is the number of a collation."""
