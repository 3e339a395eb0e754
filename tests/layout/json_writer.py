"""JSON as the server stores it, from plain values."""

import struct
from typing import Any

from tests.layout.json_reader import MAX_DEPTH, JsonType

_SMALL_LIMIT = 1 << 16


def _length(size: int) -> bytes:
    """7 bits in each byte, the lowest first."""
    raw = b""
    while size > 0x7F:
        raw += bytes((size & 0x7F | 0x80,))
        size >>= 7
    return raw + bytes((size,))


def _integer(value: int) -> tuple[JsonType, bytes]:
    unsigned = value >= 1 << 63
    for size, signed_type, unsigned_type in (
        (2, JsonType.INT16, JsonType.UINT16),
        (4, JsonType.INT32, JsonType.UINT32),
        (8, JsonType.INT64, JsonType.UINT64),
    ):
        try:
            return unsigned_type if unsigned else signed_type, value.to_bytes(size, "little", signed=not unsigned)
        except OverflowError:
            continue
    raise ValueError(f"{value} is not an integer of 64 bits")


def _encode(value: Any, depth: int = 0) -> tuple[JsonType, bytes]:
    """Return the type and the bytes of one value, which lies in so many containers."""
    if value is None or isinstance(value, bool):
        return JsonType.LITERAL, bytes((0 if value is None else 1 if value else 2,))
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return JsonType.DOUBLE, struct.pack("<d", value)
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogateescape")
        return JsonType.STRING, _length(len(data)) + data
    if isinstance(value, (dict, list)):
        if depth >= MAX_DEPTH:
            raise ValueError(f"JSON nested deeper than {MAX_DEPTH}")
        keys, items = _members(value, depth + 1)
        for width in (2, 4):
            encoded = _container(keys, items, width)
            if encoded is not None:
                return encoded
        raise ValueError("a JSON document of more than 4 GiB")
    raise ValueError(f"{type(value).__name__} is no JSON value")


def _inlined(kind: JsonType, width: int) -> bool:
    if kind in (JsonType.LITERAL, JsonType.INT16, JsonType.UINT16):
        return True
    return width == 4 and kind in (JsonType.INT32, JsonType.UINT32)


def _members(value: dict[str, Any] | list[Any], depth: int) -> tuple[list[bytes] | None, list[tuple[JsonType, bytes]]]:
    """Return the keys (None: an array) and the encoded items of a container.

    The keys of an object stand in the order of their length, and in that of their bytes among equals.
    """
    if not isinstance(value, dict):
        return None, [_encode(item, depth) for item in value]
    pairs = [(key.encode("utf-8", "surrogateescape"), item) for key, item in value.items()]
    pairs.sort(key=lambda pair: (len(pair[0]), pair[0]))
    return [key for key, _ in pairs], [_encode(item, depth) for _, item in pairs]


def _container(
    names: list[bytes] | None, items: list[tuple[JsonType, bytes]], width: int
) -> tuple[JsonType, bytes] | None:
    """Return an object or array whose counts and offsets take `width` bytes; None if these are too narrow."""
    limit = 1 << 8 * width
    is_object = names is not None
    keys = names or []
    offset = 2 * width + len(keys) * (width + 2) + len(items) * (1 + width)
    key_entries = b""
    for key in keys:
        if offset >= limit or len(key) >= _SMALL_LIMIT:
            return None
        key_entries += offset.to_bytes(width, "little") + len(key).to_bytes(2, "little")
        offset += len(key)
    value_entries, values = [], []
    for kind, data in items:
        if _inlined(kind, width):
            signed = kind in (JsonType.INT16, JsonType.INT32) and bool(data[-1] & 0x80)
            value_entries.append(bytes((kind,)) + data.ljust(width, b"\xff" if signed else b"\0"))
            continue
        if offset >= limit:
            return None
        value_entries.append(bytes((kind,)) + offset.to_bytes(width, "little"))
        values.append(data)
        offset += len(data)
    if len(items) >= limit or offset >= limit:
        return None
    head = len(items).to_bytes(width, "little") + offset.to_bytes(width, "little")
    kinds = {
        (True, 2): JsonType.SMALL_OBJECT,
        (True, 4): JsonType.LARGE_OBJECT,
        (False, 2): JsonType.SMALL_ARRAY,
        (False, 4): JsonType.LARGE_ARRAY,
    }
    body = b"".join((head, key_entries, *value_entries, *keys, *values))
    return kinds[is_object, width], body


def write_json(value: Any) -> bytes:
    """Return a document. Raise ValueError for what JSON does not have."""
    kind, data = _encode(value)
    return bytes((kind,)) + data
