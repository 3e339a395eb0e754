"""Packed text states, as CarriedState makes them, and how those of two logs become one.

A log can be surveyed before it is known what the logs before it have set: each of the `variables` that it does not set
itself has a value that no event has, and `joined` fills it in. The `places` (inside a transaction or not, and so
on) steer what an event does, so they are guessed: in all ordinary logs they are the same at each log's end.
Functions of the whole state, composed, would need no guess; but the state has many more values than the boundaries',
whose 30 make a table.
"""

from __future__ import annotations

from typing import Any

__all__ = ["State", "complete", "joined", "places_of", "relative"]

State = tuple[Any, ...]

UNSET: State = (
    (True, 0xFFFFFFFF),  # flags2
    (True, 0xFFFFFFFFFFFFFFFF),  # sql_mode
    0xFFFF,  # auto_increment_increment
    0xFFFF,  # auto_increment_offset
    b"\xff" * 6,  # charset
    b"\0",  # time_zone
    -2,  # lc_time_names
    -2,  # collation_database
    -2,  # default_collation_for_utf8mb4
    0xFFFFFFFF,  # thread_id
    b"\0",  # database
    0xFFFFFFFF,  # immediate_server_version
    False,  # whether the log is MariaDB's: each log says so
    "unset",  # gtid_session
)
EACH_SAYS = 12
VARIABLES = len(UNSET)
UNFLUSHED, DEFERRED, HEAD_WAITS, IGNORED = 4, 8, 9, 10


def relative(places: State) -> State:
    """The entry state of a log whose places are guessed and whose variables are not known yet."""
    return (*UNSET, *places, 0)


def places_of(state: State) -> State:
    return state[VARIABLES:-1]


def joined(entry: State, state: State) -> State:
    """What `state` is in truth, which was reached from `relative(places_of(entry))`."""
    variables = (
        entry[number] if state[number] == unset and number != EACH_SAYS else state[number]
        for number, unset in enumerate(UNSET)
    )
    return (*variables, *state[VARIABLES:-1], entry[-1] + state[-1])


def complete(state: State) -> bool:
    """Whether no text waits for a later event, so that another process can continue here."""
    places = places_of(state)
    return not (places[UNFLUSHED] or places[DEFERRED] or places[HEAD_WAITS] or places[IGNORED])
