"""The shape of the package: which room imports which, no circles of modules, and no folder that is too full.

Every import counts: those inside functions, those for type checkers only, and the cimports of the kernel.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.corpus import PROJECT

PACKAGE = PROJECT / "pybinlog"
MOST_MODULES = 20
"""The most modules of a folder, beside its __init__."""

ROOMS = {
    "__main__": "cli",
    "cli": """pybinlog asof boundary catalog check difference dump errors export filters gtid_intervals gtid_set jobs
        keyring live log mirror output questions record recover redact replication report serve side_file simulate
        source spark sql statement tag undo feed views visible where""",
    "spark": """asof boundary catalog distribution dump errors event_types export filters gtid_set jobs kernel.base
        kernel.filter kernel.scan kernel.text keyring log output pybinlog source feed views where""",
    "asof": """catalog column_types errors event_types feed gtid_intervals gtid_set kernel.base kernel.condition
        kernel.undo layout log questions record replication schema side_file source statement undo values verbs views
        visible where""",
    "difference": """asof catalog errors feed filters gtid_intervals kernel.base kernel.undo log questions replication
        source statement undo views""",
    "sql": "distribution errors event_types feed gtid_set output questions views visible",
    "undo": "catalog column_types feed kernel.base kernel.undo schema statement verbs views visible",
    "export": "pybinlog errors kernel.base kernel.views log catalog output record source feed views",
    "dump": """pybinlog boundary catalog errors event_types filters gtid_set kernel.base kernel.filter kernel.scan
        kernel.text kernel.views layout log output record replication source statement feed views
        visible where""",
    "check": """pybinlog boundary errors event_header event_types gtid_intervals jobs kernel.base kernel.check
        kernel.scan log side_file source visible""",
    "redact": """column_types digest errors event_types feed gtid_intervals gtid_set kernel.base kernel.condition
        kernel.mask kernel.scan layout log side_file source views visible""",
    "tag": "boundary errors event_types kernel.base kernel.scan log output source",
    "views": """digest distribution errors event_types feed filters gtid_set jobs kernel.base kernel.filter
        kernel.scan kernel.condition kernel.views log catalog source statement visible where""",
    "feed": """boundary catalog errors event_types filters kernel.base kernel.filter kernel.scan kernel.views log record
        source statement verbs visible where""",
    "questions": """catalog digest errors event_types gtid_intervals kernel.base kernel.count kernel.scan kernel.views
        log source statement feed views""",
    "report": "distribution errors questions verbs visible",
    "simulate": """boundary column_types errors event_types gtid_set kernel.base layout library log output record
        schema values""",
    "where": "errors kernel.base kernel.condition kernel.rows record schema values column_types",
    "values": "column_types errors kernel.base layout record schema",
    "catalog": "column_types errors kernel.rows layout record schema side_file statement verbs",
    "statement": "errors record schema verbs",
    "schema": "errors kernel.base kernel.tokens layout record column_types",
    "pybinlog": "boundary errors event_types kernel.base library log views",
    "library": "asof boundary catalog errors kernel.base kernel.scan keyring log replication source feed views where",
    "live": """catalog dump errors export kernel.base kernel.scan kernel.views log mirror output side_file source
        feed views""",
    "serve": """check column_types errors event_types gtid_intervals gtid_set kernel.base kernel.scan layout log
        questions replication source feed views visible""",
    "recover": """catalog dump errors event_types feed filters gtid_intervals gtid_set kernel.base kernel.scan log
        output questions replication schema serve side_file source statement undo verbs views visible""",
    "mirror": """boundary errors gtid_intervals kernel.base kernel.scan log output replication side_file source
        visible""",
    "log": """boundary errors event_header event_types gtid_intervals gtid_set kernel.base kernel.rows kernel.scan
        layout source""",
    "output": "errors kernel.base source",
    "jobs": "errors source",
    "boundary": "errors event_types kernel.scan source",
    "source": "errors kernel.base kernel.scan keyring replication visible",
    "keyring": "distribution errors side_file",
    "replication": "distribution errors kernel.base kernel.scan side_file visible",
    "layout": "errors event_types column_types",
    "kernel.filter": "errors kernel.base kernel.condition kernel.rows kernel.scan",
    "kernel.text": "errors kernel.base kernel.rows kernel.scan",
    "kernel.check": "kernel.base kernel.rows kernel.scan",
    "kernel.count": "kernel.base kernel.condition kernel.scan kernel.views",
    "kernel.undo": "kernel.base kernel.condition kernel.rows kernel.scan kernel.views",
    "kernel.mask": "kernel.base kernel.rows kernel.scan kernel.tokens",
    "kernel.views": "kernel.base kernel.condition kernel.rows kernel.scan",
    "kernel.condition": "kernel.base kernel.rows",
    "kernel.scan": "kernel.base",
    "kernel.rows": "json_values kernel.base",
    "kernel.tokens": "kernel.base",
    "kernel.base": "event_header",
    "kernel": "",
    "digest": "kernel.tokens",
    "errors": "",
    "event_header": "",
    "event_types": "",
    "verbs": "",
    "json_values": "",
    "column_types": "",
    "filters": "event_types record",
    "gtid_intervals": "gtid_set",
    "gtid_set": "",
    "visible": "",
    "side_file": "errors",
    "record": "",
    "distribution": "",
}
"""Room -> the rooms that it imports. A room is a folder of the package, one of the kernel, or a module beside them."""


def module_of(path: Path) -> str:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    _, *parts = module.split(".")
    return ".".join(parts[: 2 if parts[:1] == ["kernel"] else 1]) or "pybinlog"


def named(path: Path) -> Iterator[str]:
    """Yield the imports of a file: modules, and names in modules."""
    text = path.read_text()
    if path.suffix == ".pxd":
        for found in re.finditer(r"^\s*from (pybinlog[\w.]*) cimport ([\w, ]+)", text, re.MULTILINE):
            yield from (f"{found[1]}.{name.strip()}" for name in found[2].split(","))
        return
    package = path.relative_to(PROJECT).parts[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{module.removeprefix('cython.cimports.')}.{alias.name}" for alias in node.names)


@cache
def imports() -> dict[str, set[str]]:
    """Module -> the modules of the package that it imports."""
    files = [path for suffix in ("py", "pxd") for path in PACKAGE.rglob(f"*.{suffix}")]
    modules = {module_of(path) for path in files}
    found: dict[str, set[str]] = {module: set() for module in modules}
    for path in files:
        module = module_of(path)
        for name in named(path):
            if name.split(".")[0] == "pybinlog":
                target = name if name in modules else name.rpartition(".")[0]
                assert target in modules, f"{module} imports {name}, which is not there"
                found[module] |= {target} - {module}
    return found


@cache
def arrows() -> dict[str, dict[str, list[str]]]:
    """Room -> room that it imports -> the imports."""
    found: dict[str, dict[str, list[str]]] = {}
    for module, targets in imports().items():
        for target in targets:
            own, other = room_of(module), room_of(target)
            if own != other:
                found.setdefault(own, {}).setdefault(other, []).append(f"{module} imports {target}")
    return found


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the import cycles: remove, again and again, the modules that import no remaining one."""
    left = {module: set(targets) for module, targets in graph.items()}
    for one_way in (left, {module: {other for other in left if module in left[other]} for module in left}):
        while free := [module for module, targets in one_way.items() if not targets & one_way.keys()]:
            for module in free:
                del one_way[module]
    rest = left.keys() & one_way.keys()
    found = []
    while rest:
        start = min(rest)
        ring = {module for module in reached(start, left, rest) if start in reached(module, left, rest)} | {start}
        rest = rest - ring
        if len(ring) > 1:
            found.append(sorted(ring))
    return found


def reached(start: str, graph: dict[str, set[str]], among: set[str]) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph[waiting.pop()] & among - found:
            found.add(target)
            waiting.append(target)
    return found


def test_every_room_stands_in_the_table() -> None:
    there = {room_of(module) for module in imports()}
    assert there - ROOMS.keys() == set(), "give these a row"
    assert ROOMS.keys() - there == set(), "these are gone"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_no_room_but_those_of_its_row(room: str) -> None:
    row = set(ROOMS[room].split())
    own = arrows().get(room, {})
    assert {other: found for other, found in own.items() if other not in row} == {}
    assert row - own.keys() == set(), "it no longer imports these: take them out of its row"


def test_no_room_behind_the_filter_asks_it_again() -> None:
    """Those who build pipelines import it; the text, checks and what else reads marked batches do not."""
    builders = {"dump", "feed", "spark", "views"}
    assert {room for room, own in arrows().items() if "kernel.filter" in own} == builders


def test_the_rooms_themselves_stand_in_no_circle() -> None:
    assert circles({room: set(row.split()) & ROOMS.keys() for room, row in ROOMS.items()}) == []


@pytest.mark.parametrize(("room", "unknown"), [("tables", ("sql", "log")), ("sql", ("log",))])
def test_tables_know_nothing_of_statements_and_statements_nothing_of_logs(room: str, unknown: tuple[str, ...]) -> None:
    own = [module for module in imports() if module.startswith(f"pybinlog.simulate.{room}.")]
    assert own
    for module in own:
        for name in imports()[module]:
            assert not name.startswith(tuple(f"pybinlog.simulate.{other}" for other in unknown)), module


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(imports()) == []


def test_a_circle_would_be_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"f"}, "f": {"e", "a"}}
    assert circles(graph) == [["b", "c"], ["e", "f"]]


def test_no_folder_is_too_full() -> None:
    counts: dict[Path, set[str]] = {}
    for suffix in ("py", "pxd"):
        for path in PACKAGE.rglob(f"*.{suffix}"):
            if path.stem != "__init__":
                counts.setdefault(path.parent.relative_to(PROJECT), set()).add(path.stem)
    assert {folder: len(modules) for folder, modules in counts.items() if len(modules) > MOST_MODULES} == {}
