"""The filters: each declared once, for every command that has it, and what their values mean."""

from __future__ import annotations

import re

import click

from pybinlog.cli.options.option import Option, repeated
from pybinlog.cli.options.values import DATETIME, GTID_SET, NumberValue, ParsedValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pybinlog.filters import NameRules
    from pybinlog.where import Condition

OPERATIONS = ("insert", "update", "delete", "ddl")


def printed_types() -> list[str]:
    """Return the names by which --event-type knows types."""
    from pybinlog.filters import type_names

    return sorted(name for name in type_names() if " " not in name)


FILTERS = {
    option.name: option
    for option in (
        Option(
            "start-datetime",
            "Begin at the first event with this date and time or a later one, in the local time zone. Examples: "
            "'2024-12-25 11:25:56', 2024-12-25, 11:25 (of today), 2024-12-25T11:25:56Z, -90m (ago), now, @1795407263.",
            type=DATETIME,
        ),
        Option("stop-datetime", "End before the first event with this date and time or a later one.", type=DATETIME),
        repeated(
            "database",
            "Only events of these databases: rows of their tables, and statements about them. "
            "Give names or patterns such as 'shop_*', separated by commas. You may give it several times.",
            letter="d",
            metavar="NAMES",
        ),
        repeated(
            "table",
            "Only rows of these tables, and statements about them: table or database.table, in the same form. A "
            "statement whose text tells no table matches by its default database.",
            letter="T",
            metavar="NAMES",
        ),
        repeated("ignore-database", "No events of these databases.", metavar="NAMES"),
        repeated("ignore-table", "No rows of these tables, and no statements about them alone.", metavar="NAMES"),
        repeated(
            "event-type",
            "Only events of these types, named as the dump prints them, separated by commas. Example: "
            "--event-type=Query,Delete_rows.",
            type=ParsedValue("TYPES", str, printed_types),
        ),
        repeated(
            "operation",
            "Only these changes: insert, update, delete, ddl, separated by commas. A statement matches by its verb.",
            type=ParsedValue("NAMES", str, lambda: OPERATIONS),
        ),
        repeated(
            "server-id",
            "Only events that the server with this id created. You may give it several times.",
            type=NumberValue(),
        ),
        repeated(
            "thread-id",
            "Only changes of the connection with this id (thread_id= in BEGIN and in statements). You may give "
            "it several times.",
            type=NumberValue(),
        ),
        Option(
            "include-gtids",
            "Only these transactions. Examples: 3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7; for MariaDB 0-1-3,0-1-5:9, "
            "with ranges DOMAIN-SERVER-FROM:TO.",
            type=GTID_SET,
        ),
        Option("exclude-gtids", "No transactions with these GTIDs.", type=GTID_SET),
        Option(
            "where",
            "Only rows that meet this condition in one of their images. Examples: \"id = 5 AND status IN ('a','b')\", "
            '"changed(price) AND after.price > 9.99", "@1 = 5". docs/filters.md describes the language.',
            metavar="CONDITION",
            excludes={"ddl": "a statement has no values of a row"},
        ),
        Option(
            "where-unknown",
            "Keep (the default) or drop rows that --where cannot judge, such as rows whose images lack a column.",
            type=click.Choice(["keep", "drop"], case_sensitive=False),
            metavar="HOW",
            requires=["where"],
        ),
        Option(
            "time-zone",
            "The time zone in which --where gives the times of TIMESTAMP columns: UTC (the default), +05:30, "
            "Europe/Berlin.",
            metavar="ZONE",
            requires=["where"],
        ),
    )
}
PLAIN = r"(?!`)[^,*?\[]*"


def filters(*names: str) -> list[Option]:
    """Return the filters with these names."""
    return [FILTERS[name] for name in names]


def is_plain_name(text: str) -> bool:
    """Return True if the text is one name, not a pattern or a list."""
    return re.fullmatch(PLAIN, text) is not None


def names_of(values: dict[str, Any]) -> NameRules | None:
    """Return the databases and tables to include and to ignore; None if no option names any."""
    from pybinlog.filters import NameRules, database_patterns, table_patterns

    given: dict[str, Any] = {}
    for field, option, parse in (
        ("databases", "database", database_patterns),
        ("tables", "table", table_patterns),
        ("ignored_databases", "ignore-database", database_patterns),
        ("ignored_tables", "ignore-table", table_patterns),
    ):
        texts = values[option.replace("-", "_")]
        try:
            given[field] = parse(",".join(texts))
        except ValueError as error:
            raise click.UsageError(f"--{option}: {error}.") from None
        if texts and not given[field]:
            raise click.UsageError(f"--{option} needs a name.")
    rules = NameRules(**given)
    return rules if rules else None


def event_types_of(texts: Iterable[str]) -> frozenset[int] | None:
    """Return the types that --event-type names; None for all."""
    if not texts:
        return None
    from pybinlog.filters import event_types

    try:
        types = event_types(",".join(texts))
    except ValueError as error:
        raise click.UsageError(f"--event-type: {error}") from None
    if not types:
        raise click.UsageError("--event-type needs a type, such as Query.")
    return types


def operations_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the operations that --operation names; empty for all."""
    found = frozenset(part.strip().lower() for text in texts for part in text.split(","))
    for word in found:
        if word not in OPERATIONS:
            raise click.UsageError(f"--operation: {word!r} is not one of {', '.join(OPERATIONS)}.")
    return found


def where_of(values: dict[str, Any]) -> Condition | None:
    """Return the condition on the values of rows; None for all rows."""
    if values["where"] is None:
        return None
    from pybinlog.where import Condition, WhereError

    condition = Condition(values["where"], values["time_zone"] or "UTC", values["where_unknown"] == "drop")
    try:
        condition.check()
    except WhereError as error:
        raise click.UsageError(f"--where: {error}.") from None
    return condition
