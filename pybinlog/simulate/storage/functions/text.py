"""Functions of text and binary strings."""

from __future__ import annotations

import hashlib
import zlib
from decimal import Decimal

from ..charset import compare_key
from ..value import Text, Unsigned, Value, collation_of, to_bytes, to_integer, to_number, to_text
from .call import Call, function, strict

MANY = 1 << 16
MAX_LENGTH = 64 << 20
"""max_allowed_packet: a text that would be longer is NULL."""


def like(value: Value, text: str, call: Call) -> Value:
    """Text in the character set of a value; bytes where that is a binary string."""
    return Text(text, collation_of(value, call.connection))


def joined(call: Call, values: list[Value]) -> Value:
    if any(isinstance(value, bytes) for value in values):
        return b"".join(to_bytes(value, call.connection) for value in values)
    collation = next((value.collation for value in values if isinstance(value, Text)), call.connection)
    return Text("".join(map(to_text, values)), collation)


@strict("CONCAT", least=1, most=MANY)
def concat(call: Call, *values: Value) -> Value:
    return joined(call, list(values))


@function("CONCAT_WS")
def concat_ws(call: Call) -> Value:
    separator, *values = call.values()
    if separator is None:
        return None
    parts: list[Value] = []
    for value in values:
        if value is not None:
            parts += [separator, value]
    return joined(call, parts[1:]) if parts else call.text("")


@strict("REPEAT", least=2)
def repeat(call: Call, value: Value, count: Value) -> Value:
    times = max(0, to_integer(count))
    text = value if isinstance(value, bytes) else to_text(value)
    if len(text) * times > MAX_LENGTH:
        return None
    return bytes(text) * times if isinstance(text, bytes) else like(value, text * times, call)


@strict("SPACE", least=1)
def space(call: Call, count: Value) -> Value:
    wanted = max(0, to_integer(count))
    return call.text(" " * wanted) if wanted <= MAX_LENGTH else None


@strict("UPPER", "UCASE", least=1)
def upper(call: Call, value: Value) -> Value:
    return value if isinstance(value, bytes) else like(value, to_text(value).upper(), call)


@strict("LOWER", "LCASE", least=1)
def lower(call: Call, value: Value) -> Value:
    return value if isinstance(value, bytes) else like(value, to_text(value).lower(), call)


@strict("LENGTH", "OCTET_LENGTH", least=1)
def length(call: Call, value: Value) -> Value:
    return len(to_bytes(value, call.connection))


@strict("CHAR_LENGTH", "CHARACTER_LENGTH", least=1)
def char_length(call: Call, value: Value) -> Value:
    return len(value if isinstance(value, bytes) else to_text(value))


@strict("BIT_LENGTH", least=1)
def bit_length(call: Call, value: Value) -> Value:
    return 8 * len(to_bytes(value, call.connection))


def part(value: Value, start: int, end: int, call: Call) -> Value:
    if isinstance(value, bytes):
        return bytes(value[start:end])
    return like(value, to_text(value)[start:end], call)


@strict("LEFT", least=2)
def left(call: Call, value: Value, count: Value) -> Value:
    return part(value, 0, max(0, to_integer(count)), call)


@strict("RIGHT", least=2)
def right(call: Call, value: Value, count: Value) -> Value:
    size = len(value if isinstance(value, bytes) else to_text(value))
    return part(value, max(0, size - max(0, to_integer(count))), size, call)


@strict("SUBSTRING", "SUBSTR", "MID", least=2, most=3)
def substring(call: Call, value: Value, start: Value, count: Value = 1 << 31) -> Value:
    size = len(value if isinstance(value, bytes) else to_text(value))
    first, wanted = to_integer(start), to_integer(count)
    begin = first - 1 if first > 0 else size + first
    if first == 0 or begin < 0 or wanted <= 0:
        return part(value, 0, 0, call)
    return part(value, begin, begin + wanted, call)


@strict("SUBSTRING_INDEX", least=3)
def substring_index(call: Call, value: Value, delimiter: Value, count: Value) -> Value:
    parts, times = to_text(value).split(to_text(delimiter)), to_integer(count)
    kept = parts[:times] if times >= 0 else parts[times:]
    return like(value, to_text(delimiter).join(kept), call)


@strict("REPLACE", least=3)
def replace(call: Call, value: Value, old: Value, new: Value) -> Value:
    return like(value, to_text(value).replace(to_text(old), to_text(new)) if to_text(old) else to_text(value), call)


@strict("REVERSE", least=1)
def reverse(call: Call, value: Value) -> Value:
    return bytes(value[::-1]) if isinstance(value, bytes) else like(value, to_text(value)[::-1], call)


@strict("LPAD", least=3)
def lpad(call: Call, value: Value, size: Value, pad: Value) -> Value:
    text, wanted, filler = to_text(value), to_integer(size), to_text(pad)
    if not 0 <= wanted <= MAX_LENGTH or (len(text) < wanted and not filler):
        return None
    missing = wanted - len(text)
    return like(value, (filler * missing)[:missing] + text if missing > 0 else text[:wanted], call)


@strict("RPAD", least=3)
def rpad(call: Call, value: Value, size: Value, pad: Value) -> Value:
    text, wanted, filler = to_text(value), to_integer(size), to_text(pad)
    if not 0 <= wanted <= MAX_LENGTH or (len(text) < wanted and not filler):
        return None
    return like(value, (text + (filler * max(0, wanted - len(text))))[:wanted], call)


@strict("LTRIM", least=1)
def ltrim(call: Call, value: Value) -> Value:
    return like(value, to_text(value).lstrip(" "), call)


@strict("RTRIM", least=1)
def rtrim(call: Call, value: Value) -> Value:
    return like(value, to_text(value).rstrip(" "), call)


@strict("INSTR", least=2)
def instr(call: Call, value: Value, wanted: Value) -> Value:
    return compare_key(to_text(value), call.connection).find(compare_key(to_text(wanted), call.connection)) + 1


@strict("LOCATE", "POSITION", least=2, most=3)
def locate(call: Call, wanted: Value, value: Value, start: Value = 1) -> Value:
    begin = max(0, to_integer(start) - 1)
    text = compare_key(to_text(value), call.connection)
    return text.find(compare_key(to_text(wanted), call.connection), begin) + 1


@strict("INSERT", least=4)
def insert(call: Call, value: Value, start: Value, count: Value, new: Value) -> Value:
    text, begin, size = to_text(value), to_integer(start), to_integer(count)
    if not 1 <= begin <= len(text):
        return value
    return like(value, text[: begin - 1] + to_text(new) + (text[begin - 1 + size :] if size >= 0 else ""), call)


@strict("HEX", least=1)
def hex_(call: Call, value: Value) -> Value:
    if isinstance(value, (int, Decimal, float)):
        return call.text(f"{to_integer(value) & (1 << 64) - 1:X}")
    return call.text(to_bytes(value, call.connection).hex().upper())


@strict("UNHEX", least=1)
def unhex(call: Call, value: Value) -> Value:
    text = to_text(value)
    try:
        return bytes.fromhex(text if len(text) % 2 == 0 else f"0{text}")
    except ValueError:
        return None


@strict("ASCII", least=1)
def ascii_(call: Call, value: Value) -> Value:
    data = to_bytes(value, call.connection)
    return data[0] if data else 0


@strict("ORD", least=1)
def ord_(call: Call, value: Value) -> Value:
    return int.from_bytes(to_bytes(to_text(value)[:1], call.connection), "big")


@strict("CHAR", least=1, most=MANY)
def char(call: Call, *values: Value) -> Value:
    numbers = [to_integer(value) & 0xFFFFFFFF for value in values]
    return b"".join(number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big") for number in numbers)


@strict("STRCMP", least=2)
def strcmp(call: Call, one: Value, other: Value) -> Value:
    a, b = compare_key(to_text(one), call.connection), compare_key(to_text(other), call.connection)
    return (a > b) - (a < b)


@function("ELT")
def elt(call: Call) -> Value:
    number = call[0]
    index = to_integer(number) if number is not None else 0
    return call[index] if 0 < index < len(call) else None


@function("FIELD")
def field(call: Call) -> Value:
    from ..operators import compare

    wanted = call[0]
    for index in range(1, len(call)):
        if compare(wanted, call[index], call.connection) == 0:
            return index
    return 0


@strict("FIND_IN_SET", least=2)
def find_in_set(call: Call, wanted: Value, members: Value) -> Value:
    parts = [compare_key(member, call.connection) for member in to_text(members).split(",")]
    key = compare_key(to_text(wanted), call.connection)
    return parts.index(key) + 1 if key in parts else 0


@strict("QUOTE", least=1)
def quote(call: Call, value: Value) -> Value:
    text = to_text(value)
    for old, new in (("\\", "\\\\"), ("'", "\\'"), ("\0", "\\0"), ("\x1a", "\\Z")):
        text = text.replace(old, new)
    return call.text(f"'{text}'")


@strict("MD5", least=1)
def md5(call: Call, value: Value) -> Value:
    return call.text(hashlib.md5(to_bytes(value, call.connection)).hexdigest())


@strict("SHA1", "SHA", least=1)
def sha1(call: Call, value: Value) -> Value:
    return call.text(hashlib.sha1(to_bytes(value, call.connection)).hexdigest())


@strict("SHA2", least=2)
def sha2(call: Call, value: Value, bits: Value) -> Value:
    size = to_integer(bits) or 256
    if size not in (224, 256, 384, 512):
        return None
    return call.text(hashlib.new(f"sha{size}", to_bytes(value, call.connection)).hexdigest())


@strict("CRC32", least=1)
def crc32(call: Call, value: Value) -> Value:
    return Unsigned(zlib.crc32(to_bytes(value, call.connection)))


@strict("FORMAT", least=2)
def format_(call: Call, value: Value, decimals: Value) -> Value:
    number = to_number(value)
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    return call.text(f"{exact.quantize(Decimal((0, (1,), -max(0, to_integer(decimals)))), 'ROUND_HALF_UP'):,f}")


@strict("CHARSET", least=1)
def charset(call: Call, value: Value) -> Value:
    from ..charset import character_set

    return call.text(character_set(collation_of(value, call.connection)))


@strict("COLLATION", least=1)
def collation(call: Call, value: Value) -> Value:
    from ..charset import collation_name

    return call.text(collation_name(collation_of(value, call.connection)))


@strict("TO_BASE64", least=1)
def to_base64(call: Call, value: Value) -> Value:
    import base64

    text = base64.b64encode(to_bytes(value, call.connection)).decode()
    return call.text("\n".join(text[index : index + 76] for index in range(0, len(text), 76)))


@strict("FROM_BASE64", least=1)
def from_base64(call: Call, value: Value) -> Value:
    import base64

    try:
        return base64.b64decode("".join(to_text(value).split()), validate=True)
    except ValueError:
        return None
