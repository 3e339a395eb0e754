"""The options for the rows of one table at a moment."""

from pybinlog.cli.options.option import Option, flag
from pybinlog.cli.options.values import ParsedValue, instant

ALL_CHANGES = "it needs all changes"
REFUSED = {
    **dict.fromkeys(
        "ddl committed operation event-type start-datetime stop-datetime start-position stop-position server-id "
        "thread-id include-gtids exclude-gtids database ignore-database ignore-table recover allow-gaps".split(),
        ALL_CHANGES,
    ),
    **dict.fromkeys(("follow", "stop-never"), ""),
}
"""The options with which --as-of and --history cannot be used."""


def moment(text: str) -> object:
    """Return the moment that a text stands for. Raise ValueError if it is none."""
    from pybinlog.asof.moment import Moment

    return Moment.of_text(text, instant)


AT_A_MOMENT = [
    Option(
        "as-of",
        "Show the rows of one table as they were at WHEN, as far as the logs tell. WHEN is a date and time, the GTID "
        "of the last transaction, or LOG:POSITION. --where is asked of the row as it was then. The column _state says "
        "present, deleted or unknown; _missing names columns that the logs do not tell.",
        type=ParsedValue("WHEN", moment),
        requires=["table"],
        excludes={"history": "", **REFUSED},
    ),
    Option(
        "current",
        "With --as-of, show the whole table: begin with its rows of now on the server URL (mysql://user@host), in one "
        "snapshot, and follow the logs back from there. The server gives the logs after the last FILE; without FILE, "
        "all of them.",
        metavar="URL",
        requires=["as-of"],
        excludes={"base": ""},
    ),
    flag(
        "lock",
        "Lock all tables for the moment in which the snapshot of --current is made (FLUSH TABLES WITH READ LOCK, "
        "privilege RELOAD): for MySQL without GTIDs, or with very many writes.",
        requires=["current"],
    ),
    Option(
        "base",
        "With --as-of, show the whole table: begin with its rows in FILE, a dump with its CREATE TABLE (mysqldump "
        "--single-transaction --source-data=2), or an earlier --as-of with --format=sql. pybinlog "
        "refuses an export of changes.",
        metavar="FILE",
        requires=["as-of"],
    ),
    Option(
        "base-at",
        "The moment of the rows in FILE of --base, if FILE does not say it: GTIDs, LOG:POSITION, or a date and time.",
        type=ParsedValue("WHEN", moment),
        requires=["base"],
    ),
]
OF_ROWS = [
    flag("present", "With --as-of, show only the rows that were there.", requires=["as-of"]),
    flag(
        "history",
        "Show the life of the rows that --where chooses by their key: a line for each committed change.",
        requires=["table"],
        excludes={"where-unknown": "", **REFUSED},
    ),
]


def of_export() -> list[Option]:
    """Return the options of `export`, which writes these rows by the view `table`."""
    as_of = AT_A_MOMENT[0]
    rules = {name: why for name, why in as_of.excludes.items() if name != "history"}
    return [as_of.with_rules(["view=table"], {**rules, "spark": "", "partition-by": ""}), *AT_A_MOMENT[1:]]
