"""The markers in the logs of testdata/redact, in all forms that a log or a text of it can hold them in."""

import base64
import re
import struct
from collections.abc import Iterator

WORD = "qzmarkwx"
"""In every text, name of an account, comment, xid, JSON key, file and member of those logs."""
INTEGERS = (1987654321, 7766554433221100, 17766554433221100123, 8123456, 31987)
DECIMALS = ("918273645.546372819",)
REALS = (91827.364554637e10, 1987.5, 2087.25)
SINGLES = (1234.5678, 91.125)
MOMENTS = ("2031-07-19", "13:57:31", "2031-07-19 13:57:31")
LEAST_BYTES = 4
LEAST_HEX = 6
LEAST_BASE64 = 8
LEAST_DIGITS = 8
"""Shorter forms are in any log by chance."""


def forms() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each form; texts in lower case, as the log is searched."""
    for codec in ("utf-8", "utf-16-be", "utf-16-le", "utf-32-be"):
        yield f"{WORD} in {codec}", WORD.encode(codec)
    for text in ("中文", "日本"):
        for codec in ("utf-8", "gbk", "shift_jis", "utf-16-be", "gb18030", "big5"):
            if (text, codec) != ("日本", "big5") and len(text.encode(codec, "ignore")) >= LEAST_BYTES:
                yield f"{text} in {codec}", text.encode(codec, "ignore")
    for number in INTEGERS:
        yield f"{number} in digits", str(number).encode()
        size = next(size for size in (1, 2, 3, 4, 8) if number < 1 << 8 * size)
        for order in ("little", "big"):
            if size >= LEAST_BYTES:
                yield f"{number} in {order}-endian bytes", number.to_bytes(size, order)
    for decimal in DECIMALS:
        for part in decimal.split("."):
            yield f"{decimal} in digits", part.encode()
            yield f"{decimal} in reversed digits", part[::-1].encode()
            for group in (int(part).to_bytes(4, "big"), int(part[::-1]).to_bytes(4, "big")):
                yield f"{decimal} as a DECIMAL", group
                yield f"{decimal} as one below 0", bytes(byte ^ 0xFF for byte in group)
    for real in REALS:
        yield f"{real} as a DOUBLE", struct.pack("<d", real)
    for single in SINGLES:
        yield f"{single} as a FLOAT", struct.pack("<f", single)
    for moment in MOMENTS:
        yield f"{moment} as text", moment.encode()
    year, month, day, hour, minute, second = 2031, 7, 19, 13, 57, 31
    datetime = ((year * 13 + month) << 5 | day) << 17 | hour << 12 | minute << 6 | second
    yield "a DATETIME", (datetime + (1 << 39)).to_bytes(5, "big")
    yield "a TIMESTAMP", (1942235851).to_bytes(4, "big")
    yield "a date of JSON", (datetime << 24).to_bytes(8, "little")[3:]


FORMS = dict(forms())
SHORT = {name: form for name, form in FORMS.items() if form.isdigit() and len(form) < LEAST_DIGITS}
HEX = {f"{name}, in hexadecimal digits": data.hex().encode() for name, data in FORMS.items() if len(data) >= LEAST_HEX}


def base64_forms() -> dict[str, bytes]:
    """Return what is in a base64 text that holds one of the forms, at each of the three places it may begin at."""
    found = {}
    for name, data in FORMS.items():
        for shift, skipped in enumerate((0, 2, 3)):
            whole = base64.b64encode(bytes(shift) + data)[skipped : (shift + len(data)) * 8 // 6]
            if len(whole) >= LEAST_BASE64:
                found[f"{name}, in base64 from byte {shift}"] = whole
    return found


BASE64 = base64_forms()


def number(digits: bytes) -> re.Pattern[bytes]:
    """Return a pattern of a whole number: a longer one has the digits of a short marker by chance."""
    return re.compile(rb"(?<!\d)" + digits + rb"(?!\d)")


def markers_in(data: bytes) -> set[str]:
    """Return the names of the forms that are in bytes or in a text; letters in any case."""
    lower = data.lower()
    joined = re.sub(rb"\s", b"", data)
    found = {name for name, form in FORMS.items() if form.lower() in lower}
    found -= {name for name, form in SHORT.items() if not number(form).search(lower)}
    found |= {name for name, form in HEX.items() if form in lower}
    return found | {name for name, form in BASE64.items() if form in joined}
