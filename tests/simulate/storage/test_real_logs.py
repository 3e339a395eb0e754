"""The workloads of the corpus, run on the storage: rows and table maps are those of the real servers' logs."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from construct import Container

from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body, columns_of, decode_rows, parse_body, parse_event
from pybinlog.simulate.storage import row_groups, table_map_body

from ...corpus import Scenario, scenarios
from ...layout.logs import event_bytes
from .replay import Replay

ROWS = {
    EventType.WRITE_ROWS: "write",
    EventType.WRITE_ROWS_V1: "write",
    EventType.UPDATE_ROWS: "update",
    EventType.UPDATE_ROWS_V1: "update",
    EventType.DELETE_ROWS: "delete",
    EventType.DELETE_ROWS_V1: "delete",
}
TYPES = {"write": EventType.WRITE_ROWS, "update": EventType.UPDATE_ROWS, "delete": EventType.DELETE_ROWS}
NAMES = frozenset(
    "mixed-engines-row row-basic row-gtid row-image-minimal row-image-noblob row-metadata-full row-metadata-minimal "
    "row-nogtid row-v1 row-v2 rows-query types-blob types-decimal-float types-enum-set types-geometry "
    "types-geometry-vector types-int types-json types-string types-time types-wide xa xa-nogtid large-rows".split()
)
SCENARIOS = [scenario for scenario in scenarios() if scenario.folder.name in NAMES and "mysql" in scenario.server]


class Logged(NamedTuple):
    """One row of a log: its table map, what was done, the bitmaps of its images, the images."""

    table_map: bytes
    kind: str
    before: bytes
    after: bytes | None
    row: Any


def settings(scenario: Scenario) -> dict[str, str]:
    lines = (scenario.folder / "server.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(" = ", 1) for line in lines if " = " in line)


def _of_log(scenario: Scenario) -> tuple[list[Logged], Format]:
    logged: list[Logged] = []
    for log in scenario.logs:
        maps: dict[int, Any] = {}
        for _, data, format in event_bytes(log):
            if data[4] == EventType.TABLE_MAP:
                body = parse_event(data, format).body
                maps[body.table_id] = body
            elif data[4] in ROWS:
                body = parse_event(data, format).body
                table_map = maps[body.table_id]
                raw = build_body(EventType.TABLE_MAP, {**table_map, "table_id": 1}, format)
                after = body.columns_after_image
                for row in decode_rows(body, table_map, resolve=False):
                    logged.append(Logged(raw, ROWS[EventType(data[4])], body.columns_before_image, after, repr(row)))
    return logged, format


def _of_storage(scenario: Scenario, format: Format) -> list[Logged]:
    server = settings(scenario)
    version = tuple(int(part) for part in server["version"].split("-")[0].split("."))
    replay = Replay(version, server["sql_mode"], time_zone=server["time_zone"])
    replay.row_image = server.get("binlog_row_image", "FULL")
    replay.run(scenario.folder / "workload.sql")
    metadata = server.get("binlog_row_metadata", "MINIMAL")
    logged = []
    for change, options in replay.rows:
        raw = build_body(EventType.TABLE_MAP, table_map_body(change.table, 1, row_metadata=metadata), format)
        (group,) = row_groups([change], **options)
        body = Container({**group.body(1, 1), "event_type": TYPES[group.kind]})
        (row,) = decode_rows(body, parse_body(EventType.TABLE_MAP, raw, format), resolve=False)
        after = body.columns_after_image
        logged.append(Logged(raw, group.kind, body.columns_before_image, after, repr(row)))
    return logged


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_rows_are_those_of_the_real_log(scenario: Scenario) -> None:
    wanted, format = _of_log(scenario)
    got = _of_storage(scenario, format)
    for number, (mine, theirs) in enumerate(zip(got, wanted, strict=False)):
        assert mine == theirs, f"row {number}"
    assert len(got) == len(wanted)
    assert wanted


def test_the_corpus_has_scenarios_of_rows() -> None:
    assert {scenario.folder.name for scenario in SCENARIOS} >= {"mixed-engines-row", "xa"}


@pytest.mark.parametrize("scenario", [s for s in SCENARIOS if "9.7" in s.server], ids=lambda scenario: scenario.name)
def test_rows_in_one_event_are_split_as_the_server_splits_them(scenario: Scenario) -> None:
    """Each event of the log, made anew from the rows in it, is one event with the same bytes."""
    server = settings(scenario)
    replay = Replay((9, 7, 4), server["sql_mode"], time_zone=server["time_zone"])
    replay.row_image = server.get("binlog_row_image", "FULL")
    replay.run(scenario.folder / "workload.sql")
    changes = iter(replay.rows)
    for log in scenario.logs:
        maps: dict[int, Any] = {}
        for position, data, format in event_bytes(log):
            if data[4] == EventType.TABLE_MAP:
                body = parse_event(data, format).body
                maps[body.table_id] = body
            elif data[4] in ROWS:
                body = parse_event(data, format).body
                count = len(decode_rows(body, maps[body.table_id]))
                mine = [next(changes) for _ in range(count)]
                (group,) = row_groups([change for change, _ in mine], **mine[0][1])
                if all(column.type != 245 for column in columns_of(maps[body.table_id])):
                    assert group.body(1, 1)["rows"] == body.rows, f"{log.name} at {position}"
