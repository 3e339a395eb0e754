"""The characters of MySQL's and MariaDB's character sets, as real servers convert them to utf8mb4.

    .venv/bin/python -m tests.kernel.base.charset_tables

writes pybinlog/kernel/base/charset.zst and testdata/charsets/digests.json again, of what MySQL 9.7 and MariaDB 11.8 say
of every code (half a minute). It stops if the two differ, because the file would then need a table for each. It needs
both servers: MYSQL97_ROOT, MARIADB118_ROOT and ../shared/reference.
"""

import hashlib
import itertools
import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import zstandard

from pybinlog.kernel.base import charset
from tests.corpus import TESTDATA
from tests.server import Server, running

FILE = Path(charset.__file__).with_name("charset.zst")
DIGESTS = TESTDATA / "charsets" / "digests.json"
TABLES = tuple(
    """armscii8 cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 dec8 geostd8 greek hebrew hp8 keybcs2 koi8r koi8u latin1
    latin2 latin5 latin7 macce macroman swe7 tis620 big5 euckr gb18030 gbk gb2312 cp932 sjis eucjpms ujis""".split()
)
"""The sets that have a table in the file, in its order: what is alike stands together, for the sake of its size."""
COMPUTED = ("ascii", "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32")
SETS = TABLES + COMPUTED
_ALL = range(256)
_TAILS = range(0x7F, 0xC1)
_TWO = ((_ALL,), (_ALL, _ALL))
_SPACES: dict[str, tuple[tuple[Iterable[int], ...], ...]] = {
    **dict.fromkeys(SETS, ((_ALL,),)),
    **dict.fromkeys(("big5", "euckr", "gbk", "gb2312", "cp932", "sjis"), _TWO),
    **dict.fromkeys(("eucjpms", "ujis"), (*_TWO, ((0x8F,), _ALL, _ALL))),
    "gb18030": (*_TWO, (range(0x81, 0xFF), range(0x30, 0x3A), range(0x81, 0xFF), range(0x30, 0x3A))),
    "ucs2": ((_ALL, _ALL),),
    "utf16": ((_ALL, _ALL), (range(0xD7, 0xE1), (0, 255), range(0xDB, 0xE1), _ALL)),
    "utf16le": ((_ALL, _ALL), ((0, 255), range(0xD7, 0xE1), _ALL, range(0xDB, 0xE1))),
    "utf32": (((0, 1), range(0x12), _ALL, (0, 65, 255)),),
    "utf8mb3": (*_TWO, (range(0xE0, 0xF1), _TAILS, _TAILS), (range(0xEF, 0xF6), _TAILS, (0x80, 0xBF), (0x80, 0xC0))),
}
_SPACES["utf8mb4"] = _SPACES["utf8mb3"]
_WITHOUT_REPLACEMENT = frozenset(TABLES) - {"gb18030"}
"""Sets that do not have U+FFFD: a code that a server converts to it is not a character, such as some codes of tis620
and big5.
"""
NONE, NEXT = 0xD800, 0xD801
"""Numbers of the file that are not code points: no character, and the next byte decides."""

_BYTES = """
CREATE DATABASE IF NOT EXISTS codes;
CREATE OR REPLACE VIEW codes.digit AS SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4
    UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9 UNION SELECT 10 UNION SELECT 11
    UNION SELECT 12 UNION SELECT 13 UNION SELECT 14 UNION SELECT 15;
CREATE TABLE IF NOT EXISTS codes.octet (b BINARY(1) PRIMARY KEY);
REPLACE INTO codes.octet SELECT UNHEX(LPAD(HEX(16 * h.d + l.d), 2, '0')) FROM codes.digit h, codes.digit l;
"""


def code_space(name: str) -> Iterator[bytes]:
    """All that can be a character of a set that has a table, the shorter codes first; of others, what tells most."""
    for columns in _SPACES[name]:
        yield from map(bytes, itertools.product(*columns))


def digest(texts: Iterable[tuple[bytes, str | None]]) -> str:
    """Of codes and their texts, in order."""
    found = hashlib.sha256()
    lines = (f"{code.hex()} {'-' if text is None else text.encode().hex()}\n" for code, text in texts)
    while some := "".join(itertools.islice(lines, 5000)):
        found.update(some.encode())
    return found.hexdigest()


@contextmanager
def asked(kind: str) -> Iterator[Server]:
    """A real server that `converted` may ask; "mysql" or "mariadb"."""
    with running(kind, "charset") as server:
        server.sql(_BYTES)
        yield server


def converted(server: Server, name: str) -> dict[bytes, str | None]:
    """The code space of a character set, and the texts; None if the server has no text for some of the bytes.

    It is given a point after them, for some sets silently drop the beginning of a character at the end.
    """
    point = f"CAST(CONVERT('.' USING {name}) AS BINARY)"
    found: dict[bytes, str | None] = {}
    for columns in _SPACES[name]:
        code = ", ".join(f"o{i}.b" for i in range(len(columns)))
        octets = ", ".join(
            f"(SELECT b FROM codes.octet WHERE b IN ({_sql(column)})) AS o{i}" for i, column in enumerate(columns)
        )
        rows = server.sql(
            "SET sql_mode = 'STRICT_ALL_TABLES'; SELECT HEX(code), HEX(CONVERT(string USING utf8mb4)) FROM ("
            f"SELECT code, CAST(CONCAT(code, {point}) AS CHAR CHARACTER SET {name}) AS string FROM ("
            f"SELECT CONCAT({code}) AS code FROM {octets}) AS codes) AS strings"
        )
        for row in rows.splitlines():
            shown, text = row.split("\t")
            found[bytes.fromhex(shown)] = _text(name, bytes.fromhex(shown), text)
    return {code: found[code] for code in code_space(name)}


def converted_back(server: Server, name: str, texts: Sequence[str]) -> dict[str, bytes]:
    """The server's bytes for characters that a character set has."""
    rows = ", ".join(f"(CONVERT(x'{text.encode().hex()}' USING utf8mb4))" for text in texts)
    shown = server.sql(
        "DROP TABLE IF EXISTS codes.texts;"
        "CREATE TABLE codes.texts (id INT AUTO_INCREMENT PRIMARY KEY, text VARCHAR(1) CHARACTER SET utf8mb4);"
        f"INSERT INTO codes.texts (text) VALUES {rows};"
        f"SELECT HEX(CONVERT(text USING {name})) FROM codes.texts ORDER BY id"
    )
    return dict(zip(texts, map(bytes.fromhex, shown.splitlines()), strict=True))


def _sql(column: Iterable[int]) -> str:
    return ", ".join(f"x'{byte:02X}'" for byte in column)


def _text(name: str, code: bytes, shown: str) -> str | None:
    """The text that a server shows in hexadecimal: a question mark too many stands for what it cannot convert."""
    if shown == "NULL":
        return None
    try:
        text = bytes.fromhex(shown).decode()
    except UnicodeDecodeError:  # MariaDB takes surrogates for characters
        return None
    if text.count("?") > code.count(b"?"):
        return None
    if "\ufffd" in text and name in _WITHOUT_REPLACEMENT:
        return None
    assert text.endswith("."), f"{code.hex()} swallows what comes after it"
    return text[:-1]


def numbers(codes: dict[bytes, str | None]) -> list[int]:
    """The nodes of the codes of up to three bytes, as the file has them."""
    nodes: dict[bytes, list[int]] = {}
    found: set[bytes] = set()
    for code, text in codes.items():
        if text and len(text) == 1 and len(code) < 4 and not any(code[:size] in found for size in range(1, len(code))):
            found.add(code)
            for size in range(len(code)):
                nodes.setdefault(code[:size], [NONE] * 256)[code[size]] = NEXT
            nodes[code[:-1]][code[-1]] = ord(text)
    return [number for prefix in sorted(nodes, key=lambda code: (len(code), code)) for number in nodes[prefix]]


def main() -> None:
    parts: dict[str, list[int]] = {}
    digests: dict[str, str] = {}
    with asked("mysql") as mysql, asked("mariadb") as mariadb:
        for name in TABLES:
            found = converted(mysql, name)
            digests[name] = digest(found.items())
            parts[name] = numbers(found)
            if name == "gb18030":  # which MariaDB does not have
                four = [ord(text) for code, text in sorted(found.items()) if text and len(code) == 4]
                parts[f"{name}/4"] = [code for code in four if code < 0x10000]
                assert four == [*parts[f"{name}/4"], *range(0x10000, 0x110000)]
            else:
                assert found == converted(mariadb, name), f"MySQL and MariaDB differ in {name}"
    head = "".join(f"{name} {len(part)}\n" for name, part in parts.items()) + "\n"
    body = b"".join(
        struct.pack(f"<{len(part)}H", *((new - old) & 0xFFFF for old, new in zip([0, *part], part, strict=False)))
        for part in parts.values()
    )
    FILE.write_bytes(zstandard.ZstdCompressor(level=22).compress(head.encode() + body))
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n")
    print(f"{FILE}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
