"""The characters of MySQL's and MariaDB's character sets, as real servers convert them to utf8mb4.

    .venv/bin/python -m tests.kernel.base.charset_tables

writes pybinlog/kernel/base/charset.zst again, of what MySQL 9.7 and MariaDB 11.8 say of every code (a minute). It
stops where the two differ: then the file needs a table for each. It needs both servers: MYSQL97_ROOT,
MARIADB118_ROOT and ../shared/reference.
"""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import zstandard

from pybinlog.kernel.base import charset
from tests.corpus import PROJECT

__all__ = ["FILE", "TABLES", "WIDE", "Server"]

FILE = Path(charset.__file__).with_name("charset.zst")
TABLES = tuple(
    """armscii8 cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 dec8 geostd8 greek hebrew hp8 keybcs2 koi8r koi8u latin1
    latin2 latin5 latin7 macce macroman swe7 tis620 big5 euckr gb18030 gbk gb2312 cp932 sjis eucjpms ujis""".split()
)
"""The sets that have a table in the file, in its order: what is alike stands together, for the sake of its size."""
WIDE = ("ucs2", "utf16", "utf16le", "utf32", "ascii", "utf8mb3", "utf8mb4")
"""The sets that are computed."""
NONE, NEXT = 0xD800, 0xD801
"""Numbers of the file that are no code points: no character, and the next byte decides."""

_BYTES = """
CREATE DATABASE IF NOT EXISTS codes;
CREATE OR REPLACE VIEW codes.digit AS SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4
    UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9 UNION SELECT 10 UNION SELECT 11
    UNION SELECT 12 UNION SELECT 13 UNION SELECT 14 UNION SELECT 15;
CREATE TABLE IF NOT EXISTS codes.octet (b BINARY(1) PRIMARY KEY);
REPLACE INTO codes.octet SELECT UNHEX(LPAD(HEX(16 * h.d + l.d), 2, '0')) FROM codes.digit h, codes.digit l;
"""


class Server:
    """A real server, of the folder ../shared/reference, that is asked what it makes of bytes."""

    def __init__(self, name: str) -> None:
        """`name` is mysql97 or mariadb118, as the script that starts it."""
        self.name = name
        self._tool = PROJECT.parent / "shared" / "reference" / name
        self._root = os.environ.get(f"{name.upper()}_ROOT")
        self._instance = f"{PROJECT.name}-charset"

    @property
    def installed(self) -> bool:
        return self._tool.exists() and self._root is not None and any(Path(self._root, "usr/sbin").glob("m*d"))

    @contextmanager
    def running(self) -> Iterator[Server]:
        subprocess.run([self._tool, "start", self._instance], check=True, capture_output=True, timeout=300)
        try:
            self.sql(_BYTES)
            yield self
        finally:
            subprocess.run([self._tool, "stop", self._instance], check=False, capture_output=True, timeout=300)

    def sql(self, text: str) -> str:
        done = subprocess.run(
            [self._tool, "sql", self._instance, "-BNq"], input=text, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def converted(self, character_set: str, *columns: str) -> dict[bytes, str | None]:
        """Codes, and their text by the server; None where it has none for some of a code's bytes.

        A code has a byte for each of `columns`, a condition on that byte, `b`, in SQL.
        """
        places = range(len(columns))
        octets = ", ".join(f"(SELECT b FROM codes.octet WHERE {column}) AS o{i}" for i, column in enumerate(columns))
        code = f"CONCAT({', '.join(f'o{i}.b' for i in places)})"
        rows = self.sql(
            "SET sql_mode = ''; SELECT HEX(code), HEX(CONVERT(CAST(code AS CHAR CHARACTER SET "
            f"{character_set}) USING utf8mb4)) FROM (SELECT {code} AS code FROM {octets}) AS codes"
        )
        found = {}
        for row in rows.splitlines():
            code, text = row.split("\t")
            found[bytes.fromhex(code)] = _decoded(text)
        return found


def _decoded(text: str) -> str | None:
    """A question mark is what a server writes for a byte that it cannot convert: who asks knows the true ones."""
    if text in ("NULL", ""):
        return None
    try:
        return bytes.fromhex(text).decode()
    except UnicodeDecodeError:  # MariaDB takes surrogates for characters
        return None


def characters(server: Server, character_set: str) -> dict[bytes, str]:
    """Every character of a set that has a table, by its code."""
    found = {b"?": "?"}
    codes = server.converted(character_set, "1")
    if character_set in TABLES[TABLES.index("big5") :]:
        codes |= server.converted(character_set, "1", "1")
    if character_set in ("eucjpms", "ujis"):
        codes |= server.converted(character_set, "b = x'8F'", "1", "1")
    if character_set == "gb18030":
        high, low = "b BETWEEN x'81' AND x'FE'", "b BETWEEN x'30' AND x'39'"
        codes |= server.converted(character_set, high, low, high, low)
    for code, text in codes.items():  # the shorter ones come first
        if text and len(text) == 1 and text != "?" and not any(code[:size] in found for size in range(1, len(code))):
            found[code] = text
    return found


def numbers(found: dict[bytes, str]) -> list[int]:
    """The nodes of the codes of up to three bytes, as the file has them."""
    nodes: dict[bytes, list[int]] = {}
    for code, text in found.items():
        if len(code) < 4:
            for size in range(len(code)):
                nodes.setdefault(code[:size], [NONE] * 256)[code[size]] = NEXT
            nodes[code[:-1]][code[-1]] = ord(text)
    return [number for prefix in sorted(nodes, key=lambda code: (len(code), code)) for number in nodes[prefix]]


def main() -> None:
    parts: dict[str, list[int]] = {}
    with Server("mysql97").running() as mysql, Server("mariadb118").running() as mariadb:
        for name in TABLES:
            found = characters(mysql, name)
            if name == "gb18030":  # which MariaDB does not have
                four = [ord(found[code]) for code in sorted(found) if len(code) == 4]
                linear = [code for code in four if code < 0x10000]
                assert four[len(linear) :] == list(range(0x10000, 0x110000))
                parts[f"{name}/4"] = linear
            else:
                assert found == characters(mariadb, name), f"MySQL and MariaDB differ in {name}"
            parts[name] = numbers(found)
    head = "".join(f"{name} {len(part)}\n" for name, part in parts.items()) + "\n"
    body = b"".join(
        struct.pack(f"<{len(part)}H", *((new - old) & 0xFFFF for old, new in zip([0, *part], part, strict=False)))
        for part in parts.values()
    )
    FILE.write_bytes(zstandard.ZstdCompressor(level=22).compress(head.encode() + body))
    print(f"{FILE}: {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
