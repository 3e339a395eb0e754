"""Text in UTF-8 is judged character by character, and one that is not valid has no known answer."""

import struct
from pathlib import Path

import pytest

from tests.check.logs import events_of, joined
from tests.cli.conftest import real
from tests.where.answers import kept

CHARACTERS = [
    "a",
    "\x7f",
    "\x80",
    "\u07ff",
    "\u0800",
    "\u0e01",
    "\u0fff",
    "\u1000",
    "\ufffd",
    "\U00010000",
    "\U0010ffff",
]
INVALID = [
    *("80", "bf", "c080", "c1bf", "f5808080", "f8808080", "ff"),  # no first byte
    *("c2", "df", "e0a0", "efbf", "f09080", "f48fbf"),  # cut short
    *("c241", "df41", "e041", "e04180", "e0a041", "efbf41", "f0418080", "f0904180", "f0908041", "f48fbf41"),
    *("c2c0", "e0c080", "e0a0c0", "f0c08080", "f090c080", "f09080c0"),  # a first byte inside
]


@pytest.fixture(scope="module", params=["utf8mb4_bin", "utf8mb4_general_ci"])
def collation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def log_of(texts: list[bytes], collation: str, folder: Path, charset: str = "utf8mb4") -> Path:
    """A log of rows with the ids 1, 2 and so on, and these texts in the column `v`."""
    rows = ", ".join(f"({id}, '{'x' * len(text)}')" for id, text in enumerate(texts, 1))
    scenario = folder / "text.sql"
    scenario.write_text(
        "CREATE DATABASE u;\n"
        f"CREATE TABLE u.t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET {charset} COLLATE {collation});\n"
        f"INSERT INTO u.t VALUES {rows};\n"
    )
    assert real("simulate", "-o", str(folder), str(scenario)).status == 0
    log = folder / "text.000001"
    events = events_of(log.read_bytes())
    for id, text in enumerate(texts, 1):
        head = struct.pack("<iB", id, len(text))
        events = [event.replace(head + b"x" * len(text), head + text) for event in events]
    log.write_bytes(joined(events))
    return log


def test_a_character_is_one_however_many_bytes_it_has(collation: str, tmp_path: Path) -> None:
    texts = [*CHARACTERS, *(one + other for one in CHARACTERS for other in CHARACTERS)]
    log = log_of([text.encode() for text in texts], collation, tmp_path)
    for pattern, length in (("_", 1), ("__", 2)):
        ids = [id for id, text in enumerate(texts, 1) if len(text) == length]
        for unknown in ("keep", "drop"):
            assert kept(log, f"v LIKE '{pattern}'", unknown) == ids


@pytest.mark.parametrize("pattern", ["_", "__", "___"])
def test_bytes_that_are_no_character_match_nothing_for_certain(pattern: str, collation: str, tmp_path: Path) -> None:
    log = log_of([bytes.fromhex(text) for text in INVALID], collation, tmp_path)
    ids = list(range(1, len(INVALID) + 1))
    assert kept(log, f"v LIKE '{pattern}'", "drop") == []
    assert kept(log, f"v LIKE '{pattern}' OR v NOT LIKE '{pattern}'", "keep") == ids
