"""Planning: makes the plan of a recovery from a backup's end, the logs and the state of the target."""

from collections.abc import Callable, Sequence

from pybinlog.catalog.coordinates import Coordinates
from pybinlog.errors import BinlogError
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.executed import Executed, set_text, source_of, wanted_set
from pybinlog.questions.search import Search
from pybinlog.recover.backup import OF_SERVER, backup_end
from pybinlog.recover.collisions import collisions
from pybinlog.recover.contents import Part, Transaction, read_contents
from pybinlog.recover.ending import Ends
from pybinlog.recover.journal import Journal
from pybinlog.recover.plan import Plan, Request
from pybinlog.recover.target import TargetState
from pybinlog.recover.target_rules import target_problems
from pybinlog.serve.archive import Archive, ServedLog
from pybinlog.serve.checked_logs import check
from pybinlog.serve.start import last_of

Known = Callable[[str], bool]

TWICE = "after a failover, a RESET or a restored backup, a server begins its names again"


def make_plan(
    request: Request, state: TargetState | None, journal: Journal | None, warn: Callable[[str], object]
) -> Plan:
    """Make the plan. `journal` is that of a run for this target which has not ended.

    Raise BinlogError if the logs or the backup cannot be read, or have no such start or end.
    """
    archive = Archive(request.names, warn)
    check_history(archive)
    plan = begun(request, archive, state, journal, warn)
    everything = None if not plan.by_gtids else archive.executed()
    knows = knower(plan.known, is_mariadb=plan.is_mariadb) if plan.by_gtids else lambda _: False
    # A harm may be among what the target has beyond its backup, which is judged later.
    backed_up = knows if plan.base is None else knower(plan.base, is_mariadb=plan.is_mariadb)
    plan.end = Ends(archive, (plan.first, plan.start), backed_up, warn).set(request.ending)
    if plan.first not in archive.logs or (plan.first is archive.last and archive.last.last_position < plan.start):
        raise BinlogError(
            f"the end ({plan.end}) is before the backup, which ends in {plan.first.name}, at {plan.start}",
            hint="Choose a later end, or an earlier backup",
        )
    logs = archive.logs[archive.logs.index(plan.first) :]
    check_logs(plan, logs)
    omits = omission(request, archive, warn)
    plan.part = Part(logs, plan.start, archive.last.end, knows, omits)
    if plan.problems:
        return plan  # damaged logs cannot be counted
    events = journal.scheduled if journal is not None else {} if state is None else state.events
    plan.contents = read_contents(plan.part, {key: event.status for key, event in events.items()}, warn)
    if plan.by_gtids:
        plan.at_end = archive.executed()
    last = plan.contents.last_applied
    if last is not None:  # behind it, only what a server says about its logs, or what is left out
        archive.end_at(next(log for log in logs if log.path == last.log), last.end)
    judge_contents(plan, warn)
    if state is not None:
        target_problems(plan, state, journal, everything)
    return plan


def check_history(archive: Archive) -> None:
    """Raise BinlogError if a log was begun before the one that its name says is earlier."""
    logs = archive.logs
    for number, after in enumerate(logs[1:]):
        before = logs[number]
        if after.head.begun and before.head.begun > after.head.begun:
            raise BinlogError(
                f"{after.name} was begun before {before.name}: the archive has logs of two histories ({TWICE})",
                file=after.path,
                hint="Name the logs of one history, in their order",
            )
        if before.head.is_anonymous and before.head.server_id != after.head.server_id:
            raise BinlogError(
                f"{after.name} is of the server {after.head.server_id} and {before.name} of {before.head.server_id}",
                file=after.path,
                hint="Name the logs of one server",
            )


def check_logs(plan: Plan, logs: Sequence[ServedLog]) -> None:
    """Refuse logs that are damaged, by the rules of `check`, or between which transactions are missing."""
    for log, following in zip(logs, [*logs[1:], None], strict=True):
        check(log, following)
        if log.damage is not None:
            plan.refuse(
                f"{log.damage.file or log.path}"
                + ("" if log.damage.position is None else f", at {log.damage.position}")
                + f": {log.damage.message.removesuffix('.')}",
                "`pybinlog check` says more; take this log from another copy, or end the recovery before it",
            )


# ---- the start


def begun(
    request: Request,
    archive: Archive,
    state: TargetState | None,
    journal: Journal | None,
    warn: Callable[[str], object],
) -> Plan:
    """Return the plan with its start. Raise BinlogError if the logs do not begin with the backup's end, or before."""
    if request.origin == OF_SERVER:
        if state is None:
            raise BinlogError("--from=server requires --into: the target says what it has executed")
        if request.rewrite is not None:
            raise BinlogError("--rewrite-db requires the backup's own end: what the target has executed is not its end")
        if not state.is_mariadb and state.variable("gtid_mode") == "OFF":
            raise BinlogError(
                "the target has gtid_mode=OFF, so it cannot tell what it has executed",
                file=state.address,
                hint="Name the backup, or its end: --from=binlog.000007:4711",
            )
        known = state.executed if journal is None else journal.known
        return begun_by_gtids(request, archive, known)
    end = backup_end(request.origin)
    log = None
    found = None
    if end.log:
        log = archive.named(end.log)
        if log is None:
            raise BinlogError(
                f"the backup ends in {end.log}, and the logs are {archive.first.name} to {archive.last.name}",
                hint="Name this log and those after it",
            )
        found = executed_at(archive, log, end, warn)
    if log is None or archive.is_mariadb or archive.gtid_mode != "OFF":
        base = found if found is not None else known_of(end.gtids, archive)
        check_base(archive, end, base)
        plan = begun_by_gtids(request, archive, base if journal is None else journal.known)
        plan.base = base
        return plan
    return Plan(request, archive, log, end.position, Executed(), by_gtids=False)


def executed_at(archive: Archive, log: ServedLog, end: Coordinates, warn: Callable[[str], object]) -> Executed:
    """Return the GTIDs at the backup's end. Raise BinlogError if that is not between two transactions of the log."""
    if end.position > log.last_position:
        raise BinlogError(
            f"the backup ends at {end.position} of {log.name}, and this log ends at {log.last_position}",
            file=log.path,
            hint=f"This is not the log that the backup means ({TWICE}), or a part of it is missing",
        )
    inside = Search([log.path], warn).transaction_at(log.path, end.position)
    if end.position > MAGIC_LENGTH and inside is not None and inside.position != end.position:
        raise BinlogError(
            f"the backup ends at {end.position}, which is inside a transaction of {log.name} (from {inside.position})",
            file=log.path,
            hint=f"This is not the log that the backup means ({TWICE})",
        )
    return archive.executed_at(log, max(end.position, MAGIC_LENGTH))


def known_of(text: str, archive: Archive) -> Executed:
    """Return a backup's GTIDs. Raise BinlogError if they are those of the other kind of server."""
    found = Executed.of_text(text)
    if bool(str(found)) and (":" not in text) != archive.is_mariadb:
        kinds = ("MariaDB", "MySQL") if archive.is_mariadb else ("MySQL", "MariaDB")
        raise BinlogError(f"the logs are of {kinds[0]}, and {text} are GTIDs of {kinds[1]}")
    return found


def check_base(archive: Archive, end: Coordinates, base: Executed) -> None:
    """Raise BinlogError if a backup's position and its GTIDs are of two histories."""
    if not end.log or not end.gtids:
        return
    told = known_of(end.gtids, archive)
    same = str(told) == str(base) if archive.is_mariadb else told.gtids == base.gtids
    if not same:
        raise BinlogError(
            f"the backup ends at {end.log}, position {end.position}, with the GTIDs {end.gtids}, but up to there these "
            f"logs have {base}",
            file=archive.first.path,
            hint=f"This is not the log of this name that the backup means ({TWICE})",
        )


def begun_by_gtids(request: Request, archive: Archive, known: Executed) -> Plan:
    """Begin with the last log before which the target has everything. Raise BinlogError if no log is."""
    first = None
    for log in archive.logs:
        if has_before(archive, log, known):
            first = log
    if first is None:
        missing = (
            ", ".join(f"{domain}-{server}-{number}" for domain, (server, number) in last_of(archive.first).items())
            if archive.is_mariadb
            else set_text(archive.purged.minus(known.gtids))
        )
        raise BinlogError(
            f"the logs begin after the backup: {archive.first.name} begins after {missing}, which "
            f"{request.origin} does not have",
            hint="Name the logs from an earlier one on",
        )
    return Plan(request, archive, first, MAGIC_LENGTH, known, by_gtids=True)


def has_before(archive: Archive, log: ServedLog, known: Executed) -> bool:
    """Return True if all transactions before a log are known."""
    if not archive.is_mariadb:
        return log.head.previous is not None and known.has(log.head.previous)
    reached = known.positions
    return all(reached.get(domain, (0, 0))[1] >= number for domain, (_, number) in last_of(log).items())


def knower(known: Executed, *, is_mariadb: bool) -> Known:
    """Return whether a GTID is among those that the target has."""
    if is_mariadb:
        reached = known.positions

        def knows(gtid: str) -> bool:
            domain, _, number = gtid.split("-")
            return int(number) <= reached.get(int(domain), (0, 0))[1]

        return knows
    gtids = known.gtids

    def has(gtid: str) -> bool:
        source, _, number = gtid.rpartition(":")
        return int(number) in gtids.get(source_of(source), ())

    return has


# ---- what is left out


def omission(request: Request, archive: Archive, warn: Callable[[str], object]) -> Callable[[Transaction], bool]:
    """Return whether a transaction is left out."""
    gtids = wanted_set(request.without) if request.without else GtidSet()
    places = set()
    for name, position in request.without_positions:
        log = archive.named(name)
        if log is None:
            raise BinlogError(f"--without-position: {name} is not one of the logs")
        found = Search([log.path], warn).transaction_at(log.path, position)
        if found is None:
            raise BinlogError(f"--without-position: no transaction of {name} is at {position}")
        places.add((log.path, found.position))

    def omits(transaction: Transaction) -> bool:
        if (transaction.log, transaction.start) in places:
            return True
        return bool(gtids) and transaction.gtid is not None and not wanted_set(transaction.gtid).minus(gtids)

    return omits


def judge_contents(plan: Plan, warn: Callable[[str], object]) -> None:
    """Refuse what would make the result wrong, as far as the logs tell."""
    contents, request = plan.contents, plan.request
    if contents.not_whole is not None:
        plan.refuse(f"{contents.not_whole}: the transaction is not whole", "End the recovery before it")
    if contents.anonymous and contents.anonymous != contents.transactions:
        plan.refuse(
            f"{contents.anonymous} of {contents.transactions} transactions have no GTID: a replica cannot follow both",
            "Recover in two runs: up to the first transaction of the other kind, and from there on",
        )
    if contents.backward is not None:
        plan.refuse(
            f"{contents.backward}: the numbers of this domain go back, so a GTID does not tell a place",
            "End the recovery before this transaction",
        )
    for xid, transaction in contents.halves.items():
        plan.refuse(
            f"{transaction} decides the XA transaction {xid}, of which only one half is left out",
            "Leave both out, its PREPARE and its decision",
        )
    wanted = wanted_set(request.without) if request.without else GtidSet()
    for one in contents.omitted:
        if one.gtid is not None:
            wanted = wanted.minus(wanted_set(one.gtid))
    if wanted:
        plan.refuse(f"--without-gtid: {set_text(wanted)} is not between the backup and the end", "Leave the option out")
    if len(contents.omitted) < len(set(request.without_positions)):
        plan.refuse("--without-position: the place is not between the backup and the end", "Leave the option out")
    if contents.omitted and contents.last_applied is None:
        plan.refuse("nothing is left to be applied: all transactions are left out", "Leave less out")
    if plan.part is not None:
        for sentence in collisions(plan.part, contents, warn):
            plan.refuse(
                f"what is left out is needed later: {sentence}",
                "Leave that out, too, or end the recovery before it; `pybinlog undo` takes single rows back",
            )
    if contents.needs_temporary is not None:
        plan.refuse(
            f"{contents.needs_temporary} uses a temporary table that was made before the backup's end",
            "Use an earlier backup, or leave this transaction out",
        )
    if plan.base is not None and (after := plan.base.beyond(plan.at_end)):
        plan.refuse(f"the end ({plan.end}) is before the backup, which has {after}", "Choose a later end")
    if plan.by_gtids and not plan.is_mariadb and contents.transactions:
        lacking = plan.at_end.gtids.minus(plan.known.gtids).minus(plan.planned)
        if lacking:
            plan.refuse(
                f"the logs do not have {set_text(lacking)}, which were executed before their end", "Give all logs"
            )
    for xid, transaction in contents.prepared.items():
        plan.remarks.append(
            f"the XA transaction {xid} is in doubt at the end ({transaction}): it remains prepared on the target, "
            "with its locks, until XA COMMIT or XA ROLLBACK"
        )
    if contents.temporary:
        names = ", ".join(sorted(".".join(key) for key in contents.temporary))
        plan.remarks.append(f"at the end, sessions had temporary tables, which end with the run: {names}")
    if contents.scheduled.unclear:
        plan.remarks.append(
            f"the state of an event is unknown after this statement: {contents.scheduled.unclear[:100]}"
        )
