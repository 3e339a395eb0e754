"""The rules by which a plan is refused that a client is to apply: what one session cannot do, or promise."""

from pybinlog.log.executed import Executed, set_text
from pybinlog.recover.journal import Journal
from pybinlog.recover.plan import Plan
from pybinlog.recover.scheduled_events import ENABLED
from pybinlog.recover.target import TargetState

AGAIN = "load the backup again if it is interrupted"


def resumes(plan: Plan, state: TargetState) -> bool:
    """Return True if the target tells after an interruption what it has applied."""
    if not plan.by_gtids or plan.request.rewrite is not None:
        return False
    return not plan.is_mariadb or state.variable("log_bin") == "ON"


def client_problems(plan: Plan, state: TargetState, journal: Journal | None) -> None:
    """Judge a plan that a client is to apply."""
    contents = plan.contents
    detaches = state.variable("xa_detach_on_prepare") == "ON"
    if contents.loads is not None:
        plan.refuse(
            f"{contents.loads} loads a file (LOAD DATA), which the client does not send",
            "Recover without --client, or end the recovery before it",
        )
    if contents.makes_temporary and contents.preparations and not detaches:
        plan.refuse(
            "the logs have temporary tables and XA PREPARE: the session ends after it, and so do the tables",
            "Recover without --client",
        )
    enabled = [".".join(key) for key, status in contents.scheduled.states.items() if status == ENABLED]
    enabled = [name for name in enabled if tuple(name.split(".", 1)) in contents.scheduled.changed]
    if enabled and state.variable("event_scheduler") == "ON":
        plan.refuse(
            f"the target has event_scheduler=ON, and would run events while the logs are applied: {', '.join(enabled)}",
            "SET GLOBAL event_scheduler = OFF on the target for the run",
        )
    if not resumes(plan, state):
        reason = (
            "--rewrite-db"
            if plan.request.rewrite is not None
            else "log_bin=OFF"
            if plan.by_gtids
            else "logs without GTIDs"
        )
        plan.remarks.append(f"with {reason}, the target does not tell how far a run has come: {AGAIN}")
    elif contents.makes_temporary:
        plan.remarks.append(f"the logs make temporary tables, which end with the session of the run: {AGAIN}")
    if plan.is_mariadb and plan.by_gtids and plan.request.rewrite is None and journal is None:
        own_logs(plan, state)


def own_logs(plan: Plan, state: TargetState) -> None:
    """Refuse a MariaDB whose own logs have GTIDs of the logs' servers: they tell how far a run has come."""
    logged = Executed.of_state(state.variable("gtid_binlog_state")).gtids
    if both := plan.planned.minus(plan.planned.minus(logged)):
        plan.refuse(
            f"the target's own logs have {set_text(both)}, which the logs have, too",
            "RESET MASTER on the target, then SET GLOBAL gtid_slave_pos again",
        )
