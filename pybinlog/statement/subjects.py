"""Subjects: the tables that the steps of a statement are about.

Undo, recover and as-of follow the rows of a table by them. They contain no temporary table: row events never show one.
"""

from collections.abc import Iterator
from typing import TypeAlias, TypeVar

from pybinlog.statement.effect import (
    Altered,
    DatabaseDropped,
    Dropped,
    Effect,
    Emptied,
    Exchanged,
    Lost,
    Made,
    Renamed,
    Step,
    tables_of,
)

Subject: TypeAlias = tuple[str, str | None]
"A database and a table; None stands for all its tables."
_Names = TypeVar("_Names", tuple[str, str], tuple[str, str | None])


def subjects(step: Step) -> Iterator[Subject]:
    """Yield the tables that a step makes, or whose rows or definition may be others after it."""
    if isinstance(step, DatabaseDropped):
        yield step.name, None
    elif isinstance(step, Made | Dropped):
        if not step.temporary:
            yield step.key
    elif isinstance(step, Altered | Renamed | Emptied | Exchanged | Lost):
        yield from tables_of(step)


def redefined(effect: Effect) -> Iterator[Subject]:
    """Yield the subjects of a statement's steps, without tables of which it leaves all rows and columns as they are."""
    for step in effect.steps:
        if not _leaves_table(step):
            yield from subjects(step)


def _leaves_table(step: Step) -> bool:
    """Return True for an index or a comment, and for IF NOT EXISTS: a table that is there remains as it is."""
    return (isinstance(step, Altered) and step.statement.leaves_rows) or (isinstance(step, Made) and step.keeps)


def removes_rows(effect: Effect) -> bool:
    """Return True if steps of a statement take rows out of tables, and the log does not hold them."""
    return any(
        isinstance(step, Emptied | Exchanged | DatabaseDropped)
        or (isinstance(step, Dropped) and not step.temporary)
        or (isinstance(step, Made) and step.replaces and step.definition is not None and not step.temporary)
        for step in effect.steps
    )


def lower(names: _Names) -> _Names:
    """Return names in lower case: those that are equal then may be of one table (lower_case_table_names)."""
    return names[0].lower(), names[1] and names[1].lower()
