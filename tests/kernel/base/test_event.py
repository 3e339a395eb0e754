"""The numbers of the format: each stands once in the kernel, and is the one that Python code knows by that name."""

import re
import struct
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import pybinlog.kernel
from pybinlog.boundary import BoundaryType
from pybinlog.column_types import ColumnType, MetadataType
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventFlag, EventType, RowsFlag
from pybinlog.kernel.base import event
from pybinlog.kernel.scan.boundary_state import BoundaryState
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.layout.rows import TableMapFlag
from pybinlog.log.large_event import COMPRESSED
from tests.layout.log_builder import MYSQL_9_7, START

KERNEL = Path(pybinlog.kernel.__file__).parent
IN_ENUM = re.compile(r"^    ([A-Z][A-Z0-9_]*) = ([-\w<]+(?: << \w+)?)(?: *#.*)?$")
AS_GLOBAL = re.compile(r"^([A-Z][A-Z0-9_]*) = (?:cython\.declare\([^,\[]+, )?(-?[0-9][^)#]*?)\)?(?: *#.*)?$")
ENUM = re.compile(r"^cp?def enum.*:$")


def declared(path: Path) -> dict[str, int]:
    """The numbers that a kernel file declares: those of its enums, and the named ones of its module."""
    found: dict[str, int] = {}
    inside = False
    for line in path.read_text(encoding="utf-8").splitlines():
        inside = bool(ENUM.match(line)) or (inside and (line.startswith("    ") or not line))
        match = IN_ENUM.match(line) if inside else AS_GLOBAL.match(line) if path.suffix == ".py" else None
        if match:
            found[match[1]] = eval(match[2], {"__builtins__": {}})  # a number, or a product or shift of such
    return found


def enums_of(module: str) -> dict[str, int]:
    """Those of a module, with what it includes."""
    path = KERNEL / f"{module}.pxd"
    included = re.findall(r'^include "(\w+\.pxi)"$', path.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: number for file in (path, *map(path.with_name, included)) for name, number in declared(file).items()}


def named(numbers: dict[str, int], prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): number for name, number in numbers.items() if name.startswith(prefix)}


def test_event_types_are_those_of_the_kernel() -> None:
    kernel = enums_of("base/event")
    named = kernel.keys() & EventType.__members__
    assert {name: kernel[name] for name in named} == {name: EventType[name].value for name in named}
    assert {"QUERY", "TABLE_MAP", "GTID_TAGGED", "MARIA_GTID"} <= named
    flags = {"IGNORABLE_FLAG" if flag is EventFlag.IGNORABLE else str(flag.name): flag for flag in EventFlag}
    assert {name: kernel[name] for name in flags} == flags
    others = {"COMMON_HEADER_LENGTH", "MAGIC_LENGTH", "NOT_REFUSED"}
    others |= {"MAGIC_NUMBER", "ENCRYPTED_NUMBER", "CREATED_AT"}
    rows = {f"{flag.name}_F": flag for flag in RowsFlag}
    assert {name: kernel[name] for name in rows} == rows
    marks = {"LEFT_OUT", "PLACED", "CUT_OUT", "CLOSES_STATEMENT"}
    assert len({kernel[name] for name in marks}) == len(marks)
    assert all(kernel[name] & ~kernel["MARKS"] == 0 and kernel[name] & 31 == 0 for name in marks), "beside the bits"
    of_views = {"UNCERTAIN", "RESPELLED", "OTHER_NAMES"}
    assert len({0, kernel["LEFT_OUT"], kernel["CUT_OUT"], *(kernel[name] for name in of_views)}) == 6
    unfolded = {"INSIDE_PAYLOAD", "PAYLOAD_BEGIN", "PAYLOAD_END"}
    assert len({kernel[name] for name in marks | unfolded}) == len(marks | unfolded)
    assert all(kernel[name] & ~kernel["MARKS"] == 0 for name in unfolded)
    others |= {"MARKS", *of_views, *marks, *unfolded}
    assert set(kernel) == {*named, *flags, *others, *rows}
    assert kernel["COMMON_HEADER_LENGTH"] == COMMON_HEADER_LENGTH


def test_the_compiled_module_gives_the_numbers_of_its_declaration() -> None:
    assert {name: getattr(event, name) for name in enums_of("base/event")} == enums_of("base/event")


def test_a_compressed_event_of_mariadb_stands_for_the_one_of_its_name() -> None:
    for kind in EventType:
        plain = kind.name.removeprefix("MARIA_").replace("_COMPRESSED", "") if "ROWS_COMPRESSED" in kind.name else ""
        assert event.type_when_inflated(kind) == (EventType[plain] if plain else kind)
    assert {kind for kind in EventType if "COMPRESSED" in kind.name} == COMPRESSED


def test_column_types_are_those_of_layout() -> None:
    kernel = named(enums_of("rows/table_map"), "TYPE_")
    assert kernel.pop("BOOL") == 244  # no Table_map has it
    assert kernel == {kind.name.removeprefix("MARIA_"): kind.value for kind in ColumnType}


def test_the_types_of_optional_metadata_are_those_of_layout() -> None:
    kernel = enums_of("rows/table_map")
    assert {kind.name: kernel[kind.name] for kind in MetadataType} == {kind.name: kind.value for kind in MetadataType}
    flag = TableMapFlag.GENERATED_INVISIBLE_PRIMARY_KEY
    assert kernel[flag.name] == flag


def test_boundary_types_are_those_of_the_library() -> None:
    kernel = enums_of("scan/classify")
    assert {kind.name: kernel[kind.name] for kind in BoundaryType} == {kind.name: kind.value for kind in BoundaryType}


def test_a_name_stands_for_one_number_throughout_the_kernel() -> None:
    places: defaultdict[str, dict[int, list[str]]] = defaultdict(dict)
    for path in sorted(KERNEL.rglob("*.p*")):
        if path.suffix in (".py", ".pxd", ".pxi"):
            for name, number in declared(path).items():
                places[name].setdefault(number, []).append(path.name)
    assert len(places) > 250
    assert {name: numbers for name, numbers in places.items() if len(numbers) > 1} == {}


# ---- the Format_description

LENGTHS = MYSQL_9_7.post_header_lengths


def format_description(
    version: str = "9.7.4",
    binlog_version: int = 4,
    header_length: int = 19,
    lengths: bytes = LENGTHS,
    end: bytes = b"\1",
) -> bytes:
    """The event; `end` is the algorithm of checksums, if its server knows of them, before four bytes for one."""
    body = struct.pack("<H50sIB", binlog_version, version.encode(), START, header_length) + lengths + end + bytes(4)
    return struct.pack("<IBIIIH", START, EventType.FORMAT_DESCRIPTION, 1, 19 + len(body), 0, 0) + body


def checksum_length(event: bytes) -> int | None:
    """The bytes of the checksums of the events that follow; None if the event is refused."""
    state = BoundaryState()
    return None if state.classify(event) < 0 else state.checksum_length


ACCEPTED = {
    4: ["9.7.4", "9.", "9.7", "5.6.1", "255.0.0", "9.255.255", " 9.7.4", "+9.7.4", "\t\n\v\f\r 9. +7"]
    + [f"{text}-MariaDB" for text in ("5.3.0", "10.11.2", "5.5.5-10.1.1", "5.5.5-5.3.0")],
    0: ["5.6.0", "5.5.62-log", ".0.1", "0.0.1", "5.2.99-MariaDB", "5.5.5-5.2.9-MariaDB", "5.5.5-10.1.1", "5.5.5-"],
    None: ["", "9", "9-log", "256.0.0", "9.256.0", "9.7.256", "0.0.0", "-9.7", "\x089.7", "\x0e9.7", "0.0.0-MariaDB"],
}


@pytest.mark.parametrize(("length", "version"), [(length, text) for length in ACCEPTED for text in ACCEPTED[length]])
def test_a_version_says_whether_a_log_has_checksums(version: str, length: int | None) -> None:
    """Those of MySQL from 5.6.1 on, of MariaDB from 5.3.0 on, whose versions may have a prefix for old clients."""
    assert checksum_length(format_description(version)) == length


@pytest.mark.parametrize(("algorithm", "length"), [(0, 0), (1, 4), (2, None), (254, None), (255, 0)])
def test_an_algorithm_of_checksums_is_known(algorithm: int, length: int | None) -> None:
    assert checksum_length(format_description(end=bytes((algorithm,)))) == length


@pytest.mark.parametrize(
    ("changes", "length"),
    [
        ({"binlog_version": 3}, None),
        ({"binlog_version": 5}, None),
        ({"header_length": 18}, None),
        ({"header_length": 20}, 4),
        ({"lengths": b""}, 4),
        ({"lengths": bytes(300)}, 4),
        ({"version": "5.5.1", "lengths": b""}, 0),
    ],
)
def test_a_format_is_of_version_4_and_has_whole_headers(changes: dict[str, Any], length: int | None) -> None:
    assert checksum_length(format_description(**changes)) == length


@pytest.mark.parametrize(
    ("version", "size", "length"), [("5.5.1", 75, None), ("5.5.1", 76, 0), ("9.7.4", 80, None), ("9.7.4", 81, 4)]
)
def test_a_format_description_has_its_fixed_fields(version: str, size: int, length: int | None) -> None:
    """The byte before the last four is 1."""
    event = format_description(version, lengths=b"\1" * 10)[:size]
    assert checksum_length(event) == length


@pytest.mark.parametrize("count", [40, 254, 255, 256])
def test_a_batch_has_the_length_of_each_types_post_header(count: int) -> None:
    lengths = bytes(number % 250 for number in range(count))
    event = format_description(lengths=lengths)
    scanner = Scanner()
    scanner.new_log(4)
    known = scanner.scan(event, 0, len(event), "log").post_header_lengths
    assert known == (b"\xff" + lengths + b"\xff" * 256)[:256]
