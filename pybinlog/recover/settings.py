"""Settings: the target's global variables that a run changes, and puts back at its end."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.recover.plan import Plan
    from pybinlog.recover.target import TargetState

FAST = {"sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}
WORKERS = {
    False: ("replica_parallel_workers", "slave_parallel_workers"),
    True: ("slave_parallel_threads",),
}
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


def wanted_settings(plan: Plan, state: TargetState, how: RunOptions) -> dict[str, str]:
    """Return the settings of the target for the run that differ from its own."""
    wanted = {}
    workers = next(name for name in WORKERS[plan.is_mariadb] if state.variable(name))
    if int(state.variable(workers)) < how.workers:
        wanted[workers] = str(how.workers)
    for name in ORDER:
        if state.variable(name) == "OFF":
            wanted[name] = "ON"
            break
    if how.is_fast:
        wanted |= FAST
    if plan.is_mariadb and state.server_id in ids_of(plan):
        wanted["server_id"] = str(free_id(plan))
    return wanted


def ids_of(plan: Plan) -> set[int]:
    """Return the server ids of the planned transactions (MariaDB)."""
    return {int.from_bytes(uuid[4:8], "little") for uuid, _ in plan.planned}


def free_id(plan: Plan) -> int:
    taken = {*ids_of(plan), plan.archive.server_id}
    return next(number for number in range(plan.archive.server_id + 1, 1 << 32) if number not in taken)
