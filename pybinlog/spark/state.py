"""States of the text that travel, and how those of two logs become one.

A log can be surveyed before it is known what the logs before it have set: each of the variables that it does not set
itself has a value that no event has, and `joined` fills it in. The places (inside a transaction or not, and so
on) steer what an event does, so they are guessed: in all ordinary logs they are the same at each log's end.
Functions of the whole state, composed, would need no guess; but the state has many more values than the boundaries',
whose 30 make a table.
"""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.kernel.filter.filter import Filter, PackedFilter
from pybinlog.kernel.text.carried_state import PackedState, Places, Variables

UNSET = Variables(
    flags2=0xFFFFFFFF,
    sql_mode=0xFFFFFFFFFFFFFFFF,
    auto_increment_increment=0xFFFF,
    auto_increment_offset=0xFFFF,
    charset=b"\xff" * 6,
    time_zone=b"\0",
    lc_time_names=-2,
    collation_database=-2,
    default_collation_for_utf8mb4=-2,
    thread_id=0xFFFFFFFF,
    database=b"\0",
    immediate_server_version=0xFFFFFFFF,
    skip_parallel_replication=-2,
    gtid_domain_id=-2,
    server_id=-2,
)


class DumpState(NamedTuple):
    """The memory of a dump between two events."""

    text: PackedState
    filter: PackedFilter | None
    """None for a dump that leaves nothing out."""

    @property
    def guess(self) -> tuple[Places, PackedFilter | None]:
        """Return the state that decides the effect of an event."""
        return self.text.places, self.filter

    @staticmethod
    def of(text: PackedState, filter: Filter | None) -> DumpState:
        """Return the state of a text and of the filter before it."""
        return DumpState(text, None if filter is None else filter.packed())


def relative(guess: tuple[Places, PackedFilter | None]) -> DumpState:
    """Return the entry state of a log whose places are guessed and whose variables are not known yet."""
    places, filter = guess
    return DumpState(PackedState(UNSET, places, False), filter)


def joined(entry: DumpState, state: DumpState) -> DumpState:
    """Return the true form of `state`, which was reached from `relative(entry.guess)`."""
    return state._replace(text=joined_text(entry.text, state.text))


def joined_text(entry: PackedState, state: PackedState) -> PackedState:
    variables = Variables(
        *(
            before if value == unset else value
            for before, value, unset in zip(entry.variables, state.variables, UNSET, strict=True)
        )
    )
    return state._replace(variables=variables)
