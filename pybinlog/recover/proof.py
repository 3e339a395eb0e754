"""Proof: does the target have what was planned? Numbers of GTIDs say so, and the rows of the last changes."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pybinlog.catalog import Catalog
from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.gtid_intervals import GtidSet
from pybinlog.log.executed import Executed, set_text, wanted_set
from pybinlog.recover.contents import Transaction
from pybinlog.recover.journal import Journal
from pybinlog.recover.plan import Plan
from pybinlog.recover.renaming import Renaming
from pybinlog.recover.target import Target, version_numbers
from pybinlog.undo.change import Change
from pybinlog.undo.judge import Judge
from pybinlog.undo.problem import UndoRequest
from pybinlog.undo.reading import read_changes
from pybinlog.undo.script import Script
from pybinlog.undo.statement import States
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS

SESSION = (
    "SET NAMES utf8mb4",
    "SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO'",
)
"""The literals of rows are written for such a session."""
LOGS_CASCADES = (9, 6)
"""The first MySQL that logs what foreign keys change."""


@dataclass
class Proof:
    """The tables that were compared, and `faults`: sentences about differences."""

    compared: list[str] = field(default_factory=list)
    not_compared: dict[str, str] = field(default_factory=dict)
    """By table, why its last change was not compared."""
    numbers: str = ""
    faults: list[str] = field(default_factory=list)


def prove(plan: Plan, target: Target, journal: Journal, warn: Callable[[str], object]) -> Proof:
    """Compare the target with the plan."""
    proof = Proof()
    rewrite = plan.request.rewrite
    if rewrite is not None:
        proof.numbers = f"the text of {rewrite[0]} was run for {rewrite[1]}"
    elif plan.is_mariadb:
        prove_position(plan, target, journal, proof)
    else:
        prove_set(plan, target, journal, proof)
    if rewrite is None:
        prove_xa(plan, target, proof)
    for statement in SESSION:
        target.run(statement)
    catalog = Catalog()
    catalog.read("the target", target.definitions(rewrite))
    catalog.schema_of = "start"
    for label, change in plan.contents.last_changes.items():
        if rewrite is not None and label.partition(".")[0] != rewrite[0]:
            continue
        reason, query = query_of(plan, label, change, catalog, warn)
        if not query:
            proof.not_compared[label] = reason
        elif target.rows(query if rewrite is None else renamed(query, rewrite)) == [(1,)]:
            proof.compared.append(label)
        else:
            proof.faults.append(f"the last row of {label} is not as {change} left it")
    return proof


def renamed(query: str, names: tuple[str, str]) -> str:
    return Renaming(*names).of_statement(query.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def prove_set(plan: Plan, target: Target, journal: Journal, proof: Proof) -> None:
    """Compare gtid_executed with what it was before and what was planned (MySQL)."""
    new = target.executed_set().minus(journal.known.gtids)
    if plan.by_gtids:
        if missing := plan.planned.minus(new):
            proof.faults.append(f"the target lacks {set_text(missing)}")
        if more := new.minus(plan.planned):
            proof.faults.append(f"the target has executed others meanwhile: {set_text(more)}")
        proof.numbers = "gtid_executed is as planned"
    elif target.value("@@GLOBAL.gtid_mode") == "ON":
        count, wanted = size_of(new), plan.contents.transactions - len(plan.contents.omitted)
        if count != wanted:
            proof.faults.append(f"the target has {count} new transactions, and {wanted} were planned")
        proof.numbers = f"the target has {wanted} new transactions"
    else:
        name, position = plan.end_position
        proof.numbers = f"the target has applied the logs up to {name}, position {position}"


def prove_xa(plan: Plan, target: Target, proof: Proof) -> None:
    """Compare the prepared XA transactions with those that the logs leave in doubt.

    MariaDB forgets those that changed nothing in an engine with transactions.
    """
    contents, here = plan.contents, target.prepared()
    for xid in contents.preparations.keys() & contents.prepared.keys() - here:
        if contents.rows_of[xid][1] and not plan.fragile:
            proof.faults.append(f"the target lacks the XA transaction {xid}, which is in doubt at the end")
    for xid in (contents.preparations.keys() | contents.decided.keys()) - contents.prepared.keys() & here:
        proof.faults.append(f"the target still has the XA transaction {xid} prepared, which the logs decide")


def size_of(gtids: GtidSet) -> int:
    return sum(end - start for numbers in gtids.values() for start, end in numbers)


def prove_position(plan: Plan, target: Target, journal: Journal, proof: Proof) -> None:
    """Compare gtid_slave_pos with the planned one, and look for transactions of the target's own (MariaDB)."""
    here = str(target.executed())
    if Executed.of_text(here).positions != Executed.of_text(plan.position).positions:
        proof.faults.append(f"gtid_slave_pos is {here}, and {plan.position} was planned")
    proof.numbers = "gtid_slave_pos is as planned"
    before = wanted_set(journal.own)
    for source, numbers in wanted_set(target.binlog_state()).items():
        if source not in plan.planned and before.get(source) != numbers:
            own = set_text(GtidSet({source: numbers}))
            proof.faults.append(f"the target has written transactions itself meanwhile: up to {own}")


# ---- rows


class LastState(Script):
    """Keeps the query of the last row."""

    query = b""

    def row(self, change: Change, text: bytes) -> None:
        self.query = text


def query_of(
    plan: Plan, label: str, change: Transaction, catalog: Catalog, warn: Callable[[str], object]
) -> tuple[str, str]:
    """Return why the last change of a table is not compared, or a query that returns 1 if it is there."""
    database, _, table = label.partition(".")
    if "." in table:
        return "its name has a full stop", ""
    if plan.contents.is_redefined(database, table, change.order):
        return "a later statement changed the table", ""
    logs_cascades = not plan.is_mariadb and version_numbers(plan.archive.version)[:2] >= LOGS_CASCADES
    references = [one for _, one in catalog.relations.references_of((database, table))]
    if not logs_cascades and any(one.cascades_deletes or one.cascades_updates for one in references):
        return "a foreign key may have changed it later, which the logs lack", ""
    options = ViewOptions(
        view=ROWS.name, tables=frozenset({(database, table)}), first_position=change.start, stop_position=change.end
    )
    request = UndoRequest(options, redo=True, allows_non_transactional=True, rows_per_statement=1)
    script = LastState(request)
    judge = Judge(request, script, statements=States)
    try:
        feed = Feed(options, warn=warn, catalog=catalog.copy(), in_order=False)
        read_changes(feed, options, judge, Span((change.log,), stop=change.end))
    finally:
        script.close()
    for problem in judge.problems:
        return problem.what, ""
    reason = "a row without a key was deleted, and others may be equal"
    return reason, script.query.decode("utf-8", "surrogateescape")
