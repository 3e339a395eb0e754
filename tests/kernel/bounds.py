"""Every bound of every parser: events of all types, each with one number changed by one or some bytes fewer.

`python -m tests.kernel.bounds` writes bounds.txt anew: which of these an event's parser refuses. A change of that file
is a change of what pybinlog reads, and wants a reason.
"""

import io
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from pybinlog.dump import DumpOptions, run
from pybinlog.errors import BinlogError
from pybinlog.event_types import ROW_TYPES, EventType
from pybinlog.export.text_format import JSON_LINES
from pybinlog.export.writers import TextWriter
from pybinlog.feed.span import Span
from pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, MAGIC
from pybinlog.layout import Format, crc32
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.check.logs import check
from tests.corpus import TESTDATA, Scenario, more_scenarios
from tests.fuzz.subject import Lines
from tests.layout.logs import event_bytes

TABLE = Path(__file__).with_name("bounds.txt")
CHECKSUM = 4
LONGEST = 240
"""Bytes of a sample. Beyond, an event has more of the same."""
ROWS = {int(kind) for kind in ROW_TYPES}
REFUSED = {"S006", "S008", "S009", "R003"}
"""The findings of a check at the place where a dump ends."""
LEFT_OUT = {int(EventType.MARIA_START_ENCRYPTION)}
"""Nothing that follows it can be read."""


@dataclass(frozen=True)
class Sample:
    """An event without its checksum, the Format_description before it, and the Table_map that its rows need."""

    name: str
    opening: bytes
    event: bytes
    table_map: bytes = b""


@dataclass(frozen=True)
class Log:
    """A log of one sample's mutants, each with an event behind it; `places` has where each stands."""

    data: bytes
    places: dict[int, str]


def samples() -> list[Sample]:
    """Of each type and post-header, by each server: the smallest event of the logs in testdata, and the fullest one.

    Of row events also those of each scenario that is about types.
    """
    found: dict[tuple[object, ...], list[Sample]] = {}
    for scenario in logs_of_testdata():
        for log in scenario.logs:
            with suppress(IndexError):  # a log that begins with something else
                for sample in events_with_tables(scenario, log):
                    kind = sample.event[4]
                    lengths = format_of(sample.opening).post_header_lengths
                    if kind <= len(lengths) and COMMON_HEADER_LENGTH < len(sample.event) <= LONGEST:
                        of_types = scenario.folder.name if "types" in scenario.folder.name and kind in ROWS else ""
                        key = b"MariaDB" in sample.opening, kind, lengths[kind - 1], of_types
                        found.setdefault(key, []).append(sample)
    chosen = []
    for _, of_key in sorted(found.items()):
        by_size = sorted(of_key, key=lambda sample: (len(sample.event), sample.event))
        chosen += by_size[:1] if len(by_size) == 1 else [by_size[0], by_size[-1]]
    return chosen


def logs_of_testdata() -> list[Scenario]:
    """Not those of the whole corpus, which is not everywhere."""
    folders = sorted((TESTDATA / "corpus").glob("*/*"))
    return [one for one in map(Scenario, folders) if one.intact] + [*more_scenarios("more"), *more_scenarios("unseen")]


def events_with_tables(scenario: Scenario, log: Path) -> Iterator[Sample]:
    """Each event of a log but its Format_descriptions, and rows whose Table_map is not there."""
    opening, tables = b"", {}
    for _, event, _ in event_bytes(log):
        kind = event[4]
        needed = b""
        if kind == EventType.FORMAT_DESCRIPTION:
            opening = event
        if kind == EventType.TABLE_MAP:
            tables[event[COMMON_HEADER_LENGTH : COMMON_HEADER_LENGTH + 6]] = event
        if kind in ROWS:
            needed = tables.get(event[COMMON_HEADER_LENGTH : COMMON_HEADER_LENGTH + 6], b"")
        if opening and event is not opening and (needed or kind not in ROWS) and kind not in LEFT_OUT:
            yield without_checksums(scenario.name, opening, event, needed)


def without_checksums(name: str, opening: bytes, event: bytes, table_map: bytes) -> Sample:
    """Return the same in a log without checksums, with the next event directly after an event."""
    if format_of(opening).checksum_algorithm != 1:
        return Sample(name, opening, event, table_map)
    return Sample(name, that_has_none(opening), sized(event[:-CHECKSUM]), sized(table_map[:-CHECKSUM]))


@cache
def format_of(opening: bytes) -> Format:
    return Format.from_event(opening)


@cache
def that_has_none(opening: bytes) -> bytes:
    """Return the Format_description of such a log."""
    changed = bytearray(opening)
    changed[-CHECKSUM - 1] = 0
    changed[-CHECKSUM:] = crc32(bytes(changed[:-CHECKSUM])).to_bytes(CHECKSUM, "little")
    return bytes(changed)


def sized(event: bytes) -> bytes:
    """The event with its own size in its header."""
    return event[:9] + struct.pack("<I", len(event)) + event[13:] if event else b""


@cache
def mutants(event: bytes) -> list[tuple[str, bytes]]:
    return list(mutants_in_order(event))


def mutants_in_order(event: bytes) -> Iterator[tuple[str, bytes]]:
    """Each byte of the body less and more by one, the event cut at each byte of the body, and a byte longer."""
    for at in range(COMMON_HEADER_LENGTH, len(event)):
        for sign, by in (("-", -1), ("+", 1)):
            yield f"{at}{sign}", event[:at] + bytes([(event[at] + by) & 0xFF]) + event[at + 1 :]
    for cut in range(1, len(event) - COMMON_HEADER_LENGTH + 1):
        yield f"cut {cut}", sized(event[:-cut])
    yield "longer", sized(event + b"\0")


def log_of(sample: Sample, chosen: set[str] | None = None, fill: int = 0) -> Log:
    """The mutants of a sample, or those `chosen`; `fill` are the bytes of what stands behind each."""
    log, places = bytearray(MAGIC), {}

    def put(event: bytes) -> int:
        place = len(log)
        log.extend(event[:13] + struct.pack("<I", place + len(event)) + event[17:])
        return place

    put(sample.opening)
    behind = struct.pack("<IBIIIHQ", fill, EventType.XID, fill, COMMON_HEADER_LENGTH + 8, 0, 0, fill | fill << 32)
    for name, event in mutants(sample.event):
        if chosen is None or name in chosen:
            if sample.table_map:
                put(sample.table_map)
            places[put(event)] = name
            put(behind)
    return Log(bytes(log), places)


# ---- what becomes of them


def refused_by_check(log: Log, path: Path) -> set[str]:
    """The mutants that a check calls damaged."""
    path.write_bytes(log.data)
    found = check([path])
    return {log.places[one.position] for one in found if one.position in log.places and one.code in REFUSED}


def write(path: Path, data: bytes) -> None:
    """Write a file. Not into the emptied one that was there: ext4 would write that to the disk at once."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def text_of(data: bytes, path: Path, **options: object) -> tuple[list[bytes], BinlogError | None]:
    """The text of a dump, an item for each event without its header; and the error that ended it."""
    write(path, data)
    out, error = io.BytesIO(), None
    try:
        run([str(path)], DumpOptions(local_load=str(path.parent), **options), out, lambda _: None)  # type: ignore[arg-type]
    except BinlogError as found:
        error = found
    for file in path.parent.iterdir():  # of LOAD DATA: with each that is there one more name is tried
        if file != path:
            file.unlink()
    return re.split(rb"^# at \d+\n", out.getvalue(), flags=re.MULTILINE), error


def rows_of(data: bytes, path: Path, view: str) -> list[bytes]:
    """The lines of a view."""
    write(path, data)
    out = Lines()
    options = ViewOptions(view=view)
    writer = TextWriter(out, options.definition, options.column_names, JSON_LINES)
    for batch in ViewReader(options, warn=lambda _: None).batches(Span((str(path),))):
        writer.write(batch)
    writer.close()
    return bytes(out.text).splitlines()


# ---- the table


def outcome(sample: Sample, refused: set[str]) -> str:
    """Return the lines of the table: for each byte of the body whether it may be less or more, then each cut."""
    size = len(sample.event) - COMMON_HEADER_LENGTH
    signs = {(False, False): ".", (True, False): "-", (False, True): "+", (True, True): "!"}
    numbers = "".join(
        signs[f"{at}-" in refused, f"{at}+" in refused] for at in range(COMMON_HEADER_LENGTH, len(sample.event))
    )
    cuts = "".join("!" if f"cut {cut}" in refused else "." for cut in range(size, 0, -1))
    longer = "!" if "longer" in refused else "."
    kind = EventType(sample.event[4]).name.capitalize()
    return f"{kind}, {size} bytes, {sample.name}\n  numbers  {numbers}\n  lengths  {cuts}={longer}\n"


@cache
def stored() -> str:
    return TABLE.read_text(encoding="utf-8")


HEAD = """\
# Bodies that the kernel's parsers refuse; tests/kernel/bounds.py writes this.
# numbers: for each byte of a body, . may be one less and one more, - must not be less, + must not be more, ! neither.
# lengths: from a body of no byte to the whole one (=), and one byte more: . is read, ! is refused.
"""


def main() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "binlog.000001")
        parts = [outcome(sample, refused_by_check(log_of(sample), path)) for sample in samples()]
    TABLE.write_text(HEAD + "".join(f"\n{part}" for part in parts), encoding="utf-8")


if __name__ == "__main__":
    main()
