"""The rules by which a row event, or a row, cannot be taken back."""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.catalog.tables import Known, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.catalog.relations import Reference
    from pybinlog.undo.change import Change
    from pybinlog.undo.problem import UndoRequest

SCHEMA_NEEDED = (
    "Give also the log that has its CREATE TABLE, or its definition with --schema=FILE (mysqldump --no-data), or use"
    " --format=binlog, which needs no names"
)


class Finding(NamedTuple):
    """A rule that a row event breaks: its kind, what is wrong, and the way out."""

    kind: str
    what: str
    way_out: str


def event_findings(change: Change, request: UndoRequest) -> Iterator[Finding]:
    """Yield what is wrong with a row event, by its table and by the columns of its images."""
    table = change.table
    if not table.columns and not request.as_events:
        why = "the log does not say which columns are generated"
        if isinstance(table.known, Unknown):
            why = f"its definition is lost: {table.known.reason}"
        elif isinstance(table.known, Known):
            why = "the log does not name its columns"
        yield Finding("definition", f"{table.label} has no definition here: {why}", SCHEMA_NEEDED)
    elif table.has_row_versions:
        yield Finding(
            "versions",
            f"{table.label} keeps row versions (WITH SYSTEM VERSIONING), which a statement cannot set",
            "Read the old rows with SELECT ... FOR SYSTEM_TIME",
        )
    elif not table.is_transactional and not request.allows_non_transactional:
        yield Finding(
            "engine",
            f"{table.label} is a {table.engine} table: if a statement fails, those before it are not rolled back",
            "--allow-non-transactional takes the risk",
        )
    lacking = change.lacking_names()
    if lacking:
        yield Finding(
            "images",
            f"the {change.operation} of {table.label} has no value of {lacking} in its row images",
            "The session had a binlog_row_image other than FULL; such rows are in a backup only",
        )
    if request.as_events:
        reference = change.possible_cascade()
        if reference is not None:
            yield cascade_finding(change, reference)


def cascade_finding(change: Change, reference: Reference) -> Finding:
    """Return the finding that a foreign key may have changed rows that the log lacks."""
    child = ".".join(reference.child)
    action = reference.on_delete if change.operation == "DELETE" else reference.on_update
    return Finding(
        "cascade",
        f"the {change.operation} of {change.table.label} may have changed rows of {child} (ON {change.operation} "
        f"{action}), which the log lacks",
        f"Restore {child} from a backup, or leave {change.table.label} out with --ignore-table",
    )
