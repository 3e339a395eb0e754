"""Witness: whether the server confirms the reason for which pybinlog refuses an undo, of a random history."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.undo.session import Session

Shapes = dict[tuple[str, str], str]
"""By table, in lower case: how the server defines it, and what InnoDB numbers it. TRUNCATE gives it another number."""
IDS = {"mysql": "innodb_tables", "mariadb": "innodb_sys_tables"}
REASONS: list[tuple[str, str]] = [
    (r"rows of (?P<table>\S+) (was|were) changed again", "rows"),
    (r"a statement (changes|may change) the definition of (?P<table>[^\s,]+), whose rows", "definition"),
    (r"(?P<table>\S+) has no transactions", "engine"),
    (r"(?P<table>\S+) is an? \S+ table: if a statement fails", "engine"),
    (r"a statement changes rows, and the log does not say which", "statement"),
    (r"the log lacks the rows that this took away", "statement"),
    (
        r"changed rows of (?P<child>\S+) \(ON .*unless ALTER TABLE (?P<other>\S+) DROP FOREIGN KEY (?P<key>\S+)",
        "key_of_another_spelling",
    ),
    (r"may have changed rows of (?P<child>\S+) \(ON .* may rename, drop or alter ", "cascade_to_respelled"),
    (r"the (?P<operation>DELETE|UPDATE) of (?P<table>\S+) may have changed rows of (?P<child>\S+) \(ON", "cascade"),
    (r"a statement may rename, drop or alter (?P<child>\S+), which refers to ", "child"),
    (r"a part of the transaction was rolled back|the transaction was rolled back", "rollback"),
    (r"the \w+ of (?P<table>\S+) has no value of @[\d@, .]+ in its row images. The column is generated, or", "images"),
    (r"(?P<table>\S+) has no definition here", "definition here"),
]


class Logged(NamedTuple):
    """An event by SHOW BINLOG EVENTS: its type, the number of its GTID, the table of a row event, and its text."""

    type: str
    gtid: int
    table: str
    info: str


class Seen(NamedTuple):
    """GTIDs and tables that the server showed around a step; GTIDs from `first` to `last`."""

    first: int
    last: int
    before: Shapes
    after: Shapes


def shapes_of(session: Session, tables: Sequence[tuple[str, str]]) -> Shapes:
    """Ask the server for its tables as they are."""
    numbers: dict[str, list[str]] = {}
    for name, number in session.select(f"SELECT name, table_id FROM information_schema.{IDS[session.kind]}"):
        numbers.setdefault(str(name).partition("#")[0].lower(), []).append(str(number))
    found = {}
    for database, table in tables:
        text = str(session.select(f"SHOW CREATE TABLE `{database}`.`{table}`")[0][1])
        found[database.lower(), table.lower()] = re.sub(r" AUTO_INCREMENT=\d+", "", text) + " ".join(
            sorted(numbers.get(f"{database}/{table}".lower(), []))
        )
    return found


class Witness:
    """Asks the server, and what it showed between the steps of a history."""

    def __init__(self, session: Session, logs: Sequence[str], steps: Sequence[Seen]):
        self._steps = steps
        self._events: dict[tuple[str, int], Logged] = {}
        for log in logs:
            self._read(session, log)

    def _read(self, session: Session, log: str) -> None:
        gtid, tables = 0, {}
        for _, position, kind, _, _, info in session.select(f"SHOW BINLOG EVENTS IN '{log}'"):
            text, table = str(info), ""
            if str(kind).lower().startswith("gtid") and "list" not in str(kind).lower():
                gtid = int(re.findall(r"\d+", text.split("'")[1] if "'" in text else text)[-1 if "'" in text else 2])
            if found := re.match(r"table_id: (\d+) \((.*)\)", text):
                tables[found[1]] = found[2]
            elif found := re.match(r"table_id: (\d+)", text):
                table = tables.get(found[1], "")
            self._events[log, int(str(position))] = Logged(str(kind), gtid, table, text)

    def confirms(self, error: str, first: int) -> bool | None:
        """Return True if the server shows what an error says; `first` is the range's first GTID. None: it cannot."""
        place = re.match(r"ERROR: \S*?([^/\s]+), at (\d+): ", error)
        event = None if place is None else self._events.get((place[1], int(place[2])))
        for pattern, kind in REASONS:
            if found := re.search(pattern, error):
                by_case = kind == "cascade" and found["child"] != found["child"].lower()  # may be of another table
                if kind == "definition here" or by_case:
                    return None
                check: Callable[[dict[str, str], Logged, int], bool] = getattr(self, f"_has_{kind}")
                return event is not None and check(found.groupdict(), event, first)
        return False

    def _step(self, gtid: int) -> Seen | None:
        return next((step for step in self._steps if step.first <= gtid <= step.last), None)

    def _has_rows(self, named: dict[str, str], event: Logged, first: int) -> bool:
        return event.gtid >= first and event.table.lower() == named["table"].lower() and "rows" in event.type.lower()

    def _has_definition(self, named: dict[str, str], event: Logged, first: int) -> bool:
        changed = self._has_changed(named["table"], event)
        if re.search(r"ALTER TABLE (\S+) RENAME (TO |AS |= )?\1\b", event.info):  # MariaDB runs it, and logs it
            changed = True
        if "DROP DATABASE" in event.info:  # the last one is named; one before it dropped the table
            key = key_of(named["table"])
            since = [step for step in self._steps if step.last >= max(first, step.first)]
            changed = any(step.before.get(key) != step.after.get(key) for step in since)
        return event.type.startswith("Query") and event.gtid >= first and changed

    def _has_changed(self, table: str, event: Logged) -> bool:
        """Return True if the step of an event made another table of one, renamed it or dropped it."""
        step, key = self._step(event.gtid), key_of(table)
        if step is None:
            return False
        is_unseen = "ENGINE=MyISAM" in step.after.get(key, "")  # it has no number, and ignores keys
        return step.before.get(key) != step.after.get(key) or (
            is_unseen and re.search("ALTER|TRUNCATE", event.info) is not None
        )

    def _has_engine(self, named: dict[str, str], event: Logged, first: int) -> bool:
        step, key = self._step(event.gtid), key_of(named["table"])
        shown = "" if step is None else step.before.get(key, "") + step.after.get(key, "")
        return bool(re.search(r"ENGINE=(?!InnoDB)", shown))

    def _has_statement(self, named: dict[str, str], event: Logged, first: int) -> bool:
        return event.type.startswith(("Query", "Execute_load")) and event.gtid >= first

    def _has_cascade(self, named: dict[str, str], event: Logged, first: int) -> bool:
        step = self._step(event.gtid)
        shown = "" if step is None else step.before.get(key_of(named["child"]), "")
        database, table = key_of(named["table"])
        parent = rf"REFERENCES (`{database}`\.)?`{table}` .*ON {named['operation']} (CASCADE|SET)"
        return bool(re.search(parent, shown, re.IGNORECASE))

    def _has_cascade_to_respelled(self, named: dict[str, str], event: Logged, first: int) -> bool:
        """Return True if a statement before an event named the child in any spelling, and changed it or its name."""
        name = re.compile(re.escape(key_of(named["child"])[1]), re.IGNORECASE)
        before = (one for one in self._events.values() if one.gtid < event.gtid and one.type.startswith("Query"))
        return any(name.search(one.info) and self._has_changed(named["child"], one) for one in before)

    def _has_key_of_another_spelling(self, named: dict[str, str], event: Logged, first: int) -> bool:
        """Return True if a statement before an event dropped that key, and both names are the same in lower case."""
        drop = re.compile(rf"DROP FOREIGN KEY (IF EXISTS )?`?{named['key']}\b", re.IGNORECASE)
        is_dropped = any(drop.search(one.info) for one in self._events.values() if one.gtid < event.gtid)
        return is_dropped and named["other"] != named["child"] and key_of(named["other"]) == key_of(named["child"])

    def _has_child(self, named: dict[str, str], event: Logged, first: int) -> bool:
        return self._has_changed(named["child"], event)

    def _has_images(self, named: dict[str, str], event: Logged, first: int) -> bool:
        step = self._step(event.gtid)
        return step is not None and "GENERATED ALWAYS" in step.before.get(key_of(named["table"]), "")

    def _has_rollback(self, named: dict[str, str], event: Logged, first: int) -> bool:
        return "ROLLBACK" in event.info.upper()


def key_of(table: str) -> tuple[str, str]:
    database, _, name = table.lower().partition(".")
    return database, name
