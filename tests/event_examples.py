"""Examples of events: what is in one, what a dump says of it, its boundary.

A new event type gets a line here, and tests/test_event_examples.py builds, reads, prints and checks it.
"""

from dataclasses import dataclass
from typing import Any

from pybinlog.boundary import BoundaryType
from pybinlog.event_types import EventType
from pybinlog.layout.control import HeartbeatField


@dataclass(frozen=True)
class Example:
    """An event: its body as `layout` builds it, its line in a dump, its boundary type.

    If the event belongs to transactions, it stands in one, before its statement.
    `info` is its Info in SHOW BINLOG EVENTS, or None if no server is known to show it.
    """

    kind: EventType
    body: dict[str, Any]
    line: str
    boundary: BoundaryType
    info: str | None = None


ALONE = BoundaryType.SELF_CONTAINED
HEARTBEAT = [
    {"type": HeartbeatField.LOG_FILENAME, "value": "binlog.000007"},
    {"type": HeartbeatField.LOG_POSITION, "value": 5_000_000_000},
    {"type": HeartbeatField.END_MARK, "value": None},
]
SLAVE = {"master_host": "source.example", "master_port": 3306, "master_log": "binlog.000003", "master_pos": 4711}
EXAMPLES = [
    Example(
        EventType.HEARTBEAT_V2, {"fields": HEARTBEAT}, "\tHeartbeat\tlog=binlog.000007\tposition=5000000000", ALONE
    ),
    Example(
        EventType.SLAVE,
        SLAVE,
        "\tSlave\tmaster_host=source.example\tmaster_port=3306\tmaster_log=binlog.000003\tmaster_pos=4711",
        ALONE,
    ),
    Example(
        EventType.RAND, {"seed1": 1, "seed2": 2}, "\tRand", BoundaryType.INSIDE_TRANSACTION, "rand_seed1=1,rand_seed2=2"
    ),
]
