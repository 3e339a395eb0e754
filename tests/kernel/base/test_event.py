"""The numbers of the format: each stands once in the kernel, and is the one that Python code knows by that name."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pybinlog.kernel
from pybinlog.boundary import BoundaryType
from pybinlog.column_types import ColumnType, MetadataType
from pybinlog.event_types import COMMON_HEADER_LENGTH, PRINTED_NAMES, EventFlag, EventType
from pybinlog.kernel.base import event
from pybinlog.layout import StatusVar
from pybinlog.layout.mariadb import MariaGtidExtraFlag, MariaGtidFlag
from pybinlog.layout.primitive import DECLARATIONS
from pybinlog.layout.rows import RowsFlag, TableMapFlag
from pybinlog.log.large_event import COMPRESSED

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
    assert {name: kernel[name] for name in EventType.__members__} == {kind.name: kind.value for kind in EventType}
    flags = {"IN_USE": EventFlag.BINLOG_IN_USE, "IGNORABLE_FLAG": EventFlag.IGNORABLE}
    for name in ("THREAD_SPECIFIC", "SUPPRESS_USE", "ARTIFICIAL", "RELAY_LOG"):
        flags[name] = EventFlag[name]
    assert {name: kernel[name] for name in flags} == flags
    others = {"COMMON_HEADER_LENGTH", "MAGIC_LENGTH", "NOT_REFUSED", "LAST_MYSQL"}
    others |= {"MAGIC_NUMBER", "ENCRYPTED_NUMBER", "CREATED_AT", "STMT_END_F"}
    marks = {"LEFT_OUT", "PLACED", "CUT_OUT", "CLOSES_STATEMENT"}
    assert len({kernel[name] for name in marks}) == len(marks)
    assert all(kernel[name] & ~kernel["MARKS"] == 0 and kernel[name] & 31 == 0 for name in marks), "beside the bits"
    unfolded = {"INSIDE_PAYLOAD", "PAYLOAD_BEGIN", "PAYLOAD_END"}
    assert len({kernel[name] for name in marks | unfolded}) == len(marks | unfolded)
    assert all(kernel[name] & ~kernel["MARKS"] == 0 for name in unfolded)
    others |= {"MARKS", *marks, *unfolded}
    assert set(kernel) == {*EventType.__members__, *flags, *others}
    assert kernel["COMMON_HEADER_LENGTH"] == COMMON_HEADER_LENGTH
    assert kernel["STMT_END_F"] == RowsFlag.STMT_END
    assert kernel["LAST_MYSQL"] == max(kind for kind in EventType if not kind.name.startswith("MARIA_"))


def test_the_compiled_module_gives_the_numbers_of_its_declaration() -> None:
    assert {name: getattr(event, name) for name in enums_of("base/event")} == enums_of("base/event")


def test_a_compressed_event_of_mariadb_stands_for_the_one_of_its_name() -> None:
    for kind in EventType:
        plain = kind.name.removeprefix("MARIA_").replace("_COMPRESSED", "") if "ROWS_COMPRESSED" in kind.name else ""
        assert event.type_when_inflated(kind) == (EventType[plain] if plain else kind)
    assert {kind for kind in EventType if "COMPRESSED" in kind.name} == COMPRESSED


def test_layout_declares_every_event_type_that_has_a_name() -> None:
    unread = {EventType.UNKNOWN}
    assert set(DECLARATIONS) | unread == set(EventType)
    assert set(PRINTED_NAMES) | unread == set(EventType)


def test_status_variables_are_those_of_layout() -> None:
    kernel = named(enums_of("scan/query_fields"), "STATUS_")
    assert kernel == {code.name: code.value for code in StatusVar}


def test_the_flags_of_mariadb_s_gtid_are_those_of_layout() -> None:
    kernel = named(enums_of("scan/gtid_fields"), "FL_")
    assert named(kernel, "EXTRA_") == {flag.name: flag.value for flag in MariaGtidExtraFlag}
    first = {name: number for name, number in kernel.items() if not name.startswith("EXTRA_")}
    assert first == {flag.name: flag.value for flag in MariaGtidFlag}


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
