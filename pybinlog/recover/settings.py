"""Settings: what a run changes of the target, its global variables and events, and puts back at its end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pybinlog.recover.journal import Journal
from pybinlog.recover.plan import Plan
from pybinlog.recover.scheduled_events import DISABLED, ENABLED
from pybinlog.recover.target import EventState, Target

FLUSH = "innodb_flush_log_at_trx_commit"
"""With 0, a server that is killed loses transactions of which its logs keep the GTIDs."""
FAST = {"sync_binlog": "0", FLUSH: "2"}
WORKERS = {False: ("replica_parallel_workers", "slave_parallel_workers"), True: ("slave_parallel_threads",)}
"""By whether the target is MariaDB, the setting for parallel workers under its names."""
ORDER = ("replica_preserve_commit_order", "slave_preserve_commit_order")


@dataclass(frozen=True)
class RunOptions:
    """`workers` are parallel appliers at least. `is_fast`: the target does not wait for its disk. `host`: where the
    target finds this process."""

    workers: int
    is_fast: bool
    host: str
    port: int = 0


def wanted_settings(plan: Plan, own: Mapping[str, str], how: RunOptions) -> dict[str, str]:
    """Return the settings of the target for the run that differ from its own."""
    wanted: dict[str, str] = {}
    if plan.request.by_client:
        return wanted
    workers = next(name for name in WORKERS[plan.is_mariadb] if name in own)
    if int(own[workers]) < how.workers:
        wanted[workers] = str(how.workers)
    for name in ORDER:
        if own.get(name) == "OFF":
            wanted[name] = "ON"
            break
    if own.get(FLUSH) == "0":
        wanted[FLUSH] = "1"
    if how.is_fast:
        wanted |= FAST
    if plan.is_mariadb and int(own["server_id"]) in ids_of(plan):
        wanted["server_id"] = str(free_id(plan))
    return wanted


def ids_of(plan: Plan) -> set[int]:
    """Return the server ids of the planned transactions (MariaDB)."""
    return {int.from_bytes(uuid[4:8], "little") for uuid, _ in plan.planned}


def free_id(plan: Plan) -> int:
    taken = {*ids_of(plan), plan.archive.server_id}
    return next(number for number in range(plan.archive.server_id + 1, 1 << 32) if number not in taken)


def set_up(target: Target, plan: Plan, journal: Journal, settings: Mapping[str, str]) -> None:
    """Give the target the settings of the run, disable its events, and execute what is left out as nothing.

    Everything may be done already.
    """
    for name, value in settings.items():
        if name in journal.settings:
            target.run(f"SET GLOBAL {name} = {value}")
    if plan.is_mariadb and not plan.request.by_client:
        own = target.value("@@GLOBAL.server_id")
        if int(own) in ids_of(plan):  # a restart has brought another one than the run began with
            journal.settings.setdefault("server_id", own)
            journal.write()
            target.run(f"SET GLOBAL server_id = {free_id(plan)}")
    here = target.events()
    for key, event in journal.scheduled.items():
        if event.status == ENABLED and key in here and here[key].status == ENABLED:
            target.set_event(key, EventState(DISABLED, here[key].definer))
    if not plan.is_mariadb and plan.by_gtids:
        for one in plan.contents.omitted:
            target.run(f"SET gtid_next = '{one.gtid}'")
            target.run("BEGIN")
            target.run("COMMIT")
        target.run("SET gtid_next = AUTOMATIC")


def put_in_order(
    target: Target,
    journal: Journal,
    events: dict[tuple[str, str], EventState],
    changed: set[tuple[str, str]] | frozenset[tuple[str, str]] = frozenset(),
) -> dict[str, str]:
    """Remove the channel, and give events and settings their values. Return the states of events that were `changed`.

    Everything may be done already.
    """
    if target.channel() is not None:
        target.replica("STOP")
        target.replica("RESET", " ALL")
    here = target.events()
    given = {}
    for key, event in events.items():
        if key in here:
            status = event.status
            if target.is_mariadb:
                status = status.replace("REPLICA_SIDE", "SLAVESIDE")
            if here[key].status != status:
                target.set_event(key, EventState(status, here[key].definer))
            if key in changed:
                given[".".join(key)] = status
    for name, value in journal.settings.items():
        target.run(f"SET GLOBAL {name} = {value}")
    return given


def give_up(target: Target, journal: Journal) -> Iterator[str]:
    """Put the target's events and settings back, and forget the run. Yield sentences about what remains."""
    put_in_order(target, journal, journal.scheduled)
    yield f"the target keeps what was applied: {target.executed()}"
    journal.remove()
