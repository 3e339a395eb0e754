"""States of the text that travel, and how those of two logs become one.

A log can be surveyed before it is known what the logs before it have set: each of the variables that it does not set
itself has a value that no event has, and `joined` fills it in. The places (inside a transaction or not, and so
on) steer what an event does, so they are guessed: in all ordinary logs they are the same at each log's end.
Functions of the whole state, composed, would need no guess; but the state has many more values than the boundaries',
whose 30 make a table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pybinlog.kernel.filter.filter import Filter, PackedFilter
from pybinlog.kernel.text.carried_state import PackedState

UNSET: dict[str, Any] = {
    **dict.fromkeys(("flags2_known", "sql_mode_known", "charset_known", "mariadb"), 2),
    **dict.fromkeys(("flags2", "thread_id", "immediate_server_version"), 0xFFFFFFFF),
    "sql_mode": 0xFFFFFFFFFFFFFFFF,
    **dict.fromkeys(("auto_increment_increment", "auto_increment_offset"), 0xFFFF),
    **dict.fromkeys(("character_set_client", "collation_connection", "collation_server"), 0xFFFF),
    **dict.fromkeys(("lc_time_names", "collation_database", "default_collation_for_utf8mb4"), -2),
    "enable_cascade_triggers": -2,
    **dict.fromkeys(("skip_parallel_replication", "gtid_domain_id", "server_id"), -2),
    **dict.fromkeys(("time_zone", "database"), b"\0"),
}


class DumpState(NamedTuple):
    """The memory of a dump between two events."""

    text: PackedState
    filter: PackedFilter | None
    """None for a dump that leaves nothing out."""

    @property
    def guess(self) -> tuple[dict[str, Any], PackedFilter | None]:
        """Return the state that decides the effect of an event."""
        return self.text.places, self.filter

    @staticmethod
    def of(text: PackedState, filter: Filter | None) -> DumpState:
        """Return the state of a text and of the filter before it."""
        return DumpState(text, None if filter is None else filter.packed())


def relative(guess: tuple[dict[str, Any], PackedFilter | None]) -> DumpState:
    """Return the entry state of a log whose places are guessed and whose variables are not known yet."""
    places, filter = guess
    return DumpState(PackedState(UNSET, places), filter)


def joined(entry: DumpState, state: DumpState) -> DumpState:
    """Return the true form of `state`, which was reached from `relative(entry.guess)`."""
    known = entry.text.variables
    variables = {name: known[name] if value == UNSET[name] else value for name, value in state.text.variables.items()}
    return state._replace(text=state.text._replace(variables=variables))
