"""The weights of characters in the collations that `--where` compares text by, as real servers give them.

    .venv/bin/python -m tests.kernel.condition.weight_tables

writes pybinlog/kernel/condition/weights.zst again, of what WEIGHT_STRING says in MySQL 9.7 and MariaDB 11.8 of every
character of the first two planes. It needs both servers. A character has no weights in the file, and text with it
cannot be judged, if the two servers differ, if it is a mark or of a script in which characters have weights together
(contractions), or if it is not assigned.
"""

import struct
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import zstandard

from tests.server import Server, running

FILE = Path(__file__).parents[3] / "pybinlog" / "kernel" / "condition" / "weights.zst"
CODES = 0x20000
COLLATIONS = {
    "general_ci": {"mysql": "utf8mb4_general_ci", "mariadb": "utf8mb4_general_ci"},
    "unicode_ci": {"mysql": "utf8mb4_unicode_ci", "mariadb": "utf8mb4_unicode_ci"},
    "0900_ai_ci": {"mysql": "utf8mb4_0900_ai_ci"},
    "uca1400_ai_ci": {"mariadb": "utf8mb4_uca1400_ai_ci"},
    "latin1_swedish_ci": {"mysql": "latin1_swedish_ci", "mariadb": "latin1_swedish_ci"},
}
"""By the name in the file: the collation on each server."""
UNKNOWN = 255
"""Stands for a count of weights if none are known."""
MOST = 16
JUDGED = ((0, 0x300), (0x370, 0x590), (0x1E00, 0x2CF0), (0x3000, 0xA000), (0xAC00, 0xD7A4), (0xFE50, 0x10000),
          (0x1F000, 0x20000))  # fmt: skip
"""Latin, Greek, Cyrillic, Armenian, their extensions, signs, kana, Han, Hangul syllables, wide forms and emoji."""


def is_judged(code: int) -> bool:
    """Return True if a character stands for itself in every text: not a mark, and of a script without contractions."""
    if code < 0xA0:
        return True
    return any(start <= code < end for start, end in JUDGED) and unicodedata.category(chr(code))[0] not in "MC"


def weights(server: Server, collation: str) -> dict[int, bytes]:
    """Return the server's weights of each character."""
    latin = collation.startswith("latin1")
    charset = "latin1" if latin else "utf8mb4"
    codes = range(1, 256) if latin else [code for code in range(1, CODES) if not 0xD800 <= code < 0xE000]
    rows = ",".join(
        f"({code},X'{(bytes([code]) if latin else chr(code).encode()).hex()}')"
        for code in codes
        if latin or is_judged(code)
    )
    found = server.sql(
        f"SET SESSION sql_log_bin=0; CREATE DATABASE IF NOT EXISTS weights; USE weights; DROP TABLE IF EXISTS one;"
        f"CREATE TABLE one (code INT PRIMARY KEY, c VARCHAR(2) CHARACTER SET {charset} COLLATE {collation});"
        f"INSERT INTO one VALUES {rows}; SELECT code, HEX(WEIGHT_STRING(c)) FROM one ORDER BY code;"
    )
    return {int(code): bytes.fromhex(text) for code, text in (line.split("\t") for line in found.splitlines())}


def packed(of_code: dict[int, bytes], width: int, codes: int) -> bytes:
    """A count for each code, and the weights as what each is more than the same one of the code before."""
    counts = bytearray()
    numbers: list[int] = []
    last = [0] * MOST
    for code in range(codes):
        data = of_code.get(code)
        if data is None or len(data) // width > MOST:
            counts.append(UNKNOWN)
            continue
        own = [int.from_bytes(data[at : at + width], "big") for at in range(0, len(data), width)]
        counts.append(len(own))
        for place, weight in enumerate(own):
            numbers.append((weight - last[place]) & 0xFFFF)
            last[place] = weight
    return bytes(counts) + struct.pack("<I", len(numbers)) + struct.pack(f"<{len(numbers)}H", *numbers)


def main(names: Iterable[str]) -> None:
    """Ask both servers, and write the file."""
    parts: list[bytes] = []
    head: list[str] = []
    found: dict[str, dict[str, dict[int, bytes]]] = {name: {} for name in COLLATIONS}
    for kind in ("mysql", "mariadb"):
        with running(kind, f"weights-{kind}") as server:
            for name, by_server in COLLATIONS.items():
                if kind in by_server:
                    found[name][kind] = weights(server, by_server[kind])
    for name, by_kind in found.items():
        first, *others = by_kind.values()
        same = {code: data for code, data in first.items() if all(other.get(code) == data for other in others)}
        print(name, len(same), "of", len(first), file=sys.stderr)
        codes = 256 if name.startswith("latin1") else CODES
        same[0] = {"general_ci": b"\0\0", "latin1_swedish_ci": b"\0"}.get(name, b"")
        parts.append(packed(same, 1 if codes == 256 else 2, codes))
        head.append(f"{name} {codes} {len(parts[-1])}")
    data = ("\n".join(head) + "\n\n").encode() + b"".join(parts)
    FILE.write_bytes(zstandard.ZstdCompressor(level=19).compress(data))
    print(len(data), FILE.stat().st_size, file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
